// The sheet: a tap on a row opens the hand pad over it, Back closes it. After a save the phone asks for the sheet as every
// other phone does; until it is there, the totals are the phone's own sum.

import {
  announce,
  post,
  replaceParts,
  showAnswer,
  showChange,
  showMessage,
  showProblems,
  store,
  stored,
} from "./base.js";
import { follow } from "./follow.js";
import { hold } from "./keyboard.js";
import { reveal } from "./motion.js";
import { liveInOrder, newKey, put } from "./outbox.js";
import { handPad } from "./pad.js";
import { inOrder, labelRecord, rememberPlaces, rowsByPlayer, slideRows, tops, Waiting } from "./waiting.js";
import { worded } from "./words.js";

/** @typedef {import("./waiting-state.js").Item} Item */
/** @typedef {import("./base.js").Body} Body */
/** @typedef {import("./base.js").Seen} Seen */

const ROLL = 200; // Milliseconds.
const PATIENCE = 2000; // Milliseconds that a tapped link waits for the round on its way.

const section = document.getElementById("pad");
const sheet = document.getElementById("sheet");
const outbox = document.getElementById("outbox");
const waiting = outbox && sheet && new Waiting(outbox, sheet.dataset.match ?? "", { reopen, sent });
/** @type {ReturnType<typeof handPad> | null} */
let pad = null;

const formHere = () => /** @type {HTMLFormElement | null} */ (document.getElementById("round-form"));

/** Return a field of the round form. @param {HTMLFormElement} form @param {string} name */
const field = (form, name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/** Put the hand pad over the round form. */
function lay() {
  const form = formHere();
  const records = sheet ? waiting : form && isSecureContext ? itsSheet(form) : null;
  if (document.documentElement.dataset.kept && form && records) field(form, "idempotency_key").value = newKey(); // The page's own may be used.
  const does = { onClose: leave, onSaved: saved, onKept: keptHere, onSaving: onItsWay, onRefused: comeBack };
  pad = form && handPad(form, { ...does, outbox: records });
  labelRecord({ begun: pad?.pending() ? "yes" : "no" });
  if (sheet && pad?.sent) pad.save(); // The page was left before the answer came: what is there already counts once.
}

/** Return an outbox for a page with nothing but the pad: it stores what the server cannot take, and the sheet sends it. @param {HTMLFormElement} form */
function itsSheet(form) {
  const [match] = (form.dataset.draft ?? "").split(".");
  return { live: () => (field(form, "after").value === "" ? [] : liveInOrder(match)), keep: put };
}

/** Close the pad; Back would close it too, so its step in the history goes. */
function leave() {
  if (!sheet) {
    location.assign(formHere()?.dataset.target ?? "");
    return;
  }
  hide();
  if (history.state?.pad) history.back();
}

/* -- a round on its way -- */

/** Whose row was tapped while a round was on its way; the pad takes it up when the answer is there. @type {string | null} */
let tapped = null;

/** What was announced of the round on its way; the server's own announcement mostly says the same again. */
let announced = "";

/** The page whose link was tapped while a round was on its way: asked for after it, it knows the round. */
let leadsTo = "";
addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a");
  const elsewhere = event.metaKey || event.ctrlKey || link?.target;
  if (!sheet || !pad?.saving || !link || elsewhere || event.defaultPrevented) return;
  event.preventDefault();
  leadsTo = link.href;
  setTimeout(goToLink, PATIENCE);
});

function goToLink() {
  if (leadsTo) location.assign(leadsTo);
}

/** The last round that the phone added up by itself, until the sheet has it. @type {Item | null} */
let added = null;

/** Show what a round on its way will bring. @param {Item} item */
function onItsWay(item) {
  if (!sheet || !waiting || tapped !== null || !isOpen()) return;
  added = Object.keys(item.points).length > 0 ? item : null;
  leave();
  waiting.expect(item);
  scrollTo(0, 0);
  const news = waiting.announce(item);
  if (!news) return;
  requestAnimationFrame(() =>
    setTimeout(() => {
      if (!("saving" in sheet.dataset)) return; // The server has said it.
      announced = news;
      showMessage(news, worded("undo"));
      announce(news);
    }),
  ); // The new total is painted first.
}

