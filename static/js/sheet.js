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
  const key = `clock.${timer.dataset.match}`;
  const button = timer.querySelector("[data-timer]");
  button.hidden = false;
  button.onclick = () => { keep(key, kept(key) ? null : Date.now() + timer.dataset.minutes * 60000); tick(); };
  const ends = kept(key);
  button.textContent = ends ? "Stop the clock" : "Start the clock";
  const left = ends ? Math.max(0, Math.ceil((ends - Date.now()) / 1000)) : timer.dataset.minutes * 60;
  timer.querySelector("[data-clock]").textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  clearTimeout(tick.later);
  if (ends && left) tick.later = setTimeout(tick, 1000);
  else if (ends && tick.told !== ends) { tick.told = ends; tell("Time is up. Stop playing and record the cards left."); }
}
tick();
