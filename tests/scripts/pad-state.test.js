import assert from "node:assert/strict";
import { test } from "node:test";

import {
  addUp,
  clear,
  credit,
  end,
  faceOf,
  fieldsOf,
  following,
  isCorrected,
  isDecided,
  isEntered,
  isTouched,
  knockOut,
  laid,
  lastCard,
  lastOneLeft,
  lay,
  leaveEmpty,
  order,
  pointsOf,
  readHand,
  saysOf,
  setAside,
  settled,
  sitOut,
  takeBack,
  turnSide,
  turnTo,
  type,
  whoIsLeft,
  withDraft,
  worth,
  writeHand,
} from "../../static/js/pad-state.js";

const PLAYERS = ["ada", "bo", "cy", "di"].map((id) => ({ id, name: id }));
const WORTHS = { 7: 7, skip: 20, wild: 50 };
const points = (card) => WORTHS[faceOf(card, (face) => face in WORTHS)] ?? 0;
const empty = () => ({ cards: [], typed: "", left: "", empty: false });
const start = (more = {}) => ({
  ended: "went-out",
  winner: null,
  sat: [],
  credited: [],
  last: "",
  turn: null,
  stage: "count",
  key: "k",
  after: 3,
  revision: "5",
  hands: { ada: empty(), bo: empty(), cy: empty(), di: empty() },
  ...more,
});
const counting = (turn, more = {}) => start({ winner: "bo", turn, ...more });
const typed = (keys, state = counting("cy")) =>
  [...keys].reduce((now, key) => type(now, key === "<" ? "erase" : key), state);
const deepFreeze = (value) => {
  Object.values(value)
    .filter((one) => one && typeof one === "object")
    .forEach(deepFreeze);
  return Object.freeze(value);
};

test("a typed sum is added up, a plus at its end waits, anything else is none", () => {
  assert.deepEqual(["20", "20+20+50", "7+", "", "+7", "7++8", "x"].map(addUp), [20, 90, 7, null, null, null, null]);
});

test("a field's cards are read where the page knows them all, else its sum", () => {
  const known = (face) => face in WORTHS;
  assert.deepEqual(readHand(" red-7, skip wild ", known), { cards: ["red-7", "skip", "wild"], typed: "", left: "" });
  assert.deepEqual(readHand("= 20 + 50", known), { cards: [], typed: "20+50", left: "" });
  assert.deepEqual(readHand("", known), { cards: [], typed: "", left: "" });
  assert.deepEqual(
    ["red-skip", "wild", "green-7", "pink-unknown"].map((card) => faceOf(card, known)),
    ["skip", "wild", "7", "unknown"],
  );
  for (const text of ["red-7 skip", "=20+50", ""]) {
    assert.equal(writeHand(readHand(text, known)), text, "what is read is written as it was");
  }
});

test("hands are counted clockwise from the one who went out, without those who sat out", () => {
  assert.deepEqual(order(start({ winner: "cy" }), PLAYERS), ["di", "ada", "bo"]);
  assert.deepEqual(order(start({ winner: "cy", sat: ["ada"] }), PLAYERS), ["di", "bo"]);
  assert.deepEqual(order(start({ ended: "time-limit" }), PLAYERS), ["ada", "bo", "cy", "di"]);
});

test("a hand follows until the last; a mended round without a missing hand is saved at once", () => {
  const queue = ["cy", "di", "ada"];
  assert.deepEqual(
    ["cy", "ada"].map((turn) => following(counting(turn), queue, false)),
    ["di", undefined],
  );
  const whole = {
    bo: empty(),
    cy: { ...empty(), cards: ["7"] },
    di: { ...empty(), typed: "20" },
    ada: { ...empty(), empty: true },
  };
  assert.equal(following(counting("cy", { hands: whole }), queue, false), "di");
  assert.equal(following(counting("cy", { hands: whole }), queue, true), undefined);
  assert.equal(isCorrected(counting("cy", { hands: whole, place: 2 }), queue, false), true);
  assert.equal(isCorrected(counting("cy"), queue, true), false);
});

test("someone is in turn as soon as the end of the round is known", () => {
  assert.equal(settled(start(), ["ada"]).turn, null);
  assert.equal(settled(end(start({ sat: ["bo"] }), "bo", "went-out"), ["cy", "di"]).turn, "cy");
  assert.deepEqual(end(start({ sat: ["bo", "di"] }), "bo", "went-out").sat, ["di"], "who went out did not sit out");
  assert.deepEqual([start(), start({ ended: "draw-pile-empty" }), counting("cy")].map(isDecided), [false, true, true]);
});

