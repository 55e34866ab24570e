// How a match ends: the cards that were left fly into the totals, which count up. A tap shows how it ended.

import { stored } from "./base.js";
import { isStill } from "./motion.js";
import { spoken } from "./words.js";

const LASTS = 2200; // Milliseconds, with the last card's flight.
const FLIGHT = 450;
const BUZZ = 15;

/** Let the totals of a scene count up, `wait` milliseconds from now. @param {HTMLElement} scene @param {number} [wait] */
export function countUp(scene, wait = 0) {
  if (isStill()) return;
  const waiting = [...(scene.querySelector("template")?.content.children ?? [])];
  const totals = (scene.dataset.counts ?? "").split(";").flatMap((line) => {
    const [seat, before, after, cards] = line.split(" ");
    const found = seat ? `[data-seat="${seat}"] .total` : ".winner-total";
    const figure = (seat ? document : scene).querySelector(found);
    return after && figure
      ? [{ figure, from: Number(before), to: Number(after), cards: waiting.splice(0, Number(cards)) }]
      : [];
  });
  if (!totals.length) return;
  const said = totals.map(({ figure }) => figure.textContent);
  const begins = performance.now() + wait;
  /** @type {Animation[]} */
  const flights = [];
  let over = false;
  const write = () => {
    const part = Math.min(1, Math.max(0, (performance.now() - begins - FLIGHT) / (LASTS - FLIGHT)));
    for (const [place, { figure, from, to }] of totals.entries()) {
      const now = Math.round(from + (to - from) * part);
      figure.textContent = part < 1 && !over ? now.toLocaleString(spoken) : said[place];
    }
    if (part < 1 && !over) requestAnimationFrame(write);
  };
  for (const { figure, cards } of totals) {
    for (const [place, card] of cards.entries()) {
      flights.push(fly(/** @type {HTMLElement} */ (card), figure, wait + (place * (LASTS - FLIGHT)) / cards.length));
    }
  }
  write();
  const end = () => {
    over = true;
    for (const flight of flights) flight.finish();
    write();
  };
  addEventListener("pointerdown", end, { once: true });
  setTimeout(() => removeEventListener("pointerdown", end), wait + LASTS);
}

/** Let a card fly from the row of who held it into a total. @param {HTMLElement} card @param {Element} figure @param {number} delay */
function fly(card, figure, delay) {
  const held = document.querySelector(`[data-seat="${card.dataset.held}"]`)?.getBoundingClientRect();
  const goal = figure.getBoundingClientRect();
  document.body.append(card);
  const size = card.getBoundingClientRect();
  const [x, y] = [goal.x + goal.width / 2 - size.width / 2, goal.y + goal.height / 2 - size.height / 2];
  const start = `${held?.x ?? innerWidth / 2}px ${Math.min(held?.y ?? innerHeight, innerHeight)}px`;
  const path = [
    { translate: start, opacity: 0 },
    { opacity: 1, offset: 0.15 },
    { opacity: 1, offset: 0.8 },
    { translate: `${x}px ${y}px`, scale: 0.4, opacity: 0 },
  ];
  const flight = card.animate(path, { duration: FLIGHT, delay, easing: "ease-in", fill: "backwards" });
  flight.onfinish = () => {
    card.remove();
    if (stored("buzz") !== "off") navigator.vibrate?.(BUZZ);
  };
  return flight;
}
