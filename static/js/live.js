// The live board: asks whether something changed, and moves the lines to their new places when it did.

import { follow } from "./follow.js";

const board = document.getElementById("board");
const connection = document.querySelector("[data-connection]");
const still = matchMedia("(prefers-reduced-motion: reduce)");

const places = () => new Map([...board.querySelectorAll("[data-player]")].map((line) => [line.dataset.player, line.getBoundingClientRect().top]));

function draw(html) {
  const before = places();
  board.innerHTML = html;
  if (still.matches) return;
  for (const line of board.querySelectorAll("[data-player]")) {
    const moved = (before.get(line.dataset.player) ?? NaN) - line.getBoundingClientRect().top;
    if (moved) line.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 200, easing: "ease-out" });
  }
}

follow(board.dataset.poll, board.dataset.state, {
  changed: async (answer) => draw(await answer.text()),
  said(connected, text) {
    connection.classList.toggle("is-off", !connected);
    connection.querySelector("[data-said]").textContent = text || "Follows every round.";
  },
  gone: "This board was closed at the table.",
});
