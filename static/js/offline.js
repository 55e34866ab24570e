// Stands in for Dispute, Rules and Help without a connection: walks the trees and shows the clauses that the server wrote,
// by its own templates. A ruling is stored until it can be sent.

import { announce, club, stored } from "./base.js";
import { followDirection } from "./direction.js";
import { findAsOneTypes } from "./find-dispute.js";
import { disputeGroups, hear, PERSON } from "./hearing-state.js";
import { lookUpOver, searched } from "./lookup.js";
import { listed, newKey, put } from "./outbox.js";
import { unfold } from "./rulebook.js";
import { Rules } from "./rules-state.js";
import { searchAsOneTypes, showFound } from "./searching.js";
import { offerTable, sentences } from "./show-table.js";
import { drawing, escaped } from "./templates.js";
import { isAway, newItem } from "./waiting-state.js";
import { worded } from "./words.js";

/** @typedef {import("./hearing-state.js").Book} Book */
/** @typedef {import("./hearing-state.js").Dispute} Dispute */
/** @typedef {import("./hearing-state.js").Law} Law */
/** @typedef {import("./rules-state.js").Catalogue & {rulebooks: {id: string, title: string, sentence: string, address: string}[], lookup: string, help: string}} Told */

const PAUSE = 10000;
const MOST_SHEETS = 4;

/* -- what the address says, and how its page is drawn -- */

const place = /** @type {HTMLElement} */ (document.getElementById("offline"));
const { root = "/", catalogue = "" } = place.dataset;
const path = location.pathname.slice(root.length).split("/").filter(Boolean).map(decodeURIComponent);
const match = path[0] === "matches" ? path[1] : null;
const [room, ...rest] = match ? path.slice(2) : path;
const query = new URLSearchParams(location.search);
const sheet = match && `${root}matches/${encodeURIComponent(match)}`;

const home = `${sheet ? `${sheet}/` : root}${room}`;

/** Read a document that this phone took along. @param {string} address */
const read = async (address) => (await fetch(address)).json();

/** @type {ReturnType<typeof drawing> | undefined} */
let draws;

/** Read the list of all rules, and the templates. @returns {Promise<Told>} */
async function begin() {
  const told = await read(catalogue);
  draws = drawing(await read(told.templates));
  return told;
}

/** Draw a part of a page. @param {string} name of the macro @param {...unknown} view */
function draw(name, ...view) {
  if (!draws) throw new Error("no templates yet");
  return draws(name, ...view);
}

/** Replace the page; `people` are the names for the places it has for them. @param {string} html @param {string[]} [people] */
function show(html, people = []) {
  const named = people.length
    ? html.replace(/[\ue000-\ue0ff]/g, (one) => escaped(people[one.charCodeAt(0) - PERSON]))
    : html;
  place.innerHTML = named + draw("from_cache");
  document.title = `${place.querySelector("h1")?.textContent} – Referee`;
}

/* -- Rules -- */

/** Show the topic, question or rulebook of the address. Return false where it has none. @param {Rules} rules @param {boolean} led */
function showText(rules, led) {
  const [first, second] = rest;
  if (first === "topics") {
    const topic = rules.topic(second);
    if (topic) show(draw("rulebook_head", topic) + draw("topic_page", topic));
    else show(draw("no_topic", `${root}rules`));
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

/** Show the Rules room: `books` in their order, the first in force where `led`. @param {Book[]} books @param {boolean} led @param {Told} told */
async function showRules(books, led, told) {
  const rules = new Rules(books, led, told, root);
  if (showText(rules, led)) return;
  const page = {
    sheet,
    query: query.get("q") ?? "",
    action: home,
    title: books[0].title,
    house_rules: books[0].house_rules,
    books: match ? null : told.rulebooks,
    led: led && books[0].rulebook,
  };
  const unable = rest[0] === "compare" ? draw("no_comparison") : "";
  show(`${unable}${draw("search", page)}<div id="found"></div>${draw("first_rulebook", page)}`);
  const found = /** @type {HTMLElement} */ (document.getElementById("found"));
  const form = /** @type {HTMLFormElement} */ (document.getElementById("search"));
  const field = /** @type {HTMLInputElement} */ (document.getElementById("q"));
  const learned = { ...(await read(told.lookup)), questions: told.questions };
  const lookUp = lookUpOver(learned);
  const look = () => {
    const typed = field.value.trim();
    if (typed) {
      const inside = searched(books, led);
      const clauses = inside.map((book) => rules.clausesOf(book));
      const asked = typed.slice(0, learned.constants.longest_query);
      showFound(found, draw("found", rules.found(lookUp(asked, clauses, led, books[0], inside))));
    } else found.innerHTML = draw("browse", rules.browse());
  };
  document.getElementById("rulebook")?.addEventListener("change", () => form.submit()); // Another rulebook leads: another page.
  searchAsOneTypes(form, look);
  look();
}

/* -- Dispute -- */

/** @param {Book} book */
function showDisputes(book) {
  const under = match || query.has("rulebook");
  const groups = disputeGroups(book, (id) => `${home}/${id}${under && !match ? `?rulebook=${book.rulebook}` : ""}`);
  const search = `${sheet ? `${sheet}/` : root}rules`;
  show(draw("dispute_list", { sheet, rulebook: under && book.title, agreed: Boolean(match), search, ...groups }));
  findAsOneTypes(place);
}

/** @param {{id: string, title: string, sentence: string}[]} books @param {string} title of the dispute */
function chooseRulebook(books, title) {
  const links = books.map((book) => ({ title: book.title, hint: book.sentence, address: `?rulebook=${book.id}` }));
  show(draw("dispute_head", { title, list: home }) + draw("rulebook_choice", links));
}

/** Return the club's law: what waits on this phone first, then what it took along. @returns {Promise<Law[]>} */
async function lawHere() {
  const waiting = (await listed()).filter((item) => item.law && (!item.club || item.club.id === club()?.id));
  const taken = match ? await (await caches.match(`${root}offline/law`))?.json() : null;
  return [...waiting.reverse().flatMap(({ law }) => /** @type {Law[]} */ (law)), ...(taken ?? [])];
}

/** Show the next question, or the ruling. @param {Book} book @param {Dispute} dispute @param {string[] | null} names who sits at the match, clockwise @param {Law[]} law @param {import("./hearing-state.js").Here["asked"]} asked */
function showHearing(book, dispute, names, law, asked) {
  const here = { root, home, match, query, hash: location.hash, names, law, asked };
  const { draws: macro, page, people } = hear(book, dispute, here);
  show(draw(macro, page), people);
  place.querySelector(".asked, #ruling")?.setAttribute("tabindex", "-1");
  offerTable(place);
  followDirection(place);
  const form = /** @type {HTMLFormElement | null} */ (place.querySelector(".write-down"));
  if (!form) return;
  const summary = sentences(/** @type {HTMLElement} */ (place.querySelector("[data-told]"))).join(" ");
  announce(summary);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopPropagation();
    letWait(form, dispute, summary, page, event.submitter);
  });
}

