// What runs on every page of the app: its forms, the screen that stays on, what works offline. Nothing imports it, so it
// may import everything; whatever few pages need, it imports when they do.

import {
  club,
  fadeMessages,
  make,
  post,
  rootPath,
  setCookie,
  showAnswer,
  showMessage,
  showProblems,
  store,
  stored,
} from "./base.js";
import { atTime, worded } from "./words.js";

const REST = 800; // Milliseconds after which a page that came is at rest.
const SOON = 3000;
const LATER = 90000;
const DOUBLE_TAP = 4000; // Milliseconds in which a form takes no second tap, where nothing else ends it.

/** Do something so long after the page came, which it may have while this file waited for its words. @param {() => void} act @param {number} pause */
function afterLoad(act, pause) {
  const wait = () => setTimeout(act, pause);
  if (document.readyState === "complete") wait();
  else addEventListener("load", wait);
}

/* -- forms -- */

document.addEventListener("submit", async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  if (event.defaultPrevented) return;
  if (form.dataset.busy) {
    event.preventDefault();
    return;
  }
  form.dataset.busy = "1";
  setTimeout(() => delete form.dataset.busy, DOUBLE_TAP);
  const replaces = button && "takesPlace" in button.dataset;
  const refreshes = "quick" in form.dataset && document.getElementById("sheet");
  if (!replaces && !("waits" in form.dataset) && !refreshes) return;
  event.preventDefault();
  if (replaces) await postInPlace(form, button);
  else if ("waits" in form.dataset) await (await acts()).act(form);
  else await postOnSheet(form);
  delete form.dataset.busy;
});

/** What lets a form wait where the server is away: fetched ahead, since the server may be away by then. */
const acts = () => import("./acts.js");
if (document.querySelector("[data-waits]")) afterLoad(acts, REST);

/** @param {HTMLFormElement} form */
async function postOnSheet(form) {
  const { status, problems, body } = await post(form.action, new FormData(form));
  if (status === 200) showAnswer(body);
  else showProblems(problems);
}

/** Post a form whose page is done with then: Back from where it leads must not ask to send it again. @param {HTMLFormElement} form @param {HTMLButtonElement} button */
async function postInPlace(form, { name, value }) {
  const fields = new FormData(form);
  fields.append(name, value);
  const { status, problems, body } = await post(form.action, fields);
  if (body.address) location.replace(body.address);
  else if (status === 422) {
    form.append(make("input", "", { type: "hidden", name, value }));
    form.submit(); // The server's own page shows what is wrong.
  } else showProblems(problems);
}

/* -- the screen stays on while a match is open; a browser that can do it neither way simply sleeps -- */

async function stayAwake() {
  const isVisible = document.visibilityState === "visible";
  if (!document.querySelector("[data-awake]") || stored("awake") === "off") return;
  if (!navigator.wakeLock) {
    const { playOn } = await import("./awake.js");
    playOn(isVisible);
    return;
  }
  if (isVisible) await navigator.wakeLock.request("screen").catch(() => {}); // Battery saver: the phone decides.
}
document.addEventListener("visibilitychange", stayAwake);
stayAwake();

/* -- what a page offers only where the browser can do it -- */

/** @param {string} selector @returns {NodeListOf<HTMLElement>} */
const all = (selector) => document.querySelectorAll(selector);

/**
 * Let a box switch something of this phone off and on.
 * @param {string} key
 * @param {boolean} can
 * @param {boolean} shown
 * @param {"on" | "off"} usual
 */
