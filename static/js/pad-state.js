// The hand pad's state, without a page: whose hand is counted, what it is worth, and what each tap changes. It knows no rule:
// the page gives the worths of the cards and the shares of the points. Every change gives a new state.

import { signed } from "./words.js";

/**
 * @typedef {{id: string, name: string, mates?: string[]}} Player mates: whose going out leaves this hand uncounted
 * @typedef {{cards: string[], typed: string, left: string, empty?: boolean}} Hand typed: a sum such as "20+50" instead of cards
 * @typedef {{own: number, others: number, fixed: number, knockedOut?: number, ranks?: number[][]}} Share what a taker gets of the hands, and for each player knocked out
 */

/**
 * @typedef {object} PadState
 * @property {string} ended "went-out" or another ending
 * @property {string | null} winner who went out
 * @property {string[]} sat who sat the round out
 * @property {string[]} [out] who was knocked out of the round
 * @property {string} [side] the side that showed at the end, of a deck that has two
 * @property {Record<string, Record<string, Pick<Hand, "cards" | "typed">>>} [aside] hands entered for another side, by side and player
 * @property {string[]} credited who gets the points where nobody went out
 * @property {string} last the winner's last card, where it matters
 * @property {Record<string, Hand>} hands
 * @property {string | null} turn whose hand is being counted
 * @property {"winner" | "count" | "credit" | "left"} stage
 * @property {string} key
 * @property {string | number} after the rounds seen before this one
 * @property {string} revision
 * @property {string} [version]
 * @property {number} [place] of a round that waits on this phone
 * @property {boolean} [sent] of a draft: it was on its way when the page was left
 */

const LONGEST = 24;
const LAST_ONE_LEFT = "last-one-left";

/** Return the face of a card: "skip" of "red-skip". @param {string} card @param {(face: string) => boolean} known @returns {string} */
export function faceOf(card, known) {
  const dash = card.indexOf("-");
  return known(card) || dash < 0 ? card : faceOf(card.slice(dash + 1), known);
}

/** Return the sum of a typed text such as "20+20+50"; null when it is none. @param {string} typed */
export function addUp(typed) {
  const text = closed(typed);
  return /^\d+(\+\d+)*$/.test(text) ? text.split("+").reduce((sum, part) => sum + Number(part), 0) : null;
}

/** Leave out a plus that nothing follows. @param {string} typed */
const closed = (typed) => typed.replace(/\++$/, "");

/** Read the text of a field: cards where the page knows them all, else a typed sum. @param {string} text @param {(face: string) => boolean} known @returns {Hand} */
export function readHand(text, known) {
  const said = text.trim().replace(/^=\s*/, "");
  const cards = said.split(/[\s,]+/).filter(Boolean);
  if (cards.every((card) => known(faceOf(card, known)))) return { cards, typed: "", left: "" };
  return { cards: [], typed: said.replace(/\s/g, ""), left: "" };
}

/** Return a hand as its field has it. @param {Hand} hand */
export const writeHand = ({ cards, typed }) => (typed ? `=${closed(typed)}` : cards.join(" "));

/** Return what a hand is worth, in points. @param {Hand} hand @param {(card: string) => number} points */
export function worth({ cards, typed }, points) {
  return typed ? (addUp(typed) ?? 0) : cards.reduce((sum, card) => sum + points(card), 0);
}

/** Return whether only the numbers of cards count. @param {PadState} state */
export const countsCards = (state) => state.ended === "time-limit";

/** Return whether it was entered how the round ended. @param {PadState} state */
export const isDecided = (state) => state.winner !== null || state.ended !== "went-out";

/** Return whether a player was knocked out. @param {PadState} state @param {string} id */
export const isKnockedOut = (state, id) => Boolean(state.out?.includes(id));

/** Return whether a hand was entered, even as empty. @param {PadState} state @param {string} id */
export function isEntered(state, id) {
  const { cards, typed, left, empty } = state.hands[id];
  return countsCards(state) ? left !== "" : cards.length > 0 || typed !== "" || Boolean(empty);
}

/** Return whether anything was tapped in. @param {PadState} state */
export const isTouched = (state) =>
  state.winner !== null ||
  Object.values(state.hands).some((one) => one.cards.length > 0 || Boolean(one.typed || one.left || one.empty));

/** Return the players of pairs of ids and names; `teams` are those in which a partner's hand doesn't count. @param {[string, string][]} named @param {string[][]} teams @returns {Player[]} */
export const playersOf = (named, teams) =>
  named.map(([id, name]) => ({
    id,
    name,
    mates: teams.find((team) => team.includes(id))?.filter((one) => one !== id),
  }));

/** Return whether a hand counts for nobody, as its holder is a partner of the one who went out. @param {PadState} state @param {Player} player */
export const isAside = (state, { mates }) => Boolean(state.winner && mates?.includes(state.winner));

