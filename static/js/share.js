// Share where the phone can, copy where it may; the text stays selectable everywhere.

import { showMessage } from "./base.js";
import { offer, pictureFile } from "./passing-on.js";
import { worded } from "./words.js";

offer((key) => showMessage(worded(key)));

const share = /** @type {HTMLElement | null} */ (document.querySelector("[data-share]"));
if (share && navigator.share) {
  share.hidden = false;
  document.querySelector(".share-row .primary")?.classList.remove("primary");
  share.onclick = async () => {
    const written = /** @type {HTMLTextAreaElement | null} */ (document.getElementById("result-text"));
    /** @type {ShareData} */
    const data = { title: share.dataset.title, text: written?.value ?? share.dataset.title };
    try {
      const files = [];
      for (const picture of /** @type {NodeListOf<HTMLImageElement>} */ (document.querySelectorAll("[data-picture]"))) {
        files.push(await pictureFile(picture.src, picture.dataset.picture ?? ""));
      }
      if (navigator.canShare?.({ files })) data.files = files;
    } catch {
      /* Without the picture, the text alone. */
    }
    try {
      await navigator.share(data);
    } catch (error) {
      if (!(error instanceof Error && error.name === "AbortError")) showMessage(worded("cannot-share"));
    }
  };
}