/** Put a ruling into the outbox; the server hears the case itself before it saves it. @param {HTMLFormElement} form @param {Dispute} dispute @param {string} summary @param {object} page @param {HTMLElement | null} button */
async function letWait(form, dispute, summary, page, button) {
  const key = newKey();
  const fields = [...new FormData(form, button)].map(
    ([name, value]) => /** @type {[string, string]} */ ([name, String(value).trim()]),
  );
  const { chosen = [], clause = "" } = /** @type {import("./hearing-state.js").Decided} */ (page);
  const { table_decided: decided = "", keep } = Object.fromEntries(fields);
  const inWords = { clause, value: `${clause}:${JSON.stringify(decided)}`, text: decided };
  const law = (chosen.length ? chosen.filter(({ kind }) => kind === "filled") : [inWords]).map((one) => ({
    dispute: dispute.id,
    clause: one.clause,
    value: one.value,
    text: worded("decided-here", { decision: one.text }),
  }));
  const facts = fields.filter(([name]) => name !== "table_decided");
  const item = newItem({
    key,
    kind: "ruling",
    match: match ?? "",
    address: form.action,
    asks: `${home}/${dispute.id}?${new URLSearchParams(facts)}`,
    fields: [...fields, ["once", key]],
    title: dispute.title,
    says: decided ? worded("table-decided", { ruling: summary, decided }) : summary,
    law: keep && clause ? law : undefined,
  });
  const waits = await put(item);
  if (waits) location.assign(sheet ?? root);
  const problem = /** @type {HTMLElement} */ (form.querySelector(".error"));
  problem.hidden = waits;
  problem.textContent = worded("ruling-unsaved");
}

/* -- the page -- */

/** Read the stored rules of the match, and who sits there. @returns {Promise<[Book | null, string[] | null]>} */
async function takenAlong() {
  if (!match) return [null, null];
  const fresh = await caches.open("fresh");
  const all = (await fresh.keys())
    .map(({ url }) => new URL(url).pathname)
    .filter((one) => one.startsWith(`${root}matches/${match}/`));
  const found = async (/** @type {string | undefined} */ one) => (one ? (await fresh.match(one))?.json() : null);
  return [
    await found(all.find((one) => one.includes("/offline/"))),
    await found(all.find((one) => one.endsWith("/seats"))),
  ];
}

/** Return the rulebook's id of a match that began on this phone; "" for any other. */
async function rulebookBegun() {
  const table = match && (await (await caches.open("begun")).match(`${sheet}/rematch`));
  return table ? (await table.json()).rulebook : "";
}

