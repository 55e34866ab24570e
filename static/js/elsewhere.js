// What waits on this phone for another club than the one it is in: said, listed, and deleted only on purpose.

import { club } from "./base.js";
import { elsewhere, take } from "./outbox.js";
import { isRound, titleOf } from "./waiting-state.js";
import { pieces, worded } from "./words.js";

/** @typedef {import("./waiting-state.js").Item} Item */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} text
 * @param {object} [rest]
 */
export const make = (tag, text, rest = {}) =>
  Object.assign(document.createElement(tag), { textContent: text, ...rest });

/**
 * Make a button; where `sure` says something, it says that first and does what it does at the next tap.
 * @param {string} label
 * @param {string} sure
 * @param {() => Promise<void>} does
 */
export function doing(label, sure, does) {
  const button = make("button", label, { type: "button", onclick: does });
  if (sure) {
    button.onclick = () => {
      button.textContent = sure;
      button.onclick = does;
    };
  }
  return button;
}
/** @param {string} name */
const named = (name) => make("bdi", name);

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
  title.append(...pieces("elsewhere", { club: named(name), n: items.length }));
  const how = make("p", "");
  how.append(...pieces(club() ? "elsewhere-member" : "elsewhere-stranger", { club: named(name) }));
  const list = make("ol", "", { className: "plain" });
  list.append(
    ...items.map((item) =>
      make("li", isRound(item) ? titleOf(item) : `${titleOf(item)} · ${item.says}`, {
        className: "small",
        dir: "auto",
      }),
    ),
  );
  const drop = doing(worded("delete-here"), worded("delete-for-good"), async () => {
    for (const { key } of items) await take(key);
    showElsewhere();
  });
  const row = make("p", "");
  row.append(drop);
  box.append(summary, how, list, row);
  return box;
}
