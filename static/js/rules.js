// Answers while one types; the form works the same without.

import { searchAsOneTypes, showFound } from "./searching.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("search"));
const found = /** @type {HTMLElement} */ (document.getElementById("found"));
let asked = new AbortController();

async function look() {
  asked.abort();
  asked = new AbortController();
  const query = new URLSearchParams(
    [...new FormData(form)].map(([name, value]) => [name, String(value)]).filter(([, value]) => value.trim()),
  );
  const address = query.size ? `${form.action}?${query}` : form.action;
  try {
    const answer = await fetch(address, {
      headers: { "Accept": "application/json", "X-Fragment": "1" },
      signal: asked.signal,
    });
    const { fragments } = await answer.json();
    showFound(found, fragments.found);
    history.replaceState(null, "", address);
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return;
    if (navigator.serviceWorker?.controller && !navigator.onLine) {
      location.assign(address);
    } // This phone has a search of its own.
    else setTimeout(look, 2000);
  }
}

searchAsOneTypes(form, look);
