// The cards of a dispute by keyboard: the same digits and letters as on the hand pad. What is typed while an answer is
// under way waits for it.

import { lettersOf, meaningOf } from "./keyboard.js";

const FIELDS = "input:not([type='radio']), select, textarea, [contenteditable]";
const main = /** @type {HTMLElement} */ (document.getElementById("main"));

/** @type {KeyboardEvent[]} */
const waiting = [];

/** Whether the keyboard lays cards: then Enter says that these are all, though a key has the focus. */
let lays = false;

/** @param {ParentNode} form */
const cardsOf = (form) =>
  new Map(
    /** @type {HTMLButtonElement[]} */ ([...form.querySelectorAll("button[name='add']")]).map((key) => [
      key.value,
      key,
    ]),
  );

/** @param {Map<string, HTMLButtonElement>} cards */
const lettersFor = (cards) =>
  lettersOf([...cards].map(([face, key]) => /** @type {[string, string]} */ ([face, key.ariaLabel ?? ""])));

/** Note on every key which letter presses it. */
function begin() {
  for (const form of main.querySelectorAll("form.tap")) {
    const cards = cardsOf(form);
    for (const [letter, face] of lettersFor(cards)) {
      cards.get(face)?.setAttribute("aria-keyshortcuts", letter.toUpperCase());
    }
  }
}

/** @param {KeyboardEvent} event @param {ParentNode} form */
function meant(event, form) {
  const cards = cardsOf(form);
  const meaning = meaningOf(event, {
    entering: true,
    typing: false,
    free: lays || !(/** @type {Element} */ (event.target).closest("a, button, summary, label, input")),
    has: (face) => cards.get(face)?.disabled === false,
    letters: lettersFor(cards),
  });
  const laid = /** @type {NodeListOf<HTMLButtonElement>} */ (form.querySelectorAll("button.laid"));
  if (meaning?.does === "lay") return cards.get(meaning.what);
  if (meaning?.does === "erase") return laid[laid.length - 1];
  return meaning?.does === "next"
    ? /** @type {HTMLButtonElement | null} */ (form.querySelector("[name='done']"))
    : null;
}

/** @param {KeyboardEvent} event */
function press(event) {
  const form = main.querySelector("form.tap");
  const button = form && meant(event, form);
  if (!button) return;
  event.preventDefault();
  lays = button.name !== "done";
  button.click();
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || /** @type {Element} */ (event.target).matches(FIELDS)) return;
  if (["Tab", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].includes(event.key)) lays = false;
  if (main.ariaBusy === "true" && main.querySelector("form.tap")) waiting.push(event);
  else press(event);
});
document.addEventListener("pointerdown", () => {
  lays = false;
});
new MutationObserver(() => {
  begin();
  const next = main.ariaBusy === "true" ? undefined : waiting.shift();
  if (next) press(next);
}).observe(main, { attributes: true, attributeFilter: ["aria-busy"], childList: true });
begin();
