// All that waits on this phone for the club it is in, a line each, on the first page; a sheet shows its own.

import { club, tell } from "./base.js";
import { doing, make } from "./elsewhere.js";
import { listed, liveInOrder, put, send } from "./outbox.js";
import { after, choices, dependents, isRound, sentWords, setAside, titleOf, waitingWords } from "./waiting-state.js";
import { worded } from "./words.js";

/** @typedef {import("./waiting-state.js").Item} Item */

const FEW = 3; // Lines that are shown at once.
const SHOWN = ["send-now", "discard"];

/** Send what waits, then show the rest in its place on the page, if it has one. @param {boolean} [asked] somebody tapped for it */
export async function showWaiting(asked = false) {
  await draw();
  const { sent, away } = await send();
  if (sent.length) tell(sentWords(sent));
  else if (asked && away) tell(worded("unreachable"));
  await draw();
}

async function draw() {
  const place = /** @type {HTMLElement | null} */ (document.querySelector("[data-waiting]"));
  if (!place) return;
  const here = club()?.id;
  const items = (await listed()).filter((item) => item.standing !== "aside" && (!item.club || item.club.id === here));
  place.hidden = !items.length;
  if (!items.length) return;
  const list = make("ol", "", { className: "plain" });
  list.append(...items.map((item) => line(item, items)));
  const before = place.querySelector("details")?.open;
  const more = make("details", "", { open: before ?? (items.length <= FEW || items.some(({ problem }) => problem)) });
  more.append(make("summary", waitingWords(items)), list);
  place.replaceChildren(more);
}

/** @param {Item} item @param {Item[]} all */
function line(item, all) {
  const row = document.createElement("li");
  const title = item.where ? worded("waiting-at", { where: item.where, what: titleOf(item) }) : titleOf(item);
  const sheet = `${item.address.split("matches/")[0]}matches/${item.match}`;
  row.append(make("a", title, { href: sheet, className: "waiting-round", dir: "auto" }));
  if (!isRound(item) && item.says) row.append(make("p", item.says, { dir: "auto", className: "small" }));
  if (item.problem) row.append(make("p", item.problem, { className: "error" }));
  const buttons = make("div", "", { className: "row" });
  for (const [label, step] of choices(item)) {
    if (!SHOWN.includes(label)) continue;
    const behind = label === "discard" ? dependents(item, all) : [];
    buttons.append(
      doing(
        worded(label === "discard" ? "discard" : "send-now"),
        behind.length ? worded("discard-all", { n: behind.length + 1 }) : "",
        async () => {
          for (const one of after(step, item, await liveInOrder(item.match), 0)) await put(one);
          for (const one of behind) await put(setAside(one));
          await showWaiting(label === "send-now");
        },
      ),
    );
  }
  row.append(buttons);
  return row;
}
