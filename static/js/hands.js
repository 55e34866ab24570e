// The scorekeeper sees hands arrive.

import { announce } from "./base.js";
import { follow } from "./follow.js";

const arrivals = document.getElementById("arrivals");
const connection = /** @type {HTMLElement} */ (document.querySelector("[data-connection]"));

if (arrivals) {
  follow(arrivals.dataset.poll ?? "", arrivals.dataset.state ?? "", {
    async changed(answer) {
      const active = document.activeElement?.closest("#arrivals button")?.getAttribute("aria-label");
      arrivals.innerHTML = await answer.text();
      const same = /** @type {HTMLElement | null} */ (
        active ? arrivals.querySelector(`[aria-label="${CSS.escape(active)}"]`) : null
      );
      same?.focus();
      announce(arrivals.querySelector("[role=status]")?.textContent ?? "");
    },
    connected(yes, text) {
      connection.hidden = yes;
      connection.textContent = text;
    },
    eager: true,
  });
}
