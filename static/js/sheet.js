// The sheet: a tap on a row opens the hand pad over it, Back closes it, a save refreshes what it changed.

import { keep, kept, say, tell } from "./base.js";
import { handPad } from "./pad.js";

const section = document.getElementById("pad");
const sheet = document.getElementById("sheet");
let pad = null;

function lay() {
  const form = document.getElementById("round-form");
  pad = form && handPad(form, { onClose: leave, onSaved: saved });
  const record = document.getElementById("record");
  if (record && pad?.pending()) record.textContent = record.textContent.replace("Record", "Continue");
}

function leave() {
  if (!sheet) location.assign(document.getElementById("round-form").dataset.target);
  else if (history.state?.pad) history.back();
  else hide();
}

function saved(refresh) {
  pad = null;
  if (sheet) leave();
  refresh();
  scrollTo(0, 0);
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
  if (section && location.hash === "#record") show("");
  sheet.addEventListener("click", (event) => {
    const row = event.target.closest("[data-went-out]");
    if (!row || !pad || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    history.pushState({ pad: true }, "", "#record");
    show(row.dataset.wentOut);
  });
  addEventListener("popstate", () => { if (location.hash === "#record" && pad) show(""); else hide(); });
} else if (pad) {
  pad.open("");
}

document.addEventListener("referee:fresh", ({ detail }) => {
  if ("pad" in detail.fragments && section) lay();
  say(document.querySelector(".toast p")?.textContent ?? "");
  tick();
});

/* The clock of a match with a time limit; it goes on while the page is closed. */
function tick() {
  const timer = document.querySelector("[data-clock]")?.parentElement;
  if (!timer) return;
  const { match } = timer.dataset;
  const minutes = kept(`minutes.${match}`) ?? Number(timer.dataset.minutes);
  const ends = kept(`clock.${match}`);
  const button = timer.querySelector("[data-timer]");
  button.hidden = false;
  button.textContent = ends ? "Stop the clock" : "Start the clock";
  button.onclick = () => { keep(`clock.${match}`, ends ? null : Date.now() + minutes * 60000); tick(); };
  for (const step of timer.querySelectorAll("[data-minutes-step]")) {
    step.hidden = Boolean(ends);
    step.onclick = () => { keep(`minutes.${match}`, Math.max(5, minutes + Number(step.dataset.minutesStep))); tick(); };
  }
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
