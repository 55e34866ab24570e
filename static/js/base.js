// What every page does: say things aloud, post without a reload, keep the screen on.

import { worded } from "./words.js";

const PATIENCE = 20000; // A connection that hangs longer is taken for none; what is sent twice counts once.
const REST = 800; // Milliseconds after which a page that came is at rest.
const SOON = 3000;
const LATER = 90000;

/**
 * What the server answers to a form.
 * @typedef {{message: string, player?: string}} Problem
 * @typedef {object} Body
 * @property {Record<string, string>} [fragments] HTML by the id of its place
 * @property {string} [address] where it leads
 * @property {Problem[]} [problems]
 * @property {Problem[]} [errors]
 * @property {string} [detail]
 * @property {{revision: string, version?: string, after?: string}} [seen] the sheet as it stands now
 * @property {{match: string, seats: string[]}} [begun] a match that began, and its players by seat
 * @property {string[]} [theirs] what another phone saved first
 * @property {string | number} [revision]
 */

/** Find the form's protection that the page carries. */
export const csrf = () => /** @type {HTMLMetaElement} */ (document.querySelector('meta[name="csrf-token"]'));

/** Read a value kept on this phone; null where the browser refuses storage. @param {string} key */
export function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(`referee.${key}`) ?? "null");
  } catch {
    return null;
  }
}

/** Keep a value on this phone, or forget it when it is null; false where storage is full or refused. @param {string} key @param {unknown} value */
export function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(`referee.${key}`);
    else localStorage.setItem(`referee.${key}`, JSON.stringify(value));
    return true;
  } catch {
    return false; // The page works on without drafts.
  }
}

/** Tell which club this phone is in: {id, name}; null for none. A page that does not know goes by the one before it. */
export function club() {
  const { club: id, clubName: name } = document.documentElement.dataset;
  if (id === undefined) return kept("club");
  return id ? { id, name } : null;
}

/** Say something to those who listen; it is not shown. @param {string} text */
export function say(text) {
  const live = /** @type {HTMLElement} */ (document.getElementById("live"));
  live.textContent = "";
  requestAnimationFrame(() => {
    live.textContent = text;
  });
}

/** Show a plain message in the place of the last one, with room for a button that follows. @param {string} text @param {string} [button] */
export function tell(text, button = "") {
  const toast = document.createElement("div");
  toast.className = "toast";
  toast.append(Object.assign(document.createElement("p"), { textContent: text }));
  if (button) {
    toast.append(Object.assign(document.createElement("button"), { className: "to-come", textContent: button }));
  }
  messages.replaceChildren(toast);
  fade();
}

const messages = /** @type {HTMLElement} */ (document.getElementById("messages"));
let fading = 0;
function fade() {
  clearTimeout(fading);
  fading = setTimeout(() => {
    if (messages.contains(document.activeElement)) fade();
    else messages.replaceChildren();
  }, 12000);
}

/**
 * Post a form's fields. Returns {status, problems, body}; status 0 means that the server was not reached.
 * Show what came back with `refresh(body)`. What `survives` goes out even where the page is left meanwhile.
 * @param {string} address
 * @param {FormData} fields
 * @param {{survives?: boolean}} [how]
 */
export async function post(address, fields, { survives = false } = {}) {
  let answer;
  const over = new AbortController();
  const patience = setTimeout(() => over.abort(), PATIENCE);
  try {
    answer = await fetch(address, {
      method: "POST",
      body: fields,
      signal: over.signal,
      keepalive: survives,
      headers: { "Accept": "application/json", "X-Fragment": "1", "X-CSRFToken": csrf().content },
    });
  } catch {
    return {
      status: 0,
      body: {},
      problems: [{ message: worded(keep("tried", null) ? "unreachable-saved" : "unreachable-unsaved") }],
    };
  } finally {
    clearTimeout(patience);
  }
  /** @type {Body} */
  let body = {};
  try {
    body = await answer.json();
  } catch {
    /* Not from the app itself, a proxy's page say. */
  }
  const listed = body.problems ?? (body.errors?.length ? body.errors : null);
  const problems =
    listed ?? (answer.ok ? [] : [{ message: body.detail ?? worded("server-failed", { status: answer.status }) }]);
  return { status: answer.status, body, problems };
}

