// What is known of what waits, without a page or a database: what it says, what may be done with it, what that changes.

import { filled, signed, worded } from "./words.js";

/**
 * What waits on this phone until the server has it.
 * @typedef {object} Item
 * @property {string} key
 * @property {number} [place] in the queue; given when it is put in
 * @property {{id: string, name: string} | null} [club] it is for
 * @property {Kind} [kind] none for a round
 * @property {string} match
 * @property {string} [of] of a rematch: the match before
 * @property {string[]} [seats] of a start: the ids that its players have on this phone
 * @property {string} [where] what its match is called
 * @property {string} address it is posted to
 * @property {[string, string][]} fields
 * @property {string} says
 * @property {"waiting" | "open" | "conflict" | "refused" | "aside"} standing "open" in the pad
 * @property {string} problem
 * @property {string[]} theirs what the server has instead
 * @property {Record<string, number>} points by player
 * @property {number} [after] of what stands in order: the rounds before it
 * @property {import("./pad-state.js").PadState} [state] of a round: the pad it came from
 * @property {string} [round] the round that is corrected, struck or brought back
 * @property {number} [version] of that round
 * @property {string} [title] of anything but a round
 * @property {string} [asks] the address that shows it
 * @property {import("./hearing-state.js").Law[]} [law] of a ruling: what it decides from now on
 */

/** @typedef {"ruling" | "correction" | Ordered} Kind */
/** @typedef {"strike" | "restore" | "revert" | "finish" | "abandon" | "reopen" | "start" | "rematch"} Ordered what stands in order with the rounds of its match */
/** @typedef {"again" | "aside" | "after-theirs" | "back" | "reopen" | "close-up" | "drop" | "delete"} Step */
/** @typedef {"send-again" | "send-now" | "discard" | "change" | "anyway" | "correct-anyway" | "keep-theirs" | "same" | "another" | "delete-here"} Label */

/**
 * Return an item that waits, with what most have in common.
 * @param {Partial<Item> & Pick<Item, "key" | "match" | "address" | "fields">} given
 * @returns {Item}
 */
export const newItem = (given) => ({ says: "", points: {}, standing: "waiting", problem: "", theirs: [], ...given });

const FIRST_PAUSE = 4000;
const LONGEST_PAUSE = 60000;

/** Return whether a status means "not now" rather than "no". @param {number} status */
export const isAway = (status) => [0, 408, 429].includes(status) || status >= 500;

/** Return whether an item is a new round. @param {Item} item */
export const isRound = (item) => !item.kind;

/** What a kind adds to the number of rounds. @type {Record<string, number>} */
const COUNTED = { round: 1, strike: -1, restore: 1 };
const UNORDERED = ["ruling", "correction"];
const UNADDED = ["ruling", "finish", "abandon", "reopen", "start", "rematch"];

/** Return how many rounds an item adds: −1 for one that is struck. @param {Item} item */
export const brings = (item) => COUNTED[item.kind ?? "round"] ?? 0;

/** Return whether an item has its place in the order of its match: whatever comes later depends on it. @param {Item} item */
export const isOrdered = (item) => !UNORDERED.includes(item.kind ?? "round");

/** Return whether an item changes totals. @param {Item} item */
export const isAdded = (item) => !UNADDED.includes(item.kind ?? "round");

/** Return whether the phone could compute the points that an item brings. @param {Item} item */
export const isKnown = (item) => Object.keys(item.points).length > 0;

/** Return how many rounds there are after all of these; `recorded` are those of the server. @param {Item[]} ordered @param {number} recorded */
export function roundsAfter(ordered, recorded) {
  const last = ordered.at(-1);
  return last ? Number(last.after) + brings(last) : recorded;
}

/** Return the kind that all these items have; "entries" for a mixture. @param {Item[]} items */
function kindOf(items) {
  const kinds = new Set(items.map((item) => item.kind ?? "round"));
  const [kind] = kinds;
  return kinds.size === 1 && (kind === "round" || kind === "correction" || kind === "ruling") ? kind : "entries";
}

const COUNTS = /** @type {const} */ ({
  round: ["waiting-rounds", "sent-rounds"],
  correction: ["waiting-corrections", "sent-corrections"],
  ruling: ["waiting-rulings", "sent-rulings"],
  entries: ["waiting-entries", "sent-entries"],
});

