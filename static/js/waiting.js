// What waits on this phone, shown on the sheet: totals with it, each round with what may be done, the connection.

import { announce, make, makeButton, showMessage, store, stored } from "./base.js";
import { slide, topsOf } from "./motion.js";
import { listed, liveInOrder, put, send, take } from "./outbox.js";
import * as queue from "./waiting-state.js";
import { atTime, filled, signed, worded, written } from "./words.js";

/** @typedef {import("./waiting-state.js").Item} Item */

const GOES = ["delete", "drop", "back"]; // Steps that take an item out; what comes back goes behind the others.
const QUICK = 2000; // A server slower than this would only give the kept page again.

/** @param {Element[]} lines */
function list(lines) {
  const all = make("ol", "", { className: "plain" });
  all.append(...lines);
  return all;
}

const drawnSheet = () => /** @type {HTMLElement} */ (document.getElementById("sheet"));
const recorded = () => Number(drawnSheet().dataset.rounds);

/**
 * What waits for a match, drawn into a panel. `reopen(item)` puts a round into the pad again; `sent(body)` shows
 * what the server answered to the last one.
 */
export class Waiting {
  /**
   * @param {HTMLElement} panel
   * @param {string} match
   * @param {{reopen: (item: Item) => Promise<void>, sent: (body: import("./base.js").Body) => Promise<void>}} does
   */
  constructor(panel, match, { reopen, sent }) {
    this.panel = panel;
    this.match = match;
    this.reopen = reopen;
    this.sent = sent;
    this.away = Boolean(document.documentElement.dataset.kept);
    this.pause = queue.nextPause();
    this.timer = 0;
    /** @type {Promise<void> | null} */
    this.sending = null;
    this.again = false;
    /** @type {Item[]} */
    this.expected = [];
    this.go = this.go.bind(this);
    addEventListener("online", () => {
      this.pause = queue.nextPause();
      this.go();
    });
    addEventListener("offline", () => {
      this.away = true;
      this.draw();
    });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.go();
    });
    this.draw().then(this.go);
  }

  live() {
    return liveInOrder(this.match);
  }

  /** Return what a round brings and who leads with it, as the server will announce it; "" where only the server can compute it. @param {Item} item */
  announce(item) {
    if (!queue.isKnown(item)) return "";
    const { saysGained, saysSaved, saysLeads, saysLead, saysTie, saysOver, saysAnd } =
      /** @type {Record<string, string>} */ ({ ...standings().dataset });
    /** @type {[string, number][]} */
    const gains = rowsClockwise().map((row) => [nameIn(row), item.points[row.dataset.wentOut ?? ""] ?? 0]);
    return queue.announced(gains, leaders, Number(item.after) + 1, {
      gained: saysGained,
      saved: saysSaved,
      leads: saysLeads,
      lead: saysLead,
      tie: saysTie,
      over: saysOver,
      and: saysAnd,
    });
  }

  /** Add a round that is on its way, as if the sheet had it. @param {Item} item */
  expect(item) {
    drawnSheet().toggleAttribute("data-saving", true);
    this.expected.push(item);
    addUp(this.expected);
  }

  /** Note that the server has what was on its way; its points stay added until the sheet that is drawn has them. */
  arrived() {
    drawnSheet().toggleAttribute("data-saving", false);
    labelRecord({});
  }

  /** Take back a round that is not on its way any more. @param {Item} item */
  async takeBack(item) {
    drawnSheet().toggleAttribute("data-saving", false);
    this.expected = this.expected.filter(({ key }) => key !== item.key);
    await this.draw();
  }

  /**
   * Keep an item; false where the browser refuses storage. `failed` tells that the server was just now away.
   * @param {Item} item
   * @param {boolean} failed
   */
  async keep(item, failed) {
    if (!(await put(item))) return false;
    if (failed) this.away = true;
    await this.takeBack(item);
    if (failed) this.wait();
    else this.go();
    return true;
  }

  /** Discard a round that was stored just now; once it is sent, the server's own *Undo* strikes it. @param {Item} item */
  async discard(item) {
    const ordered = await liveInOrder(this.match);
    const waits = ordered.find(({ key }) => key === item.key);
    if (!waits) return;
    for (const one of queue.after("close-up", waits, ordered, recorded())) await put(one);
    await this.draw();
    showMessage(worded("taken-back"));
    announce(worded("taken-back"));
  }

  async draw() {
    const all = await listed();
    const items = all.filter((item) => item.match === this.match);
    const live = items.filter((item) => item.standing !== "aside");
    const aside = items.filter((item) => item.standing === "aside");
    this.expected = this.expected.filter((item) => Number(item.after) >= recorded());
    const over = addUp([...this.expected, ...live.filter(queue.isAdded)]);
    addRows(live.filter((item) => queue.isRound(item) && queue.isKnown(item)));
    const { kept } = document.documentElement.dataset;
    const { title, lines } = queue.report(live, {
      away: this.away,
      drawn: kept ? atTime(new Date(kept), true) : "",
      over,
    });
    /** @type {HTMLElement[]} */
    const parts = lines.map((text) => make("p", text));
    if (title) parts.unshift(make("h2", title));
    if (live.length) parts.push(this.folded("outbox-live", worded("show-waiting"), live, live, all));
    if (aside.length) {
      parts.push(this.folded("outbox-aside", worded("discarded-here", { n: aside.length }), aside, live, all));
    }
    const last = live.filter(({ kind }) => kind === "finish" || kind === "abandon" || kind === "reopen").at(-1);
    if (last ? last.kind === "finish" : over && live.length) parts.push(this.rematch());
    parts.push(...this.warnings(live.length > 0));
    this.panel.replaceChildren(...parts);
    this.panel.hidden = !parts.length;
  }

  /** @param {string} id @param {string} title @param {Item[]} items @param {Item[]} live @param {Item[]} all of every match */
  folded(id, title, items, live, all) {
    const before = /** @type {HTMLDetailsElement | null} */ (this.panel.querySelector(`#${id}`));
    const more = make("details", "", { id, open: before?.open || items.some((item) => item.problem) });
    const ordered = live.filter(queue.isOrdered);
    more.append(make("summary", title), list(items.map((item) => this.line(item, ordered, all))));
    return more;
  }

  /** Offer the next match where this one is over by what waits. */
  rematch() {
    return make("button", worded("rematch"), {
      type: "button",
      onclick: async () => {
        const { rematch } = await import("./begin.js");
        await rematch(this.match);
      },
    });
  }

  /** Return the warnings of what this browser or this address may lose. @param {boolean} waits */
  warnings(waits) {
    const parts = [];
    const small = { className: "small" };
    if (waits && "standalone" in navigator && navigator.standalone === false) {
      parts.push(make("p", worded("safari-deletes"), small));
    }
    if (isSecureContext) return parts;
    if (waits) parts.push(make("p", worded("leave-open"), small));
    else if (!stored("told.https")) {
      parts.push(make("p", worded("no-https"), small));
      parts.push(
        make("button", worded("understood"), {
          type: "button",
          onclick: () => {
            store("told.https", true);
            this.draw();
          },
        }),
      );
    }
    return parts;
  }

  /** @param {Item} item @param {Item[]} ordered @param {Item[]} all */
  line(item, ordered, all) {
    const row = document.createElement("li");
    row.append(make("p", queue.titleOf(item), { className: "waiting-round", dir: "auto" }));
    if (!queue.isRound(item) && item.says) row.append(make("p", item.says, { dir: "auto" }));
    if (item.standing === "open") row.append(make("p", worded("open-in-pad"), { className: "small quiet" }));
    if (item.standing === "conflict") row.append(...theirs(item));
    else if (item.problem) row.append(make("p", item.problem, { className: "error" }));
    const buttons = make("div", "", { className: "row" });
    if (item.problem && item.asks && item.standing !== "conflict") {
      buttons.append(
        make("a", worded(item.kind === "ruling" ? "review-ruling" : "review-correction"), {
          className: "button",
          href: item.asks,
        }),
      );
    }
    const behind = queue.dependents(item, all);
    for (const [label, step] of queue.choices(item)) {
      const { saysSame = "", saysAnother = "" } = this.panel.dataset;
      const said = label === "same" ? saysSame : label === "another" ? saysAnother : worded(label);
      const button = makeButton(said, sureOf(step, label === "discard" ? behind : []), async () => {
        if (step === "reopen") await this.reopen(item);
        if (GOES.includes(step)) await take(item.key);
        for (const one of queue.after(step, item, ordered, recorded())) await put(one);
        if (label === "discard") for (const one of behind) await put(queue.setAside(one));
        await this.draw();
        await this.go();
        if (label === "send-now" && this.away) showMessage(worded("unreachable"));
      });
      button.classList.toggle("deletes", step === "delete");
      buttons.append(button);
    }
    if (buttons.childElementCount) row.append(buttons);
    return row;
  }

  /** Send now; once at a time, and once more when something called for it meanwhile. */
  go() {
    this.again = Boolean(this.sending);
    this.sending ??= this.sendAll().finally(() => {
      this.sending = null;
      if (this.again) this.go();
    });
    return this.sending;
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.go, this.pause);
  }

  async sendAll() {
    clearTimeout(this.timer);
    const before = this.away;
    const outcome = await send();
    if (outcome.sent.length) this.pause = queue.nextPause();
    this.away = outcome.away;
    const began = outcome.moved.get(this.match);
    if (began) {
      location.replace(began);
      return;
    }
    const here = outcome.sent.filter((item) => item.match === this.match);
    if (here.length) {
      const answer = outcome.bodies.get(this.match) ?? {};
      await this.sent(answer);
      if (here.length > 1 || before || !answer.fragments?.messages) showMessage(queue.sentWords(here));
      announce(queue.sentWords(here));
    }
    const { kept: drawn, server } = document.documentElement.dataset;
    // A late answer is on its way.
    if (drawn && server === "late") this.away = true;
    else if (drawn && !drawnSheet().dataset.begun && !outcome.sent.length && !outcome.away) await this.lookBack();
    await this.draw();
    if (!this.away) return;
    this.pause = queue.nextPause(this.pause);
    this.wait();
  }

  /** Draw a kept page anew when the server is back and nobody is tapping. */
  async lookBack() {
    try {
      const { status } = await fetch(location.pathname, {
        method: "HEAD",
        cache: "no-store",
        signal: AbortSignal.timeout(QUICK),
      });
      if (queue.isAway(status)) throw new Error(`not now: ${status}`);
      if (!document.querySelector("#pad[data-open]")) location.reload();
    } catch {
      this.away = true;
    }
  }
}