function offerSwitch(key, can, shown, usual = "on") {
  for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (all(`[data-${key}-switch]`))) {
    if (shown) box.closest("[hidden]")?.removeAttribute("hidden");
    box.disabled = !can;
    box.checked = can && (stored(key) ?? usual) === "on";
    box.addEventListener("change", () => {
      const chosen = box.checked ? "on" : "off";
      store(key, chosen === usual ? null : chosen);
    });
  }
}
offerSwitch("awake", Boolean(navigator.wakeLock) || "captureStream" in HTMLCanvasElement.prototype, true);
offerSwitch("buzz", true, "vibrate" in navigator);
offerSwitch("sound", true, "AudioContext" in globalThis, "off");
for (const note of all("[data-insecure]")) note.hidden = isSecureContext;
for (const button of all("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

/* The server writes days and times as the clock at this table shows them. */
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
if (timeZone) setCookie("zone", timeZone);

/* With a keyboard on the screen the tabs give way. Where it covers the page instead of shrinking it, the button moves up. */
const KEYBOARD = 0.75; // Of the height that this screen has without one: toolbars take less.
const TYPED = "input:not([type=checkbox], [type=radio], [type=file]), textarea";
let highest = 0;
let wide = 0;
function makeRoom() {
  const { width, height, scale } = visualViewport ?? { width: innerWidth, height: innerHeight, scale: 1 };
  if (scale !== 1) return;
  highest = width === wide ? Math.max(highest, height) : height;
  wide = width;
  const open = height < KEYBOARD * highest && Boolean(document.activeElement?.matches(TYPED));
  document.documentElement.toggleAttribute("data-typing", open);
  document.documentElement.style.setProperty("--covered", open ? `${innerHeight - height}px` : "0px");
}
makeRoom();
visualViewport?.addEventListener("resize", makeRoom);
addEventListener("focusout", () => requestAnimationFrame(makeRoom));

/* From any other page the tab *Score* leads back to the match that goes on, and from there home. */
const sheet = document.getElementById("sheet");
const score = /** @type {HTMLAnchorElement | null} */ (document.querySelector(".tabs a"));
const running = stored("running");
if (sheet) store("running", "awake" in sheet.dataset ? location.pathname : null);
else if (running === location.pathname) {
  store("running", null);
} // It is gone, or another club's.
else if (running && score && location.pathname !== rootPath()) score.href = running;

document.getElementById("problems")?.focus();
if (document.querySelector(".toast")) fadeMessages();

/* -- offline: the service worker needs a secure address, and the page itself comes first -- */

const worker = isSecureContext ? navigator.serviceWorker : undefined;

afterLoad(() => {
  const { lang } = document.documentElement; // A worker's script is fetched without the browser's languages.
  if (navigator.onLine) worker?.register(`${rootPath()}service-worker.js?lang=${lang}`).catch(() => {});
}, REST);

/** Return whether this is not the first page of a visit. */
function visitedBefore() {
  try {
    const before = sessionStorage.getItem("referee.visited");
    sessionStorage.setItem("referee.visited", "yes");
    return Boolean(before);
  } catch {
    return false;
  }
}

/* Pages that were not opened yet are fetched when this one rests: soon on a second page, and before the phone is put away. */
if (worker && document.documentElement.dataset.club) {
  const fetchAhead = () => {
    const { state } = document.getElementById("sheet")?.dataset ?? {};
    if (navigator.onLine) worker.ready.then(({ active }) => active?.postMessage({ ahead: true, state }));
  };
  afterLoad(fetchAhead, visitedBefore() ? SOON : LATER);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) fetchAhead();
  });
}

worker?.addEventListener("message", ({ data }) => {
  if (data === "not sent") {
    const nobodyElse = document.dispatchEvent(new CustomEvent("referee:unsent", { cancelable: true }));
    if (nobodyElse) showMessage(worded("unreachable-typed"));
  } else if (
    data === "answered" &&
    !document.querySelector("#pad[data-open]") &&
    !document.activeElement?.closest("form")
  ) {
    location.reload();
  } else document.documentElement.dataset.server = "away"; // Whoever is tapping goes on, and looks back later.
});

const drawn = document.documentElement.dataset.kept;
const outbox = document.getElementById("outbox");
if (drawn && !outbox) {
  const when = atTime(new Date(drawn), true);
  document.getElementById("main")?.prepend(make("p", worded("offline", { when }), { className: "notice" }));
}
if (!document.getElementById("offline")) store("theme", document.documentElement.dataset.theme); // The offline shell is nobody's page and gets no cookie.

/* -- what waits on this phone is sent from every page; the sheet shows its own -- */

store("club", club());
if (stored("outbox") || document.querySelector("[data-kept-here]")) {
  import("./waiting-list.js").then(({ countHere, showElsewhere, showWaiting }) => {
    countHere();
    showElsewhere();
    if (outbox || !stored("outbox")) return;
    showWaiting();
    addEventListener("online", () => showWaiting());
  });
}
