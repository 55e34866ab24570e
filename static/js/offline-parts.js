// What the pages without a connection are made of.

export const place = /** @type {HTMLElement} */ (document.getElementById("offline"));
export const { root = "/", catalogue = "" } = place.dataset;
export const path = location.pathname.slice(root.length).split("/").filter(Boolean).map(decodeURIComponent);
export const match = path[0] === "matches" ? path[1] : null;
export const [room, ...rest] = match ? path.slice(2) : path;
export const query = new URLSearchParams(location.search);
export const home = match ? `${root}matches/${encodeURIComponent(match)}/${room}` : `${root}${room}`;

/**
 * Make an element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [text]
 * @param {object} [set]
 */
export const make = (tag, text = "", set = {}) => Object.assign(document.createElement(tag), { textContent: text, ...set });
/** @typedef {string | Node | false | null | undefined | 0 | ""} Part what is missing is left out */

/** @param {string} text @param {string} href @param {string} [className] */
export const link = (text, href, className = "") => make("a", text, { href, className });
/** @param {string} address */
export const read = async (address) => (await fetch(address)).json();
/** @param {{title: string, house_rule_titles: string[]}} book */
export const named = (book) => [book.title, ...book.house_rule_titles].join(" · ");

/**
 * Make an element that holds others.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className
 * @param {...Part} parts
 */
export function hold(tag, className, ...parts) {
  const element = make(tag, "", { className });
  element.append(...present(parts));
  return element;
}

/** @param {Part[]} parts */
const present = (parts) => /** @type {(string | Node)[]} */ (parts.filter(Boolean));

/** Put a page in place of the one before. @param {string} title @param {...Part} parts */
export function show(title, ...parts) {
  document.title = `${title} – Referee`;
  place.replaceChildren(...present(parts), make("p", "Offline: shown from this phone’s cache.", { className: "tiny quiet" }));
}

/** Draw a line icon, as templates/_partials/icons.html has it. @param {string} line */
function icon(line) {
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" })) drawn.setAttribute(name, value);
  const stroke = document.createElementNS("http://www.w3.org/2000/svg", "path");
  stroke.setAttribute("d", line);
  drawn.append(stroke);
  return drawn;
}

/** List where one can go. @param {{title: string, hint?: string, href: string}[]} entries */
export const rows = (entries) => hold("ul", "plain list", ...entries.map(({ title, hint, href }) => {
  const row = link("", href, "list-row");
  row.append(hold("span", "grow", make("b", title), hint && make("span", hint, { className: "hint" })), icon("M9 5l7 7-7 7"));
  return hold("li", "", row);
}));

/** Lead back to where this page is reached from. @param {string} text @param {string} href */
export function wayBack(text, href) {
  const back = link(text, href, "way-back");
  back.prepend(icon("M14 5l-7 7 7 7M7 12h13"));
  return hold("p", "", back);
}
