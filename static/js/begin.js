// A match that begins without a connection: its page is laid from a table that this phone took along, its start waits.

import { make, makeButton, rootPath, showMessage, store } from "./base.js";
import { newId, newKey, put } from "./outbox.js";
import { escaped } from "./templates.js";
import { newItem } from "./waiting-state.js";
import { worded } from "./words.js";

/** @typedef {{title: string, card: string, handicap: number, pages: Record<string, string>}} Table one number of players */
/** @typedef {{key: string, fields: [string, string][], tables: Record<string, Table>}} Plan what was agreed, with a table for each number of players */
/** @typedef {{key: string, names: string[], opener: number, rulebook?: string}} Again */

const MATCH = "match00000000000";
const NAME = 0xe100;
const root = rootPath();

/** @param {number} seat */
const playerAt = (seat) => `player${String(seat).padStart(10, "0")}`;

/** Read the plans stored for offline, the one played by last first. @returns {Promise<Plan[]>} */
async function storedPlans() {
  if (!("caches" in self)) return [];
  const ahead = await caches.open("ahead");
  const there = (await ahead.keys()).filter(({ url }) => new URL(url).pathname.startsWith(`${root}offline/plans/`));
  return Promise.all(there.map(async (request) => (await ahead.match(request))?.json()));
}

/** Read who would play a match again, and on which table. @param {string} match @returns {Promise<Again | null>} */
async function againOf(match) {
  if (!("caches" in self)) return null;
  const address = `${root}matches/${match}/rematch`;
  const [begun, ahead] = [await caches.open("begun"), await caches.open("ahead")];
  return ((await begun.match(address)) ?? (await ahead.match(address)))?.json() ?? null;
}

/**
 * Start a match on a table; its start waits, and its page opens.
 * @param {Plan} plan
 * @param {{names: string[], dealer: number, name?: string}} who `dealer` by place among them
 */
async function start(plan, { names, dealer, name = "" }) {
  const key = newKey();
  const players = names.map((one) => ["players", one]);
  const fields = [...plan.fields, ...players, ["dealer", String(dealer + 1)], ["name", name]];
  const title = worded("waiting-start", { names: names.join(", ") });
  const says = plan.tables[names.length].title;
  await begin(plan, { names, dealer, name }, title, says, {
    kind: "start",
    key,
    address: `${root}matches/new`,
    fields: /** @type {[string, string][]} */ ([...fields, ["step", "deal"], ["token", key]]),
  });
}

/** Start the rematch of a match; false where this phone does not know how. @param {string} match */
export async function rematch(match) {
  const again = await againOf(match);
  const plan = (await storedPlans()).find(({ key }) => key === again?.key);
  if (!again || !plan?.tables[again.names.length]) {
    showMessage(worded("no-rematch-offline"));
    return;
  }
  const key = newKey();
  const { names } = again;
  const title = worded("waiting-rematch", { names: names.join(", ") });
  await begin(plan, { names, dealer: dealerHere() ?? again.opener, name: "", ahead: leadersHere() }, title, "", {
    kind: "rematch",
    of: match,
    key,
    address: `${root}matches/${match}/rematch`,
    fields: [["idempotency_key", key]],
  });
}

/**
 * Lay the pages of a new match, and let its start wait.
 * @param {Plan} plan
 * @param {{names: string[], dealer: number, name: string, ahead?: string[]}} who `ahead` are those whom a rematch sets back
 * @param {string} title
 * @param {string} says
 * @param {Partial<import("./waiting-state.js").Item> & {key: string, address: string, fields: [string, string][]}} how
 */
async function begin(plan, { names, dealer, name, ahead = [] }, title, says, how) {
  const match = newId();
  const seats = names.map(newId);
  const sheet = `${root}matches/${match}`;
  const table = plan.tables[names.length];
  const waits = await put(newItem({ ...how, match, seats, after: 0, title, says, where: name }));
  if (!waits) {
    showMessage(worded("unreachable-unsaved"));
    return;
  }
  const begun = await caches.open("begun");
  const headers = { "Content-Type": "text/html; charset=utf-8", "Date": new Date().toUTCString() };
  for (const [page, html] of Object.entries(table.pages)) {
    const laid = layOut(html, { match, seats, names, dealer, name, ahead, handicap: table.handicap });
    await begun.put(`${sheet}${page}`, new Response(laid, { headers }));
  }
  /** @type {Again} */
  const again = { key: plan.key, names, opener: dealer, rulebook: new Map(plan.fields).get("rulebook") };
  await begun.put(`${sheet}/rematch`, new Response(JSON.stringify(again)));
  store("draft.new-match", null);
  location.assign(sheet);
}

/**
 * Put names and ids in place of the stand-ins of a page, and the deal where it begins.
 * @param {string} html
 * @param {{match: string, seats: string[], names: string[], dealer: number, name: string, ahead: string[], handicap: number}} who
 */