/** Return the warning of a button whose step cannot be undone, or discards more than its item. @param {string} step @param {Item[]} behind */
function sureOf(step, behind) {
  if (step === "delete") return worded("delete-for-good");
  return behind.length ? worded("discard-all", { n: behind.length + 1 }) : "";
}

/** @param {Item} item */
function theirs(item) {
  const said = item.theirs.length ? item.theirs : [worded("theirs-unknown")];
  return [
    make("p", queue.isRound(item) ? worded("theirs") : `${item.problem} ${worded("theirs-now")}`, {
      className: "small",
    }),
    list(said.map((text) => make("li", text, { className: "small", dir: "auto" }))),
  ];
}

const standings = () => /** @type {HTMLElement} */ (drawnSheet().querySelector(".standings"));
/** Return the rows of those who play, clockwise. */
const rowsClockwise = () =>
  /** @type {HTMLElement[]} */ ([...drawnSheet().querySelectorAll(".standing[data-went-out]")]).sort(
    (one, other) => seatOf(one) - seatOf(other),
  );
/** @param {Element} row */
const nameIn = (row) => row.querySelector(".name")?.textContent ?? "";
/** @param {Element} row */
const seatOf = (row) => Number(/** @type {HTMLElement | null} */ (row.closest("[data-seat]"))?.dataset.seat);

