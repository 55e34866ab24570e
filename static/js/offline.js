// Stands in for Dispute and Rules without a connection: walks the trees and shows the clauses that the server wrote.

import { kept, say } from "./base.js";

const place = document.getElementById("offline");
const { root, catalogue } = place.dataset;
const path = location.pathname.slice(root.length).split("/").filter(Boolean).map(decodeURIComponent);
const match = path[0] === "matches" ? path[1] : null;
const [room, ...rest] = match ? path.slice(2) : path;
const query = new URLSearchParams(location.search);
const home = match ? `${root}matches/${encodeURIComponent(match)}/${room}` : `${root}${room}`;

const make = (tag, text = "", set = {}) => Object.assign(document.createElement(tag), { textContent: text, ...set });
const link = (text, href, className = "") => make("a", text, { href, className });
const read = async (address) => (await fetch(address)).json();
const show = (title, ...parts) => {
  document.title = `${title} – Referee`;
  place.replaceChildren(...parts.filter(Boolean), make("p", "Not connected: this comes from this phone.", { className: "tiny quiet" }));
};

function rows(entries) {
  const list = make("ul", "", { className: "plain list" });
  for (const { title, hint, href } of entries) {
    const row = link("", href, "list-row");
    const words = make("span", "", { className: "grow" });
    words.append(make("b", title));
    if (hint) words.append(make("span", hint, { className: "hint" }));
    row.append(words);
    const item = make("li");
    item.append(row);
    list.append(item);
  }
  return list;
}

const wayBack = (text, href) => { const line = make("p"); line.append(link(text, href, "way-back")); return line; };
const named = (book) => [book.title, ...book.house_rule_titles].join(" · ");

/* -- disputes ------------------------------------------------------------------------------------------------------ */

function showDisputes(book) {
  const at = (id) => `${home}/${id}${match ? "" : query.has("rulebook") ? `?rulebook=${book.rulebook}` : ""}`;
  show("Disputes", make("h1", "What is it about?"), match && make("p", `Heard under ${named(book)}, as you agreed.`, { className: "quiet" }),
    rows(book.disputes.map(({ id, title, lead }) => ({ title, hint: lead, href: at(id) }))));
}

function chooseRulebook(books, title) {
  show(title, wayBack("All disputes", home), make("h1", title), make("p", "Which rules do you play by?", { className: "asked" }),
    rows(books.map(({ id, title: name, sentence }) => ({ title: name, hint: sentence, href: `?rulebook=${id}` }))));
}

const word = (value) => (value === true ? "yes" : value === false ? "no" : String(value));

/** Follow the answers: those that the address names, those that stand behind #, and those that have no alternative. */
function walk(book, dispute, steps) {
  const [start, ...taken] = steps;
  let node = book.nodes[dispute.starts[start]?.node ?? dispute.starts[0].node];
  const answers = [];
  while (node.options) {
    const question = book.questions[node.ask];
    const said = query.get(question.key);
    const given = node.options.findIndex(([, value]) => said !== null && word(value) === said);
    const asks = given < 0 && node.options.length > 1;
    if (asks && !taken.length) return { node, question, answers };
    const option = node.options[asks ? taken.shift() : Math.max(0, given)];
    if (!option) return { node, question, answers };
    if (asks || given >= 0) answers.push([question.text, option[0]]);
    node = book.nodes[option[2]];
  }
  return { node, answers };
}

