// The winner's scene appears once, in the moment the match ends, on the sheet and on the board.

import { say } from "./base.js";

const scene = () => /** @type {HTMLElement | null} */ (document.querySelector("[data-scene]"));
let shown = Boolean(scene()); // A page that opens on a match long over moves nothing.

/** Show what was just drawn, and tell it to those who listen, if a match ended with it. */
export function reveal() {
  const now = scene();
  const ended = now && !shown;
  shown = Boolean(now);
  if (!ended) return;
  queueMicrotask(() => say(now.querySelector("h2")?.textContent ?? "")); // After what else is said of a save.
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  now.animate(
    [
      { opacity: 0, transform: "scale(.94)" },
      { opacity: 1, transform: "none" },
    ],
    {
      duration: 200,
      easing: "ease-out",
    },
  );
}

document.addEventListener("referee:fresh", reveal);
