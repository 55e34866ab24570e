// Searching while one types: a look-up by the server or by the phone, and a list of which those stay that are meant.

import { announce } from "./base.js";
import { worded } from "./words.js";

/**
 * Look up as the field of a search changes, and at once when it is sent.
 * @param {HTMLFormElement} form
 * @param {() => unknown} look
 */
export function searchAsOneTypes(form, look) {
  let waiting = 0;
  for (const part of [form, document.getElementById("rulebook")]) {
    part?.addEventListener("input", (event) => {
      clearTimeout(waiting);
      waiting = setTimeout(look, /** @type {Element} */ (event.target).id === "q" ? 120 : 0);
    });
  }
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
    found.querySelector(".notice, .error, .heard .lead")?.textContent ??
      (hits ? worded("rules-found", { n: hits, first }) : ""),
  );
}

/* -- a list -- */

const LITTLE = new Set("a an and are can do does for i if in is it may my of on or the to what with you".split(" "));

/** @param {string} text */
const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");

/** @param {string} typed */
export const wordsOf = (typed) =>
  plain(typed)
    .split(/[^\p{L}\p{N}+]+/u)
    .filter((one) => one && !LITTLE.has(one))
    .map((one) => one.replace(/(?<=\w{3})(ing|ed|s)$/, ""));

/** Return for each text whether no other has more of the words. @param {string[]} texts @param {string[]} words */
export function fitting(texts, words) {
  const counts = texts.map((text) => words.filter((one) => plain(text).includes(one)).length);
  const most = Math.max(...counts);
  return counts.map((count) => !words.length || (most > 0 && count === most));
}
