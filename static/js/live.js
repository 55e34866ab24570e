// The live board: asks whether something changed, and moves the lines to their new places when it did.

import { store, stored } from "./base.js";
import { follow } from "./follow.js";
import { reveal, slide, sound, topsOf } from "./motion.js";
import { worded } from "./words.js";

const board = /** @type {HTMLElement} */ (document.getElementById("board"));
const connection = /** @type {HTMLElement} */ (document.querySelector("[data-connection]"));
const told = /** @type {HTMLElement} */ (connection.querySelector("[data-said]"));
const whenConnected = told.textContent;
/** Map the lines by player. */
const lines = () =>
  new Map(
    [.../** @type {NodeListOf<HTMLElement>} */ (board.querySelectorAll("[data-player]"))].map((line) => [
      line.dataset.player,
      line,
    ]),
  );

/** @param {string} html */
function draw(html) {
  const before = topsOf(lines());
  board.innerHTML = html;
  reveal();
  slide(lines(), before);
}

follow(board.dataset.poll ?? "", board.dataset.state ?? "", {
  changed: async (answer) => draw(await answer.text()),
  connected(yes, text) {
    connection.classList.toggle("is-off", !yes);
    told.textContent = text || whenConnected;
  },
  gone: worded("board-closed"),
  eager: true,
});

/* A tap switches the sound on and lets it be heard: without one, a browser plays none. */
const sounds = /** @type {HTMLElement | null} */ (document.querySelector("[data-sound]"));
if (sounds && "AudioContext" in globalThis) {
  const isOn = () => stored("sound") === "on";
  const show = () => sounds.setAttribute("aria-pressed", String(isOn()));
  sounds.hidden = false;
  show();
  sounds.onclick = () => {
    store("sound", isOn() ? null : "on");
    show();
    if (isOn()) sound();
  };
}

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