/** Return the sentence on how many wait. @param {Item[]} items */
export const waitingWords = (items) => worded(COUNTS[kindOf(items)][0], { n: items.length });

/** Return the sentence that they were sent. @param {Item[]} items */
export const sentWords = (items) => worded(COUNTS[kindOf(items)][1], { n: items.length });

/** Return the title of an item: of a round, its number and points. @param {Item} item */
export const titleOf = (item) =>
  isRound(item) ? worded("waiting-round", { n: Number(item.after) + 1, says: item.says }) : (item.title ?? "");

/**
 * Return the heading and the lines on what waits. `live` waits to be sent; `drawn` is when a kept page was drawn, in words; `over` whether the points
 * that wait end the match. Return {title, lines}, both empty when there is nothing to show.
 * @param {Item[]} live
 * @param {{away: boolean, drawn: string, over: boolean}} how
 */
export function report(live, { away, drawn, over }) {
  const lines = [];
  if (!live.length) {
    if (away) lines.push(drawn ? worded("offline", { when: drawn }) : worded("unreachable"), worded("records-offline"));
    return { title: "", lines };
  }
  if (live.some((item) => item.problem)) lines.push(worded("check-marked"));
  else lines.push(worded(away ? "will-send" : "sending"));
  if (over) lines.push(worded("over-when-sent"));
  if (live.some((item) => isAdded(item) && !isRound(item) && !isKnown(item))) lines.push(worded("change-uncounted"));
  return { title: waitingWords(live), lines };
}

/**
 * Return what may be done with an item, with the label of each button.
 * @param {Item} item
 * @returns {[Label, Step][]}
 */
export function choices(item) {
  const ordered = isOrdered(item);
  if (item.standing === "aside") {
    return [
      ["send-again", ordered ? "back" : "again"],
      ["delete-here", "delete"],
    ];
  }
  /** @type {Step} */
  const away = ordered ? "close-up" : "aside";
  if (item.standing === "conflict" && isRound(item)) {
    return [
      ["another", "after-theirs"],
      ["same", "drop"],
    ];
  }
  if (item.standing === "conflict") {
    /** @type {[Label, Step][]} */
    const theirs = [["keep-theirs", away]];
    if (!item.theirs.length) return theirs;
    const label = item.kind === "correction" ? "correct-anyway" : "anyway";
    return [[label, item.after === undefined || item.round ? "again" : "after-theirs"], ...theirs];
  }
  /** @type {[Label, Step][]} */
  const found = item.standing === "open" ? [] : [["send-now", "again"]];
  if (item.state) found.push(["change", "reopen"]);
  return [...found, ["discard", away]];
}

/**
 * Return the items as a step leaves them, to be put in the places of those with their keys; `ordered` are those of its match that
 * wait in order, `recorded` counts the rounds that the server has. A step with the page only ("reopen", "drop", "delete") changes none.
 * @param {Step} step
 * @param {Item} item
 * @param {Item[]} ordered
 * @param {number} recorded
 * @returns {Item[]}
 */
export function after(step, item, ordered, recorded) {
  const following = ordered.slice(ordered.findIndex(({ key }) => key === item.key) + 1);
  /** @type {Item} */
  const again = { ...item, standing: "waiting", problem: "" };
  const aside = setAside(item);
  switch (step) {
    case "again":
      return [again];
    case "aside":
      return [aside];
    case "close-up":
      if (beginsMatch(item)) return [aside, ...following.map(setAside)];
      return [aside, ...numbered(following, Number(item.after))];
    case "after-theirs":
      return numbered([again, ...following], Number(item.after) + Math.max(1, item.theirs.length));
    case "back":
      return numbered([{ ...again, place: undefined }], roundsAfter(ordered, recorded));
    default:
      return [];
  }
}

/** Return an item as discarded: stored, and never sent. @param {Item} item @returns {Item} */
export const setAside = (item) => ({ ...item, standing: "aside", problem: "", theirs: [] });

/** Return whether an item begins a match of its own: without it nothing of that match can be sent. @param {Item} item */
export const beginsMatch = (item) => item.kind === "start" || item.kind === "rematch";

/**
 * Return what cannot be sent without an item: all of a match that it begins, and of the rematches of that.
 * @param {Item} item
 * @param {Item[]} all
 * @returns {Item[]}
 */
