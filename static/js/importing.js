// Show how far an import has come: first the upload, then what the server tells line by line.

import { make, showMessage } from "./base.js";
import { worded } from "./words.js";

/** @typedef {{ done?: number, of?: number, said?: string[], problems?: string[], detail?: string }} Line */

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("[data-import]"));

/** @template {Element} T @param {string} selector @returns {T} */
const part = (selector) => /** @type {T} */ (form?.querySelector(selector));

/** Move the bar; without a share it only shows that something goes on. @param {string} words @param {number} [share] */
function show(words, share) {
  /** @type {HTMLProgressElement} */
  const bar = part("progress");
  if (share === undefined) bar.removeAttribute("value");
  else bar.value = share;
  const line = part("#import-progress");
  if (line.textContent !== words) line.textContent = words;
}

/** @param {string[]} problems */
function complain(problems) {
  const place = /** @type {HTMLElement} */ (part("[data-import-problems]"));
  place.replaceChildren(...problems.map((problem) => make("p", problem)));
  place.hidden = !problems.length;
}

/** @param {string} text @returns {Line[]} */
const linesOf = (text) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** Read a refusal; {} where it isn't the app's. @param {string} text @returns {Line} */
function refusal(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Upload the file, and upload it again while the server has other long work to do first. @param {HTMLFormElement} sent */
function upload(sent) {
  const progress = /** @type {HTMLElement} */ (part("[data-progress]"));
  const button = /** @type {HTMLButtonElement} */ (part("button"));
  const request = new XMLHttpRequest(); // fetch tells nothing of an upload
  let last = /** @type {Line} */ ({});
  request.upload.onprogress = ({ loaded, total }) => show(worded("uploading"), total ? loaded / total : undefined);
  request.upload.onload = () => show(worded("checking-file"));
  request.onprogress = () => {
    if (request.status !== 200) return;
    last = linesOf(request.responseText).at(-1) ?? last;
    const { done, of } = last;
    if (done && of) show(worded("importing", { done, of }), done / of);
  };
  request.onloadend = () => {
    const wait = request.status === 503 ? Number(request.getResponseHeader("Retry-After")) : 0;
    if (wait) {
      show(refusal(request.responseText).detail ?? "");
      setTimeout(() => upload(sent), wait * 1000);
      return;
    }
    progress.hidden = true;
    button.disabled = false;
    delete sent.dataset.busy;
    if (request.status === 200) last = linesOf(request.responseText).at(-1) ?? last;
    else last = refusal(request.responseText);
    complain(last.said ? [] : (last.problems ?? [last.detail ?? worded("import-cut-off")]));
    if (!last.said) return;
    sent.reset();
    showMessage(last.said.join(" "));
  };
  complain([]);
  progress.hidden = false;
  button.disabled = true;
  show(worded("uploading"), 0);
  request.open("POST", sent.action);
  request.setRequestHeader("Accept", "application/x-ndjson, application/problem+json");
  request.send(new FormData(sent));
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  upload(form);
});
