// The Rules room without a connection: the look-up as the server does it, and the texts as they stand.

import { draw, here, read, show } from "./offline-parts.js";
import { lookUpOver, searched } from "./lookup.js";
import { unfold } from "./rulebook.js";
import { Rules } from "./rules-state.js";
import { searchAsOneTypes, showFound } from "./searching.js";

/** @typedef {import("./hearing-state.js").Book} Book */
/** @typedef {import("./offline-parts.js").Told} Told */

/** Show a topic, a question or a rulebook where the address names one; false where it names none. @param {Rules} rules @param {boolean} led */
function showText(rules, led) {
  const [first, second] = here.rest;
  if (first === "topics") {
    const topic = rules.topic(second);
    if (topic) show(draw("rulebook_head", topic) + draw("topic_page", topic));
    else show(draw("no_topic", `${here.root}rules`));
    return true;
  }
  if (!first || !led) return false;
  const clause = second && rules.clause(second);
  const book = rules.rulebook();
  if (clause) show(draw("clause_page", clause));
  else {
    show(draw("rulebook_head", book) + draw("rulebook_sections", book.sections));
    unfold();
  }
  return true;
}

/** Show the Rules room: `books` lead in their order, the first is in force where `led`. @param {Book[]} books @param {boolean} led @param {Told} told */
export async function showRules(books, led, told) {
  const { match, query, root, sheet } = here;
  const rules = new Rules(books, led, told, root);
  if (showText(rules, led)) return;
  const page = {
    sheet,
    query: query.get("q") ?? "",
    action: here.home,
    title: books[0].title,
    house_rules: books[0].house_rules,
    books: match ? null : told.rulebooks,
    led: led && books[0].rulebook,
  };
  const unable = here.rest[0] === "compare" ? draw("no_comparison") : "";
  show(`${unable}${draw("search", page)}<div id="found"></div>`);
  const found = /** @type {HTMLElement} */ (document.getElementById("found"));
  const form = /** @type {HTMLFormElement} */ (document.getElementById("search"));
  const field = /** @type {HTMLInputElement} */ (document.getElementById("q"));
  const lookUp = lookUpOver({ ...(await read(told.lookup)), questions: told.questions });
  const look = () => {
    const typed = field.value.trim();
    if (typed) {
      const clauses = searched(books, led).map((book) => rules.clausesOf(book));
      showFound(found, draw("found", rules.found(lookUp(typed.slice(0, 200), clauses, led, books[0]))));
    } else found.innerHTML = draw("browse", rules.browse());
  };
  form.querySelector("select")?.addEventListener("change", () => form.submit()); // Another rulebook leads: another page.
  searchAsOneTypes(form, look);
  look();
}