test("cards are laid, counted, worth something, and taken back", () => {
  const state = ["7", "red-skip", "7"].reduce(lay, counting("cy"));
  assert.equal(worth(state.hands.cy, points), 34);
  assert.deepEqual(takeBack(state, 1).hands.cy.cards, ["7", "7"]);
  assert.deepEqual(takeBack(state).hands.cy.cards, ["7", "red-skip"]);
  assert.equal(
    laid(lay(turnTo(state, "di"), "blue-skip"), ["cy", "di"], (card) => card.endsWith("skip")),
    2,
  );
  assert.equal(isEntered(clear(state), "cy"), false);
});

test("digits make a sum, or a number of cards where the clock ended the round", () => {
  assert.equal(typed("2+5").hands.cy.typed, "2+5");
  assert.deepEqual(
    [typed("+5"), typed("5++6"), typed("56<"), typed("<")].map((state) => state.hands.cy.typed),
    ["5", "5+6", "5", ""],
  );
  assert.equal(typed("1".repeat(40)).hands.cy.typed.length, 24);
  const late = typed("1+2", start({ ended: "time-limit", turn: "ada" }));
  assert.deepEqual([late.hands.ada.left, late.hands.ada.typed, isEntered(late, "ada")], ["12", "", true]);
});

test("an empty hand is one only where someone said so, and no more after a card", () => {
  const state = leaveEmpty(counting("cy"));
  assert.deepEqual([isEntered(counting("cy"), "cy"), isEntered(state, "cy")], [false, true]);
  assert.deepEqual(
    [lay(state, "7"), type(state, "7"), clear(state)].map((one) => one.hands.cy.empty),
    [false, false, false],
  );
  assert.deepEqual([start(), state].map(isTouched), [false, true]);
});

test("who sat out comes back by a tap on the name", () => {
  const state = sitOut(counting("cy"), "di");
  assert.deepEqual([state.sat, state.turn], [["cy"], "di"]);
  assert.deepEqual([turnTo(state, "cy").sat, turnTo(state, "cy").turn], [[], "cy"]);
});

test("credit and last card are switched on and off", () => {
  assert.deepEqual([credit(start(), "ada").credited, credit(credit(start(), "ada"), "ada").credited], [["ada"], []]);
  assert.deepEqual([lastCard(start(), "skip").last, lastCard(lastCard(start(), "skip"), "skip").last], ["skip", ""]);
});

test("points are shared as the page says: to the winner, to those credited, or to each their own", () => {
  const state = ["wild"].reduce(lay, turnTo(lay(counting("cy"), "7"), "di"));
  const winners = { own: 0, others: 1, fixed: 0 };
  assert.deepEqual(pointsOf(state, PLAYERS, winners, points), { ada: 0, bo: 57, cy: 0, di: 0 });
  assert.deepEqual(pointsOf(state, PLAYERS, { own: 1, others: 0, fixed: -5 }, points), {
    ada: 0,
    bo: -5,
    cy: 7,
    di: 50,
  });
  const ranked = { own: 0, others: 0, fixed: 0, ranks: [[10], [5], [4, 3]] };
  assert.deepEqual(pointsOf(state, PLAYERS, ranked, points), { ada: 5, bo: 10, cy: 4, di: 0 });
  const alike = lay(turnTo(lay(counting("cy"), "7"), "di"), "7");
  assert.deepEqual(pointsOf(alike, PLAYERS, ranked, points), { ada: 5, bo: 10, cy: 3, di: 3 });
  const knockedOut = { ...ranked, knockedOut: 100 };
  assert.deepEqual(pointsOf({ ...state, out: ["di"] }, PLAYERS, knockedOut, points), { ada: 5, bo: 110, cy: 4, di: 0 });
  const open = { ...state, winner: null, ended: "draw-pile-empty", credited: ["cy"] };
  assert.deepEqual(pointsOf(open, PLAYERS, winners, points), { ada: 0, bo: 0, cy: 50, di: 0 });
  assert.equal(saysOf("Bo went out", PLAYERS, { bo: 57, cy: 0 }), "Bo went out · bo +57");
  assert.equal(saysOf("Bo went out", PLAYERS, { cy: -20 }), "Bo went out · cy −20");
  assert.equal(saysOf("Bo went out", PLAYERS, {}), "Bo went out");
});

test("the fields post what counts, and nothing of those who are out", () => {
  const state = lay(turnTo(typed("20+", counting("di")), "cy"), "red-7");
  const fields = new Map(
    fieldsOf({ ...state, sat: ["ada"], hands: { ...state.hands, bo: { ...empty(), cards: ["7"] } } }, PLAYERS, false),
  );
  assert.deepEqual(Object.fromEntries(fields), {
    "ended": ["went-out"],
    "went_out": ["bo"],
    "sat_out": ["ada"],
    "credited_to": [],
    "knocked_out": [],
    "side": [],
    "last_card": [""],
    "empty": [],
    "idempotency_key": ["k"],
    "after": [3],
    "revision": ["5"],
    "hand-ada": [""],
    "hand-bo": [""],
    "hand-cy": ["red-7"],
    "hand-di": ["=20"],
  });
  assert.deepEqual(new Map(fieldsOf(start(), PLAYERS, true)).get("went_out"), [], "nobody went out");
  assert.deepEqual(new Map(fieldsOf(leaveEmpty(state), PLAYERS, true)).get("empty"), ["cy"]);
});

