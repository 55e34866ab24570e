// A player's own page follows the evening: drawn anew, the phone buzzes and says the table.

import { announce, stored } from "./base.js";
import { follow } from "./follow.js";

const mine = document.getElementById("mine");
const connection = /** @type {HTMLElement} */ (document.querySelector("[data-connection]"));
const BUZZ = 200;

if (mine) {
  const heading = () => mine.querySelector("h1")?.textContent ?? "";
  follow(mine.dataset.poll ?? "", mine.dataset.state ?? "", {
    async changed(answer) {
      const before = heading();
      mine.innerHTML = await answer.text();
      if (heading() === before) return;
      announce(heading());
      if (stored("buzz") !== "off") navigator.vibrate?.(BUZZ);
    },
    connected(yes, text) {
      connection.hidden = yes;
      connection.textContent = text;
    },
    calm: true, // Two hundred phones may ask, and each round at any table is a change.
  });
}
