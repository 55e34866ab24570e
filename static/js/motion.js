// What moves: a row that rises or falls a rank, and the winner's scene in the moment a match ends, which is felt and, where
// it is switched on, heard too.

import { announce, stored } from "./base.js";

/** Return whether this phone asks for stillness. */
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const QUICK = { duration: 200, easing: "ease-out" };
const FANNED = { duration: 450, easing: "cubic-bezier(.2, 1.4, .4, 1)" };
const NEXT_CARD = 90; // Milliseconds after which the next card of the fan follows.
const BUZZ = [40, 60, 120]; // Milliseconds: a short one, a pause, a long one.

/** Return how far from the page's top each row stands, by its key. @template Key @param {Map<Key, HTMLElement>} rows */
export const topsOf = (rows) =>
  new Map([...rows].map(([key, row]) => [key, row.getBoundingClientRect().top + scrollY]));

/** Slide rows from where they stood to where they stand now. @template Key @param {Map<Key, HTMLElement>} rows @param {Map<Key, number>} before as `topsOf` measured them */
export function slide(rows, before) {
  if (isStill()) return;
  for (const [key, top] of topsOf(rows)) {
    const moved = (before.get(key) ?? top) - top;
    if (moved) rows.get(key)?.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], QUICK);
  }
}

const scene = () => /** @type {HTMLElement | null} */ (document.querySelector("[data-scene]"));
let shown = Boolean(scene()); // A page that opens on a match long over moves nothing.

/** Play the sound of a match that ended. */
export async function sound() {
  const { chime } = await import("./chime.js");
  chime();
}

/** Let the winner's scene appear and announce it, if a match ended with what was just drawn. Return the scene if it moves. */
export function reveal() {
  const now = scene();
  const ended = now && !shown;
  shown = Boolean(now);
  if (!ended) return null;
  queueMicrotask(() => announce(now.querySelector("h2")?.textContent ?? "")); // After what else is announced of a save.
  if (stored("sound") === "on") sound();
  if (isStill()) return null;
  if (stored("buzz") !== "off") navigator.vibrate?.(BUZZ);
  const [from, to] = [
    { opacity: 0, transform: "scale(.94)" },
    { opacity: 1, transform: "none" },
  ];
  now.animate([from, to], QUICK);
  for (const [place, card] of now.querySelectorAll("[data-fan] > .card").entries()) {
    const stacked = { opacity: 0, rotate: "0deg", translate: "0 50%" };
    card.animate([stacked], { ...FANNED, delay: place * NEXT_CARD, fill: "backwards" });
  }
  return now;
}