/** Tell how to find an element again after its part of the page was drawn anew; null where nothing names it. @param {Element | null} element */
function wayTo(element) {
  if (!element || element === document.body) return null;
  if (element.id) return `#${CSS.escape(element.id)}`;
  for (const name of ["data-went-out", "href", "name"]) {
    const value = element.getAttribute(name);
    if (value !== null) return `${element.localName}[${name}="${CSS.escape(value)}"]`;
  }
  return null;
}

/** Put the fragments of an answer into the page, or go where it leads. @param {Body} body */
export function refresh(body) {
  const fragments = Object.entries(body.fragments ?? {});
  const places = fragments.flatMap(([id, html]) => {
    const place = document.getElementById(id);
    return place ? [{ id, place, html }] : [];
  });
  if (body.address && !places.some(({ id }) => id === "sheet")) {
    location.assign(body.address);
    return;
  }
  document.dispatchEvent(new CustomEvent("referee:before"));
  const way = wayTo(document.activeElement);
  for (const { place, html } of places) place.innerHTML = html;
  if (way && document.activeElement === document.body) {
    const again = places.map(({ place }) => place.querySelector(way)).find(Boolean);
    /** @type {HTMLElement | undefined | null} */ (again)?.focus({ preventScroll: true });
  }
  fade();
  document.dispatchEvent(new CustomEvent("referee:fresh", { detail: body }));
}

document.addEventListener("submit", async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  if (event.defaultPrevented) return;
  if (form.dataset.busy) {
    event.preventDefault();
    return;
  } // The same tap twice.
  form.dataset.busy = "1";
  setTimeout(() => delete form.dataset.busy, 4000);
  if (button && "takesPlace" in button.dataset) {
    event.preventDefault();
    await takePlace(form, button);
    return;
  }
  if ("waits" in form.dataset) {
    event.preventDefault();
    const { act } = await acts();
    await act(form);
    delete form.dataset.busy;
    return;
  }
  if (!("quick" in form.dataset) || !document.getElementById("sheet")) return;
  event.preventDefault();
  const { status, problems, body } = await post(form.action, new FormData(form));
  delete form.dataset.busy;
  if (status === 200) refresh(body);
  else tell(problems.map((problem) => problem.message).join(" "));
});

/** What lets a form wait where the server is away: fetched ahead, since it may be away by then. */
const acts = () => import("./acts.js");
if (document.querySelector("[data-waits]")) addEventListener("load", () => setTimeout(acts, REST));

/** Post a form whose page is done with then: Back from where it leads must not ask to send it again. @param {HTMLFormElement} form @param {HTMLButtonElement} button */
async function takePlace(form, { name, value }) {
  const fields = new FormData(form);
  fields.append(name, value);
  const { status, problems, body } = await post(form.action, fields);
  delete form.dataset.busy;
  if (body.address) location.replace(body.address);
  else if (status === 422) {
    // The server's own page shows what is wrong.
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    form.submit();
  } else tell(problems.map((problem) => problem.message).join(" "));
}

const manifest = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel="manifest"]'));

/* The phone's screen stays on while a match is open; browsers that can do it neither way simply sleep. */
async function stayAwake() {
  const open = document.querySelector("[data-awake]");
  if (!open || kept("awake") === "off") return;
  const looked = document.visibilityState === "visible";
  if (!navigator.wakeLock) {
    const { playOn } = await import("./awake.js");
    playOn(looked);
    return;
  }
  if (!looked) return;
  try {
    await navigator.wakeLock.request("screen");
  } catch {
    /* Battery saver: the phone decides. */
  }
}
document.addEventListener("visibilitychange", stayAwake);
stayAwake();

