// The sheet: a tap on a row opens the hand pad over it, Back closes it, a save refreshes what it changed.

import { keep, kept, post, refresh, say, tell } from "./base.js";
import { liveRounds, newKey, put } from "./outbox.js";
import { handPad } from "./pad.js";
import { Waiting } from "./waiting.js";

const section = document.getElementById("pad");
const sheet = document.getElementById("sheet");
const outbox = document.getElementById("outbox");
const waiting = outbox && new Waiting(outbox, sheet.dataset.match, { reopen, arrived });
let pad = null;

function lay() {
  const form = document.getElementById("round-form");
  const records = sheet ? waiting : form && isSecureContext ? itsSheet(form) : null;
  if (document.documentElement.dataset.kept && records) form.elements.idempotency_key.value = newKey(); // The page's own may be used.
  pad = form && handPad(form, { onClose: leave, onSaved: saved, onKept: keptHere, outbox: records });
  const record = document.getElementById("record");
  if (record && pad?.pending()) record.textContent = record.textContent.replace("Record", "Continue");
}

/** A page with nothing but the pad keeps what the server cannot take, and leaves it to the sheet to send. */
function itsSheet(form) {
  const [match] = form.dataset.draft.split(".");
  return { live: () => (form.dataset.shares ? liveRounds(match) : []), keep: put };
}

function leave() {
  if (!sheet) location.assign(document.getElementById("round-form").dataset.target);
  else if (history.state?.pad) history.back();
  else hide();
}

function saved(draw) {
  pad = null;
  if (sheet) leave();
  draw();
  scrollTo(0, 0);
}

/** A round waits on this phone: back to the sheet, which shows it, and the pad is free for the next. */
function keptHere() {
  pad = null;
  leave();
  if (!sheet) return;
  lay();
  scrollTo(0, 0);
  document.getElementById("messages").replaceChildren();
  say("Kept on this phone. It is sent as soon as the server is there.");
}

/** Take a waiting round back into the pad. */
async function reopen(item) {
  if (!pad) { tell("This match takes no round now."); return; }
  if (pad.pending()) { tell("First finish the round that is in the hand pad."); return; }
  await waiting.keep({ ...item, standing: "open" }, false);
  keep(`draft.${document.getElementById("round-form").dataset.draft}`, { ...item.state, place: item.place, after: item.after, stage: "count" });
  lay();
  history.pushState({ pad: true }, "", "#record");
  show("");
}

/** Show what the server answered to rounds that waited; a hand half entered meanwhile stays, behind them. */
function arrived(body) {
  delete document.documentElement.dataset.kept;
  const open = section && "open" in section.dataset;
  refresh(body);
  const form = document.getElementById("round-form");
  const draft = form && kept(`draft.${form.dataset.draft}`);
  if (draft && !draft.place) {
    keep(`draft.${form.dataset.draft}`, { ...draft, after: form.elements.after.value, revision: form.elements.revision.value });
    lay();
  }
  if (!open) return;
  if (pad) pad.open(""); else hide();
}

function show(winner) {
  section.hidden = false;
  section.dataset.open = "";
  sheet.inert = true;
  document.querySelector(".tabs").inert = true;
  document.body.style.overflow = "hidden";
  pad.open(winner);
  section.querySelector("[data-close]").focus({ preventScroll: true });
}

function hide() {
  section.hidden = true;
  delete section.dataset.open;
  sheet.inert = false;
  document.querySelector(".tabs").inert = false;
  document.body.style.overflow = "";
  const record = document.getElementById("record");
  if (record) {
    record.textContent = record.textContent.replace(/^(Record|Continue)/, pad?.pending() ? "Continue" : "Record");
    record.focus({ preventScroll: true });
  }
}

