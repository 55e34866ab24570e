// Which way play goes round the table: chosen once, remembered for the match, and who comes next follows it.

import { announce, store, stored } from "./base.js";

/** Show who comes next in the direction of the match, and let it be changed. @param {HTMLElement} page */
export function followDirection(page) {
  const cast = /** @type {HTMLElement | null} */ (page.querySelector(".cast[data-match]"));
  if (!cast) return;
  const { match = "" } = cast.dataset;
  const ways = /** @type {NodeListOf<HTMLElement>} */ (cast.querySelectorAll(".direction [data-goes]"));
  const players = /** @type {NodeListOf<HTMLElement>} */ (cast.querySelectorAll(".option[data-goes]"));
  const go = (/** @type {string | undefined} */ chosen) => {
    for (const one of players) one.hidden = one.dataset.goes !== chosen;
    for (const way of ways) {
      if (way.dataset.goes === chosen) way.setAttribute("aria-current", "true");
      else way.removeAttribute("aria-current");
    }
  };
  const remembered = stored("direction");
  if (remembered?.match === match) go(remembered.goes);
  for (const way of ways) {
    way.addEventListener("click", (event) => {
      event.preventDefault();
      go(way.dataset.goes);
      store("direction", { match, goes: way.dataset.goes });
      announce(
        [...players]
          .filter((one) => !one.hidden)
          .map((one) => one.textContent?.trim().replace(/\s+/g, " "))
          .join(". "),
      );
    });
  }
}
