// Ask the server again and again whether something changed: one small question, 304 when nothing did. A page that
// nobody sees asks nothing.

import { worded } from "./words.js";

const EAGER = 1500; // While something is likely: for two minutes after a change, and where many look on.
const CALM = 6000;
const LIKELY = 120000;
const PATIENCE = 5000;
const SLOWEST = 30000;

const clock = () => new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

/**
 * Follow an address from the state (its ETag, without quotes) that the page shows.
 * `changed(answer)` gets each new answer, once more in a moment when it returns false; `said(connected, text)` hears how the connection is;
 * `gone` is said when the address exists no more, and the asking ends. `eager` asks often even where nothing happens.
 * @param {string} address
 * @param {string} state
 * @param {{changed: (answer: Response) => unknown, said?: (connected: boolean, text: string) => void, gone?: string, eager?: boolean}} told
 */
export function follow(address, state, { changed, said = (_connected, _text) => {}, gone = "", eager = false }) {
  let etag = state ? `"${state}"` : "";
  let failures = 0;
  let lastHeard = clock();
  let timer = 0;
  let asking = false;
  let ended = false;
  let stirred = -Infinity;

  async function ask() {
    if (asking || ended || document.hidden) return;
    asking = true;
    clearTimeout(timer);
    const over = new AbortController();
    const patience = setTimeout(() => over.abort(), PATIENCE);
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
        stirred = Date.now();
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
    const likely = eager || Date.now() - stirred < LIKELY;
    timer = setTimeout(ask, failures ? Math.min(SLOWEST, EAGER * 2 ** failures) : likely ? EAGER : CALM);
  }

  document.addEventListener("visibilitychange", ask);
  document.addEventListener("referee:fresh", () => {
    stirred = Date.now();
  });
  addEventListener("online", ask);
  timer = setTimeout(ask, EAGER);
}
