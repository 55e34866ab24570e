// What all pages without a connection share: what their address says, and how they are drawn.

import { PERSON } from "./hearing-state.js";
import { drawing, escaped } from "./templates.js";

export const place = /** @type {HTMLElement} */ (document.getElementById("offline"));
const { root = "/", catalogue = "" } = place.dataset;
const path = location.pathname.slice(root.length).split("/").filter(Boolean).map(decodeURIComponent);
const match = path[0] === "matches" ? path[1] : null;
const [room, ...rest] = match ? path.slice(2) : path;
const query = new URLSearchParams(location.search);
const sheet = match && `${root}matches/${encodeURIComponent(match)}`;

/** Where the page stands: `home` is its room, `sheet` that of its match. */
export const here = { root, match, room, rest, query, sheet, home: `${sheet ? `${sheet}/` : root}${room}` };

/** Read a document that this phone took along. @param {string} address */
export const read = async (address) => (await fetch(address)).json();

/** @type {ReturnType<typeof drawing> | undefined} */
let draws;

/** Read the list of all rules, and the templates. @returns {Promise<Told>} */
export async function begin() {
  const told = await read(catalogue);
  draws = drawing(await read(told.templates));
  return told;
}

/** @typedef {import("./rules-state.js").Catalogue & {rulebooks: {id: string, title: string, sentence: string, address: string}[], lookup: string, help: string}} Told */

/** Draw a part of a page. @param {string} name of the macro @param {...unknown} view */
export function draw(name, ...view) {
  if (!draws) throw new Error("no templates yet");
  return draws(name, ...view);
}

/** Put a page in place of the one before; `people` are called where it leaves room for them. @param {string} html @param {string[]} [people] */
export function show(html, people = []) {
  const named = people.length
    ? html.replace(/[\ue000-\ue0ff]/g, (one) => escaped(people[one.charCodeAt(0) - PERSON]))
    : html;
  place.innerHTML = named + draw("from_cache");
  document.title = `${place.querySelector("h1")?.textContent} – Referee`;
}
