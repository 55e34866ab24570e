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

/** List where one can go: {title, hint, href} each. */
export const rows = (entries) => hold("ul", "plain list", ...entries.map(({ title, hint, href }) => {
  const row = link("", href, "list-row");
  row.append(hold("span", "grow", make("b", title), hint && make("span", hint, { className: "hint" })));
  return hold("li", "", row);
}));

export const wayBack = (text, href) => hold("p", "", link(text, href, "way-back"));
