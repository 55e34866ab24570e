// While a rulebook is made: steps and common values for numbers, and the sentence that each choice makes.

const form = /** @type {HTMLFormElement} */ (document.getElementById("own"));
/** @type {HTMLElement} */ (form.querySelector("[data-preview]")).hidden = true;

/** @typedef {HTMLInputElement | HTMLSelectElement} Field */

/** Return which face, or number of players, a field is for: the end of its name. @param {Field} field */
const keyOf = (field) => field.name.slice(field.name.lastIndexOf(".") + 1);

/** Read what a control stands at, as its base is written; undefined for what cannot be. @param {HTMLElement} control */
function valueOf(control) {
  const fields = /** @type {Field[]} */ ([...control.querySelectorAll("input:not([type=hidden]), select")]);
  const typed = fields.map((field) => field.value.trim());
  /** @param {string} text */
  const number = (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);
  switch (control.dataset.kind) {
    case "several":
      return fields.filter((field) => field instanceof HTMLInputElement && field.checked).map((field) => field.value);
    case "yes-no":
      return { yes: true, no: false }[typed[0]] ?? null;
    case "one-of":
      return typed[0] || null;
    case "number-or-word":
      return typed[0] === "number" ? number(typed[1]) : typed[0] || null;
    case "numbers":
      return typed[0] ? typed[0].split(/[\s,;]+/).map(number) : [];
    default:
      if (!control.querySelector(".cells")) return typed[0] ? number(typed[0]) : null;
      return fields.some((field) => field.value.trim())
        ? Object.fromEntries(
            fields.filter((field) => field.value.trim()).map((field) => [keyOf(field), number(field.value.trim())]),
          )
        : null;
  }
}

const plurals = new Intl.PluralRules(document.documentElement.lang);

/** Return the sentence for a value. @param {any} value @param {Record<string, string>} says @param {Record<string, string>} names @returns {string} */
function sentence(value, says, names) {
  /** @param {number | undefined} n */
  const counted = (n) =>
    n === undefined
      ? ""
      : (says[n] ?? says[plurals.select(n)] ?? says.other).replace(
          "{n}",
          n.toLocaleString(plurals.resolvedOptions().locale),
        );
  if (value === null) return says.open;
  if (typeof value === "boolean") return value ? says.yes : says.no;
  if (typeof value === "string") return says[value];
  if (typeof value === "number" || value === undefined) return counted(value);
  if (Array.isArray(value)) {
    if (!value.length) return says.none;
    if (says.list) return says.list.replace("{n}", value.join(", "));
    return typeof value[0] === "string" ? says[value.join("+")] : value.map(counted).join(" ");
  }
  return Object.entries(value)
    .map(([key, n]) => says.each.replace("{players}", key).replace("{face}", names[key]).replace("{n}", String(n)))
    .join(" ");
}

/** Write a value so that equal ones read alike. @param {any} value */
const plain = (value) =>
  JSON.stringify(
    value,
    value && typeof value === "object" && !Array.isArray(value) ? Object.keys(value).sort() : undefined,
  );

/** What the base says: the page gives it where the table plays otherwise. @type {Map<HTMLElement, any>} */
const bases = new Map();

/** What settings mean that are folded away at first, by control; a page is lighter without. @type {Record<string, Record<string, string>>} */
let folded = {};

/** Return the sentences of a control; undefined until they are fetched. @param {HTMLElement} control @returns {Record<string, string> | undefined} */
function sentencesOf(control) {
  if (control.dataset.says) return JSON.parse(control.dataset.says);
  const { name } = /** @type {Field} */ (control.querySelector("[name^='c.']"));
  const [, clause, setting] = name.split(".");
  return folded[`${clause}.${setting}`];
}

