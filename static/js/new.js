// A new match: known players by one tap, seats by drag or arrow, and a hint where a rulebook does not fit.

import { keep, kept } from "./base.js";

const form = document.getElementById("new-match");
const seats = form.querySelector("[data-seats]");
const MOST = Number(seats.dataset.seats);
const rows = () => [...seats.children];
const input = (row) => row.querySelector("input");
const names = () => rows().map((row) => input(row).value.trim()).filter(Boolean);

function refresh() {
  rows().forEach((row, place) => {
    const id = `players-${place}`;
    row.querySelector("label").htmlFor = input(row).id = id;
    row.querySelector("label").textContent = `Seat ${place + 1}`;
    const name = input(row).value.trim() || `seat ${place + 1}`;
    row.querySelector("[data-up]").setAttribute("aria-label", `Move ${name} up`);
    row.querySelector("[data-drop]").setAttribute("aria-label", `Remove ${name}`);
    row.querySelector("[data-up]").disabled = place === 0;
    for (const button of row.querySelectorAll("button")) button.hidden = false;
  });
  form.querySelector("[data-more]").hidden = rows().length >= MOST;
  const seated = names();
  for (const chip of form.querySelectorAll("[data-known] button")) chip.setAttribute("aria-pressed", seated.includes(chip.dataset.name));
  for (const book of form.querySelectorAll('input[name="rulebook"]')) {
    const fits = seated.length < 2 || (seated.length >= book.dataset.least && seated.length <= book.dataset.most);
    book.closest("label").querySelector("[data-misfit]").hidden = fits;
  }
  const book = form.querySelector('input[name="rulebook"]:checked');
  for (const rule of form.querySelectorAll('input[name="house_rules"]')) {
    const fits = !book || rule.dataset.books.split(" ").includes(book.value);
    rule.closest("label").hidden = !fits;
    if (!fits) rule.checked = false;
  }
  const chosen = [...form.querySelectorAll('input[name="house_rules"]:checked')];
  for (const rule of form.querySelectorAll('input[name="house_rules"]')) {
    rule.disabled = !rule.checked && chosen.some((other) => other.dataset.excludes.split(" ").includes(rule.value) || rule.dataset.excludes.split(" ").includes(other.value));
  }
  if (book) form.querySelector("#target").placeholder = book.dataset.target;
  const dealer = form.querySelector("#dealer");
  dealer.length = rows().length;
  rows().forEach((row, place) => Object.assign(dealer.options[place], { value: String(place + 1), textContent: input(row).value.trim() || `Seat ${place + 1}` }));
  if (dealer.selectedIndex < 0) dealer.selectedIndex = 0; // Whoever was to deal first sits here no more.
  const deck = form.querySelector("#deck");
  form.querySelector("[data-blank]").hidden = !(deck.value.includes("blank") || (!deck.value && book?.dataset.decks.includes("blank")) || form.querySelector("#blank_effect").value);
}

function add(name) {
  let row = name && rows().find((other) => !input(other).value.trim());
  if (!row) {
    if (rows().length >= MOST) return;
    row = rows()[0].cloneNode(true);
    for (const error of row.querySelectorAll(".error")) error.remove();
    input(row).removeAttribute("aria-invalid");
    input(row).removeAttribute("aria-describedby");
    seats.append(row);
  }
  input(row).value = name;
  refresh();
  if (!name) input(row).focus();
}

function drop(row) {
  if (rows().length > 2) row.remove(); else input(row).value = "";
  refresh();
}

form.querySelector("[data-more]").addEventListener("click", (event) => { event.preventDefault(); add(""); });
form.addEventListener("input", refresh);
form.addEventListener("change", refresh);
seats.addEventListener("click", (event) => {
  const row = event.target.closest("[data-seat]");
  if (event.target.closest("[data-up]")) {
    row.previousElementSibling?.before(row);
    refresh();
    row.querySelector("[data-up]").focus();
  } else if (event.target.closest("[data-drop]")) drop(row);
});
seats.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
  event.preventDefault();
  const next = event.target.closest("[data-seat]").nextElementSibling;
  if (next) input(next).focus(); else if (event.target.value.trim()) add("");
});

const known = form.querySelector("[data-known]");
if (known) {
  known.hidden = false;
  known.addEventListener("click", (event) => {
    const chip = event.target.closest("button");
    if (!chip) return;
    const seated = rows().find((row) => input(row).value.trim() === chip.dataset.name);
    if (seated) drop(seated); else add(chip.dataset.name);
  });
}

seats.addEventListener("pointerdown", (event) => {
  const grip = event.target.closest("[data-grip]");
  if (!grip) return;
  const row = grip.closest("[data-seat]");
  event.preventDefault();
  grip.setPointerCapture(event.pointerId);
  row.classList.add("dragged");
  const move = ({ clientY }) => {
    const before = rows().find((other) => other !== row && clientY < other.getBoundingClientRect().top + other.offsetHeight / 2);
    if (before ? row.nextElementSibling !== before : seats.lastElementChild !== row) seats.insertBefore(row, before ?? null);
  };
  const end = () => {
    row.classList.remove("dragged");
    grip.removeEventListener("pointermove", move);
    refresh();
  };
  grip.addEventListener("pointermove", move);
  grip.addEventListener("pointerup", end, { once: true });
  grip.addEventListener("pointercancel", end, { once: true });
});

/* What was typed is kept until a match begins: Back, a closed page and a lost connection cost nothing. */
const keepDraft = () => keep("draft.new-match", names().length ? [...new FormData(form)].filter(([name]) => !["csrf_token", "token"].includes(name)) : null);
for (const moment of ["input", "change", "click", "submit"]) form.addEventListener(moment, keepDraft);
const draft = kept("draft.new-match");
if (draft && !names().length) {
  const values = new Map(draft);
  for (const [name, value] of draft) if (name.startsWith("players") && value) add(value);
  for (const element of form.elements) {
    if (element.name.startsWith("players") || element.type === "hidden" || !element.name) continue;
    if (["radio", "checkbox"].includes(element.type)) element.checked = draft.some(([name, value]) => name === element.name && value === element.value);
    else if (values.has(element.name)) element.value = values.get(element.name);
  }
}
refresh();
