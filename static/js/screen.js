// An evening on a television: the live board, with a clock for all tables; once everyone sits, tables and standings take turns.

import "./live.js";
import { isStill } from "./motion.js";

const board = /** @type {HTMLElement} */ (document.getElementById("board"));
const ahead = Number(board.dataset.now) - Date.now(); // Milliseconds by which the server's clock is ahead of this one.

const SEATED = 180000; // Milliseconds after a draw by which everyone has found their table.
const TABLES = 25000; // Milliseconds that the tables are shown, of each turn.
const TURN = 40000;

function tick() {
  const now = Date.now() + ahead;
  const clock = /** @type {HTMLElement | null} */ (board.querySelector("[data-ends]"));
  if (clock) {
    const left = Math.ceil((Number(clock.dataset.ends) - now) / 1000);
    const rest = String(left % 60).padStart(2, "0");
    clock.textContent = left > 0 ? `${Math.floor(left / 60)}:${rest}` : (clock.dataset.up ?? "");
  }
  const drawn = Number(/** @type {HTMLElement | null} */ (board.querySelector("[data-drawn]"))?.dataset.drawn);
  board.classList.toggle("takes-turns", !isStill());
  board.classList.toggle("is-turned", drawn > 0 && now - drawn > SEATED && now % TURN > TABLES);
}

tick();
setInterval(tick, 1000);
