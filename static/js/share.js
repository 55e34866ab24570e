// Share where the phone can, copy where it may; the text stays selectable everywhere.

import { tell } from "./base.js";
import { worded } from "./words.js";

for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-copy]"))) {
  const source = /** @type {HTMLElement} */ (document.getElementById(button.dataset.copy ?? ""));
  const field = source instanceof HTMLTextAreaElement || source instanceof HTMLInputElement ? source : null;
  button.hidden = false;
  button.onclick = async () => {
    const text = field?.value ?? source.textContent ?? "";
    try {
      await navigator.clipboard.writeText(text);
      tell(worded("copied"));
    } catch {
      // No secure address, or not allowed: the old way, then by hand.
      const range = document.createRange();
      range.selectNodeContents(source);
      if (field) field.select();
      else {
        getSelection()?.removeAllRanges();
        getSelection()?.addRange(range);
      }
      let done = false;
      try {
        done = document.execCommand("copy");
      } catch {
        /* Left to the fingers. */
      }
      tell(worded(done ? "copied" : "selected"));
    }
  };
}

for (const area of /** @type {NodeListOf<HTMLTextAreaElement>} */ (document.querySelectorAll("[data-select]"))) {
  area.addEventListener("focus", () => area.select());
}

const share = /** @type {HTMLElement | null} */ (document.querySelector("[data-share]"));
if (share && navigator.share) {
  share.hidden = false;
  share.onclick = async () => {
    const { value: text } = /** @type {HTMLTextAreaElement} */ (document.getElementById("result-text"));
    /** @type {ShareData} */
    const data = { title: share.dataset.title, text };
    try {
      const picture = await (
        await fetch(/** @type {HTMLImageElement} */ (document.querySelector("[data-picture]")).src)
      ).blob();
      const files = [new File([picture], "uno-result.png", { type: "image/png" })];
      if (navigator.canShare?.({ files })) data.files = files;
    } catch {
      /* Without the picture, the text alone. */
    }
    try {
      await navigator.share(data);
    } catch (error) {
      if (!(error instanceof Error && error.name === "AbortError")) tell(worded("cannot-share"));
    }
  };
}
