// What waits on this phone, shown on the sheet: totals with it, each round with what may be done, the connection.

import { keep, kept, say, tell } from "./base.js";
import { listed, liveRounds, put, renumber, send, take } from "./outbox.js";
import { counted, isAway, isRound } from "./waiting-state.js";

const FIRST_PAUSE = 4000;
const LONGEST_PAUSE = 60000;
const QUICK = 2000; // A server slower than this would only give the kept page again.

const make = (tag, text, rest = {}) => Object.assign(document.createElement(tag), { textContent: text, ...rest });
const clock = (moment) => new Date(moment).toLocaleString([], { weekday: "short", hour: "2-digit", minute: "2-digit" });

/** Show and send what waits for a match. `reopen(item)` lays a round into the pad again; `arrived(body)` shows an answer. */
export function waitingRounds(panel, match, { reopen, arrived }) {
  let pause = FIRST_PAUSE;
  let timer = 0;
  let away = Boolean(document.documentElement.dataset.kept);
  let sending = null;
  let again = false;

  async function draw() {
    const items = await listed(match);
    const live = items.filter((item) => item.standing !== "aside");
    const over = addUp(live.filter(isRound));
    const parts = [];
    if (live.length) {
      parts.push(make("h2", `${counted(live)} ${live.length === 1 ? "is" : "are"} on this phone only`));
      parts.push(make("p", live.some((item) => item.problem) ? "Have a look; nothing is lost." : away
        ? "The server cannot be reached. What waits is sent by itself as soon as it can."
        : "It is being sent."));
      if (over) parts.push(make("p", "By these totals the match is over. The server says who won."));
      if (live.some(({ kind }) => kind === "correction")) parts.push(make("p", "The totals do not have the correction yet."));
    } else if (away) {
      const drawn = document.documentElement.dataset.kept;
      parts.push(make("p", `Not connected.${drawn ? ` This is the sheet of ${clock(drawn)}.` : ""} What you record waits on this phone.`));
    }
    const folded = (id, title, of) => {
      const more = make("details", "", { id, open: panel.querySelector(`#${id}`)?.open ?? of.some((item) => item.problem) });
      if (of.some((item) => item.problem)) more.open = true;
      more.append(make("summary", title), list(of.map((item) => line(item, live))));
      parts.push(more);
    };
    if (live.length) folded("outbox-live", "Show", live);
    const aside = items.filter((item) => item.standing === "aside");
    if (aside.length) folded("outbox-aside", `Set aside on this phone (${aside.length})`, aside);
    if (live.length && navigator.standalone === false) parts.push(make("p", "Safari forgets what waits here after a week without a visit; on the home screen it does not.", { className: "small" }));
    if (!isSecureContext && live.length) parts.push(make("p", "Leave this page open: without https this address does not open again while the server is away.", { className: "small" }));
    else if (!isSecureContext && !kept("told.https")) {
      parts.push(make("p", "At this address the app works only while the server can be reached. With https it also works without; whoever runs the server finds the way in the guide for hosts.", { className: "small" }));
      parts.push(make("button", "Understood", { type: "button", onclick: () => { keep("told.https", true); draw(); } }));
    }
    panel.replaceChildren(...parts);
    panel.hidden = !parts.length;
  }

  const list = (lines) => { const all = make("ol", "", { className: "plain" }); all.append(...lines); return all; };

  function line(item, live) {
    const row = document.createElement("li");
    row.append(make("p", isRound(item) ? `Round ${Number(item.after) + 1}: ${item.says}` : item.title, { className: "waiting-round", dir: "auto" }));
    if (!isRound(item)) row.append(make("p", item.says, { dir: "auto" }));
    const row_of = make("div", "", { className: "row" });
    const button = (label, step) => row_of.append(make("button", label, { type: "button", onclick: async () => { await step(); await draw(); go(); } }));
    const rounds = live.filter(isRound);
    const following = rounds.slice(rounds.indexOf(item) + 1);
    const aside = () => put({ ...item, standing: "aside", problem: "", theirs: [] });
    if (!isRound(item)) {
      const asBefore = () => put({ ...item, standing: "waiting", problem: "" });
      if (item.standing === "conflict") showTheirs(row, item);
      else if (item.problem) row.append(make("p", item.problem, { className: "error" }));
      if (item.standing === "aside") button("Bring it back", asBefore);
      else if (item.standing === "conflict") {
        if (item.theirs.length) button("Correct it all the same", asBefore);
        button("Keep theirs", aside);
      } else {
        if (item.problem && item.asks) row_of.append(make("a", item.kind === "ruling" ? "Hear it again" : "Look at it again", { className: "button", href: item.asks }));
        button("Set aside", aside);
      }
    } else if (item.standing === "conflict") {
      showTheirs(row, item);
      button("Another round: add it after", () => renumber([{ ...item, standing: "waiting", problem: "" }, ...following], Number(item.after) + Math.max(1, item.theirs.length)));
      button("The same round: keep theirs", aside);
    } else if (item.standing === "aside") {
      button("Bring it back", async () => {
        await take(item.key); // It goes behind the others.
        await renumber([{ ...item, place: undefined, standing: "waiting" }], rounds.length ? Number(rounds.at(-1).after) + 1 : base());
      });
    } else {
      if (item.standing === "open") row.append(make("p", "Taken back into the hand pad.", { className: "small quiet" }));
      if (item.problem) row.append(make("p", item.problem, { className: "error" }));
      if (item.standing === "refused") button("Send it again", () => put({ ...item, standing: "waiting", problem: "" }));
      if (item.state) button("Change", () => reopen(item));
      if (item.problem || !following.length) button("Set aside", async () => { await aside(); await renumber(following, Number(item.after)); });
    }
    if (row_of.childElementCount) row.append(row_of);
    return row;
  }

  function showTheirs(row, { theirs }) {
    row.append(make("p", "Somebody recorded meanwhile. On the server:", { className: "small" }));
    row.append(list((theirs.length ? theirs : ["See the sheet below."]).map((text) => make("li", text, { className: "small", dir: "auto" }))));
  }

  const base = () => Number(document.getElementById("sheet").dataset.rounds);

  /** Add the points that wait to the totals, and tell whether they end the match; ranks and who deals are for the server to say. */
  function addUp(live) {
    let over = false;
    const sheet = document.getElementById("sheet");
    for (const row of sheet.querySelectorAll(".standing[data-went-out]")) {
      const more = live.reduce((sum, item) => sum + (item.points[row.dataset.wentOut] ?? 0), 0);
      const total = row.querySelector("[data-total]");
      total.dataset.recorded ??= total.textContent;
      total.textContent = Number(total.dataset.recorded) + more;
      const needs = row.querySelector(".needs");
      if (needs) {
        needs.dataset.recorded ??= needs.textContent;
        const left = Number(needs.dataset.recorded.match(/\d+/)?.[0] ?? 0) - more;
        over ||= more > 0 && left <= 0;
        needs.textContent = !more ? needs.dataset.recorded : left > 0 ? needs.dataset.recorded.replace(/\d+/, left) : "there";
      }
      for (const mark of row.querySelectorAll(".mark, .rank")) mark.classList.toggle("unsure", live.length > 0);
      row.dataset.recorded ??= row.getAttribute("aria-label");
      row.setAttribute("aria-label", live.length ? `${row.querySelector(".name").textContent}, ${total.textContent}. Record that they went out` : row.dataset.recorded);
    }
    const record = document.getElementById("record");
    if (record) record.textContent = record.textContent.replace(/\d+/, base() + live.length + 1);
    return over;
  }

  /** Send now; once at a time, and once more when something called for it meanwhile. */
  function go() {
    again = Boolean(sending);
    sending ??= (async () => {
      clearTimeout(timer);
      const before = away;
      const outcome = await send();
      const here = outcome.sent.filter((item) => item.match === match);
      if (outcome.sent.length) pause = FIRST_PAUSE;
      away = outcome.away;
      const body = outcome.bodies.get(match);
      if (body) arrived(body);
      if (here.length) {
        const words = here.length === 1 ? `${counted(here)} was sent. The server has it.` : `${counted(here)} were sent. The server has them.`;
        if (here.length > 1 || before || !body) tell(words);
        say(words);
      }
      const { kept: drawn, server } = document.documentElement.dataset;
      if (drawn && server === "late") away = true; // Its answer is on the way.
      else if (drawn && !outcome.sent.length && !outcome.away) await lookBack();
      await draw();
      if (away) {
        pause = Math.min(LONGEST_PAUSE, pause * 1.5);
        timer = setTimeout(go, pause);
      }
    })().finally(() => {
      sending = null;
      if (again) go();
    });
    return sending;
  }

  /** Draw a kept page anew when the server is back and nobody is tapping. */
  async function lookBack() {
    try {
      const { status } = await fetch(location.pathname, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(QUICK) });
      if (isAway(status)) throw new Error(`not now: ${status}`);
      if (!document.querySelector("#pad[data-open]")) location.reload();
    } catch {
      away = true;
    }
  }

  addEventListener("online", () => { pause = FIRST_PAUSE; go(); });
  addEventListener("offline", () => { away = true; draw(); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) go(); });
  const first = draw().then(go);

  return {
    live: () => liveRounds(match),
    /** Keep a round; false where the browser refuses storage. */
    async keep(item, failed) {
      const done = await put(item);
      if (done && failed) away = true;
      if (done) await draw();
      if (done && failed) timer = setTimeout(go, pause);
      else if (done) go();
      return done;
    },
    ready: first,
  };
}