test("cards of one side wait while the other is tapped, and come back with it", () => {
  const light = lay(lay(turnTo(turnSide(counting("cy"), "light"), "cy"), "skip"), "wild");
  const dark = turnSide(light, "dark");
  assert.deepEqual(dark.hands.cy.cards, []);
  assert.deepEqual(
    setAside(dark, PLAYERS).map(({ id }) => id),
    ["cy"],
  );
  const both = lay(dark, "7");
  assert.deepEqual(new Map(fieldsOf(both, PLAYERS, false)).get("side"), ["dark"]);
  const back = turnSide(both, "light");
  assert.deepEqual([back.hands.cy.cards, turnSide(back, "dark").hands.cy.cards], [["skip", "wild"], ["7"]]);
  assert.equal(turnSide(back, "light"), back);
  assert.deepEqual(setAside(turnSide(counting("cy"), "dark"), PLAYERS), [], "nothing is lost before a side is said");
});

test("whoever was knocked out is asked for no hand, until their name is tapped again", () => {
  const state = knockOut(counting("cy"), "di");
  assert.deepEqual([state.turn, order(state, PLAYERS)], ["di", ["di", "ada"]]);
  assert.deepEqual(new Map(fieldsOf(state, PLAYERS, false)).get("knocked_out"), ["cy"]);
  assert.deepEqual(order(turnTo(state, "cy"), PLAYERS), ["cy", "di", "ada"]);
  assert.deepEqual(pointsOf(state, PLAYERS, undefined, points), {}, "only the server can tell");
  const share = { own: 0, others: 1, fixed: 0, knockedOut: 250 };
  assert.equal(pointsOf(lay(state, "7"), PLAYERS, share, points).bo, 257);
});

test("a partner's hand is not asked for and counts for nobody, but may be entered", () => {
  const teams = PLAYERS.map((player, place) => ({ ...player, mates: [PLAYERS[(place + 2) % 4].id] }));
  const state = end(start(), "bo", "went-out");
  assert.deepEqual(order(state, teams), ["cy", "ada"]);
  assert.deepEqual(order(state, PLAYERS), ["cy", "di", "ada"]);
  const entered = ["wild"].reduce(lay, turnTo(lay(turnTo(state, "cy"), "7"), "di"));
  assert.deepEqual(order(entered, teams), ["cy", "di", "ada"]);
  assert.equal(pointsOf(entered, teams, { own: 0, others: 1, fixed: 0 }, points).bo, 7);
  assert.deepEqual(new Map(fieldsOf(entered, teams, false)).get("hand-di"), ["wild"]);
});

test("a round ends with the last one left, who wins it", () => {
  const state = lastOneLeft(start({ sat: ["di"] }), "bo", PLAYERS);
  assert.deepEqual([state.out, order(state, PLAYERS), whoIsLeft(state, PLAYERS)?.id], [["ada", "cy"], [], "bo"]);
  const share = { own: 0, others: 1, fixed: 0, knockedOut: 250 };
  assert.deepEqual(pointsOf(state, PLAYERS, share, points), { ada: 0, bo: 500, cy: 0, di: 0 });
  assert.deepEqual(end(state, "ada", "went-out").out, [], "and it may have been another end");
});

test("a draft is laid over the seats there are now", () => {
  const { ada, bo } = counting("ada").hands;
  const draft = lay(counting("ada", { winner: "gone", hands: { ada, bo, gone: empty() } }), "7");
  const state = withDraft(start(), draft, PLAYERS);
  assert.equal(state.winner, null);
  assert.deepEqual(
    [Object.keys(state.hands).sort(), state.hands.ada.cards],
    [["ada", "bo", "cy", "di", "gone"], ["7"]],
  );
});

test("no tap changes the state before it", () => {
  const state = deepFreeze(lay(counting("cy"), "7"));
  for (const step of [
    () => lay(state, "7"),
    () => takeBack(state),
    () => type(state, "1"),
    () => clear(state),
    () => leaveEmpty(state),
    () => sitOut(state, "di"),
    () => credit(state, "di"),
    () => end(state, "ada", "went-out"),
    () => turnTo(state, "di"),
  ]) {
    assert.doesNotThrow(step);
    assert.notEqual(step(), state);
  }
});
