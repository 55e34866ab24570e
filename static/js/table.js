// The phone of a table between two draws: the page goes on by itself once a match is drawn, or the evening is over.

import { follow } from "./follow.js";

const { poll, state } = /** @type {HTMLElement} */ (document.querySelector("[data-poll]")).dataset;

follow(poll ?? "", state ?? "", {
  changed: () => location.reload(),
  connected: (_yes, text) => text === "over" && location.reload(),
  gone: "over",
});
