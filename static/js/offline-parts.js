// What the pages without a connection are made of.

export const place = document.getElementById("offline");
export const { root, catalogue } = place.dataset;
export const path = location.pathname.slice(root.length).split("/").filter(Boolean).map(decodeURIComponent);
export const match = path[0] === "matches" ? path[1] : null;
export const [room, ...rest] = match ? path.slice(2) : path;
export const query = new URLSearchParams(location.search);
export const home = match ? `${root}matches/${encodeURIComponent(match)}/${room}` : `${root}${room}`;

export const make = (tag, text = "", set = {}) => Object.assign(document.createElement(tag), { textContent: text, ...set });
export const link = (text, href, className = "") => make("a", text, { href, className });
export const read = async (address) => (await fetch(address)).json();
export const named = (book) => [book.title, ...book.house_rule_titles].join(" · ");

/** Make an element that holds others. */
export function hold(tag, className, ...parts) {
  const element = make(tag, "", { className });
  element.append(...parts.filter(Boolean));
  return element;
}

/** Put a page in place of the one before. */
export function show(title, ...parts) {
  document.title = `${title} – Referee`;
  place.replaceChildren(...parts.filter(Boolean), make("p", "Not connected: this comes from this phone.", { className: "tiny quiet" }));
}

/** Draw a line icon, as templates/_partials/icons.html has it. */
function icon(line) {
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" })) drawn.setAttribute(name, value);
  drawn.append(document.createElementNS(drawn.namespaceURI, "path"));
  drawn.firstChild.setAttribute("d", line);
  return drawn;
}

/** List where one can go: {title, hint, href} each. */
export const rows = (entries) => hold("ul", "plain list", ...entries.map(({ title, hint, href }) => {
  const row = link("", href, "list-row");
  row.append(hold("span", "grow", make("b", title), hint && make("span", hint, { className: "hint" })), icon("M9 5l7 7-7 7"));
  return hold("li", "", row);
}));

/** Lead back to where this page is reached from. */
export function wayBack(text, href) {
  const back = link(text, href, "way-back");
  back.prepend(icon("M14 5l-7 7 7 7M7 12h13"));
  return hold("p", "", back);
}