/** Show the pad again, which says why the server refused the round. @param {Item} item */
function comeBack(item) {
  if (!sheet || !waiting) return;
  leadsTo = "";
  added = null;
  waiting.takeBack(item);
  if (announced) document.getElementById("messages")?.replaceChildren();
  announced = "";
  if (isOpen()) return;
  history.pushState({ pad: true }, "", "#record");
  cover(true);
}

/** Open what was tapped meanwhile: another page, or the next round's pad under a row. */
function goOn() {
  if (leadsTo) goToLink();
  else if (tapped !== null && pad) pad.open(tapped);
  else if (isOpen()) leave();
  tapped = null;
}

/** Go on after the server's answer to a save. @param {Body} body */
function saved(body) {
  pad = null;
  if (!sheet || !waiting) {
    showAnswer(body);
    return;
  }
  waiting.arrived();
  showAnswer(body);
  goOn();
  if (!isOpen()) scrollTo(0, 0);
}

/** Go on after a round was stored on this phone: back to the sheet, which shows it, and the pad is free for the next. @param {Item} item */
function keptHere(item) {
  pad = null;
  if (!sheet) {
    leave();
    return;
  }
  lay();
  if (tapped === null && isOpen()) leave();
  goOn();
  scrollTo(0, 0);
  const brought = item.kind ? "" : waiting?.announce(item);
  const text = brought ? worded("saved-here-announced", { said: brought }) : worded("saved-here");
  showMessage(text, worded("undo"), () => waiting?.discard(item));
  announce(text);
}

/** Take a waiting round back into the pad. @param {Item} item */
async function reopen(item) {
  if (!pad || !waiting) {
    showMessage(worded("cannot-reopen"));
    return;
  }
  if (pad.pending()) {
    showMessage(worded("finish-first"));
    return;
  }
  await waiting.keep({ ...item, standing: "open" }, false);
  store(`draft.${formHere()?.dataset.draft}`, { ...item.state, place: item.place, after: item.after, stage: "count" });
  lay();
  history.pushState({ pad: true }, "", "#record");
  show("");
}

/** Show what the server answered to the last item that waited. @param {Body} body */
async function sent(body) {
  delete document.documentElement.dataset.kept;
  showChange(body);
  await asking;
}

/* -- the sheet as the server has it -- */

/** The revision that this phone's last change made: what the sheet shows with it is no surprise. */
let ownRevision = "";

/** Prepare the form of the next round, whether its pad is open or not. @param {Seen} seen */
function prepare({ revision, after, key = newKey(), title }) {
  const form = formHere();
  ownRevision = revision;
  if (!form || after === undefined) return;
  field(form, "after").value = after;
  field(form, "revision").value = revision;
  field(form, "idempotency_key").value = key;
  /** @type {HTMLElement} */ (form.querySelector("h1")).textContent = title ?? "";
  if (!pad) lay();
  else if (!pad.state.place) pad.see({ revision, after }); // A hand half entered comes after what is there now.
}

/** @type {(() => Promise<void>) | undefined} */
let ask;
let asking = Promise.resolve();
let surprised = "";

/** Follow the sheet. All rounds of a long match are followed only once something was changed: what comes has the last ones. */
function followSheet() {
  ask ??= follow(sheet?.dataset.poll ?? "", sheet?.dataset.state ?? "", {
    changed: async (answer) => take(await answer.json()),
    gone: worded("sheet-gone"),
    connected: (_yes, text) => text === worded("sheet-gone") && showMessage(text),
  });
  return ask;
}

/**
 * Take the sheet as it stands now; false where it has to wait: for a round on its way, or for a hand that is being entered,
 * which a change by another phone must not replace.
 * @param {{fragments: Record<string, string>, revision: string}} body
 */
