// What waits on this phone for another club than the one it is in: said, listed, and deleted only on purpose.

import { club } from "./base.js";
import { elsewhere, take } from "./outbox.js";
import { counted, isRound } from "./waiting-state.js";

/** @typedef {import("./waiting-state.js").Item} Item */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} text
 * @param {object} [rest]
 */
const make = (tag, text, rest = {}) => Object.assign(document.createElement(tag), { textContent: text, ...rest });
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
  title.append(`${counted(items)} for `, named(name), " not sent");
  const how = make("p", "");
  how.append("To send, open the link of ", named(name), club() ? ", or leave this club first." : " or use its recovery sheet.");
  const list = make("ol", "", { className: "plain" });
  list.append(...items.map((item) => make("li", isRound(item) ? `Round ${Number(item.after) + 1}: ${item.says}` : `${item.title}: ${item.says}`, { className: "small", dir: "auto" })));
  const drop = make("button", "Delete from this phone", { type: "button" });
  drop.onclick = () => {
    drop.textContent = "Delete permanently";
    drop.onclick = async () => { for (const { key } of items) await take(key); showElsewhere(); };
  };
  const row = make("p", "");
  row.append(drop);
  box.append(summary, how, list, row);
  return box;
}
