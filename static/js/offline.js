// Stands in for Dispute and Rules without a connection: walks the trees and shows the clauses that the server wrote.

import { kept, say } from "./base.js";
import { catalogue, home, link, make, match, named, place, query, read, rest, room, root, rows, show, wayBack } from "./offline-parts.js";
import { showRules } from "./offline-rules.js";

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

/* -- which ---------------------------------------------------------------------------------------------------------- */

async function begin() {
  const told = await read(catalogue);
  const { rulebooks, questions } = told;
  const own = match && await read(kept(`rules.${match}`)).catch(() => null);
  if (match && !own) {
    show("Not connected", make("h1", "Not on this phone"), make("p", "The rules that this match agreed on are not on this phone. The rulebooks as they are printed are.", { className: "lead" }),
      rows(rulebooks.map(({ id, title, sentence }) => ({ title, hint: sentence, href: `${root}${room}?rulebook=${id}` }))));
    return;
  }
  for (const tab of document.querySelectorAll(".tabs a")) {
    const name = tab.getAttribute("href").slice(root.length);
    if (match && ["disputes", "rules"].includes(name)) tab.href = `${root}matches/${match}/${name}`;
    if (match && name === "") tab.href = `${root}matches/${match}`;
    if (name === room) tab.setAttribute("aria-current", "page");
  }
  const wanted = query.get("rulebook") ?? (room === "rules" && rest[0] !== "topics" ? rest[0] : null);
  const led = own ?? rulebooks.find(({ id }) => id === wanted);
  if (room === "rules") {
    const others = rulebooks.filter(({ id }) => id !== (own ? own.rulebook : wanted));
    const books = await Promise.all([own ?? led?.address, ...others.map(({ address }) => address)].filter(Boolean).map((one) => (one === own ? own : read(one))));
    showRules(books, Boolean(led), told);
    return;
  }
  const book = own ?? await read((led ?? rulebooks[0]).address);
  const dispute = book.disputes.find(({ id }) => id === rest[0]);
  if (!dispute) { showDisputes(book); return; }
  if (!led) { chooseRulebook(rulebooks, dispute.title); return; }
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