function take({ fragments, revision }) {
  if (pad?.saving) return false;
  const own = revision === ownRevision;
  if (isOpen() && !own) {
    if (surprised !== revision) showMessage(worded("changed-elsewhere"));
    surprised = revision;
    return false;
  }
  const totals = own && added ? totalsHere() : new Map();
  drawSheet(isOpen() ? { sheet: fragments.sheet } : fragments);
  rememberSheet(fragments);
  const now = totalsHere();
  if ([...totals].some(([id, total]) => now.has(id) && now.get(id) !== total)) showMessage(worded("totals-corrected"));
  added = null;
  return true;
}

/** @param {Record<string, string>} fragments */
function drawSheet(fragments) {
  if (!sheet) return;
  const before = tops();
  const focused = sheet.contains(document.activeElement);
  replaceParts(fragments);
  const { count } = /** @type {HTMLElement | null} */ (sheet.querySelector("[data-count]"))?.dataset ?? {};
  sheet.dataset.rounds = count ?? sheet.dataset.rounds;
  if ("pad" in fragments && section) lay();
  waiting?.draw();
  const scene = reveal();
  slideRows(before);
  if (scene) import("./finish.js").then(({ countUp }) => countUp(scene));
  tick();
  if (focused && document.activeElement === document.body) goBack(); // The row is gone: the match is over.
}

const totalsHere = () =>
  new Map([...rowsByPlayer()].map(([id, row]) => [id, row.querySelector("[data-total]")?.textContent]));

document.addEventListener("referee:changed", (event) => {
  /** @type {Seen | undefined} */
  const seen = /** @type {CustomEvent} */ (event).detail;
  const text = document.querySelector(".toast p")?.textContent ?? "";
  if (text !== announced) announce(text);
  announced = "";
  if (seen) prepare(seen);
  asking = followSheet()();
});
if (sheet && !location.search) followSheet();

/* -- the pad over the sheet -- */

/** Return whether the pad is open. */
const isOpen = () => Boolean(section?.hasAttribute("data-open"));

/** Open or close the pad. Where it stands beside the sheet, as its style says, the sheet stays in reach. @param {boolean} open */
function cover(open) {
  if (!section) return;
  section.hidden = !open;
  section.toggleAttribute("data-open", open);
  hold(section, open && getComputedStyle(section).position === "fixed");
}

/** Whose row opened the pad, "" for the button under them: there the keyboard goes on afterwards. */
let opener = "";

/** Open the pad; the keyboard begins at its heading, from where letters, digits and arrows reach the keys. @param {string} winner */
function show(winner) {
  if (pad?.saving) tapped = winner;
  if (sheet) rememberPlaces();
  opener = winner;
  cover(true);
  pad?.open(winner);
  /** @type {HTMLElement | null | undefined} */ (section?.querySelector("[data-pad-title]"))?.focus({
    preventScroll: true,
  });
}

function hide() {
  cover(false);
  labelRecord({ begun: pad?.pending() ? "yes" : "no" });
  goBack();
}

function goBack() {
  const row = document.querySelector(`[data-went-out="${CSS.escape(opener)}"]`) ?? document.getElementById("record");
  /** @type {HTMLElement | null} */ (row ?? document.getElementById("main"))?.focus({ preventScroll: true });
}

if (section) lay();
if (sheet) {
  const went = new URLSearchParams(location.search).get("went_out"); // The row tapped while the server was away.
  if (went) history.replaceState(history.state, "", `${location.pathname}${location.hash}`);
  if (section && pad && location.hash === "#record") show(went ?? "");
  sheet.addEventListener("click", (event) => {
    const row = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-went-out]"));
    if (!row || !section || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    if (!pad) return; // That round was the last, and the sheet that says so is on its way.
    if (!isOpen()) history.pushState({ pad: true }, "", "#record");
    show(row.dataset.wentOut ?? "");
  });
  addEventListener("popstate", () => {
    if (location.hash === "#record" && pad) show("");
    else hide();
  });
} else {
  /** @type {ReturnType<typeof handPad> | null} */ (pad)?.open(
    new URLSearchParams(location.search).get("went_out") ?? "",
  ); // The row tapped before its script was there.
  if (pad) history.replaceState(history.state, "", location.pathname);
}

addEventListener("resize", () => {
  if (isOpen()) cover(true);
});

