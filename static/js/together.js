// Several phones with the same sheet: each sees what another wrote. A hand that is being tapped in stays as it is.

import { refresh, tell } from "./base.js";
import { follow } from "./follow.js";
import { worded } from "./words.js";

const sheet = document.getElementById("sheet");
let told = "";

const shown = () =>
  /** @type {HTMLInputElement | null} */ (
    document.querySelector('#round-form [name="revision"], #sheet [name="revision"]')
  )?.value;

if (sheet && !location.search) {
  follow(sheet.dataset.poll ?? "", sheet.dataset.state ?? "", {
    async changed(answer) {
      const body = await answer.json();
      if (String(body.revision) === shown()) return true; // Written on this very phone.
      if ("saving" in sheet.dataset) return false;
      if (document.querySelector("#pad[data-open]")) {
        if (told !== body.revision) tell(worded("changed-elsewhere"));
        told = body.revision;
        return false;
      }
      refresh(body);
      return true;
    },
    gone: worded("sheet-gone"),
    said: (_connected, text) => text === worded("sheet-gone") && tell(text),
  });
}