if (section) lay();
if (sheet) {
  const went = new URLSearchParams(location.search).get("went_out"); // The row tapped while the server was away.
  if (went) history.replaceState(history.state, "", `${location.pathname}${location.hash}`);
  if (section && pad && location.hash === "#record") show(went ?? "");
  sheet.addEventListener("click", (event) => {
    const row = event.target.closest("[data-went-out]");
    if (!row || !pad || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    history.pushState({ pad: true }, "", "#record");
    show(row.dataset.wentOut);
  });
  addEventListener("popstate", () => { if (location.hash === "#record" && pad) show(""); else hide(); });
} else if (pad) {
  pad.open(new URLSearchParams(location.search).get("went_out") ?? ""); // The row tapped before its script was there.
  history.replaceState(history.state, "", location.pathname);
}

document.addEventListener("referee:fresh", ({ detail }) => {
  if (sheet && detail.fragments.sheet) {
    sheet.dataset.rounds = sheet.querySelector("[data-count]")?.dataset.count ?? sheet.dataset.rounds;
    remember(detail);
  }
  if ("pad" in detail.fragments && section) lay();
  say(document.querySelector(".toast p")?.textContent ?? "");
  tick();
});

/* A page kept for later is older than what was saved from it: keep the newest beside it, and the rules of this match. */
async function remember({ fragments }) {
  if (!navigator.serviceWorker?.controller || !("caches" in self)) return;
  const { messages, ...rest } = fragments;
  const fresh = await caches.open("fresh");
  await fresh.put(location.pathname, new Response(JSON.stringify({ fragments: rest }), { headers: { "Kept-At": Date.now() } }));
}

async function takeAlong() {
  if (document.documentElement.dataset.kept && "caches" in self) {
    const newer = await (await caches.open("fresh")).match(location.pathname);
    if (newer) refresh(await newer.json());
  }
  keep("draft.new-match", null); // A match began.
  if (!sheet.dataset.rules || !navigator.serviceWorker) return;
  const seats = [...document.querySelectorAll('#round-form [name="went_out"]')].map((radio) => radio.parentElement.textContent.trim());
  (await navigator.serviceWorker.ready).active.postMessage({ rules: sheet.dataset.rules, seats });
}
if (sheet) takeAlong();

/* The clock of a match with a time limit: the same on every phone; on this one alone while the server is away. */
function tick() {
  const timer = document.querySelector("[data-clock]")?.closest("form");
  if (!timer) return;
  const { match } = timer.dataset;
  const known = Number(timer.dataset.ends);
  if (known) keep(`clock.${match}`, null);
  const ends = known || kept(`clock.${match}`);
  const minutes = kept(`minutes.${match}`) ?? Number(timer.dataset.minutes);
  const field = timer.querySelector('[name="minutes"]');
  if (field) {
    field.value = ends ? 0 : minutes;
    field.closest("label")?.setAttribute("hidden", "");
    timer.querySelector("[data-timer]").textContent = ends ? "Stop the clock" : "Start";
  }
  for (const step of timer.querySelectorAll("[data-minutes-step]")) {
    step.hidden = Boolean(ends);
    step.onclick = () => { keep(`minutes.${match}`, Math.max(5, minutes + Number(step.dataset.minutesStep))); tick(); };
  }
  timer.onsubmit = async (event) => {
    event.preventDefault();
    if (ends && !known) { keep(`clock.${match}`, null); tick(); return; }
    const { status, problems, body } = await post(timer.action, new FormData(timer));
    if (status === 200) refresh(body);
    else if (status || ends) tell(problems.map((problem) => problem.message).join(" "));
    else { keep(`clock.${match}`, Date.now() + minutes * 60000); tick(); }
  };
  const left = ends ? Math.max(0, Math.ceil((ends - Date.now()) / 1000)) : minutes * 60;
  timer.querySelector("[data-clock]").textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  clearTimeout(tick.later);
  if (ends && left) tick.later = setTimeout(tick, 1000);
  else if (ends && tick.told !== ends) { tick.told = ends; tell("Time is up. Stop playing and record the cards left."); }
}
tick();

/* Who rises or falls a rank is seen to do so. */
let places = new Map();
const tops = () => new Map([...document.querySelectorAll(".standing[data-went-out]")].map((row) => [row.dataset.wentOut, row.getBoundingClientRect().top + scrollY]));
document.addEventListener("referee:before", () => { places = tops(); });
document.addEventListener("referee:fresh", () => {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const [id, top] of tops()) {
    const moved = (places.get(id) ?? top) - top;
    if (moved) document.querySelector(`.standing[data-went-out="${id}"]`).animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 200, easing: "ease-out" });
  }
});