/** Who leads with all that waits, clockwise; nobody where that ends the match. @type {import("./waiting-state.js").SideNow[]} */
let leaders = [];

/**
 * Add the points that wait to the totals, rank them anew, and tell whether they end the match.
 * @param {Item[]} live
 */
function addUp(live) {
  const rows = rowsClockwise();
  const { leads, eliminates } = standings().dataset;
  const players = rows.map((row) => addToRow(live, row));
  const known = live.every(queue.isKnown);
  const more = live.reduce((sum, item) => sum + queue.brings(item), 0);
  strikeRows(live);
  drawnSheet()
    .querySelector(".dealing")
    ?.toggleAttribute("hidden", recorded() + more > 0); // It speaks of the first round.
  const ranks = queue.ranked(players, leads === "lowest" ? "lowest" : "highest", eliminates !== undefined);
  if (known) rows.forEach((row, place) => rankRow(row, recorded() + more ? ranks[place] : 0));
  if (known) inOrder(() => placesBefore ?? tops());
  placesBefore = null;
  moveChips(more, rows, players.some(({ over }) => over) && eliminates !== undefined);
  for (const rank of drawnSheet().querySelectorAll(".rank")) rank.classList.toggle("unsure", !known);
  labelRecord({ n: String(recorded() + more + 1) });
  const reachedIt = players.map((player) => player.over);
  const over = queue.isOver(reachedIt, eliminates !== undefined);
  leaders = over ? [] : players.filter((_, place) => ranks[place] === 1);
  return over;
}

