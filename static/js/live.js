// The live board: asks whether something changed, and moves the lines to their new places when it did.

import { follow } from "./follow.js";
import { reveal } from "./winner.js";
import { worded } from "./words.js";

const board = /** @type {HTMLElement} */ (document.getElementById("board"));
const connection = /** @type {HTMLElement} */ (document.querySelector("[data-connection]"));
const told = /** @type {HTMLElement} */ (connection.querySelector("[data-said]"));
const whenConnected = told.textContent;
const still = matchMedia("(prefers-reduced-motion: reduce)");

const lines = () => /** @type {NodeListOf<HTMLElement>} */ (board.querySelectorAll("[data-player]"));
const places = () => new Map([...lines()].map((line) => [line.dataset.player, line.getBoundingClientRect().top]));

/** @param {string} html */
function draw(html) {
  const before = places();
  board.innerHTML = html;
  reveal();
  if (still.matches) return;
  for (const line of lines()) {
    const moved = (before.get(line.dataset.player) ?? NaN) - line.getBoundingClientRect().top;
    if (moved) {
      line.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], {
        duration: 200,
        easing: "ease-out",
      });
    }
  }
}

follow(board.dataset.poll ?? "", board.dataset.state ?? "", {
  changed: async (answer) => draw(await answer.text()),
  said(connected, text) {
    connection.classList.toggle("is-off", !connected);
    told.textContent = text || whenConnected;
  },
  gone: worded("board-closed"),
  eager: true,
});

/* A board on a television fills it, where the browser can. */
const whole = /** @type {HTMLElement | null} */ (document.querySelector("[data-fullscreen]"));
if (whole && document.fullscreenEnabled) {
  const enter = whole.textContent;
  whole.hidden = false;
  whole.onclick = () =>
    (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(
      () => {},
    );
  document.addEventListener("fullscreenchange", () => {
    whole.textContent = (document.fullscreenElement ? whole.dataset.leave : enter) ?? "";
  });
}
