// A rulebook's topics: folded on a phone, open where there is room, and where an address leads to one of their clauses.

const WIDE = "(min-width: 64rem)";

/** Open the topic that holds what the address leads to, and go there: not every browser does. */
export function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) {
    fold.open = true;
  }
  target.scrollIntoView();
}

/** Open all topics on a wide screen, and what the address leads to on any. */
export function unfold() {
  for (const topic of document.querySelectorAll("details.topic")) {
    if (matchMedia(WIDE).matches) /** @type {HTMLDetailsElement} */ (topic).open = true;
  }
  openTarget();
}

addEventListener("hashchange", openTarget);
unfold();
