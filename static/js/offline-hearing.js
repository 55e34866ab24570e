// The Dispute room without a connection: walks the trees that the server grew, and keeps a ruling until it can be sent.
//
// Behind # stand the answers: who it is about ("-" for nobody), "/", and the places of the answers, the start first.

import { say } from "./base.js";
import { hold, home, link, make, match, named, query, root, rows, show, wayBack } from "./offline-parts.js";
import { newKey, put } from "./outbox.js";

const PERSON = 0xe000; // The first of the characters that stand for people.
const OUTSIDE = { "": "", "not-agreed": "House rules you do not play by", silent: "Not in these rules" };

export function showDisputes(book) {
  const at = (id) => `${home}/${id}${match ? "" : query.has("rulebook") ? `?rulebook=${book.rulebook}` : ""}`;
  show("Disputes", match && wayBack("Back to the sheet", `${root}matches/${match}`), make("h1", "What’s the dispute?"), match && make("p", `Under ${named(book)}, as you agreed.`, { className: "quiet" }),
    ...Object.entries(OUTSIDE).flatMap(([why, heading]) => {
      const listed = book.disputes.filter(({ outside }) => (outside ?? "") === why);
      return listed.length ? [heading && make("h2", heading), rows(listed.map(({ id, title, lead }) => ({ title, hint: lead, href: at(id) })))] : [];
    }));
}

export function chooseRulebook(books, title) {
  show(title, wayBack("All disputes", home), make("h1", title), make("p", "Which rulebook do you play by?", { className: "asked" }),
    rows(books.map(({ id, title: name, sentence }) => ({ title: name, hint: sentence, href: `?rulebook=${id}` }))));
}

const word = (value) => (value === true ? "yes" : value === false ? "no" : String(value));

/** Follow the answers: those that the address names, those behind #, and those that have no alternative. */
function walk(book, starts, steps) {
  const [start, ...taken] = steps;
  let node = book.nodes[(starts[start] ?? starts[0]).node];
  const answers = [];
  const facts = [];
  let exact = true;
  while (node.options) {
    const question = book.questions[node.ask];
    const said = query.get(question.key);
    const given = node.options.findIndex(([, value]) => said !== null && word(value) === said);
    const asks = given < 0 && node.options.length > 1;
    const option = node.options[asks ? taken.shift() : Math.max(0, given)];
    if (!option) return { node, question, answers };
    const [label, value, next, itself] = option;
    if (asks || given >= 0) answers.push([question.text, label]);
    if (itself) facts.push([question.key, word(value)]); else exact = false;
    node = book.nodes[next];
  }
  return { node, answers, facts, exact };
}

/** Show the next question, or the ruling. `names` are those who sit at the match, clockwise; null elsewhere. */
export function showHearing(book, dispute, questions, names) {
  const cast = names && dispute.cast?.rows.length === names.length ? dispute.cast : null;
  const options = cast?.rows.flatMap((row) => row.options) ?? [];
  const [who = "", path = ""] = location.hash.slice(1).split("/");
  const steps = path.split(".").filter(Boolean).map(Number);
  if (!steps.length) steps.push(0);
  const addressed = options.findIndex(({ fields }) => Object.entries(fields).every(([name, value]) => query.get(name) === value));
  const about = options[who === "" ? addressed : Number(who)];
  const back = wayBack("All disputes", home);
  const head = hold("div", "heard", make("h1", dispute.title), make("p", named(book), { className: "quiet small" }));
  if (cast && !about && who !== "-" && query.get("names") !== "no") {
    show(dispute.title, back, head, make("h2", cast.text, { className: "asked", tabIndex: -1 }), people(cast, names, options),
      hold("p", "", link("Skip names", "#-/", "button plain-button wide")));
    return;
  }
  const called = (text) => text.replace(/[\ue000-\ue0ff]/g, (one) => names[about.people[one.charCodeAt(0) - PERSON]]);
  const { node, question, answers, facts, exact } = walk(book, about ? dispute.named : dispute.starts, steps);
  const to = (...places) => `#${about ? options.indexOf(about) : who}/${places.join(".")}`;
  const said = hold("ul", "plain answers",
    about && hold("li", "", make("span", [cast.rows.find((row) => row.options.includes(about)).place, about.then].filter((place) => place !== null).map((place) => names[place]).join(", then "), { className: "grow", dir: "auto" }), link("Change", `${home}/${dispute.id}`)),
    ...answers.map(([text, answer]) => hold("li", "", make("span", called(`${text} ${answer}.`), { className: "grow" }))),
    answers.length && hold("li", "", link("Start over", to(steps[0]))));
  if (question) {
    const choices = hold("div", "options", ...node.options.map(([label], index) => link(called(label), to(...steps, index), "button option")));
    const starts = about ? dispute.named : dispute.starts;
    const others = answers.length ? [] : starts.map((start, index) => [index, book.questions[book.nodes[start.node].ask]?.text])
      .filter(([index, asked]) => index !== steps[0] && asked && asked !== question.text);
    show(dispute.title, back, head, said.childElementCount && said, make("h2", called(question.text), { className: "asked", tabIndex: -1 }), choices,
      ...others.map(([index, asked]) => hold("p", "", link(called(`Ask first: ${asked}`), to(index), "button plain-button wide"))));
    return;
  }
  showRuling({ book, dispute, questions, node, said, called, about, facts, exact, back, writes: names !== null });
}

