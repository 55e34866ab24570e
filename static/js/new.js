// A new match: known players by one tap, seats by drag or arrow, and a hint where a rulebook does not fit.

import { store, stored } from "./base.js";
import { worded } from "./words.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("new-match"));

/**
 * Find an element that the page always has.
 * @template {Element} [Found=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [within]
 */
const one = (selector, within = form) => /** @type {Found} */ (within.querySelector(selector));
/** Return all elements of the form that a selector finds. @param {string} selector */
const all = (selector) => [.../** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll(selector))];

const seats = one("[data-seats]");
const MOST = Number(seats.dataset.seats);
const rows = () => /** @type {HTMLElement[]} */ ([...seats.children]);
const input = (/** @type {Element} */ row) => /** @type {HTMLInputElement} */ (row.querySelector("input"));
const nameIn = (/** @type {Element} */ row) => input(row).value.trim();
const names = () => rows().map(nameIn).filter(Boolean);
const label = (/** @type {Element} */ control) => /** @type {HTMLElement} */ (control.closest("label"));
const listed = (/** @type {string | undefined} */ list) => (list ?? "").split(" ");

function refresh() {
  nameSeats();
  const seated = names();
  for (const chip of all("[data-known] button")) {
    chip.setAttribute("aria-pressed", String(seated.includes(chip.dataset.name ?? "")));
  }
  for (const book of all('input[name="rulebook"]')) {
    const fits = seated.length >= Number(book.dataset.least) && seated.length <= Number(book.dataset.most);
    one("[data-misfit]", label(book)).hidden = seated.length < 2 || fits;
  }
  const book = all('input[name="rulebook"]:checked').at(0);
  if (book) nameRulebook(label(book));
  offerHouseRules(book);
  if (book) one("#target").setAttribute("placeholder", book.dataset.target ?? "");
  offerDealers();
  const decks = listed(book?.dataset.decks);
  const deck = offerDecks(decks);
  const blank = /** @type {HTMLInputElement} */ (one("#blank_effect")).value;
  one("[data-blank]").hidden = !((deck || decks[0]).includes("blank") || blank);
}

/** Show in one line which rulebook is chosen, and for how many players where these are too many or too few. @param {HTMLElement} chosen */
function nameRulebook(chosen) {
  const misfit = one("[data-misfit]", chosen);
  one("[data-chosen]").textContent = one("b", chosen).textContent;
  one("[data-chosen-short]").textContent = one(".hint", chosen).textContent;
  Object.assign(one("[data-chosen-misfit]"), { textContent: misfit.textContent, hidden: misfit.hidden });
}

/** Number the seats, and offer to change their order where there are two names or more. */
function nameSeats() {
  const ordered = names().length > 1;
  seats.toggleAttribute("data-ordered", ordered);
  rows().forEach((row, place) => {
    const seat = worded("seat", { n: String(place + 1) });
    const name = nameIn(row) || seat;
    input(row).id = `players-${place}`;
    Object.assign(one("label", row), { htmlFor: `players-${place}`, textContent: seat });
    one("[data-up]", row).setAttribute("aria-label", worded("move-up", { name }));
    one("[data-up]", row).toggleAttribute("disabled", place === 0);
    one("[data-drop]", row).setAttribute("aria-label", worded("remove-player", { name }));
    for (const button of row.querySelectorAll("button")) button.hidden = !ordered || !nameIn(row);
  });
  one("[data-more]").hidden = rows().length >= MOST;
}

/** Show the house rules that go with a rulebook; of those that exclude each other only one can be chosen. @param {HTMLInputElement | undefined} book */
function offerHouseRules(book) {
  const rules = all('input[name="house_rules"]');
  for (const rule of rules) {
    const fits = !book || listed(rule.dataset.books).includes(book.value);
    label(rule).hidden = !fits;
    if (!fits) rule.checked = false;
  }
  /** @type {(rule: HTMLInputElement, other: HTMLInputElement) => boolean} */
  const excludes = (rule, other) => listed(rule.dataset.excludes).includes(other.value);
  for (const rule of rules) {
    const others = rules.filter((other) => other.checked && (excludes(other, rule) || excludes(rule, other)));
    rule.disabled = !rule.checked && others.length > 0;
  }
}

/** Show the decks of the box that a rulebook is about, and tell which is chosen. @param {string[]} decks */
function offerDecks(decks) {
  const choice = /** @type {HTMLSelectElement} */ (one("#deck"));
  for (const option of choice.options) {
    option.hidden = option.disabled = option.value !== "" && !decks.includes(option.value);
    if (option.disabled && option.selected) choice.value = "";
  }
  const field = /** @type {HTMLElement} */ (choice.closest(".field"));
  field.hidden = [...choice.options].every((option) => option.hidden || !option.value);
  return choice.value;
}

function offerDealers() {
  const dealer = /** @type {HTMLSelectElement} */ (one("#dealer"));
  dealer.length = rows().length;
  rows().forEach((row, place) => {
    const textContent = nameIn(row) || worded("seat", { n: String(place + 1) });
    Object.assign(dealer.options[place], { value: String(place + 1), textContent });
  });
  if (dealer.selectedIndex < 0) dealer.selectedIndex = 0; // Whoever was to deal first sits here no more.
}

/** Seat someone in the first empty chair, or in a new one; "" for nobody yet. @param {string} name */
function add(name) {
  let row = name ? rows().find((other) => !nameIn(other)) : undefined;
  if (!row) {
    if (rows().length >= MOST) return;
    row = /** @type {HTMLElement} */ (rows()[0].cloneNode(true));
    for (const error of row.querySelectorAll(".error")) error.remove();
    input(row).removeAttribute("aria-invalid");
    input(row).removeAttribute("aria-describedby");
    seats.append(row);
  }
  input(row).value = name;
  refresh();
  if (!name) input(row).focus();
}

/** @param {HTMLElement} row */
function drop(row) {
  if (rows().length > 2) row.remove();
  else input(row).value = "";
  refresh();
}

/** Find what an event is about. @param {Event} event @param {string} selector */
const at = (event, selector) =>
  /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(selector));

