// Spare the reload between answers: a link or form answered by a page gives this page its content, the question in place.

import { announce, showMessage, stored } from "./base.js";
import { offerTable, sentences } from "./show-table.js";
import "./tap-keys.js";
import { worded } from "./words.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
let shown = location.href;

/** Replace the content of this page by that of another. @param {Response} answer */
async function take(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("main");
  if (!fresh) throw new Error("no page of ours");
  for (const sheet of page.querySelectorAll('link[rel="stylesheet"]')) {
    if (!document.querySelector(`link[href="${sheet.getAttribute("href")}"]`)) document.head.append(sheet);
  }
  main.replaceChildren(...fresh.childNodes);
  document.title = page.title;
  begin();
}

/** Set up the content that is on the page. */
function begin() {
  offerTable(main);
  if (main.querySelector(".cast[data-match]")) {
    import("./direction.js").then(({ followDirection }) => followDirection(main));
  }
}

/** Move the focus to what follows the question; scroll to the beginning of a ruling, and announce it. */
function settle() {
  const next = /** @type {HTMLElement | null} */ (
    main.querySelector("#problems, .asked, #ruling") ?? main.querySelector("h1")
  );
  next?.setAttribute("tabindex", "-1");
  if (next?.id === "ruling") {
    scrollTo(0, 0);
    announce(sentences(main).join(" "));
    if (stored("sound") === "on") import("./chime.js").then(({ whistle }) => whistle());
  }
  next?.focus();
}

const busy = () => main.ariaBusy === "true";

/** Ignore taps while an answer is under way. @param {boolean} waits */
function wait(waits) {
  main.ariaBusy = String(waits);
}

/** Fetch a page and show its content. @param {string} address @param {RequestInit} [how] */
async function ask(address, how) {
  const answer = await fetch(address, { ...how, headers: { Accept: "text/html" } });
  await take(answer);
  return answer;
}

/** Show the page that a link leads to. @param {string} address @param {boolean} anew whether Back shall lead here */
async function follow(address, anew) {
  if (busy()) return;
  wait(true);
  try {
    const answer = await ask(address);
    if (anew) history.pushState(null, "", answer.url);
    shown = location.href;
    settle();
  } catch {
    if (anew) location.assign(address);
    else location.reload();
  } finally {
    wait(false);
  }
}

/** Send a form. @param {HTMLFormElement} form @param {HTMLElement | null} button */
async function send(form, button) {
  const fields = new FormData(form, button);
  const posts = form.method === "post";
  const query = new URLSearchParams([...fields].map(([name, value]) => [name, String(value)]));
  const answer = await ask(
    posts ? form.action : `${form.action}?${query}`,
    posts ? { method: "post", body: fields } : {},
  );
  if (!posts || answer.redirected) history.pushState(null, "", answer.url);
  shown = location.href;
}

main.addEventListener("submit", async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  if (!("swap" in form.dataset)) return;
  event.preventDefault();
  if (busy()) return;
  wait(true);
  const { name = "", value = "" } = button ?? {};
  try {
    await send(form, button);
    const same = name && main.querySelector(`button[name="${name}"][value="${CSS.escape(value)}"]`);
    if (same) /** @type {HTMLElement} */ (same).focus({ preventScroll: true });
    else settle();
    if (name === "add") {
      main.querySelector(".fan")?.scrollBy(main.scrollWidth, 0);
      announce(worded("cards-entered", { n: main.querySelectorAll(".fan .laid").length }));
    }
  } catch {
    delete form.dataset.swap;
    form.requestSubmit(button);
  } finally {
    wait(false);
  }
});

main.addEventListener("click", (event) => {
  const link = /** @type {HTMLAnchorElement | null} */ (
    /** @type {Element} */ (event.target).closest("a.option, .answers a, a[data-swap]")
  );
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  follow(link.href, true);
});

/** Hand a ruling's picture to the phone's own list of apps. @param {HTMLAnchorElement} link */
async function sharePicture(link) {
  try {
    const { pictureFile } = await import("./passing-on.js");
    await navigator.share({ files: [await pictureFile(link.href, link.download)] });
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) showMessage(worded("picture-away"));
  }
}

main.addEventListener("click", (event) => {
  const link = /** @type {HTMLAnchorElement | null} */ (
    /** @type {Element} */ (event.target).closest("[data-share-picture]")
  );
  const files = [new File([], "ruling.png", { type: "image/png" })];
  if (!link || (navigator.onLine && !navigator.canShare?.({ files }))) return; // the link downloads it
  event.preventDefault();
  if (navigator.onLine) sharePicture(link);
  else showMessage(worded("picture-away"));
});

addEventListener("popstate", () => {
  if (location.href !== shown) follow(location.href, false); // else only the layer over the page went
});
begin();
