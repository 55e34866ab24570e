// The Dispute room without a connection; a ruling is kept until it can be sent.

import { say } from "./base.js";
import { followDirection } from "./direction.js";
import { findAsOneTypes } from "./find-dispute.js";
import { disputeGroups, hear } from "./hearing-state.js";
import { draw, here, place, show } from "./offline-parts.js";
import { newKey, put } from "./outbox.js";
import { offerTable, sentences } from "./show-table.js";
import { worded } from "./words.js";

/** @typedef {import("./hearing-state.js").Book} Book */
/** @typedef {import("./hearing-state.js").Dispute} Dispute */

/** @param {Book} book */
export function showDisputes(book) {
  const { match, query, home, root, sheet } = here;
  const under = match || query.has("rulebook");
  const groups = disputeGroups(book, (id) => `${home}/${id}${under && !match ? `?rulebook=${book.rulebook}` : ""}`);
  const search = `${sheet ? `${sheet}/` : root}rules`;
  show(draw("dispute_list", { sheet, rulebook: under && book.title, agreed: Boolean(match), search, ...groups }));
  findAsOneTypes(place);
}

/** @param {{id: string, title: string, sentence: string}[]} books @param {string} title of the dispute */
export function chooseRulebook(books, title) {
  const links = books.map((book) => ({ title: book.title, hint: book.sentence, address: `?rulebook=${book.id}` }));
  show(draw("dispute_head", { title, list: here.home }) + draw("rulebook_choice", links));
}

/** Show the next question, or the ruling. @param {Book} book @param {Dispute} dispute @param {string[] | null} names who sits at the match, clockwise */
export function showHearing(book, dispute, names) {
  const { draws, page, people } = hear(book, dispute, { ...here, hash: location.hash, names });
  show(draw(draws, page), people);
  place.querySelector(".asked, #ruling")?.setAttribute("tabindex", "-1");
  offerTable(place);
  followDirection(place);
  const form = /** @type {HTMLFormElement | null} */ (place.querySelector(".write-down"));
  if (!form) return;
  const summary = sentences(/** @type {HTMLElement} */ (place.querySelector("[data-told]"))).join(" ");
  say(summary);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopPropagation();
    letWait(form, dispute, summary);
  });
}

/** Let a ruling wait on this phone; the server hears the case itself before it writes it down. @param {HTMLFormElement} form @param {Dispute} dispute @param {string} summary */
async function letWait(form, dispute, summary) {
  const key = newKey();
  const fields = [...new FormData(form)].map(
    ([name, value]) => /** @type {[string, string]} */ ([name, String(value).trim()]),
  );
  const decided = new Map(fields).get("table_decided") ?? "";
  const facts = fields.filter(([name]) => name !== "table_decided");
  const waits = await put({
    key,
    kind: "ruling",
    match: here.match ?? "",
    address: form.action,
    asks: `${here.home}/${dispute.id}?${new URLSearchParams(facts)}`,
    fields: [...fields, ["once", key]],
    title: dispute.title,
    says: decided ? worded("table-decided", { ruling: summary, decided }) : summary,
    points: {},
    standing: "waiting",
    problem: "",
    theirs: [],
  });
  if (waits) location.assign(here.sheet ?? here.root);
  const problem = /** @type {HTMLElement} */ (form.querySelector(".error"));
  problem.hidden = waits;
  problem.textContent = worded("ruling-unsaved");
}
