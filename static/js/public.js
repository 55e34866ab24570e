// A public page: passing it on. It keeps nothing in the browser.

import { offer } from "./passing-on.js";

const said = /** @type {HTMLElement} */ (document.querySelector("[data-said]"));
offer((key) => {
  said.textContent = said.getAttribute(`data-${key}`);
});
