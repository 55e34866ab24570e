// What waits on this phone, on any page but the sheet: what is for the club it is in, a line each, and sent; what is for
// another club, deleted only on purpose.

import { club, make, makeButton, showMessage } from "./base.js";
import { elsewhere, listed, liveInOrder, put, send, take } from "./outbox.js";
import * as queue from "./waiting-state.js";
import { pieces, worded, written } from "./words.js";

/** @typedef {import("./waiting-state.js").Item} Item */

const FEW = 3; // Lines that are shown at once.
const SHOWN = ["send-now", "discard"];

/** Send what waits, then show the rest in its place on the page, if it has one. @param {boolean} [asked] someone tapped for it */
export async function showWaiting(asked = false) {
  await draw();
  const { sent, away } = await send();
  sentHere.push(...sent);
  if (sent.length) showMessage(queue.sentWords(sent));
  else if (asked && away) showMessage(worded("unreachable"));
  await draw();
}

/** What was sent since this page was drawn: its totals are without it. @type {Item[]} */
const sentHere = [];

async function draw() {
  const place = /** @type {HTMLElement | null} */ (document.querySelector("[data-waiting]"));
  if (!place) return;
  const here = club()?.id;
  const items = (await listed()).filter((item) => item.standing !== "aside" && (!item.club || item.club.id === here));
  place.hidden = !items.length;
  addUp(items);
  if (!items.length) return;
  const list = make("ol", "", { className: "plain" });
  list.append(...items.map((item) => line(item, items)));
  const before = place.querySelector("details")?.open;
  const more = make("details", "", { open: before ?? (items.length <= FEW || items.some(({ problem }) => problem)) });
  more.append(make("summary", queue.waitingWords(items)), list);
  place.replaceChildren(more);
}

/** Add what waits to the totals of the match that is resumed, and rank its sides anew. @param {Item[]} items */
function addUp(items) {
  const resume = /** @type {HTMLElement | null} */ (document.querySelector("[data-running]"));
  const live = [...sentHere, ...items].filter((item) => item.match === resume?.dataset.running && queue.isAdded(item));
  if (!resume || !live.length) return;
  const lines = /** @type {HTMLElement[]} */ ([...resume.querySelectorAll("li")]);
  const shown = lines.filter(({ hidden }) => !hidden).length;
  const sides = lines.map((row) => {
    const place = /** @type {HTMLElement} */ (row.querySelector("[data-total]"));
    const side = row.dataset.side?.trim() ?? "";
    const { total } = queue.reached(live, side.split(" "), Number(place.dataset.total), null);
    place.textContent = written(total);
    return { name: "", side, total, over: false };
  });
  const ranks = queue.ranked(sides, resume.dataset.leads === "lowest" ? "lowest" : "highest", false);
  const order = lines.map((_, at) => at).sort((one, other) => ranks[one] - ranks[other]);
  const tied = ranks.every((rank) => rank === 1);
  order.forEach((at, place) => {
    lines[at].classList.toggle("leads", ranks[at] === 1 && !tied);
    lines[at].hidden = place >= shown;
    resume.querySelector("ol")?.append(lines[at]);
  });
  const n = live.reduce((sum, item) => sum + queue.brings(item), Number(resume.dataset.rounds) + 1);
  const waiting = items.filter((item) => live.includes(item)).length;
  const stands = /** @type {HTMLElement} */ (resume.querySelector("[data-stands]"));
  stands.textContent = waiting ? worded("stands-waiting", { n, waiting }) : worded("stands-sent", { n });
}

/** @param {Item} item @param {Item[]} all */
function line(item, all) {
  const row = document.createElement("li");
  const title = item.where
    ? worded("waiting-at", { where: item.where, what: queue.titleOf(item) })
    : queue.titleOf(item);
  const sheet = `${item.address.split("matches/")[0]}matches/${item.match}`;
  row.append(make("a", title, { href: sheet, className: "waiting-round", dir: "auto" }));
  if (!queue.isRound(item) && item.says) row.append(make("p", item.says, { dir: "auto", className: "small" }));
  if (item.problem) row.append(make("p", item.problem, { className: "error" }));
  const buttons = make("div", "", { className: "row" });
  for (const [label, step] of queue.choices(item)) {
    if (!SHOWN.includes(label)) continue;
    const behind = label === "discard" ? queue.dependents(item, all) : [];
    buttons.append(
      makeButton(
        worded(label === "discard" ? "discard" : "send-now"),
        behind.length ? worded("discard-all", { n: behind.length + 1 }) : "",
        async () => {
          for (const one of queue.after(step, item, await liveInOrder(item.match), 0)) await put(one);
          for (const one of behind) await put(queue.setAside(one));
          await showWaiting(label === "send-now");
        },
      ),
    );
  }
  row.append(buttons);
  return row;
}

/* -- for other clubs -- */

/** Put what waits for other clubs in its place on the page, if it has one. */
export async function showElsewhere() {
  const place = /** @type {HTMLElement | null} */ (document.querySelector("[data-elsewhere]"));
  if (!place) return;
  const groups = await elsewhere();
  place.replaceChildren(...groups.map(notice));
  place.hidden = !groups.length;
}

/** @param {{name: string, items: Item[]}} group */
function notice({ name, items }) {
  const box = make("details", "", { className: "notice" });
  const title = make("span", "");
  const summary = make("summary", "");
  summary.append(title);
  title.append(...pieces("elsewhere", { club: make("bdi", name), n: items.length }));
  const how = make("p", "");
  how.append(...pieces(club() ? "elsewhere-member" : "elsewhere-stranger", { club: make("bdi", name) }));
  const list = make("ol", "", { className: "plain" });
  list.append(
    ...items.map((item) =>
      make("li", queue.isRound(item) ? queue.titleOf(item) : `${queue.titleOf(item)} · ${item.says}`, {
        className: "small",
        dir: "auto",
      }),
    ),
  );
  const drop = makeButton(worded("delete-here"), worded("delete-for-good"), async () => {
    for (const { key } of items) await take(key);
    showElsewhere();
  });
  drop.className = "deletes";
  const row = make("p", "");
  row.append(drop);
  box.append(summary, how, list, row);
  return box;
}

/** Count what waits where a page has a place for it, as before this phone leaves a club. */
export async function countHere() {
  const items = await listed();
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-kept-here]"))) {
    place.textContent = items.length ? queue.waitingWords(items) : worded("all-sent");
    place.hidden = !items.length && place.dataset.keptHere === "warn";
  }
}