function people(cast, names, options) {
  return hold("div", "cast", ...cast.rows.map((row) => {
    const choice = (option, name, className) => {
      const button = link("", `#${options.indexOf(option)}/`, `button option ${className}`);
      button.append(make("bdi", name));
      if (option.then !== null) button.setAttribute("aria-label", `${names[row.place]}, then ${name}`);
      return button;
    };
    if (row.options.length === 1) return choice(row.options[0], names[row.place], "wide");
    return hold("div", "cast-row", make("bdi", names[row.place], { className: "who" }), ...row.options.map((option) => choice(option, names[option.then], "")));
  }));
}

function showRuling({ book, dispute, questions, node, said, called, about, facts, exact, back, writes }) {
  const silent = node.status === "silent" && node.silent_on.length > 0;
  const told = node.told.map(called);
  const plain = (sentence) => sentence.toLowerCase().replace(/( and is skipped)?\.$/, "");
  const alone = (sentence) => !told.some((order) => plain(order) === plain(sentence));
  const lead = called(node.summary).split(/(?<=\.) /).filter(alone).join(" ");
  const open = node.missing.slice(silent ? 1 : 0).map((id) => questions.get(id)?.text).filter((text) => text && !lead.includes(text));
  const reasons = node.steps.map((step) => book.steps[step]).filter(({ kind }) => kind === "clause").map(({ text, quote, cite, replaces }) => hold("li", "",
    make("p", text),
    replaces && hold("p", "small replaced", make("s", replaces.text ?? "")),
    quote && make("p", `“${quote}”`, { className: "small quiet" }),
    cite && make("p", cite, { className: "small" })));
  show(node.verdict, back, make("p", `${dispute.title} · ${named(book)}`, { className: "quiet small heard" }),
    hold("section", "verdict", make("h1", silent ? "The rules don’t say" : node.verdict, { tabIndex: -1 }), lead && make("p", lead, { className: "lead" })),
    told.length && hold("ol", "plain orders", ...told.map((text) => make("li", text))),
    open.length && hold("section", "open-questions", make("p", `${book.title} doesn’t say:`, { className: "small quiet" }), hold("ul", "", ...open.map((text) => make("li", text)))),
    writes && writeDown({ dispute, fields: [...facts, ...Object.entries(about?.fields ?? { names: "no" })], summary: called(node.summary), silent, exact }),
    make("h2", "Why"), reasons.length ? hold("ol", "plain reasons", ...reasons) : make("p", `${book.title} has no clause on this.`),
    said.childElementCount && make("h2", "Your answers"), said.childElementCount && said,
    make("p", "You’ll see what other rulebooks say when you’re back online.", { className: "small quiet" }));
  say([lead, ...told].filter(Boolean).join(" "));
}

/** Let a ruling wait on this phone; the server hears the case itself before it writes it down. */
function writeDown({ dispute, fields, summary, silent, exact }) {
  const decision = make("textarea", "", { id: "table_decided", rows: 2, maxLength: 500, dir: "auto", placeholder: "What you decide, in one sentence" });
  const otherwise = hold("details", "", make("summary", silent ? "Decide it yourselves" : "Decide differently"), make("label", "What the table decides", { htmlFor: "table_decided", className: "unseen" }), decision);
  otherwise.open = silent;
  const problem = make("p", "", { className: "error", role: "alert", hidden: true });
  const form = hold("form", "write-down", otherwise,
    make("p", exact ? "Saved on this phone. Will send when you’re back online." : "Saved on this phone. When you’re back online, the sheet asks for the exact cards.", { className: "small quiet" }),
    problem, hold("div", "foot", make("button", "Save ruling", { className: "primary wide" })));
  const sheet = `${root}matches/${encodeURIComponent(match)}`;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    const key = newKey();
    const decided = decision.value.trim();
    const waits = await put({
      key, kind: "ruling", match, address: new URL(`${home}/${dispute.id}/ruling`, location).href, asks: `${home}/${dispute.id}?${new URLSearchParams(fields)}`,
      fields: [...fields, ["once", key], ["table_decided", decided]],
      title: dispute.title, says: `${summary}${decided ? ` The table decided: ${decided}` : ""}`, points: {}, standing: "waiting", problem: "", theirs: [],
    });
    if (waits) location.assign(sheet);
    problem.hidden = waits;
    problem.textContent = "This browser can’t save offline. Save the ruling when you’re back online.";
  });
  return form;
}