/** Return those whose hands are asked for, clockwise from the one who went out; one that doesn't count only where it is wanted. @param {PadState} state @param {Player[]} players */
export function order(state, players) {
  if (state.ended === LAST_ONE_LEFT) return [];
  const start = players.findIndex(({ id }) => id === state.winner);
  return players
    .map((_, step) => players[(start + 1 + step + players.length) % players.length])
    .filter((player) => !isAside(state, player) || player.id === state.turn || isEntered(state, player.id))
    .map(({ id }) => id)
    .filter((id) => id !== state.winner && !state.sat.includes(id) && !isKnockedOut(state, id));
}

/** Return whether this corrects a saved or waiting round in which no hand is missing: then there is nobody to go on to. @param {PadState} state @param {string[]} queue @param {boolean} corrects */
export const isCorrected = (state, queue, corrects) =>
  (corrects || Boolean(state.place)) && queue.every((id) => isEntered(state, id));

/** Return whose hand follows; undefined after the last. @param {PadState} state @param {string[]} queue @param {boolean} corrects */
export function following(state, queue, corrects) {
  return isCorrected(state, queue, corrects) ? undefined : queue[queue.indexOf(state.turn ?? "") + 1];
}

/** Put someone in turn where nobody is. @param {PadState} state @param {string[]} queue @returns {PadState} */
export const settled = (state, queue) =>
  isDecided(state) && !queue.includes(state.turn ?? "") ? { ...state, turn: queue[0] ?? null } : state;

/** Count the cards of a face in all hands. @param {PadState} state @param {string[]} queue @param {(card: string) => boolean} isFace */
export const laid = (state, queue, isFace) =>
  queue.reduce((sum, id) => sum + state.hands[id].cards.filter(isFace).length, 0);

/** Set who went out, or how else the round ended. @param {PadState} state @param {string | null} winner @param {string} ended @returns {PadState} */
export const end = (state, winner, ended) => ({
  ...state,
  winner,
  ended,
  stage: "count",
  turn: null,
  sat: state.sat.filter((id) => id !== winner),
  out: state.ended === LAST_ONE_LEFT ? [] : state.out?.filter((id) => id !== winner),
});

/** Set who is left when all others were knocked out; nobody's hand counts then. @param {PadState} state @param {string} id @param {Player[]} players @returns {PadState} */
export const lastOneLeft = (state, id, players) => ({
  ...end(state, null, LAST_ONE_LEFT),
  sat: state.sat.filter((other) => other !== id),
  out: players.map((player) => player.id).filter((other) => other !== id && !state.sat.includes(other)),
});

/** Return who won a round as the last one left. @param {PadState} state @param {Player[]} players */
export const whoIsLeft = (state, players) =>
  state.ended === LAST_ONE_LEFT
    ? players.find(({ id }) => !isKnockedOut(state, id) && !state.sat.includes(id))
    : undefined;

/** Set which side showed at the end. Cards are not the same on both, so those entered for the other are set aside. @param {PadState} state @param {string} side @returns {PadState} */
export function turnSide(state, side) {
  if (state.side === side) return state;
  if (!state.side) return { ...state, side };
  const hands = Object.entries(state.hands);
  const aside = Object.fromEntries(hands.map(([id, { cards, typed }]) => [id, { cards, typed }]));
  const there = state.aside?.[side] ?? {};
  return {
    ...state,
    side,
    last: "",
    aside: { ...state.aside, [state.side]: aside },
    hands: Object.fromEntries(hands.map(([id, hand]) => [id, { ...hand, ...(there[id] ?? { cards: [], typed: "" }) }])),
  };
}

/** Return those for whom cards of another side are set aside. @param {PadState} state @param {Player[]} players */
export const setAside = (state, players) =>
  players.filter(({ id }) =>
    Object.entries(state.aside ?? {}).some(
      ([side, hands]) => side !== state.side && (hands[id]?.cards.length || hands[id]?.typed),
    ),
  );

/** Turn to a player's hand, also of one who sat out or was knocked out. @param {PadState} state @param {string} id @returns {PadState} */
export const turnTo = (state, id) => ({
  ...state,
  sat: state.sat.filter((other) => other !== id),
  out: state.out?.filter((other) => other !== id),
  turn: id,
  stage: "count",
});

/** @param {PadState} state @param {Partial<Hand>} more @returns {PadState} */
function withHand(state, more) {
  const id = state.turn ?? "";
  return { ...state, hands: { ...state.hands, [id]: { ...state.hands[id], ...more } } };
}

/** Add a card to the hand in turn. @param {PadState} state @param {string} face */
export const lay = (state, face) =>
  withHand(state, { cards: [...state.hands[state.turn ?? ""].cards, face], empty: false });

/** Take a card back, the last one where no place is given. @param {PadState} state @param {number} [place] */
export const takeBack = (state, place = state.hands[state.turn ?? ""].cards.length - 1) =>
  withHand(state, { cards: state.hands[state.turn ?? ""].cards.filter((_, at) => at !== place) });

/** Begin the hand in turn anew. @param {PadState} state */
export const clear = (state) => withHand(state, { cards: [], typed: "", empty: false });

/** Mark the hand in turn as empty. @param {PadState} state */
export const leaveEmpty = (state) => withHand(state, { empty: true });

