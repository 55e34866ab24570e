// Polling: ask an address again and again whether something changed. The server answers 304 when nothing did, and a page
// that nobody sees does not ask.

import { atTime, worded } from "./words.js";

const EAGER = 1500; // Milliseconds between two polls while something is likely: for two minutes after a change.
const CALM = 6000;
const LIKELY = 120000;
const PATIENCE = 5000;
const SLOWEST = 30000;
const GONE = [401, 403, 404, 410];

const clock = () => atTime(new Date());

/**
 * Poll an address from the state (its ETag, without quotes) that the page shows. Return a function that asks at once.
 * `changed(answer)` gets each new answer, and once more in a moment when it returns false. `connected(yes, text)` is called
 * after each poll, with `gone` where the address exists no more; then the polling ends. `eager` polls often even where
 * nothing happens, and `calm` seldom even where much does.
 * @param {string} address
 * @param {string} state
 * @param {{changed: (answer: Response) => unknown, connected?: (yes: boolean, text: string) => void, gone?: string, eager?: boolean, calm?: boolean}} options
 */
export function follow(address, state, { changed, connected = () => {}, gone = "", eager = false, calm = false }) {
  let etag = state ? `"${state}"` : "";
  let failures = 0;
  let lastAnswer = clock();
  let timer = 0;
  let ended = false;
  let lastChange = -Infinity;
  let turn = Promise.resolve();

  async function poll() {
    const headers = { "If-None-Match": etag, "X-Fragment": "1" };
    const answer = await fetch(address, { headers, cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
    if (GONE.includes(answer.status)) {
      ended = true;
      connected(false, gone);
      return;
    }
    if (answer.status === 200) {
      lastChange = Date.now();
      const fresh = answer.headers.get("ETag")?.replace(/^W\//, "") ?? "";
      if ((await changed(answer)) !== false) etag = fresh;
    } else if (answer.status !== 304) throw new Error(String(answer.status));
    failures = 0;
    lastAnswer = clock();
    connected(true, "");
  }

  async function ask() {
    if (ended || document.hidden) return;
    clearTimeout(timer);
    try {
      await poll();
    } catch {
      failures += 1;
      connected(false, worded("offline", { when: lastAnswer }));
    }
    if (ended) return;
    const likely = !calm && Date.now() - lastChange < LIKELY;
    const pause = eager || likely ? EAGER : CALM;
    timer = setTimeout(askInTurn, failures ? Math.min(SLOWEST, EAGER * 2 ** failures) : pause);
  }

  /* One after the other: an answer that was on its way is older than what this asks for. */
  function askInTurn() {
    turn = turn.then(ask);
    return turn;
  }

  document.addEventListener("visibilitychange", askInTurn);
  addEventListener("online", askInTurn);
  timer = setTimeout(askInTurn, EAGER);
  return askInTurn;
}