/** Show what a control says now. @param {HTMLElement} control */
function show(control) {
  const says = { open: form.dataset.open ?? "", ...sentencesOf(control) };
  if (Object.keys(says).length < 2) return;
  const base = bases.get(control);
  const value = valueOf(control);
  const same = plain(value) === plain(base) || (base === null && Array.isArray(value) && !value.length);
  if (!control.querySelector(".says")) {
    const line = Object.assign(document.createElement("p"), { className: "says small" });
    line.append(
      Object.assign(document.createElement("s"), { className: "quiet" }),
      " ",
      document.createElement("span"),
    );
    control.append(line);
  }
  const [old, now] = /** @type {NodeListOf<HTMLElement>} */ (control.querySelectorAll(".says > *"));
  control.classList.toggle("changed", !same);
  old.hidden = same;
  now.classList.toggle("quiet", same);
  const parts = /** @type {NodeListOf<HTMLInputElement>} */ (control.querySelectorAll(".cells input"));
  const names = Object.fromEntries([...parts].map((part) => [keyOf(part), part.labels?.[0].textContent ?? ""]));
  old.textContent = sentence(base, says, names);
  now.textContent = same ? old.textContent : sentence(value, says, names);
  for (const button of control.querySelectorAll("[data-value]")) {
    button.setAttribute("aria-pressed", String(Number(/** @type {HTMLElement} */ (button).dataset.value) === value));
  }
  const topic = control.closest(".topic");
  const mark = /** @type {HTMLElement | null} */ (topic?.querySelector("[data-changed]"));
  if (!topic || !mark) return;
  const count = topic.querySelectorAll(".changed").length;
  mark.hidden = !count;
  mark.textContent = mark.textContent?.replace(/\d+/, String(count)) ?? "";
}

/** Make a button that sets a number. @param {string} label @param {() => number} next @param {HTMLInputElement} input */
function setter(label, next, input) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
  button.addEventListener("click", () => {
    input.value = String(Math.min(Number(input.dataset.most), Math.max(Number(input.dataset.least ?? 0), next())));
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return button;
}

for (const control of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll(".control"))) {
  bases.set(control, control.dataset.base === undefined ? valueOf(control) : JSON.parse(control.dataset.base));
  const stepper = control.querySelector(".stepper");
  const input = stepper?.querySelector("input");
  if (stepper && input) {
    const step = Number(input.dataset.step ?? 1);
    const label = control.querySelector("label")?.textContent ?? "";
    const less = setter("−", () => (Number(input.value) || 0) - step, input);
    const more = setter("+", () => (Number(input.value) || 0) + step, input);
    less.ariaLabel = `${label}: −${step}`;
    more.ariaLabel = `${label}: +${step}`;
    stepper.prepend(less);
    stepper.append(more);
    for (const value of control.dataset.quick?.split(" ") ?? []) {
      const button = setter(value, () => Number(value), input);
      button.dataset.value = value;
      button.ariaLabel = `${label}: ${value}`;
      stepper.append(button);
    }
  }
  control.addEventListener("input", ({ target }) => {
    const word =
      control.dataset.kind === "number-or-word" && target instanceof HTMLInputElement
        ? control.querySelector("select")
        : null;
    if (word) word.value = "number";
    show(control);
  });
  show(control);
}

const played = /** @type {HTMLElement} */ (form.querySelector(".as-played"));

/** Make a line of how the table plays. @param {string | null} says @param {string | null} instead what the base says @param {boolean} same */
function entry(says, instead = "", same = false) {
  const item = document.createElement("li");
  if (instead && !same) {
    item.append(Object.assign(document.createElement("s"), { className: "quiet small", textContent: instead }));
  }
  item.append(Object.assign(document.createElement("span"), { className: same ? "quiet" : "", textContent: says }));
  return item;
}

/** Say how the table plays: what tables change most, and whatever else it changed, agreed or wrote itself. */
function list() {
  const says = form.querySelectorAll(".control.changed .says, section > .control .says");
  const agreed = form.querySelectorAll("[name=house_rules]:checked + span");
  const own = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("clauses")).value.split("\n");
  played
    .querySelector("ul")
    ?.replaceChildren(
      ...[...says].map(({ children: [old, now] }) => entry(now.textContent, old.textContent, now.matches(".quiet"))),
      ...[...agreed].map(({ firstChild }) => entry(firstChild?.textContent ?? "")),
      ...own.filter((rule) => rule.trim()).map((rule) => entry(rule)),
    );
}

form.addEventListener("input", list);
played.hidden = false;
list();

fetch(form.dataset.sentences ?? "")
  .then((answer) => answer.json())
  .then((all) => {
    folded = all;
    for (const control of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll(".control:not([data-says])"))) {
      show(control);
    }
    list();
  })
  .catch(() => {}); // The choices say enough to choose by.
