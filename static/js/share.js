// Share where the phone can, copy where it may; the text stays selectable everywhere.

import { tell } from "./base.js";

for (const button of document.querySelectorAll("[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.onclick = async () => {
    const text = source.value ?? source.textContent;
    try {
      await navigator.clipboard.writeText(text);
      tell("Copied.");
    } catch { // No secure address, or not allowed: the old way, then by hand.
      const range = document.createRange();
      range.selectNodeContents(source);
      if (source.select) source.select(); else { getSelection().removeAllRanges(); getSelection().addRange(range); }
      let done = false;
      try { done = document.execCommand("copy"); } catch { /* Left to the fingers. */ }
      tell(done ? "Copied." : "Selected: hold it, then copy.");
    }
  };
}

for (const area of document.querySelectorAll("[data-select]")) area.addEventListener("focus", () => area.select());

const share = document.querySelector("[data-share]");
if (share && navigator.share) {
  share.hidden = false;
  share.onclick = async () => {
    const text = document.getElementById("result-text").value;
    const data = { title: share.dataset.title, text };
    try {
      const picture = await (await fetch(document.querySelector("[data-picture]").src)).blob();
      const files = [new File([picture], "uno-result.png", { type: "image/png" })];
      if (navigator.canShare?.({ files })) data.files = files;
    } catch { /* Without the picture, the text alone. */ }
    try { await navigator.share(data); } catch (error) { if (error.name !== "AbortError") tell("This phone would not share it. Copy the text instead."); }
  };
}