function showHearing(book, dispute, questions) {
  const steps = location.hash.slice(1).split(".").filter(Boolean).map(Number);
  if (!steps.length) steps.push(0);
  const { node, question, answers } = walk(book, dispute, steps);
  const said = make("ul", "", { className: "plain answers" });
  for (const [text, answer] of answers) {
    const item = make("li");
    item.append(make("span", `${text} ${answer}.`, { className: "grow" }));
    said.append(item);
  }
  if (answers.length) {
    const again = make("li");
    again.append(link("From the beginning", `#${steps[0]}`));
    said.append(again);
  }
  const head = make("div", "", { className: "heard" });
  if (question) {
    head.append(make("h1", dispute.title), make("p", named(book), { className: "quiet small" }));
    const options = make("div", "", { className: "options" });
    node.options.forEach(([label], index) => options.append(link(label, `#${[...steps, index].join(".")}`, "button option")));
    const others = answers.length ? [] : dispute.starts.map((start, index) => ({ index, asked: book.questions[book.nodes[start.node].ask]?.text }))
      .filter(({ index, asked }) => index !== steps[0] && asked && asked !== question.text);
    show(dispute.title, wayBack("All disputes", home), head, answers.length && said, make("h2", question.text, { className: "asked", tabIndex: -1 }), options,
      ...others.map(({ index, asked }) => { const line = make("p"); line.append(link(`Ask first: ${asked}`, `#${index}`, "button plain-button wide")); return line; }));
    return;
  }
  const silent = node.status === "silent";
  const verdict = make("section", "", { className: "verdict" });
  verdict.append(make("h1", silent ? "This text does not say" : node.verdict, { tabIndex: -1 }), make("p", node.summary, { className: "lead" }));
  const open = (node.missing ?? []).map((id) => questions.get(id)?.text).filter(Boolean);
  const left = open.length && make("section", "", { className: "open-questions" });
  if (left) {
    const list = make("ul");
    list.append(...open.map((text) => make("li", text)));
    left.append(make("p", `${book.title} leaves open:`, { className: "small quiet" }), list);
  }
  const reasons = make("ol", "", { className: "plain reasons" });
  for (const { kind, text, quote, cite, replaces } of node.steps.map((step) => book.steps[step])) {
    if (kind !== "clause") continue;
    const item = make("li");
    item.append(make("p", text));
    if (replaces) item.append(make("p", `In place of: ${replaces.text ?? ""}`, { className: "small replaced" }));
    if (quote) item.append(make("p", `“${quote}”`, { className: "small quiet" }));
    if (cite) item.append(make("p", cite, { className: "small" }));
    reasons.append(item);
  }
  show(node.verdict, wayBack("All disputes", home), make("p", `${dispute.title} · ${named(book)}`, { className: "quiet small heard" }), verdict, left,
    make("h2", "Why"), reasons.childElementCount ? reasons : make("p", `${book.title} has no clause on this.`), make("h2", "What you said"), said,
    make("p", "Names, the other rulebooks and the way onto the sheet come back with the connection.", { className: "small quiet" }));
  say(node.summary);
}

/* -- rules --------------------------------------------------------------------------------------------------------- */

const wordsOf = (text) => text.toLowerCase().normalize("NFKD").match(/[\p{Letter}\p{Number}]+/gu) ?? [];

/** Rank questions by the words they share with the query, rare words first: a plain search, without the server's. */
function search(typed, entries) {
  const asked = [...new Set(wordsOf(typed))];
  const holds = (words, one) => words.some((other) => other === one || (one.length > 3 && other.startsWith(one)));
  const weights = new Map(asked.map((one) => [one, Math.log((1 + entries.length) / (1 + entries.filter(({ words, title }) => holds(words, one) || holds(title, one)).length))]));
  return entries.map((entry) => ({
    ...entry,
    score: asked.reduce((sum, one) => sum + weights.get(one) * (holds(entry.title, one) ? 3 : holds(entry.words, one) ? 1 : 0), 0),
  })).filter(({ score }) => score > 0).sort((one, other) => other.score - one.score).slice(0, 6);
}

function told({ question, clause }, book) {
  const hit = make("article", "", { className: "hit" });
  hit.append(make("h2", question.text));
  hit.append(clause ? make("p", clause.text, { dir: "auto" }) : make("p", `${book.title} is silent here.`, { className: "silent-here" }));
  if (clause?.quote) hit.append(make("p", `“${clause.quote}”`, { className: "small quiet" }));
  if (clause?.reading) hit.append(make("p", `How we read it: ${clause.reading}`, { className: "small quiet" }));
  if (clause) hit.append(make("p", clause.cite, { className: "small" }));
  return hit;
}

