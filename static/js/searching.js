// A look-up while one types, by the server's answer or by the phone's own.

import { announce } from "./base.js";
import { worded } from "./words.js";

/**
 * Look up as the field of a search changes, and at once when it is sent.
 * @param {HTMLFormElement} form
 * @param {() => unknown} look
 */
export function searchAsOneTypes(form, look) {
  let waiting = 0;
  form.addEventListener("input", (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(look, /** @type {Element} */ (event.target).id === "q" ? 120 : 0);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopPropagation();
    clearTimeout(waiting);
    look();
    document.getElementById("q")?.blur();
  });
}

/** Show what a look-up found, and tell those who listen. @param {HTMLElement} found @param {string} html */
export function showFound(found, html) {
  found.innerHTML = html;
  const hits = found.querySelectorAll(".hit").length;
  const first = found.querySelector(".hit h2")?.textContent ?? "";
  announce(
    found.querySelector(".silent-here, .error")?.textContent ?? (hits ? worded("rules-found", { n: hits, first }) : ""),
  );
}
