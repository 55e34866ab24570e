// Stands in for Dispute and Rules without a connection: walks the trees and shows the clauses that the server wrote.

import { kept } from "./base.js";
import { chooseRulebook, showDisputes, showHearing } from "./offline-hearing.js";
import { begin, draw, here, place, read, show } from "./offline-parts.js";
import { showRules } from "./offline-rules.js";
import { isAway } from "./waiting-state.js";

/** @typedef {import("./hearing-state.js").Book} Book */
/** @typedef {import("./offline-parts.js").Told} Told */

const PAUSE = 10000;
const MOST_SHEETS = 4;
const { match, query, rest, room, root, sheet } = here;

/** Read the rules of the match, and who sits there, as its sheet had them taken along. @returns {Promise<[Book | null, string[] | null]>} */
async function takenAlong() {
  if (!match) return [null, null];
  const fresh = await caches.open("fresh");
  const all = (await fresh.keys())
    .map(({ url }) => new URL(url).pathname)
    .filter((one) => one.startsWith(`${root}matches/${match}/`));
  const stored = async (/** @type {string | undefined} */ one) => (one ? (await fresh.match(one))?.json() : null);
  return [
    await stored(all.find((one) => one.includes("/offline/"))),
    await stored(all.find((one) => one.endsWith("/seats"))),
  ];
}

/** Name the rulebook of a match that began on this phone; "" for any other. */
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
  else hearOn(book, dispute, names);
}

/** @param {Book} book @param {import("./hearing-state.js").Dispute} dispute @param {string[] | null} names */
function hearOn(book, dispute, names) {
  const hear = () => showHearing(book, dispute, names);
  addEventListener("hashchange", () => {
    hear();
    const next = /** @type {HTMLElement | null} */ (place.querySelector("[tabindex]"));
    if (next?.id === "ruling") scrollTo(0, 0);
    next?.focus();
  });
  hear();
}

/* The page was drawn for no room: its tabs lead on from where it stands in for another. */
for (const tab of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".tabs a"))) {
  const name = tab.pathname.slice(root.length).replace(/\/$/, "");
  if (sheet && match !== "new" && ["", "disputes", "rules"].includes(name)) tab.href = `${sheet}${name && `/${name}`}`;
  tab.toggleAttribute("aria-current", false);
  if (name === (["disputes", "rules", "history"].includes(room) ? room : "")) tab.setAttribute("aria-current", "page");
}
const theme = kept("theme");
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

/** Say what an address is for that only the server can show; the page as it came says it of any other. */
async function excuse() {
  excused = true;
  if (match === "new") show(draw("no_new_match", root));
  else if (match && room === "rounds") show(draw("no_round", sheet));
  else if (match && room) show(draw("no_page", sheet));
  const links = await sheetsHere();
  if (links.length) place.insertAdjacentHTML("beforeend", draw("sheets", links));
}

/** List the sheets that this phone keeps, the one opened last first. */
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
