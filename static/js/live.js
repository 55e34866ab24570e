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

const CURTAIN = 4000; // Milliseconds in which who won fills the screen.
const CARDS = 12;

/** Fill the screen with who won, each side in its color, while cards fall; a tap ends it. @param {HTMLElement} scene */
function celebrate(scene) {
  const curtain = document.createElement("div");
  curtain.className = "curtain";
  curtain.ariaHidden = "true";
  for (const line of board.querySelectorAll(".board-line.leads")) {
    const side = document.createElement("div");
    side.className = line.querySelector(".marker")?.getAttribute("class")?.replace("marker", "side") ?? "side";
    side.append(/** @type {Node} */ (line.querySelector(".name")?.cloneNode(true)));
    curtain.append(side);
  }
  const fan = [...scene.querySelectorAll("[data-fan] > .card")];
  for (let place = 0; fan.length && place < CARDS; place += 1) {
    const card = /** @type {HTMLElement} */ (fan[place % fan.length].cloneNode(true));
    card.style.left = `${(place * 37 + 8) % 96}%`;
    const fall = [
      { translate: "0 -30vh", rotate: "-40deg" },
      { translate: "0 110vh", rotate: `${90 + place * 30}deg` },
    ];
    curtain.append(card);
    card.animate(fall, {
      duration: CURTAIN * 0.6,
      delay: (place * CURTAIN * 0.4) / CARDS,
      easing: "ease-in",
      fill: "both",
    });
  }
  document.body.append(curtain);
  const raised = curtain.animate([{ opacity: 1 }, { opacity: 1, offset: 0.95 }, { opacity: 0 }], CURTAIN);
  raised.onfinish = () => curtain.remove();
  curtain.onclick = () => raised.finish();
  import("./finish.js").then(({ countUp }) => countUp(scene, CURTAIN * 0.95));
}

/** @param {string} html */
function draw(html) {
  const before = topsOf(lines());
  board.innerHTML = html;
  const scene = reveal();
  if (scene) celebrate(scene);
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
