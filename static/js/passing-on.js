// Copy, and share by the phone's own sheet: where a page offers it, and the browser lets it.

/** @typedef {"copied" | "selected" | "cannot-share"} Said */

/** Return the text that is to be copied. @param {HTMLElement} source */
const textOf = (source) =>
  source instanceof HTMLTextAreaElement || source instanceof HTMLInputElement
    ? source.value
    : (source.textContent ?? "");

/** Select a text, and copy it as browsers did before; without https there is no other way. @param {HTMLElement} source */
function copyBySelecting(source) {
  if (source instanceof HTMLTextAreaElement || source instanceof HTMLInputElement) source.select();
  else {
    const range = document.createRange();
    range.selectNodeContents(source);
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
  }
  try {
    return document.execCommand("copy");
  } catch {
    return false; // Left to the fingers.
  }
}

/** Return a picture as a file to share; throws where it can't be had. @param {string} address @param {string} name */
export async function pictureFile(address, name) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return new File([await answer.blob()], name, { type: "image/png" });
}

/** Set up the buttons of a page; `tell` is called with what came of a tap. @param {(said: Said) => void} tell */
export function offer(tell) {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-copy]"))) {
    const source = /** @type {HTMLElement} */ (document.getElementById(button.dataset.copy ?? ""));
    button.hidden = false;
    button.onclick = async () => {
      try {
        await navigator.clipboard.writeText(textOf(source));
        tell("copied");
      } catch {
        tell(copyBySelecting(source) ? "copied" : "selected");
      }
    };
  }
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[data-select]"))) {
    field.addEventListener("focus", () => field.select());
  }
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-share-link]"))) {
    if (!navigator.share) continue;
    button.hidden = false;
    button.onclick = async () => {
      try {
        await navigator.share({ title: button.dataset.title, url: button.dataset.shareLink });
      } catch (error) {
        if (!(error instanceof Error && error.name === "AbortError")) tell("cannot-share");
      }
    };
  }
}