/** Type a digit, "+" or "erase" into the hand in turn: its worth, or its number of cards. @param {PadState} state @param {string} key */
export function type(state, key) {
  const name = countsCards(state) ? "left" : "typed";
  const before = state.hands[state.turn ?? ""][name];
  const takes = key === "+" ? name === "typed" && /\d$/.test(before) : before.length < LONGEST;
  return withHand(state, {
    [name]: key === "erase" ? before.slice(0, -1) : takes ? before + key : before,
    empty: false,
  });
}

/** Mark the one in turn as sitting out, and go on to `next`. @param {PadState} state @param {string | undefined} next @returns {PadState} */
export const sitOut = (state, next) => ({ ...state, sat: [...state.sat, state.turn ?? ""], turn: next ?? null });

/** Mark the one in turn as knocked out, and go on to `next`. @param {PadState} state @param {string | undefined} next @returns {PadState} */
export const knockOut = (state, next) => ({
  ...state,
  out: [...(state.out ?? []), state.turn ?? ""],
  turn: next ?? null,
});

/** Credit a player with a round that nobody won, or no longer. @param {PadState} state @param {string} id @returns {PadState} */
export const credit = (state, id) => ({
  ...state,
  credited: state.credited.includes(id) ? state.credited.filter((other) => other !== id) : [...state.credited, id],
});

/** Set the winner's last card, or clear it where it is set already. @param {PadState} state @param {string} card @returns {PadState} */
export const lastCard = (state, card) => ({ ...state, last: state.last === card ? "" : card });

/**
 * Lay a draft over what the page has: who sat down meanwhile has an empty hand; the hand of one who left waits for them.
 * @param {PadState} state
 * @param {PadState} draft
 * @param {Player[]} players
 * @returns {PadState}
 */
export function withDraft(state, draft, players) {
  const winner = players.some(({ id }) => id === draft.winner) ? draft.winner : null;
  return { ...draft, winner, sent: undefined, hands: { ...state.hands, ...draft.hands } };
}

/**
 * Compute the points that a round brings by the share its ending gives, of hands by player.
 * @param {PadState} state
 * @param {Player[]} players
 * @param {Share | undefined} share none where only the server can tell
 * @param {(face: string) => number} points
 */
export function pointsOf(state, players, share, points) {
  if (!share) return {};
  const left = whoIsLeft(state, players);
  const takers = state.ended === "went-out" ? [state.winner] : left ? [left.id] : state.credited;
  const fixed = share.fixed + (share.knockedOut ?? 0) * (state.out?.length ?? 0);
  const hands = new Map(order(state, players).map((id) => [id, worth(state.hands[id], points)]));
  const all = [...hands.values()].reduce((sum, one) => sum + one, 0);
  if (share.ranks) {
    if (state.ended === "went-out" && state.winner !== null) hands.set(state.winner, -1);
    const sorted = [...hands.values()].sort((one, other) => one - other);
    return Object.fromEntries(
      players.map(({ id }) => {
        const alike = sorted.filter((one) => one === hands.get(id)).length;
        const ranked = share.ranks?.[sorted.indexOf(hands.get(id) ?? NaN)]?.[alike - 1] ?? 0;
        return [id, ranked + (takers.includes(id) ? fixed : 0)];
      }),
    );
  }
  return Object.fromEntries(
    players.map(({ id, mates = [] }) => {
      const own = hands.get(id) ?? 0;
      const others = mates.reduce((sum, mate) => sum - (hands.get(mate) ?? 0), all - own);
      return [id, share.own * own + (takers.includes(id) ? fixed + share.others * others : 0)];
    }),
  );
}

/**
 * Return the fields that a form posts for this state, each with all its values. `leftToo` says whether numbers of cards count.
 * @param {PadState} state
 * @param {Player[]} players
 * @param {boolean} leftToo
 * @returns {[string, (string | number)[]][]}
 */
export function fieldsOf(state, players, leftToo) {
  const { ended, winner, sat, credited, last, key, after, revision, side = "", out = [] } = state;
  const queue = order(state, players);
  /** @type {[string, (string | number)[]][]} */
  const fields = [
    ["ended", [ended]],
    ["went_out", winner ? [winner] : []],
    ["sat_out", sat],
    ["knocked_out", out],
    ["side", side ? [side] : []],
    ["credited_to", credited],
    ["last_card", [last]],
    ["empty", queue.filter((id) => state.hands[id].empty)],
    ["idempotency_key", [key]],
    ["after", [after]],
    ["revision", [revision]],
  ];
  for (const { id } of players) {
    const counts = queue.includes(id);
    fields.push([`hand-${id}`, [counts ? writeHand(state.hands[id]) : ""]]);
    if (leftToo) fields.push([`left-${id}`, [counts ? state.hands[id].left : ""]]);
  }
  return fields;
}

/**
 * Return in words how a round ended, and who got how many points.
 * @param {string} ended in words
 * @param {Player[]} players
 * @param {Record<string, number>} points
 */
export function saysOf(ended, players, points) {
  const gains = players
    .filter(({ id }) => points[id])
    .map(({ id, name }) => `${name} ${signed(points[id])}`)
    .join(", ");
  return [ended, gains].filter(Boolean).join(" · ");
}
