// Show the table: a ruling over the whole screen, as large as it fits, turned for whoever sits opposite, read aloud.

import { make } from "./base.js";
import { worded } from "./words.js";

const SMALLEST = 12;
const LARGEST = 400;
const PARTS = ".stamp, .headline, .orders li, .of-open + .lead";
const speech = /** @type {SpeechSynthesis | undefined} */ (window.speechSynthesis);

/** Offer to show the ruling of a page, if there is one. @param {HTMLElement} page */
export function offerTable(page) {
  const button = /** @type {HTMLButtonElement | null} */ (page.querySelector("[data-show-table]"));
  const view = /** @type {HTMLDialogElement | null} */ (page.querySelector("dialog.table-view"));
  if (!button || !view?.showModal) return;
  button.hidden = false;
  button.addEventListener("click", () => open(view, /** @type {HTMLElement} */ (page.querySelector("[data-told]"))));
}

/** Return the sentences of a ruling, each with its full stop. @param {ParentNode} page @param {string} parts */
export const sentences = (page, parts = `${PARTS}, .lead`) =>
  [...page.querySelectorAll(parts)].map(({ textContent }) => `${textContent}`.trim().replace(/[^.!?]$/, "$&."));

/** @param {HTMLDialogElement} view @param {HTMLElement} ruling */
async function open(view, ruling) {
  const told = /** @type {HTMLElement} */ (view.querySelector(".told"));
  const parts = [...ruling.querySelectorAll(PARTS)];
  const kind = (/** @type {Element} */ part) => part.className || (part.closest(".before") ? "order first" : "order");
  told.replaceChildren(...parts.map((part) => make("p", "", { className: kind(part) })));
  for (const [at, part] of parts.entries()) {
    told.children[at].append(...part.cloneNode(true).childNodes);
    const texts = [...told.children[at].childNodes].filter((one) => one instanceof Text);
    for (const text of texts) text.data = text.data.replace(/ (?=\d+\b)/g, "\u00a0"); // “draws 4” stays together
  }
  delete view.dataset.turned;
  // First the screen, then the layer: a browser that goes full screen later would put the page over it.
  await document.documentElement.requestFullscreen?.({ navigationUI: "hide" }).catch(() => {});
  if (view.open) return;
  view.showModal();
  history.pushState({ table: true }, "");

  const leave = new AbortController();
  const { signal } = leave;
  const close = () => view.close();
  const turn = () => view.toggleAttribute("data-turned");
  const fit = () => fits(told);
  const size = new ResizeObserver(fit);
  size.observe(view);
  told.addEventListener("click", turn, { signal });
  view.querySelector("[data-turn]")?.addEventListener("click", turn, { signal });
  view.querySelector("[data-close]")?.addEventListener("click", close, { signal });
  addEventListener("popstate", close, { signal });
  document.addEventListener("fullscreenchange", () => document.fullscreenElement || close(), { signal });
  reading(view, sentences(ruling, PARTS).join(" "), signal);
  view.addEventListener(
    "close",
    () => {
      leave.abort();
      size.disconnect();
      if (history.state?.table) history.back();
      if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
    },
    { once: true },
  );
}

/** Set the type as large as the words fit, whatever their length. @param {HTMLElement} told */
function fits(told) {
  let [small, large] = [SMALLEST, LARGEST];
  while (large - small > 1) {
    const size = Math.floor((small + large) / 2);
    told.style.setProperty("--fit", `${size}px`);
    // A word too long runs into the margin before the view scrolls: the lines are measured, too.
    const over =
      told.scrollHeight > told.clientHeight || [...told.children].some((line) => line.scrollWidth > line.clientWidth);
    [small, large] = over ? [small, size] : [size, large];
  }
  told.style.setProperty("--fit", `${small}px`);
}

/** Offer to read a ruling aloud where the phone has an English voice. @param {HTMLElement} view @param {string} text @param {AbortSignal} signal */
function reading(view, text, signal) {
  const button = /** @type {HTMLButtonElement} */ (view.querySelector("[data-read]"));
  if (!speech) return;
  const english = () => speech.getVoices().filter(({ lang }) => /^en\b/i.test(lang));
  const offer = () => {
    button.hidden = !english().length;
  };
  const rest = () => {
    button.textContent = worded("read-aloud");
  };
  const read = () => {
    if (speech.speaking) {
      speech.cancel();
      rest();
      return;
    }
    const spoken = new SpeechSynthesisUtterance(text);
    spoken.voice = english().find(({ localService }) => localService) ?? english()[0];
    spoken.lang = spoken.voice.lang;
    spoken.addEventListener("end", rest);
    spoken.addEventListener("error", rest);
    speech.speak(spoken);
    button.textContent = worded("stop-reading");
  };
  offer();
  rest();
  speech.addEventListener("voiceschanged", offer, { signal });
  button.addEventListener("click", read, { signal });
  signal.addEventListener("abort", () => speech.cancel());
}