/* A page stored for offline is older than what was saved from it: store the newest sheet beside it, and the rules of this match. */
/** @param {Record<string, string>} fragments */
async function rememberSheet(fragments) {
  if (!navigator.serviceWorker?.controller || !("caches" in self)) return;
  const fresh = await caches.open("fresh");
  const headers = { "Kept-At": String(Date.now()) };
  await fresh.put(location.pathname, new Response(JSON.stringify({ fragments }), { headers }));
  navigator.serviceWorker.controller?.postMessage({});
}

async function takeAlong() {
  const { kept: drawn, asked } = document.documentElement.dataset;
  if (drawn && "caches" in self) {
    const newer = await (await caches.open("fresh")).match(location.pathname);
    if (newer && Number(newer.headers.get("Kept-At")) > Number(asked)) drawSheet((await newer.json()).fragments);
  }
  store("draft.new-match", null); // A match began.
  if (!sheet?.dataset.rules || !navigator.serviceWorker) return;
  const seats = [...document.querySelectorAll('#round-form [name="went_out"]')].map(
    (radio) => radio.parentElement?.textContent?.trim() ?? "",
  );
  (await navigator.serviceWorker.ready).active?.postMessage({ rules: sheet.dataset.rules, seats });
}
if (sheet) takeAlong();

/* The clock of a match with a time limit: the same on every phone; on this one alone while the server is away. */
let later = 0;
let timeWasUp = 0;

function tick() {
  const timer = document.querySelector("[data-clock]")?.closest("form");
  if (!timer) return;
  const { match } = timer.dataset;
  const known = Number(timer.dataset.ends);
  if (known) store(`clock.${match}`, null);
  const ends = known || stored(`clock.${match}`);
  const minutes = stored(`minutes.${match}`) ?? Number(timer.dataset.minutes);
  const typed = /** @type {HTMLInputElement | null} */ (timer.querySelector('[name="minutes"]'));
  const [starts, shown] = /** @type {HTMLElement[]} */ (
    ["[data-timer]", "[data-clock]"].map((one) => timer.querySelector(one))
  );
  if (typed) {
    typed.value = String(ends ? 0 : minutes);
    typed.closest("label")?.setAttribute("hidden", "");
    starts.textContent = (ends ? starts.dataset.stop : starts.dataset.start) ?? "";
  }
  for (const step of /** @type {NodeListOf<HTMLElement>} */ (timer.querySelectorAll("[data-minutes-step]"))) {
    step.hidden = Boolean(ends);
    step.onclick = () => {
      store(`minutes.${match}`, Math.max(5, minutes + Number(step.dataset.minutesStep)));
      tick();
    };
  }
  timer.onsubmit = async (event) => {
    event.preventDefault();
    if (ends && !known) {
      store(`clock.${match}`, null);
      tick();
      return;
    }
    const { status, problems, body } = await post(timer.action, new FormData(timer));
    if (status === 200) showAnswer(body);
    else if (status || ends) showProblems(problems);
    else {
      store(`clock.${match}`, Date.now() + minutes * 60000);
      tick();
    }
  };
  const left = ends ? Math.max(0, Math.ceil((ends - Date.now()) / 1000)) : minutes * 60;
  shown.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  clearTimeout(later);
  if (ends && left) later = setTimeout(tick, 1000);
  else if (ends && timeWasUp !== ends) {
    timeWasUp = ends;
    showMessage(worded("time-is-up"));
  }
}
tick();

if (sheet && document.documentElement.dataset.kept) inOrder(); // The page may be older than the choice.

/* The die rolls while the server draws. */
sheet?.addEventListener("submit", async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!("roll" in form.dataset)) return;
  event.preventDefault();
  if (form.dataset.busy) return;
  form.dataset.busy = "1";
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const rolled = new Promise((done) => setTimeout(done, still ? 0 : ROLL));
  const [{ status, problems, body }] = await Promise.all([post(form.action, new FormData(form)), rolled]);
  delete form.dataset.busy;
  if (status === 200) showAnswer(body);
  else showProblems(problems);
});
