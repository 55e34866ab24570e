// What one button does to a match, such as striking a round or ending it: sent, or stored on this phone until it can be.

import { post, showAnswer, showMessage, showProblems, store } from "./base.js";
import { liveInOrder, newKey, put } from "./outbox.js";
import { isAway, newItem, roundsAfter } from "./waiting-state.js";
import { worded } from "./words.js";

/** @typedef {import("./waiting-state.js").Item} Item */
/** @typedef {import("./waiting-state.js").Ordered} Ordered */

/** Send a form after what waits of its match; where the server is away it waits too. @param {HTMLFormElement} form */
export async function act(form) {
  const { match = "", sheet = "" } = form.dataset;
  const live = await liveInOrder(match);
  const ahead = live.every(({ standing }) => standing === "waiting") ? live : []; // What people must look at may wait for this very tap.
  const item = toItem(form, ahead);
  const begins = item.kind === "rematch";
  if (!ahead.length) {
    const fields = new FormData(form);
    for (const [name, value] of item.fields) fields.set(name, value);
    const { status, problems, body } = await post(form.action, fields);
    if (status >= 200 && status < 300) {
      showAnswer(body);
      return;
    }
    if (!isAway(status)) {
      showProblems(problems);
      return;
    }
  }
  if (begins) {
    const { rematch } = await import("./begin.js");
    await rematch(match);
  } else if (await put(item)) location.assign(sheet);
  else showMessage(worded(store("tried", null) ? "unreachable-typed" : "unreachable-unsaved"));
}

/** Return a form as the outbox stores it. @param {HTMLFormElement} form @param {Item[]} ahead @returns {Item} */
function toItem(form, ahead) {
  const { match = "", where, waits, round, version, title = "", says = "", points = "{}" } = form.dataset;
  const key = newKey();
  const after = roundsAfter(ahead, Number(form.dataset.after));
  /** @type {[string, string][]} */
  const fields = [["idempotency_key", key]];
  if (round) fields.push(["version", version ?? ""]);
  else fields.push(["after", String(after)]);
  return newItem({
    key,
    kind: /** @type {Ordered} */ (waits),
    match,
    ...(where ? { where } : {}),
    address: form.action,
    fields,
    ...(round ? { round, version: Number(version) } : {}),
    after,
    title,
    says,
    points: JSON.parse(points),
  });
}
