// Draws pages as a phone without a connection does, for tests/web/test_phone_pages.py: reads what it took along and the
// addresses as JSON, writes the HTML of each page.

import { readFileSync } from "node:fs";

import { hear } from "../../static/js/hearing-state.js";
import { lookUpOver, searched } from "../../static/js/lookup.js";
import { Rules } from "../../static/js/rules-state.js";
import { drawing } from "../../static/js/templates.js";

const { templates, catalogue, lookup, books, addresses } = JSON.parse(readFileSync(0, "utf8"));
const draw = drawing(templates);
const lookUp = lookUpOver({ ...lookup, questions: catalogue.questions });

function rulesPage(path, query) {
  const [first, second] = path;
  const wanted = query.get("rulebook") ?? (first === "topics" ? null : first);
  const led = books.find(({ rulebook }) => rulebook === wanted);
  const rules = new Rules(
    [...(led ? [led] : []), ...books.filter((book) => book !== led)],
    Boolean(led),
    catalogue,
    "/",
  );
  if (first === "topics") return draw("rulebook_head", rules.topic(second)) + draw("topic_page", rules.topic(second));
  if (second) return draw("clause_page", rules.clause(second));
  if (first) return draw("rulebook_head", rules.rulebook()) + draw("rulebook_sections", rules.rulebook().sections);
  const page = { query: query.get("q") ?? "", action: "/rules", books: catalogue.rulebooks, led: wanted };
  const inside = searched(rules.books, Boolean(led));
  const clauses = inside.map((book) => rules.clausesOf(book));
  const found = lookUp(page.query, clauses, Boolean(led), rules.books[0], inside);
  const below = page.query ? draw("found", rules.found(found)) : draw("browse", rules.browse());
  return draw("search", page) + below + draw("first_rulebook", page);
}

function hearingPage([id], query, hash) {
  const book = books.find(({ rulebook }) => rulebook === query.get("rulebook"));
  const dispute = book.disputes.find((one) => one.id === id);
  const { draws, page } = hear(book, dispute, {
    root: "/",
    home: "/disputes",
    match: null,
    hash,
    query,
    names: null,
    law: [],
  });
  return draw(draws, page);
}

const pages = addresses.map((address) => {
  const { pathname, searchParams, hash } = new URL(address, "http://phone/");
  const [room, ...path] = pathname.split("/").filter(Boolean);
  return room === "rules" ? rulesPage(path, searchParams) : hearingPage(path, searchParams, hash);
});
process.stdout.write(JSON.stringify(pages));
