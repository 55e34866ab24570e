// Spare the reload between taps: a form answered by a page gives this page its content.

import { say } from "./base.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
let busy = false;

/** @param {HTMLFormElement} form @param {HTMLElement | null} button */
async function swap(form, button) {
  const fields = new FormData(form, button);
  const posts = form.method === "post";
  const address = posts
    ? form.action
    : `${form.action}?${new URLSearchParams([...fields].map(([name, value]) => [name, String(value)]))}`;
  const answer = await fetch(address, {
    method: form.method,
    body: posts ? fields : undefined,
    headers: { Accept: "text/html" },
  });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("main");
  if (!fresh) throw new Error("no page of ours");
  for (const sheet of page.querySelectorAll('link[rel="stylesheet"]')) {
    if (!document.querySelector(`link[href="${sheet.getAttribute("href")}"]`)) document.head.append(sheet);
  }
  main.replaceChildren(...fresh.childNodes);
  document.title = page.title;
  if (answer.redirected) history.pushState(null, "", answer.url);
  return fresh;
}

main.addEventListener("submit", async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  if (!("swap" in form.dataset)) return;
  event.preventDefault();
  if (busy) return;
  busy = true;
  const key = button?.name === "add" ? button : null;
  const { name = "", value = "" } = button ?? {};
  try {
    await swap(form, button);
    const same = main.querySelector(`button[name="${name}"][value="${CSS.escape(value)}"]`);
    const start = /** @type {HTMLElement | null} */ (same ?? main.querySelector("#problems, .asked, #verdict"));
    if (!same) {
      start?.setAttribute("tabindex", "-1");
      scrollTo(0, 0);
    }
    start?.focus({ preventScroll: Boolean(same) });
    if (key) say(`${main.querySelectorAll(".fan .laid").length} cards laid.`);
  } catch {
    delete form.dataset.swap;
    form.requestSubmit(button);
  } finally {
    busy = false;
  }
});
addEventListener("popstate", () => location.reload());
