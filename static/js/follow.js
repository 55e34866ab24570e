// Ask the server again and again whether something changed: one small question, 304 when nothing did.

import { worded } from "./words.js";

const EAGER = 1500;
const HIDDEN = 15000;
const PATIENCE = 5000;
const SLOWEST = 30000;

const clock = () => new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

/**
 * Follow an address from the state (its ETag, without quotes) that the page shows.
 * `changed(answer)` gets each new answer, once more in a moment when it returns false; `said(connected, text)` hears how the connection is;
 * `gone` is said when the address exists no more, and the asking ends. Returns a function that asks at once.
 * @param {string} address
 * @param {string} state
 * @param {{changed: (answer: Response) => unknown, said?: (connected: boolean, text: string) => void, gone?: string}} told
 */
export function follow(address, state, { changed, said = (_connected, _text) => {}, gone = "" }) {
  let etag = state ? `"${state}"` : "";
  let failures = 0;
  let lastHeard = clock();
  let timer = 0;
  let asking = false;

  async function ask() {
    if (asking) return;
    asking = true;
    clearTimeout(timer);
    const over = new AbortController();
    const patience = setTimeout(() => over.abort(), PATIENCE);
    let ended = false;
    try {
      const answer = await fetch(address, {
        headers: { "If-None-Match": etag, "X-Fragment": "1" },
        cache: "no-store",
        signal: over.signal,
      });
      if ([401, 403, 404, 410].includes(answer.status)) {
        ended = true;
        said(false, gone);
      } else if (answer.status === 200) {
        const fresh = answer.headers.get("ETag")?.replace(/^W\//, "") ?? "";
        if ((await changed(answer)) !== false) etag = fresh;
      } else if (answer.status !== 304) throw new Error(String(answer.status));
      if (!ended) {
        failures = 0;
        lastHeard = clock();
        said(true, "");
      }
    } catch {
      failures += 1;
      said(false, worded("offline", { when: lastHeard }));
    }
    clearTimeout(patience);
    asking = false;
    if (ended) return;
    const pause = failures ? Math.min(SLOWEST, EAGER * 2 ** failures) : document.hidden ? HIDDEN : EAGER;
    timer = setTimeout(ask, pause);
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && timer) ask();
  });
  addEventListener("online", ask);
  timer = setTimeout(ask, EAGER);
  return ask;
}
