// Beside the list of matches, where a wide screen has room, stands the story of the newest one.

const pane = document.querySelector(".pane");
const newest = /** @type {HTMLAnchorElement | null} */ (document.querySelector(".entry"));
const wide = matchMedia("(min-width: 64rem)");

/** Fetch the story once there is room for it; without a connection the list stands alone. */
async function show() {
  if (!pane || !newest || pane.hasChildNodes() || !wide.matches) return;
  const answer = await fetch(newest.href).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  pane.replaceChildren(...(page.getElementById("main")?.childNodes ?? []));
  pane.querySelector(".demo")?.remove(); // The list has it.
  newest.setAttribute("aria-current", "true");
}
wide.addEventListener("change", show);
show();
