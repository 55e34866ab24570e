// The keyboard: where the focus is and goes on from, and what a pressed key means where cards are laid. It knows no deck.

/** @typedef {{places: string, fallback: string}} Ways */

const BUTTONS = "button:not([hidden], :disabled)";

/** Return whether an element is visible. @param {Element} element */
const isSeen = (element) => element.isConnected && element.checkVisibility({ visibilityProperty: true });

/** Return the buttons of a group that can be pressed now. @param {Element} group */
export const buttonsIn = (group) =>
  /** @type {HTMLElement[]} */ ([...group.querySelectorAll(BUTTONS)]).filter((button) => isSeen(button));

/** Keep the keyboard and the screen reader within a layer, or let both leave it. The live region stays readable. @param {HTMLElement} layer @param {boolean} holds */
export function hold(layer, holds) {
  layer.toggleAttribute("aria-modal", holds);
  if (holds) layer.setAttribute("aria-modal", "true");
  for (let one = layer; one.parentElement && one !== document.body; one = one.parentElement) {
    for (const beside of /** @type {HTMLElement[]} */ ([...one.parentElement.children])) {
      if (beside !== one && beside.id !== "live" && !beside.matches("script, style")) beside.inert = holds;
    }
  }
  document.body.style.overflow = holds ? "hidden" : "";
}

/** Make a group one stop of the Tab key: the button it was at last, else its first. @param {Element} group */
export function oneStop(group) {
  const buttons = buttonsIn(group);
  const at = buttons.find((button) => button.tabIndex === 0 && button.hasAttribute("tabindex")) ?? buttons[0];
  for (const button of buttons) button.tabIndex = button === at ? 0 : -1;
}

/**
 * Move within a group by an arrow key, Home or End; from outside, Up and Left enter it at its last row, the others at
 * its stop. Returns whether the key was one of these.
 * @param {string} key
 * @param {Element} group
 */
export function moveBy(key, group) {
  const buttons = buttonsIn(group);
  const at = /** @type {HTMLElement} */ (document.activeElement);
  const to = buttons.includes(at) ? neighbor(key, at, buttons) : entry(key, buttons);
  if (!to) return false;
  for (const button of buttons) button.tabIndex = button === to ? 0 : -1;
  to.focus();
  return true;
}

/** @param {string} key @param {HTMLElement[]} buttons */
function entry(key, buttons) {
  if (!/^(Arrow|Home$|End$)/.test(key)) return undefined;
  if (key === "End") return buttons[buttons.length - 1];
  if (!["ArrowUp", "ArrowLeft"].includes(key)) return buttons.find(({ tabIndex }) => tabIndex === 0) ?? buttons[0];
  const last = buttons[buttons.length - 1]?.getBoundingClientRect().top;
  return buttons.find((button) => button.getBoundingClientRect().top === last);
}

/** @param {string} key @param {HTMLElement} at @param {HTMLElement[]} buttons */
function neighbor(key, at, buttons) {
  const place = buttons.indexOf(at);
  const count = buttons.length;
  if (key === "ArrowRight") return buttons[(place + 1) % count];
  if (key === "ArrowLeft") return buttons[(place + count - 1) % count];
  if (key === "Home") return buttons[0];
  if (key === "End") return buttons[count - 1];
  if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
  const here = at.getBoundingClientRect();
  const down = key === "ArrowDown" ? 1 : -1;
  const away = (/** @type {HTMLElement} */ button) => {
    const { top, left } = button.getBoundingClientRect();
    return { rows: (top - here.top) * down, columns: Math.abs(left - here.left) };
  };
  const beyond = buttons.filter((button) => away(button).rows > here.height / 2);
  const near = Math.min(...beyond.map((button) => away(button).rows));
  const row = beyond.filter((button) => away(button).rows < near + here.height / 2);
  return row.sort((one, other) => away(one).columns - away(other).columns)[0] ?? at;
}

/**
 * Redraw, and keep the keyboard where it was: at the same place of a group drawn anew, else at the fallback.
 * @param {HTMLElement} within
 * @param {Ways} ways selectors of the groups that are drawn anew, and of the fallback
 * @param {() => void} draw
 */
export function stayWhile(within, { places, fallback }, draw) {
  const at = /** @type {HTMLButtonElement | null} */ (document.activeElement);
  const group = at && within.contains(at) ? at.closest(places) : null;
  const place = group && at ? buttonsIn(group).indexOf(at) : -1;
  const was = Boolean(at && at !== document.body && within.contains(at));
  draw();
  if (!was || (at && isSeen(at) && !at.disabled)) return;
  const now = group && isSeen(group) ? buttonsIn(group) : [];
  const next = now[Math.min(place, now.length - 1)] ?? within.querySelector(fallback);
  /** @type {HTMLElement | null} */ (next)?.focus({ preventScroll: true });
}

// -- what a key means --

/**
 * @typedef {{does: "lay" | "type", what: string} | {does: "erase" | "next" | "close" | "nothing"}} Meaning
 * @typedef {object} At what the pad is at
 * @property {boolean} entering a hand is being entered
 * @property {boolean} typing by its total instead of its cards
 * @property {boolean} free nothing has the focus that Enter would press
 * @property {(face: string) => boolean} has whether there is a key for a face
 * @property {Map<string, string>} letters the faces by their letters
 */

/** Map letters to the cards without a digit: an initial of the name that no card before it has, else another letter of it. @param {Iterable<[string, string]>} named faces with their names, in the order of their keys @returns {Map<string, string>} the faces by letter */
export function lettersOf(named) {
  /** @type {Map<string, string>} */
  const letters = new Map();
  const words = [...named].map(([face, name]) => ({ face, words: name.toLowerCase().match(/[a-z]+/g) ?? [] }));
  /** @param {string} face @param {string[]} wanted */
  const give = (face, wanted) => {
    const letter = wanted.find((one) => !letters.has(one));
    if (letter) letters.set(letter, face);
    return Boolean(letter);
  };
  const initials = (/** @type {string[]} */ some) => some.map(([initial]) => initial);
  const left = words.filter((one) => !give(one.face, initials(one.words)));
  for (const one of left) give(one.face, [...one.words.reverse().join("")]);
  return letters;
}

/** Return what a pressed key means; null where it means nothing here. @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat">} pressed @param {At} at @returns {Meaning | null} */
export function meaningOf({ key, ctrlKey, metaKey, altKey, repeat }, { entering, typing, free, has, letters }) {
  if (ctrlKey || metaKey || altKey) return null;
  if (key === "Escape") return { does: "close" };
  if (key === "Enter") return repeat ? { does: "nothing" } : free ? { does: "next" } : null;
  if (!entering) return null;
  if (key === "Backspace") return { does: "erase" };
  if (key.length > 1 || repeat) return null;
  if (typing) return /[\d+]/.test(key) ? { does: "type", what: key } : null;
  const face = /\d/.test(key) ? key : letters.get(key.toLowerCase());
  return face !== undefined && has(face) ? { does: "lay", what: face } : null;
}