/** Put the rounds that wait into the table of rounds, the newest on top, marked. @param {Item[]} rounds */
function addRows(rounds) {
  const table = drawnSheet().querySelector(".rounds");
  if (!table) return;
  for (const row of table.querySelectorAll("tr[data-waits]")) row.remove();
  for (const { after: before, fields, points } of rounds) {
    const [, out] = fields.find(([name]) => name === "went_out") ?? [];
    const row = make("tr", "");
    row.dataset.waits = "";
    const n = Number(before) + 1;
    const head = make("th", String(n), { scope: "row" });
    head.setAttribute("aria-label", worded("waiting-row", { n }));
    row.append(head);
    for (const { dataset } of /** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll("[data-player]"))) {
      const gained = points[dataset.player ?? ""] ?? 0;
      row.append(
        make("td", written(gained), { className: dataset.player === out ? "went-out" : gained ? "" : "none" }),
      );
    }
    table.querySelector("tbody")?.prepend(row);
  }
  table.closest("section")?.toggleAttribute("hidden", !table.querySelector("tbody tr"));
}

/** Show the rounds struck that are to be struck, and those brought back that are to count again. @param {Item[]} live */
function strikeRows(live) {
  const turned = new Map(live.map((item) => [item.round, item.kind]));
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (drawnSheet().querySelectorAll(".rounds th a"))) {
    const row = /** @type {HTMLElement} */ (link.closest("tr"));
    const kind = turned.get(link.pathname.split("/").at(-1) ?? "");
    row.toggleAttribute("data-struck-here", kind === "strike");
    row.toggleAttribute("data-restored-here", kind === "restore");
  }
}

/** Write a rank, 0 for none, and what is read aloud of the row. @param {HTMLElement} row @param {number} rank */
function rankRow(row, rank) {
  const [shown, said] = /** @type {HTMLElement[]} */ ([".rank", "[data-line]"].map((one) => row.querySelector(one)));
  const { saysLine = "", saysLinePlaced = "" } = standings().dataset;
  const total = row.querySelector("[data-total]")?.textContent ?? "";
  shown.textContent = rank ? String(rank) : "";
  said.textContent = filled(rank ? saysLinePlaced : saysLine, { name: nameIn(row), rank, total });
  row.closest("li")?.classList.toggle("leads", rank === 1);
}

/** Put the rows in the order that this phone wants: by rank, those who are out of the match at the end, or by seat. `stood` measures where they were. */
export function inOrder(stood = tops) {
  const bySeat = /(^|; )order=seat/.test(document.cookie); // As the menu wrote it.
  /** @type {(line: Element) => number} */
  const rank = (line) => (bySeat ? 0 : Number(line.querySelector(".rank")?.textContent) || Infinity);
  const lines = [...standings().children];
  const sorted = [...lines].sort((one, other) => {
    const [mine, its] = [rank(one), rank(other)];
    return mine === its ? seatOf(one) - seatOf(other) : mine - its;
  });
  if (sorted.every((line, place) => line === lines[place])) return;
  const before = stood();
  const focused = /** @type {HTMLElement | null} */ (standings().querySelector(":focus"));
  standings().replaceChildren(...sorted);
  focused?.focus({ preventScroll: true }); // Who is moved loses it.
  slideRows(before);
}

/** Where the rows stood when the pad opened over them: to measure them on the way to the new totals would cost these time. @type {Map<string | undefined, number> | null} */
let placesBefore = null;
export function rememberPlaces() {
  placesBefore = tops();
}

/** Map the rows by player, and return where they stand. */
export const rowsByPlayer = () => new Map(rowsClockwise().map((row) => [row.dataset.wentOut, row]));
export const tops = () => topsOf(rowsByPlayer());

/** Slide the rows to their new places. @param {Map<string | undefined, number>} before where the rows stood */
export const slideRows = (before) => slide(rowsByPlayer(), before);

/** Pass the deal on by so many rounds; who is put out meanwhile, only the server knows. @param {number} rounds @param {HTMLElement[]} rows @param {boolean} unsure */
function moveChips(rounds, rows, unsure) {
  for (const chip of /** @type {NodeListOf<HTMLElement>} */ (drawnSheet().querySelectorAll("[data-chip]"))) {
    chip.classList.toggle("unsure", unsure);
    const now = rows.findIndex((row) => row.contains(chip));
    const moved = Number(chip.dataset.moved ?? 0);
    if (now < 0 || moved === rounds) continue;
    chip.dataset.moved = String(rounds);
    rows
      .at((now + rounds - moved) % rows.length)
      ?.querySelector(".named")
      ?.append(" ", chip);
  }
}

/** @param {Item[]} live @param {HTMLElement} row @returns {import("./waiting-state.js").SideNow} */
function addToRow(live, row) {
  const total = /** @type {HTMLElement} */ (row.querySelector("[data-total]"));
  const needs = /** @type {HTMLElement | null} */ (row.querySelector("[data-needs]"));
  const gain = /** @type {HTMLElement} */ (row.querySelector("[data-gain]"));
  const { needs: missing = "0", says = "" } = needs?.dataset ?? {};
  const side = row.dataset.side?.split(" ") ?? [];
  const last = live.length ? queue.reached(live.slice(-1).filter(queue.isRound), side, 0, null).more : null;
  const now = queue.reached(live, side, Number(total.dataset.recorded), needs && Number(missing));
  total.textContent = written(now.total);
  if (needs) {
    needs.textContent = now.over ? worded("reached") : filled(says, { n: now.left ?? 0 });
    needs.hidden = (now.left ?? 0) > Number(standings().dataset.near);
  }
  gain.textContent = last === null ? (gain.dataset.gain ?? "") : last ? signed(last) : "";
  if (needs) {
    row.parentElement
      ?.querySelector("[data-along]")
      ?.setAttribute("width", String(queue.along(now.total, now.left ?? 0)));
  }
  return { name: nameIn(row), side: side.sort().join(" "), total: now.total, over: now.over };
}

/** Label the button with the round that is recorded next, and whether it is begun. @param {{n?: string, begun?: "yes" | "no"}} change */
export function labelRecord(change) {
  const button = document.getElementById("record");
  if (!button) return;
  const { n = "", begun, says = "", saysBegun = "" } = Object.assign(button.dataset, change);
  const saving = drawnSheet().hasAttribute("data-saving");
  button.textContent = saving ? worded("saving") : filled(begun === "yes" ? saysBegun : says, { n });
}
