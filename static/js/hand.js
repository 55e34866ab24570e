// A player's own phone: the pad when a round is over, the standings while it is played.

import { announce, showAnswer } from "./base.js";
import { follow } from "./follow.js";
import { handPad } from "./pad.js";

const page = /** @type {HTMLElement} */ (document.getElementById("hand"));
const connection = /** @type {HTMLElement} */ (document.querySelector("[data-connection]"));

function lay() {
  const form = /** @type {HTMLFormElement | null} */ (document.getElementById("round-form"));
  if (!form) return;
  handPad(form, { onClose: () => location.assign(form.dataset.target ?? ""), onSaved: showAnswer }).open("");
}

lay();
follow(page.dataset.poll ?? "", page.dataset.state ?? "", {
  async changed(answer) {
    page.innerHTML = await answer.text();
    lay();
    announce(page.querySelector(".own-line")?.textContent?.trim() ?? "");
    if (document.getElementById("round-form")) navigator.vibrate?.(80);
  },
  connected(yes, text) {
    connection.hidden = yes;
    connection.classList.toggle("is-off", !yes);
    connection.textContent = text;
  },
  gone: page.dataset.gone,
  eager: true,
});