function layOut(html, { match, seats, names, dealer, name, ahead, handicap }) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const sheet = page.getElementById("sheet");
  if (sheet) {
    delete sheet.dataset.poll;
    delete sheet.dataset.rules;
    sheet.dataset.begun = match;
    const rows = [...sheet.querySelectorAll(".standing")];
    for (const chip of sheet.querySelectorAll("[data-chip]")) {
      const from = rows.findIndex((row) => row.contains(chip));
      rows[(from + dealer) % rows.length].querySelector(".named")?.append(" ", chip);
    }
    const deal = sheet.querySelector(".dealing span");
    const told = (deal?.textContent ?? "").replace(/[\ue100-\ue1ff]/g, (one) =>
      String.fromCharCode(NAME + ((one.charCodeAt(0) - NAME + dealer) % names.length)),
    );
    deal
      ?.closest("form")
      ?.replaceWith(Object.assign(page.createElement("p"), { className: "quiet dealing", textContent: told }));
    rows.forEach((row, seat) => setBack(row, ahead.includes(names[seat]) ? handicap : 0));
  }
  if (name) for (const title of page.querySelectorAll("h1, title")) title.textContent = name;
  const text = `<!doctype html>${page.documentElement.outerHTML}`
    .replaceAll(MATCH, match)
    .replace(/[\ue100-\ue1ff]/g, (one) => escaped(names[one.charCodeAt(0) - NAME]));
  return seats.reduce((all, seat, place) => all.replaceAll(playerAt(place), seat), text);
}

/** Set a player's total at the start of a match. @param {Element} row @param {number} points */
function setBack(row, points) {
  const total = /** @type {HTMLElement | null} */ (row.querySelector("[data-total]"));
  const needs = /** @type {HTMLElement | null} */ (row.querySelector("[data-needs]"));
  if (!points || !total) return;
  const now = Number(total.dataset.recorded) + points;
  total.dataset.recorded = total.textContent = String(now);
  if (needs) needs.dataset.needs = String(Number(needs.dataset.needs) - points);
}

/** Return who deals next by the chips of the sheet, as the place among those who play; null where there is no chip. */
function dealerHere() {
  const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".standing[data-went-out]")]);
  /** @param {Element} row */
  const seatOf = (row) => Number(/** @type {HTMLElement} */ (row.closest("[data-seat]")).dataset.seat);
  rows.sort((one, other) => seatOf(one) - seatOf(other));
  const found = rows.findIndex((row) => row.querySelector('[data-chip="opens"]'));
  return found < 0 ? null : found;
}

/** Return the names of those who lead on the open sheet. */
const leadersHere = () =>
  [...document.querySelectorAll(".standings li")]
    .filter((line) => line.querySelector(".rank")?.textContent === "1")
    .map((line) => line.querySelector(".name")?.textContent ?? "");

/* -- a new match that could not be sent -- */

const UNPLANNED = ["csrf_token", "token", "players", "dealer", "name", "step"];

/** Write what a form or a table agrees on, so that two that agree on the same are the same text. @param {[string, string][]} fields */
const agreed = (fields) =>
  JSON.stringify(
    fields
      .filter(([name, value]) => value && !UNPLANNED.includes(name) && !(name === "count" && value === "points"))
      .filter(([name]) => !name.startsWith("box-"))
      .sort(([one, mine], [other, its]) => (one + mine < other + its ? -1 : 1)),
  );

/** Show what a match can begin with here, in place of the form that could not be sent. @param {HTMLFormElement} form */
export async function review(form) {
  const fields = [...new FormData(form)].map(
    ([name, value]) => /** @type {[string, string]} */ ([name, String(value).trim()]),
  );
  const typed = fields.filter(([name]) => name === "players").map(([, value]) => value);
  const names = typed.filter(Boolean);
  const twice = names.find((name, place) => names.findIndex((one) => isSame(one, name)) !== place);
  if (names.length < 2 || twice) {
    showMessage(twice ? worded("named-twice", { name: twice }) : worded("two-players"));
    return;
  }
  const fitting = (await storedPlans()).filter(({ tables }) => tables[names.length]);
  if (!fitting.length) {
    showMessage(worded("no-start-offline"));
    return;
  }
  const dealt = typed[Number(new Map(fields).get("dealer") ?? 1) - 1];
  const who = { names, dealer: Math.max(0, names.indexOf(dealt)), name: new Map(fields).get("name") ?? "" };
  const exact = fitting.find((plan) => agreed(plan.fields) === agreed(fields));
  offer(exact ? [exact] : fitting, who, Boolean(exact));
}

/** @param {string} one @param {string} other */
const isSame = (one, other) => one.localeCompare(other, undefined, { sensitivity: "accent" }) === 0;

/**
 * @param {Plan[]} fitting
 * @param {{names: string[], dealer: number, name: string}} who
 * @param {boolean} exact
 */
function offer(fitting, who, exact) {
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  const before = [...main.childNodes];
  const title = make("h1", worded("agree-offline"), { tabIndex: -1 });
  const deals = worded("who-deals", { names: who.names.join(", "), name: who.names[who.dealer] });
  const players = make("p", deals, { className: "quiet", dir: "auto" });
  const note = make("p", worded(exact ? "starts-offline" : "other-rules-offline"), { className: "notice" });
  const tables = fitting.map((plan) => {
    const table = plan.tables[who.names.length];
    const go = makeButton(exact ? worded("start-match") : worded("start-by", { rules: table.title }), "", () =>
      start(plan, who),
    );
    go.className = "primary wide";
    const row = document.createElement("div");
    row.innerHTML = table.card;
    if (exact) row.append(go);
    else {
      const more = document.createElement("details");
      more.append(make("summary", table.title), ...row.childNodes, go);
      return more;
    }
    return row;
  });
  const back = make("button", worded("back-to-form"), {
    className: "plain-button",
    type: "button",
    onclick: () => main.replaceChildren(...before),
  });
  main.replaceChildren(title, players, note, ...tables, back);
  title.focus();
  scrollTo(0, 0);
}
