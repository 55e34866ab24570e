// The list of disputes while one types: those that have most of the words stay.

import { announce } from "./base.js";
import { fitting, wordsOf } from "./searching.js";
import { worded } from "./words.js";

const PAUSE = 500; // Milliseconds after the last key before the number found is said.

/** Let the field of the list leave out what is not meant. @param {ParentNode} page */
export function findAsOneTypes(page) {
  const form = /** @type {HTMLFormElement | null} */ (page.querySelector("form.find"));
  const field = /** @type {HTMLInputElement | null} */ (form?.querySelector("input") ?? null);
  if (!form || !field) return;
  const rows = /** @type {HTMLElement[]} */ ([...page.querySelectorAll(".disputes li")]);
  const moments = /** @type {HTMLElement[]} */ ([...page.querySelectorAll(".moment")]);
  const none = /** @type {HTMLElement} */ (page.querySelector(".found-none"));
  const texts = rows.map((row) => `${row.textContent} ${row.dataset.foundBy}`);
  let saying = 0;
  const look = () => {
    const words = wordsOf(field.value);
    const fits = fitting(texts, words);
    rows.forEach((row, place) => {
      row.hidden = !fits[place];
    });
    for (const part of page.querySelectorAll(".moment, .moment h2:has(+ ul)")) {
      const list = part.matches("h2") ? part.nextElementSibling : part;
      /** @type {HTMLElement} */ (part).hidden = !list?.querySelector("li:not([hidden])");
    }
    for (const part of moments) if (part instanceof HTMLDetailsElement) part.open = words.length > 0;
    const left = rows.filter((row) => !row.hidden);
    none.hidden = left.length > 0;
    clearTimeout(saying);
    saying = setTimeout(() => {
      const first = left[0]?.querySelector("b")?.textContent ?? "";
      announce(left.length ? worded("disputes-found", { n: left.length, first }) : `${none.textContent}`);
    }, PAUSE);
  };
  field.addEventListener("input", look);
  form.addEventListener("submit", (event) => {
    const left = rows.filter((row) => !row.hidden);
    if (left.length !== 1) return; // The rules know more.
    event.preventDefault();
    left[0].querySelector("a")?.click();
  });
  if (field.value) look(); // Back brings along what was typed.
}

findAsOneTypes(document);
