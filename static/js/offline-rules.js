// The Rules room without a connection: the look-up as the server does it, and the texts as they stand.

import { say } from "./base.js";
import { hold, home, link, make, match, named, query, read, rest, root, rows, show, wayBack } from "./offline-parts.js";
import { lookUpOver } from "./lookup.js";

const SHOWN = 6;
const small = (text, className = "small quiet") => make("p", text, { className });

/** What a clause says, with its source. */
const text = (clause) => [
  make("p", clause.text, { dir: "auto" }),
  clause.quote && small(`“${clause.quote}”`),
  clause.reading && small(`How we read it: ${clause.reading}`),
  clause.cite && small(clause.cite, "tiny quiet"),
].filter(Boolean);

const bookLine = (book, clause) => hold("p", "book", link(named(book), `${root}rules/${book.rulebook}`), clause?.house_rule && make("span", "your house rule", { className: "mark" }));
const said = (book, id) => hold("li", "said", bookLine(book), book.byId.has(id) ? make("p", book.byId.get(id).text, { dir: "auto" }) : make("p", "The rules don’t say.", { className: "quiet" }));

function folded(title, open, ...parts) {
  const more = hold("details", "", make("summary", title), ...parts);
  more.open = open;
  return more;
}

/** One answer: the leading book's clause, the others behind a tap. */
function hit(question, books, best, heading = "h2") {
  const clause = books[0].byId.get(question.id);
  return hold("article", best ? "hit best" : "hit", make(heading, question.text), bookLine(books[0], clause),
    ...(clause ? text(clause) : [make("p", "The rules don’t say.", { className: "quiet" })]),
    books.length > 1 && folded("Other rulebooks", best && !clause, hold("ul", "plain", ...books.slice(1).map((book) => said(book, question.id)))));
}

/** Show a topic, a question or a rulebook where the address names one; false where it names none. */
function showText(books, { questions, topics }) {
  const back = wayBack("Rules", match ? home : `${root}rules`);
  const [first, second] = rest;
  const asked = questions.find(({ id }) => id === second);
  if (first === "topics") {
    const listed = questions.filter(({ id, topic }) => topic === second && books.some((book) => book.byId.has(id)));
    show(topics[second] ?? "Rules", back, make("h1", topics[second] ?? "Topic not found"),
      ...listed.map(({ id, text: words }) => Object.assign(hold("section", "", make("h2", words), hold("ul", "plain", ...books.map((book) => said(book, id)))), { id })));
    return true;
  }
  if (asked) {
    show(asked.text, wayBack(books[0].title, `${root}rules/${first}`), hit(asked, books, true, "h1"));
    return true;
  }
  if (first && first !== "compare") {
    const [book] = books;
    const sections = Object.entries(topics).map(([id, title]) => [title, book.clauses.filter(({ topic }) => topic === id)]);
    show(book.title, back, make("h1", book.title), small(book.source), ...sections.filter(([, clauses]) => clauses.length).map(([title, clauses]) =>
      hold("section", "", make("h2", title), ...clauses.map((clause) => Object.assign(hold("article", "clause", make("h3", clause.title), ...text(clause)), { id: clause.id })))));
    return true;
  }
  return false;
}

/** Show the Rules room: `books` lead in their order, the first is in force where `led`. */
export async function showRules(books, led, { questions, topics, asked_most: askedMost, lookup }) {
  for (const book of books) book.byId = new Map(book.clauses.map((clause) => [clause.id, clause]));
  const byId = new Map(questions.map((question) => [question.id, question]));
  const topicAt = (id) => `${root}rules/topics/${id}${led ? `?rulebook=${books[0].rulebook}` : ""}`;
  if (showText(books, { questions, topics })) return;
  const field = make("input", "", { id: "q", name: "q", type: "search", className: "grow", value: query.get("q") ?? "", maxLength: 2000, autocomplete: "off", autocapitalize: "none", enterKeyHint: "search", dir: "auto", placeholder: "forgot uno" });
  const form = hold("form", "search", make("label", "What do you want to know?", { htmlFor: "q" }), hold("div", "row", field),
    led && small(`${named(books[0])} first${match ? ", as you agreed" : ""}.`));
  const found = hold("div", "");
  show("Rules", match && wayBack("Back to the sheet", `${root}matches/${match}`), rest[0] && small("You need to be online to compare two rulebooks. A topic shows all of them together."), make("h1", "Rules"), form, found);

  const browse = () => [
    make("h2", "Asked most"), rows(askedMost.map((id) => ({ title: byId.get(id).text, href: led ? `${root}rules/${books[0].rulebook}/${id}` : `${topicAt(byId.get(id).topic)}#${id}` }))),
    make("h2", "By topic"), hold("ul", "plain topics", ...Object.entries(topics).map(([id, title]) => hold("li", "", link(title, topicAt(id), "button")))),
    make("h2", "Rulebooks"), rows(books.map((book) => ({ title: book.title, href: `${root}rules/${book.rulebook}` }))),
  ];
  const lookUp = lookUpOver({ ...await read(lookup), questions });

  function answer() {
    const typed = field.value.trim();
    if (!typed) return browse();
    const result = lookUp(typed.slice(0, 200), books.map((book) => book.byId), led);
    const parts = [];
    const near = result.topics.map((id) => ({ title: topics[id], href: topicAt(id) }));
    if (result.corrected.size) parts.push(small(`Read as ${[...result.corrected.values()].map((word) => `“${word}”`).join(", ")}.`));
    if (result.box) {
      parts.push(hold("p", "silent-here", make("b", result.box.notice)), small(result.box.about), rows(near));
    } else if (result.silent) {
      parts.push(hold("p", "silent-here", make("b", "Silent here. "), `${led ? books[0].title : "No rulebook"} does not say: ${result.asked.text}`));
      parts.push(result.hits.length ? small(led ? "What the others say, and related rules:" : "Related rules:") : rows(near));
    } else if (!result.answered) {
      parts.push(hold("p", "silent-here", make("b", "No rule found. "), "Try other words, or one of these:"));
      parts.push(rows([...result.hits.slice(0, 3).map((id) => ({ title: byId.get(id).text, href: `${topicAt(byId.get(id).topic)}#${id}` })), ...near]));
    }
    if (result.answered || result.silent) {
      parts.push(...result.hits.slice(0, SHOWN).map((id, place) => {
        const speaks = led ? books : [...books].sort((one, other) => other.byId.has(id) - one.byId.has(id));
        return hit(byId.get(id), speaks, !place);
      }));
    }
    say(parts.find((part) => part.matches(".silent-here"))?.textContent ?? `${result.hits.length} rules found. ${byId.get(result.hits[0]).text}`);
    return parts;
  }

  let later = 0;
  const look = () => { clearTimeout(later); found.replaceChildren(...answer()); };
  form.addEventListener("submit", (event) => { event.preventDefault(); look(); field.blur(); });
  field.addEventListener("input", () => { clearTimeout(later); later = setTimeout(look, 120); });
  look();
}
