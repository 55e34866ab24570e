// What the scripts of all pages share: values stored on this phone, messages, requests. It knows no other room.

import { worded } from "./words.js";

const PATIENCE = 20000; // A connection that hangs longer counts as none; the server counts what it gets twice once.
const MESSAGE = 12000; // Milliseconds that a message stays.

/**
 * The server's answer to a form.
 * @typedef {{message: string, player?: string}} Problem
 * @typedef {object} Body
 * @property {Record<string, string>} [fragments] HTML by the id of its place
 * @property {string} [address] where it leads
 * @property {Problem[]} [problems]
 * @property {Problem[]} [errors]
 * @property {string} [detail]
 * @property {Seen} [seen] the sheet as it stands now
 * @property {{match: string, seats: string[]}} [begun] a match that began, and its players by seat
 * @property {string[]} [theirs] what another phone saved first
 */

/**
 * What a form says that its writer has seen, and the key and the title of the next round; of a match that is over, the
 * revision alone.
 * @typedef {{revision: string, version?: string, after?: string, key?: string, title?: string}} Seen
 */

/* -- elements -- */

/**
 * Create an element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} text
 * @param {object} [properties]
 */
export const make = (tag, text, properties = {}) =>
  Object.assign(document.createElement(tag), { textContent: text, ...properties });

/**
 * Create a button. Where `warning` is not empty, the first tap only shows it, and the second one acts.
 * @param {string} label
 * @param {string} warning
 * @param {() => Promise<void>} act
 */
export function makeButton(label, warning, act) {
  const button = make("button", label, { type: "button", onclick: act });
  if (warning) {
    button.onclick = () => {
      button.textContent = warning;
      button.onclick = act;
    };
  }
  return button;
}

/** Return the meta element with the token against forged requests. */
export const csrf = () => /** @type {HTMLMetaElement} */ (document.querySelector('meta[name="csrf-token"]'));

/** Return the path of the app's first page, which every other path begins with. */
export function rootPath() {
  const manifest = /** @type {HTMLLinkElement} */ (document.querySelector('link[rel="manifest"]'));
  return new URL(".", manifest.href).pathname;
}

/* -- stored on this phone -- */

/** Return a stored value; null where there is none, or the browser refuses storage. @param {string} key */
export function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(`referee.${key}`) ?? "null");
  } catch {
    return null;
  }
}

/** Store a value, or delete it when it is null. Return false where storage is full or refused. @param {string} key @param {unknown} value */
export function store(key, value) {
  try {
    if (value === null) localStorage.removeItem(`referee.${key}`);
    else localStorage.setItem(`referee.${key}`, JSON.stringify(value));
    return true;
  } catch {
    return false; // The page works on without drafts.
  }
}

/** Set a cookie, so that the server draws pages as this phone wants them. @param {string} name @param {string} value */
export function setCookie(name, value) {
  document.cookie = `${name}=${value}; Path=${rootPath()}; Max-Age=34560000; SameSite=Lax`;
}

/** Return the club this phone is in, {id, name}, or null. A page without one in it (the offline shell) uses the last page's. */
export function club() {
  const { club: id, clubName: name } = document.documentElement.dataset;
  if (id === undefined) return stored("club");
  return id ? { id, name } : null;
}

/* -- messages -- */

/** Announce a text to screen readers without showing it. @param {string} text */
export function announce(text) {
  const live = /** @type {HTMLElement} */ (document.getElementById("live"));
  live.textContent = "";
  requestAnimationFrame(() => {
    live.textContent = text; // A reader speaks what changes; the same text set twice would stay silent.
  });
}

const messages = () => /** @type {HTMLElement} */ (document.getElementById("messages"));
let fading = 0;

/** Remove the message in a while, later where the focus is in it. */
export function fadeMessages() {
  clearTimeout(fading);
  fading = setTimeout(() => {
    if (messages().contains(document.activeElement)) fadeMessages();
    else messages().replaceChildren();
  }, MESSAGE);
}

/**
 * Show a message in place of the last one. A `button` that does nothing leaves room for one that the server's own message will have.
 * @param {string} text
 * @param {string} [button]
 * @param {(() => void) | null} [act]
 */
export function showMessage(text, button = "", act = null) {
  const toast = make("div", "", { className: "toast" });
  toast.append(make("p", text));
  if (button) toast.append(make("button", button, act ? { type: "button", onclick: act } : { className: "to-come" }));
  messages().replaceChildren(toast);
  fadeMessages();
}

/** Show why a form was refused, in one message. @param {Problem[]} problems */
export const showProblems = (problems) => showMessage(problems.map(({ message }) => message).join(" "));

/* -- requests -- */

/**
 * Post a form's fields. Return {status, problems, body}; status 0 where the server could not be reached.
 * A request with `keepalive` completes even if the page is left meanwhile.
 * @param {string} address
 * @param {FormData} fields
 * @param {{keepalive?: boolean}} [options]
 */
export async function post(address, fields, { keepalive = false } = {}) {
  let answer;
  try {
    answer = await fetch(address, {
      method: "POST",
      body: fields,
      signal: AbortSignal.timeout(PATIENCE),
      keepalive,
      headers: { "Accept": "application/json", "X-Fragment": "1", "X-CSRFToken": csrf().content },
    });
  } catch {
    const message = worded(store("tried", null) ? "unreachable-saved" : "unreachable-unsaved");
    return { status: 0, body: /** @type {Body} */ ({}), problems: [{ message }] };
  }
  /** @type {Body} */
  const body = await answer.json().catch(() => ({})); // A proxy's own page is no JSON.
  const listed = body.problems ?? (body.errors?.length ? body.errors : null);
  const problems =
    listed ?? (answer.ok ? [] : [{ message: body.detail ?? worded("server-failed", { status: answer.status }) }]);
  return { status: answer.status, body, problems };
}

/** Return a selector that finds an element again after its part of the page was replaced; null where it has no name. @param {Element | null} element */
function selectorOf(element) {
  if (!element || element === document.body) return null;
  if (element.id) return `#${CSS.escape(element.id)}`;
  for (const name of ["data-went-out", "href", "name"]) {
    const value = element.getAttribute(name);
    if (value !== null) return `${element.localName}[${name}="${CSS.escape(value)}"]`;
  }
  return null;
}

/** Replace parts of the page, by the id of each; the focus stays where it was. @param {Record<string, string>} fragments */
export function replaceParts(fragments) {
  const focused = selectorOf(document.activeElement);
  const places = Object.entries(fragments).flatMap(([id, html]) => {
    const place = document.getElementById(id);
    if (place) place.innerHTML = html;
    return place ? [place] : [];
  });
  if (!focused || document.activeElement !== document.body) return;
  const again = places.map((place) => place.querySelector(focused)).find(Boolean);
  /** @type {HTMLElement | undefined | null} */ (again)?.focus({ preventScroll: true });
}

/** Show what came of a form: go where its answer leads. An open sheet stays, shows the message and asks for its new state. @param {Body} body */
export function showAnswer(body) {
  const { pathname } = new URL(body.address ?? "", location.href);
  if (pathname === location.pathname && document.getElementById("sheet")) showChange(body);
  else location.assign(body.address ?? location.href);
}

/** Show the message of an answer on the sheet that is open. @param {Body} body */
export function showChange({ fragments = {}, seen }) {
  replaceParts(fragments);
  fadeMessages();
  document.dispatchEvent(new CustomEvent("referee:changed", { detail: seen }));
}