one("[data-more]").addEventListener("click", (event) => {
  event.preventDefault();
  add("");
});
form.addEventListener("input", refresh);
form.addEventListener("change", refresh);
seats.addEventListener("click", (event) => {
  const row = at(event, "[data-seat]");
  if (row && at(event, "[data-up]")) {
    row.previousElementSibling?.before(row);
    refresh();
    one("[data-up]", row).focus();
  } else if (row && at(event, "[data-drop]")) drop(row);
});
seats.addEventListener("keydown", (event) => {
  const row = at(event, "[data-seat]");
  if (event.key !== "Enter" || !row || !at(event, "input")) return;
  event.preventDefault();
  const next = row.nextElementSibling;
  if (next) input(next).focus();
  else if (nameIn(row)) add("");
});

const list = /** @type {HTMLDetailsElement} */ (one("[data-rulebooks]"));
one("[data-usual]", list)?.removeAttribute("data-usual"); // from here on the line above the list names what is chosen
list.addEventListener("click", (event) => {
  const book = /** @type {HTMLElement} */ (event.target);
  if (!book.matches('input[name="rulebook"]') || !event.detail) return; // by keyboard one still looks around
  if (label(book).nextElementSibling?.matches(".boxes")) return; // and one more question follows
  list.open = false;
  one("summary", list).focus();
});

const known = /** @type {HTMLElement | null} */ (form.querySelector("[data-known]"));
if (known) {
  known.hidden = false;
  known.addEventListener("click", (event) => {
    const name = at(event, "button")?.dataset.name;
    if (name === undefined) return;
    const seated = rows().find((row) => nameIn(row) === name);
    if (seated) drop(seated);
    else add(name);
  });
}

seats.addEventListener("pointerdown", (event) => {
  const grip = at(event, "[data-grip]");
  const row = grip?.closest("[data-seat]");
  if (!grip || !row) return;
  event.preventDefault();
  grip.setPointerCapture(event.pointerId);
  row.classList.add("dragged");
  /** @param {PointerEvent} to */
  const move = ({ clientY }) => {
    const middle = (/** @type {HTMLElement} */ other) => other.getBoundingClientRect().top + other.offsetHeight / 2;
    const before = rows().find((other) => other !== row && clientY < middle(other));
    const moves = before ? row.nextElementSibling !== before : seats.lastElementChild !== row;
    if (moves) seats.insertBefore(row, before ?? null);
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
const UNKEPT = ["csrf_token", "token"];
function keepDraft() {
  store("draft.new-match", names().length ? [...new FormData(form)].filter(([name]) => !UNKEPT.includes(name)) : null);
}
for (const moment of ["input", "change", "click", "submit"]) form.addEventListener(moment, keepDraft);

/** Restore what was typed. @param {[string, string][]} draft */
function bringBack(draft) {
  const values = new Map(draft);
  for (const [name, value] of draft) if (name.startsWith("players") && value) add(value);
  for (const field of all("input, select, textarea")) {
    if (field.name.startsWith("players") || field.type === "hidden" || !field.name) continue;
    if (["radio", "checkbox"].includes(field.type)) {
      field.checked = draft.some(([name, value]) => name === field.name && value === field.value);
    } else field.value = values.get(field.name) ?? field.value;
  }
}
const draft = stored("draft.new-match");
if (draft && !names().length) bringBack(draft);
refresh();

/* Without a connection a match begins on a table that this phone took along. */
document.addEventListener("referee:unsent", (event) => {
  event.preventDefault();
  import("./begin.js").then(({ review }) => review(form));
});