export function dependents(item, all) {
  if (!beginsMatch(item)) return [];
  const live = all.filter((one) => one.key !== item.key && one.standing !== "aside");
  const own = live.filter((one) => one.match === item.match);
  const next = live.filter((one) => one.of === item.match);
  return [...own, ...next.flatMap((one) => [one, ...dependents(one, all)])];
}

/**
 * Return items that follow one another with the number of rounds before each, from `first` on.
 * @param {Item[]} items
 * @param {number} first
 * @returns {Item[]}
 */
export function numbered(items, first) {
  let seen = first;
  return items.map((item) => {
    const before = seen;
    seen += brings(item);
    return {
      ...item,
      after: before,
      fields: item.fields.map(([name, value]) => [name, name === "after" ? String(before) : value]),
    };
  });
}

/**
 * Add what waits to what a side has, a player or a team: `needs` are the points still missing, null where nobody counts them.
 * @param {Item[]} live
 * @param {string[]} side
 * @param {number} total
 * @param {number | null} needs
 */
export function reached(live, side, total, needs) {
  const more = live.reduce((sum, item) => side.reduce((all, player) => all + (item.points[player] ?? 0), sum), 0);
  const left = needs === null ? null : needs - more;
  return { more, total: total + more, left, over: left !== null && more > 0 && left <= 0 };
}

/** Return the percent of the way to the target, rounded down as on the server. @param {number} total @param {number} left */
export const along = (total, left) =>
  Math.max(0, Math.min(100, total + left ? Math.floor((100 * total) / (total + left)) : 100));

/**
 * @typedef {object} SideNow How a player stands with what waits; partners have the same `side` and total.
 * @property {string} name
 * @property {string} side
 * @property {number} total
 * @property {boolean} over its target is reached
 */

/**
 * Rank players by their sides' totals as the server does, 1 for the best; who is put out comes after all others.
 * @param {SideNow[]} players
 * @param {"highest" | "lowest"} leads
 * @param {boolean} eliminates
 */
export function ranked(players, leads, eliminates) {
  const sign = leads === "highest" ? -1 : 1;
  /** @type {(one: SideNow, other: SideNow) => boolean} */
  const before = (one, other) => {
    const [out, otherOut] = [eliminates && one.over, eliminates && other.over];
    return out === otherOut ? sign * one.total < sign * other.total : otherOut;
  };
  return players.map(
    (player) => 1 + new Set(players.filter((one) => before(one, player)).map(({ side }) => side)).size,
  );
}

const MOST_GAINS = 4;
const MOST_LEADERS = 3;

/**
 * Return who gained how much and who leads now, in the server's sentences (`says`).
 * @param {[string, number][]} gains points by name
 * @param {SideNow[]} leaders none where the match is over
 * @param {number} number of the round
 * @param {Record<"gained" | "saved" | "leads" | "lead" | "tie" | "over" | "and", string>} says
 */
export function announced(gains, leaders, number, says) {
  /** @type {(texts: string[]) => string} */
  const joined = (texts) =>
    texts.length < 2
      ? texts.join("")
      : filled(says.and, { names: texts.slice(0, -1).join(", "), last: texts[texts.length - 1] });
  const some = gains.filter(([, points]) => points).map(([name, points]) => `${name} ${signed(points)}`);
  const names = leaders.map(({ name }) => name);
  const total = leaders.at(0)?.total ?? 0;
  const sides = new Set(leaders.map(({ side }) => side)).size;
  const told = some.length > 0 && some.length <= MOST_GAINS;
  const gained = told ? filled(says.gained, { gains: joined(some) }) : filled(says.saved, { n: number });
  if (!names.length) return `${gained} ${says.over}`;
  if (names.length === 1) return `${gained} ${filled(says.leads, { name: names[0], total })}`;
  if (names.length <= MOST_LEADERS) return `${gained} ${filled(says.lead, { names: joined(names), total })}`;
  return `${gained} ${filled(says.tie, { n: sides, total })}`;
}

/**
 * Return whether the match is over by what waits, where each side has reached its target or not: the first to do so ends it, or is
 * out, until one is left.
 * @param {boolean[]} sides
 * @param {boolean} eliminates
 */
export const isOver = (sides, eliminates) =>
  sides.some(Boolean) && (!eliminates || sides.filter((one) => !one).length < 2);

/** Return how long to wait before the next try, in milliseconds: half as long again as the last pause. @param {number} [pause] */
export const nextPause = (pause) => (pause ? Math.min(LONGEST_PAUSE, pause * 1.5) : FIRST_PAUSE);
