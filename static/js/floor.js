// The floor of an evening: drawn anew when a table records, or another scorekeeper draws; never under a finger that fills in a form.

import { follow } from "./follow.js";

const floor = /** @type {HTMLElement} */ (document.getElementById("floor"));
let typing = false;

floor.addEventListener("input", () => {
  typing = true;
});

/** Say which size of tables spares meetings, once the server has tried them. */
async function advise() {
  const place = /** @type {HTMLElement | null} */ (floor.querySelector("[data-advice]"));
  const answer =
    place && (await fetch(place.dataset.advice ?? "", { headers: { "X-Fragment": "1" } }).catch(() => null));
  const said = answer?.ok ? await answer.text() : "";
  if (!place || !said) return;
  place.textContent = said;
  place.hidden = false;
}

advise();
follow(floor.dataset.poll ?? "", floor.dataset.state ?? "", {
  changed: async (answer) => {
    if (typing) return false;
    const open = [...floor.querySelectorAll("details[open][id]")].map((fold) => fold.id);
    const shut = [...floor.querySelectorAll("details:not([open])[id]")].map((fold) => fold.id);
    floor.innerHTML = await answer.text();
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    for (const id of shut) document.getElementById(id)?.removeAttribute("open");
    advise();
    return true;
  },
});