function showRules(book, all, topics) {
  const clauses = new Map(book.clauses.map((clause) => [clause.id, clause]));
  const entries = all.map((question) => {
    const clause = clauses.get(question.id);
    return { question, clause, title: wordsOf(`${question.text} ${topics[question.topic]} ${clause?.title ?? ""}`), words: wordsOf(clause?.text ?? "") };
  });
  const topic = rest[0] === "topics" ? rest[1] : null;
  const clause = !topic && rest.length > 1 ? rest[1] : null;
  const whole = topic || rest.length;
  const shown = clause ? entries.filter(({ question }) => question.id === clause) : topic ? entries.filter(({ question }) => question.topic === topic) : whole ? entries.filter((entry) => entry.clause) : [];
  const title = topic ? topics[topic] ?? "Rules" : whole ? book.title : "Look a rule up";
  const form = make("form", "", { className: "search", action: home });
  const field = make("input", "", { id: "q", name: "q", type: "search", value: query.get("q") ?? "", autocomplete: "off" });
  const row = make("div", "", { className: "row" });
  row.append(field);
  form.append(make("label", "Words of the rule", { htmlFor: "q" }), row);
  const found = make("div");
  const topicLinks = make("p", "", { className: "topics" });
  topicLinks.append(...Object.entries(topics).map(([id, name]) => link(name, `${root}rules/topics/${id}?rulebook=${book.rulebook}`, "button")));
  const look = () => {
    const hits = search(field.value, entries);
    found.replaceChildren(...hits.map((hit) => told(hit, book)));
    if (field.value.trim() && !hits.length) found.replaceChildren(make("p", "No rule has these words. Try other words, or a topic.", { className: "lead" }));
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); look(); field.blur(); });
  field.addEventListener("input", look);
  show(title, whole && wayBack("Look a rule up", home), make("h1", title), make("p", `${named(book)}. ${book.source}`, { className: "small quiet" }),
    ...(whole ? shown.map((entry) => told(entry, book)) : [form, make("p", "Without a connection only the words themselves are searched.", { className: "small quiet" }), found, make("h2", "Topics"), topicLinks]));
  look();
}

/* -- which ---------------------------------------------------------------------------------------------------------- */

async function begin() {
  const { rulebooks, questions, topics } = await read(catalogue);
  const own = match && kept(`rules.${match}`);
  const wanted = query.get("rulebook") ?? (room === "rules" && rest[0] !== "topics" ? rest[0] : null);
  const book = await read(own ?? (rulebooks.find(({ id }) => id === wanted) ?? rulebooks[0]).address);
  for (const tab of document.querySelectorAll(".tabs a")) {
    const name = tab.getAttribute("href").slice(root.length);
    if (match && ["disputes", "rules"].includes(name)) tab.href = `${root}matches/${match}/${name}`;
    if (match && name === "") tab.href = `${root}matches/${match}`;
    if (name === room) tab.setAttribute("aria-current", "page");
  }
  if (room === "rules") { showRules(book, questions, topics); return; }
  const dispute = book.disputes.find(({ id }) => id === rest[0]);
  if (!dispute) { showDisputes(book); return; }
  if (!own && !query.has("rulebook")) { chooseRulebook(rulebooks, dispute.title); return; }
  const byId = new Map(questions.map((question) => [question.id, question]));
  const hear = () => showHearing(book, dispute, byId);
  addEventListener("hashchange", () => {
    hear();
    scrollTo(0, 0);
    place.querySelector("[tabindex]")?.focus({ preventScroll: true });
  });
  hear();
}

const theme = kept("theme");
if (theme) document.documentElement.dataset.theme = theme;
addEventListener("online", () => place.prepend(link("The connection is back: open this page", location.href.split("#")[0], "button wide")));
if (["disputes", "rules"].includes(room) && rest.at(-1) !== "ruling") begin();
