// Stands in for Dispute and Rules without a connection: walks the trees and shows the clauses that the server wrote.

import { kept } from "./base.js";
import { chooseRulebook, showDisputes, showHearing } from "./offline-hearing.js";
import { catalogue, hold, link, make, match, place, query, read, rest, room, root, rows, show } from "./offline-parts.js";
import { showRules } from "./offline-rules.js";
import { isAway } from "./waiting-state.js";

const PAUSE = 10000;

/** Read the rules of the match, and who sits there, as its sheet had them taken along. */
async function takenAlong() {
  const fresh = await caches.open("fresh");
  const all = (await fresh.keys()).map(({ url }) => new URL(url).pathname).filter((one) => one.startsWith(`${root}matches/${match}/`));
  const stored = [all.find((one) => one.includes("/offline/")), all.find((one) => one.endsWith("/seats"))];
  return Promise.all(stored.map(async (one) => (one ? (await fresh.match(one)).json() : null)));
}

async function begin() {
  const told = await read(catalogue);
  const { rulebooks, questions } = told;
  const [own, names] = match ? await takenAlong() : [];
  if (match && !own) {
    show("Offline", make("h1", "Not on this phone"), make("p", "This match’s rules aren’t cached. The printed rulebooks are.", { className: "lead" }),
      rows(rulebooks.map(({ id, title, sentence }) => ({ title, hint: sentence, href: `${root}${room}?rulebook=${id}` }))));
    return;
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
  const hear = () => showHearing(book, dispute, byId, names);
  addEventListener("hashchange", () => {
    hear();
    scrollTo(0, 0);
    place.querySelector("[tabindex]")?.focus({ preventScroll: true });
  });
  hear();
}

/* The page was drawn for no room: its tabs lead on from where it stands in for another. */
for (const tab of document.querySelectorAll(".tabs a")) {
  const name = tab.getAttribute("href").slice(root.length).replace(/\/$/, "");
  if (match && match !== "new" && ["", "disputes", "rules"].includes(name)) tab.href = `${root}matches/${match}${name && `/${name}`}`;
  tab.toggleAttribute("aria-current", false);
  if (name === (["disputes", "rules", "history"].includes(room) ? room : "")) tab.setAttribute("aria-current", "page");
}
const theme = kept("theme");
if (theme) document.documentElement.dataset.theme = theme;

/** Look for the server: when it is back, open the page where nothing is under way, else offer to. */
async function lookBack() {
  const here = location.href.split("#")[0];
  const { status } = await fetch(here, { method: "HEAD", cache: "no-store" }).catch(() => ({ status: 0 }));
  if (isAway(status)) return;
  if (excused) location.replace(here);
  else if (!document.getElementById("back")) place.prepend(Object.assign(link("Back online: open this page", here, "button wide"), { id: "back" }));
}
let excused = false;
addEventListener("online", lookBack);
setInterval(() => { if (!document.hidden) lookBack(); }, PAUSE);

/** Say what an address is for that only the server can show. */
function excuse() {
  excused = true;
  const sheet = match && `${root}matches/${encodeURIComponent(match)}`;
  const said = (title, text, href, way) => show(title, make("h1", title), make("p", text, { className: "lead" }), hold("p", "", link(way, href, "button wide")));
  if (match === "new") said("You need to be online to start a match", "You can go on with the matches open on this phone.", root, "Open matches");
  else if (match && room === "rounds") said("This round isn’t cached", "Open a round while you’re online to be able to correct it offline.", sheet, "Back to the sheet");
  else if (match && room) said("You’re offline", "This page isn’t cached. The score sheet, its disputes and its rules are.", sheet, "Back to the sheet");
}

if (["disputes", "rules"].includes(room) && rest.at(-1) !== "ruling") begin().catch(excuse);
else excuse();