for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[data-awake-switch]"))) {
  box.closest("[hidden]")?.removeAttribute("hidden");
  const can = Boolean(navigator.wakeLock) || "captureStream" in HTMLCanvasElement.prototype;
  box.disabled = !can;
  box.checked = can && kept("awake") !== "off";
  box.addEventListener("change", () => keep("awake", box.checked ? null : "off"));
}
for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[data-buzz-switch]"))) {
  if ("vibrate" in navigator) box.closest("[hidden]")?.removeAttribute("hidden");
  box.checked = kept("buzz") !== "off";
  box.addEventListener("change", () => keep("buzz", box.checked ? null : "off"));
}
for (const note of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-insecure]"))) {
  note.hidden = isSecureContext;
}
for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-print]"))) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}
/** Tell the server with every request what this phone wants. @param {string} name @param {string} value */
export function remembered(name, value) {
  if (!manifest) return;
  document.cookie = `${name}=${value}; Path=${new URL(".", manifest.href).pathname}; Max-Age=34560000; SameSite=Lax`;
}

/* Days and times are said as the clock at this table shows them. */
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
if (timeZone) remembered("zone", timeZone);

document.getElementById("problems")?.focus();
if (document.querySelector(".toast")) fade();

/* What was opened once opens again without a connection, where the address is secure. The page itself comes first. */
if (isSecureContext && navigator.serviceWorker && manifest) {
  addEventListener("load", () =>
    setTimeout(() => {
      if (!navigator.onLine) return;
      navigator.serviceWorker.register(new URL("service-worker.js", manifest.href)).catch(() => {});
    }, REST),
  );
}
/** Tell whether this is not the first page of a visit. */
function visitedBefore() {
  try {
    const before = sessionStorage.getItem("referee.visited");
    sessionStorage.setItem("referee.visited", "yes");
    return Boolean(before);
  } catch {
    return false;
  }
}

/* What was not opened yet is taken along when the page rests: soon on a second page, and before the phone is put away. */
if (isSecureContext && navigator.serviceWorker && document.documentElement.dataset.club) {
  const second = visitedBefore();
  const takeAlong = () => {
    const { state } = document.getElementById("sheet")?.dataset ?? {};
    if (!navigator.onLine) return;
    navigator.serviceWorker.ready.then(({ active }) => active?.postMessage({ ahead: true, state }));
  };
  addEventListener("load", () => setTimeout(takeAlong, second ? SOON : LATER));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) takeAlong();
  });
}
navigator.serviceWorker?.addEventListener("message", ({ data }) => {
  if (data === "not sent") {
    const nobodyElse = document.dispatchEvent(new CustomEvent("referee:unsent", { cancelable: true }));
    if (nobodyElse) tell(worded("unreachable-typed"));
  } else if (
    data === "answered" &&
    !document.querySelector("#pad[data-open]") &&
    !document.activeElement?.closest("form")
  ) {
    location.reload();
  } else document.documentElement.dataset.server = "away"; // Who is tapping goes on, and looks back later.
});
const drawn = document.documentElement.dataset.kept;
if (drawn && !document.getElementById("outbox")) {
  const when = new Date(drawn).toLocaleString([], { weekday: "short", hour: "2-digit", minute: "2-digit" });
  document
    .getElementById("main")
    ?.prepend(
      Object.assign(document.createElement("p"), { className: "notice", textContent: worded("offline", { when }) }),
    );
}
if (!document.getElementById("offline")) keep("theme", document.documentElement.dataset.theme); // The page without a connection has no cookie to read.

/* What waits on this phone is sent from every page; the sheet shows it itself. What is for another club waits, and is said. */
keep("club", club());
if (kept("outbox")) import("./elsewhere.js").then(({ showElsewhere }) => showElsewhere());
if (kept("outbox") && !document.getElementById("outbox")) {
  import("./waiting-list.js").then(({ showWaiting }) => {
    showWaiting();
    addEventListener("online", () => showWaiting());
  });
}
const here = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-kept-here]"));
if (here.length) {
  Promise.all([import("./outbox.js"), import("./waiting-state.js")]).then(async ([{ listed }, { waitingWords }]) => {
    const items = await listed();
    for (const line of here) {
      line.textContent = items.length ? waitingWords(items) : worded("all-sent");
      line.hidden = !items.length && line.dataset.keptHere === "warn";
    }
  });
}
