// Answers while one types; the form works the same without.

import { say } from "./base.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("search"));
const found = /** @type {HTMLElement} */ (document.getElementById("found"));
let waiting = 0;
let asked = new AbortController();

async function look() {
  asked.abort();
  asked = new AbortController();
  const query = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]).filter(([, value]) => value.trim()));
  const address = query.size ? `${form.action}?${query}` : form.action;
  try {
    const answer = await fetch(address, { headers: { Accept: "application/json", "X-Fragment": "1" }, signal: asked.signal });
    const { fragments } = await answer.json();
    found.innerHTML = fragments.found;
    history.replaceState(null, "", address);
    const hits = found.querySelectorAll(".hit").length;
    say(found.querySelector(".silent-here, .error")?.textContent ?? (hits ? `${hits} rules found. ${found.querySelector(".hit h2")?.textContent}` : ""));
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return;
    if (navigator.serviceWorker?.controller && !navigator.onLine) location.assign(address); // This phone has a search of its own.
    else waiting = setTimeout(look, 2000);
  }
}

form.addEventListener("input", (event) => {
  clearTimeout(waiting);
  waiting = setTimeout(look, /** @type {Element} */ (event.target).id === "q" ? 120 : 0);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  look();
  document.getElementById("q")?.blur();
});