/** Show the page that the address means; throws where a document is missing. @param {Told} told */
async function stand(told) {
  const there = await Promise.all(told.rulebooks.map(({ address }) => caches.match(address)));
  const rulebooks = told.rulebooks.filter((_, number) => there[number]);
  const links = rulebooks.map(({ id, title, sentence }) => ({
    title,
    hint: sentence,
    address: `${root}${room}?rulebook=${id}`,
  }));
  const [own, names] = await takenAlong();
  const begun = own ? "" : await rulebookBegun();
  if (match && !own && !begun) {
    show(draw("no_rules", links));
    return;
  }
  const wanted =
    query.get("rulebook") ?? (begun || null) ?? (room === "rules" && rest[0] !== "topics" ? rest[0] : null);
  const led = own ? null : rulebooks.find(({ id }) => id === wanted);
  const missing = own || led ? null : told.rulebooks.find(({ id }) => id === wanted);
  if (missing) {
    show(draw("no_rulebook", missing.title, links));
    return;
  }
  if (room === "rules") {
    const others = rulebooks.filter(({ id }) => id !== (own ? own.rulebook : wanted));
    const books = await Promise.all([...(led ? [led] : []), ...others].map(({ address }) => read(address)));
    await showRules(own ? [own, ...books] : books, Boolean(own ?? led), { ...told, rulebooks });
    return;
  }
  const book = own ?? (await read((led ?? rulebooks[0]).address));
  const dispute = /** @type {Book} */ (book).disputes.find(({ id }) => id === rest[0]);
  if (!dispute) showDisputes(book);
  else if (!own && !led) chooseRulebook(rulebooks, dispute.title);
  else hearOn(book, dispute, names, await lawHere(), told.questions);
}

/** @param {Book} book @param {import("./hearing-state.js").Dispute} dispute @param {string[] | null} names @param {Law[]} law @param {import("./hearing-state.js").Here["asked"]} asked */
function hearOn(book, dispute, names, law, asked) {
  const showNext = () => showHearing(book, dispute, names, law, asked);
  addEventListener("hashchange", () => {
    showNext();
    const next = /** @type {HTMLElement | null} */ (place.querySelector("[tabindex]"));
    if (next?.id === "ruling") scrollTo(0, 0);
    next?.focus();
  });
  showNext();
}

/* The page was drawn for no room: its tabs lead on from where it stands in for another. */
for (const tab of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".tabs a"))) {
  const name = tab.pathname.slice(root.length).replace(/\/$/, "");
  if (sheet && match !== "new" && ["", "disputes", "rules"].includes(name)) tab.href = `${sheet}${name && `/${name}`}`;
  tab.toggleAttribute("aria-current", false);
  if (name === (["disputes", "rules", "history"].includes(room) ? room : "")) tab.setAttribute("aria-current", "page");
}
const theme = stored("theme");
if (theme) document.documentElement.dataset.theme = theme;
for (const bars of /** @type {NodeListOf<HTMLMetaElement>} */ (document.querySelectorAll("meta[name=theme-color]"))) {
  bars.content = getComputedStyle(document.body).backgroundColor;
}

/** Look for the server: when it is back, open the page where nothing is under way, else offer to. */
async function lookBack() {
  const [address] = location.href.split("#");
  const { status } = await fetch(address, { method: "HEAD", cache: "no-store" }).catch(() => ({ status: 0 }));
  if (isAway(status)) return;
  if (excused) location.replace(address);
  else if (!document.getElementById("back")) place.insertAdjacentHTML("afterbegin", draw("back_online", address));
}
let excused = false;
addEventListener("online", lookBack);
setInterval(() => {
  if (!document.hidden) lookBack();
}, PAUSE);

/** Explain that only the server can show this address; the shell's own text does for any other. */
async function excuse() {
  excused = true;
  if (match === "new") show(draw("no_new_match", root));
  else if (match && room === "rounds") show(draw("no_round", sheet));
  else if (match && room) show(draw("no_page", sheet));
  const links = await sheetsHere();
  if (links.length) place.insertAdjacentHTML("beforeend", draw("sheets", links));
}

/** Return the sheets stored on this phone, the one opened last first. */
async function sheetsHere() {
  const [pages, ahead] = [await caches.open("pages"), await caches.open("ahead")];
  const isSheet = new RegExp(`^${root}matches/[^/]{16}$`);
  const all = [...[...(await pages.keys())].reverse(), ...(await ahead.keys())];
  const there = new Map(all.map((request) => [new URL(request.url).pathname, request]));
  const sheets = [...there].filter(([address]) => isSheet.test(address)).map(([, request]) => request);
  const found = sheets.slice(0, MOST_SHEETS).map(async (request) => {
    const html = (await ((await pages.match(request)) ?? (await ahead.match(request)))?.text()) ?? "";
    const title = new DOMParser().parseFromString(html, "text/html").querySelector("h1")?.textContent?.trim();
    return { title: title ?? "", address: new URL(request.url).pathname };
  });
  return (await Promise.all(found)).filter(({ title }) => title);
}

/** Show help on a task. @param {Told} told */
async function showHelp(told) {
  const text = (await read(told.help))[rest[0] ?? "index"];
  if (!text) throw new Error("no such page");
  show(text);
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

const shown = ["disputes", "rules"].includes(room) && rest.at(-1) !== "ruling";
begin()
  .then((told) => {
    if (room === "help") return showHelp(told).catch(excuse);
    return shown ? stand(told).catch(excuse) : excuse();
  })
  .catch(() => {
    excused = true;
  });
