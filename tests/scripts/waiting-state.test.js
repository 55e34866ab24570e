import assert from "node:assert/strict";
import { test } from "node:test";

import {
  after,
  along,
  announced,
  choices,
  dependents,
  isAway,
  isOver,
  isRound,
  nextPause,
  numbered,
  ranked,
  reached,
  report,
  roundsAfter,
  sentWords,
  titleOf,
  waitingWords,
} from "../../static/js/waiting-state.js";

const round = (number, more = {}) => ({
  key: `key-${number}`,
  place: number,
  match: "m",
  fields: [
    ["after", String(number)],
    ["hand-ada", "7"],
  ],
  after: number,
  says: "Ada went out",
  standing: "waiting",
  problem: "",
  theirs: [],
  points: { ada: 20 },
  ...more,
});
const ruling = (more = {}) =>
  round(0, { after: undefined, kind: "ruling", title: "Challenge", asks: "/disputes/challenge", points: {}, ...more });
const steps = (item) => choices(item).map(([, step]) => step);

test("what waits is counted, and called by its kind where it is all of one", () => {
  const said = [
    [[{}], "1 round not sent yet"],
    [[{}, {}], "2 rounds not sent yet"],
    [[{ kind: "ruling" }], "1 ruling not sent yet"],
    [[{ kind: "correction" }, { kind: "correction" }], "2 corrections not sent yet"],
    [[{ kind: "ruling" }, {}, {}], "3 entries not sent yet"],
  ];
  for (const [items, words] of said) assert.equal(waitingWords(items), words);
});

test("a server that is down, hung or busy is away; one that says no is not", () => {
  assert.deepEqual(
    [0, 408, 429, 500, 503, 599].filter((status) => !isAway(status)),
    [],
  );
  assert.deepEqual([200, 303, 400, 401, 403, 404, 409, 412, 422].filter(isAway), []);
});

test("what has no kind is a round", () => {
  assert.deepEqual([{}, { kind: "ruling" }, { kind: "correction" }].map(isRound), [true, false, false]);
  assert.deepEqual([round(2), ruling()].map(titleOf), ["Round 3: Ada went out", "Challenge"]);
});

test("the report names what waits first, and nothing where nothing does", () => {
  const how = { away: false, drawn: "", over: false };
  assert.deepEqual(report([], how), { title: "", lines: [] });
  assert.equal(
    report([], { ...how, away: true, drawn: "Fri 20:15" }).lines.filter((line) => line.includes("Fri 20:15")).length,
    1,
  );
  const [going, stuck, wrong] = [
    report([round(0)], how),
    report([round(0)], { ...how, away: true }),
    report([round(0, { problem: "No" })], how),
  ];
  assert.equal(new Set([going, stuck, wrong].map(({ lines }) => lines[0])).size, 3);
  assert.equal(report([round(0), ruling({ kind: "correction" })], { ...how, over: true }).lines.length, 3);
  assert.notEqual(report([round(0)], how).title.replace("1 round", ""), "");
  assert.match(sentWords([round(0), round(1)]), /^2 rounds/);
});

test("each standing has its own choices", () => {
  assert.deepEqual(steps(ruling()), ["again", "aside"]);
  assert.deepEqual(steps(ruling({ standing: "conflict" })), ["aside"], "nothing to correct where theirs is not known");
  assert.deepEqual(steps(ruling({ standing: "conflict", theirs: ["Round 1"] })), ["again", "aside"]);
  assert.deepEqual(steps(ruling({ standing: "aside" })), ["again", "delete"]);
  const rounds = [
    round(0),
    round(1, { standing: "refused", problem: "No", state: {} }),
    round(2, { standing: "open" }),
  ];
  assert.deepEqual(rounds.map(steps), [["again", "close-up"], ["again", "reopen", "close-up"], ["close-up"]]);
  assert.deepEqual(steps(round(0, { standing: "conflict" })), ["after-theirs", "drop"]);
  assert.deepEqual(steps(round(0, { standing: "aside" })), ["back", "delete"]);
  const changed = { standing: "conflict", theirs: ["Round 5"] };
  assert.deepEqual(steps(round(0, { ...changed, kind: "strike", round: "r" })), ["again", "close-up"]);
  assert.deepEqual(steps(round(0, { ...changed, kind: "finish" })), ["after-theirs", "close-up"]);
});

test("what stands in order counts the rounds before it, and a gap is closed", () => {
  const ordered = [
    round(6),
    round(7, { kind: "strike", round: "r" }),
    round(6, { key: "again" }),
    round(7, { key: "end", kind: "finish" }),
  ];
  assert.deepEqual(
    numbered(ordered, 6).map(({ after: seen }) => seen),
    [6, 7, 6, 7],
  );
  assert.equal(roundsAfter(ordered, 6), 7);
  assert.equal(roundsAfter([], 6), 6);
  assert.deepEqual(
    after("close-up", ordered[1], ordered, 6).map(({ key, standing, after: seen }) => [key, standing, seen]),
    [
      ["key-7", "aside", 7],
      ["again", "waiting", 7],
      ["end", "waiting", 8],
    ],
  );
  const begun = [round(0, { key: "start", kind: "start", points: {} }), round(0), round(1)];
  assert.deepEqual(
    after("close-up", begun[0], begun, 0).map(({ standing }) => standing),
    ["aside", "aside", "aside"],
    "nothing of a match can be sent without its start",
  );
});

test("a start takes with it what cannot be sent without it", () => {
  const [start, own] = [round(0, { key: "start", kind: "start" }), round(1, { key: "own" })];
  const next = round(0, { key: "next", kind: "rematch", of: "m", match: "n" });
  const last = round(1, { key: "last", match: "n" });
  const other = round(0, { key: "other", match: "o" });
  const all = [start, own, next, last, other];
  assert.deepEqual(
    dependents(start, all).map(({ key }) => key),
    ["own", "next", "last"],
  );
  assert.deepEqual(dependents(own, all), []);
});

test("a round set aside leaves no gap, and comes back behind the others", () => {
  const rounds = [round(4), round(5), round(6)];
  const left = after("close-up", rounds[0], rounds, 4);
  assert.deepEqual(
    left.map(({ key, standing, after: seen }) => [key, standing, seen]),
    [
      ["key-4", "aside", 4],
      ["key-5", "waiting", 4],
      ["key-6", "waiting", 5],
    ],
  );
  const [back] = after("back", left[0], left.slice(1), 4);
  assert.deepEqual([back.standing, back.after, back.place, back.fields[0][1]], ["waiting", 6, undefined, "6"]);
  assert.equal(after("back", left[0], [], 9)[0].after, 9);
});

test("another round than theirs goes behind as many as they recorded, with all that follow it", () => {
  const rounds = [round(4, { standing: "conflict", theirs: ["Round 5", "Round 6"], problem: "Late" }), round(5)];
  assert.deepEqual(
    after("after-theirs", rounds[0], rounds, 4).map((item) => [item.standing, item.after, item.problem]),
    [
      ["waiting", 6, ""],
      ["waiting", 7, ""],
    ],
  );
  assert.equal(
    after("after-theirs", { ...rounds[0], theirs: [] }, [], 4)[0].after,
    5,
    "the server did not say how many",
  );
  assert.deepEqual(
    after("aside", rounds[0], rounds, 4).map(({ standing, theirs }) => [standing, theirs]),
    [["aside", []]],
  );
  assert.deepEqual(after("reopen", rounds[0], rounds, 4), []);
});

test("numbers are put into the fields too, and nowhere else", () => {
  assert.deepEqual(
    numbered([round(0), round(1)], 7).map(({ fields }) => fields),
    [
      [
        ["after", "7"],
        ["hand-ada", "7"],
      ],
      [
        ["after", "8"],
        ["hand-ada", "7"],
      ],
    ],
  );
});

test("waiting points count towards a total and the target", () => {
  const live = [round(0), round(1, { points: { ada: 30, bo: -5 } })];
  assert.deepEqual(reached(live, ["ada"], 100, 60), { more: 50, total: 150, left: 10, over: false });
  assert.deepEqual(reached(live, ["ada"], 100, 50), { more: 50, total: 150, left: 0, over: true });
  assert.deepEqual(reached(live, ["bo"], 10, null), { more: -5, total: 5, left: null, over: false });
  assert.equal(reached(live, ["ada", "bo"], 100, 60).more, 45, "a team has one total");
  assert.equal(reached([], ["ada"], 500, 0).over, false, "what the server has is for the server to say");
});

test("pauses grow to a minute", () => {
  const pauses = [nextPause()];
  while (pauses.length < 12) pauses.push(nextPause(pauses.at(-1)));
  assert.deepEqual([pauses[0], pauses[1], pauses.at(-1)], [4000, 6000, 60000]);
});

test("the first at the target ends the match, or is out until one is left", () => {
  assert.deepEqual(
    [isOver([false, false], false), isOver([true, false], false), isOver([], false)],
    [false, true, false],
  );
  assert.deepEqual(
    [isOver([true, false, false], true), isOver([true, false, true], true), isOver([false], true)],
    [false, true, false],
  );
});

const stands = (name, total, more = {}) => ({ name, side: name, total, over: false, ...more });

test("players are ranked as the server ranks them: the best first, those put out last, partners as one", () => {
  const three = [stands("Ada", 20), stands("Bo", 50), stands("Cy", 20)];
  assert.deepEqual(ranked(three, "highest", false), [2, 1, 2]);
  assert.deepEqual(ranked(three, "lowest", false), [1, 3, 1]);
  assert.deepEqual(ranked([stands("Ada", 500, { over: true }), stands("Bo", 499)], "lowest", true), [2, 1]);
  assert.deepEqual(ranked([stands("Ada", 500, { over: true }), stands("Bo", 499)], "highest", false), [1, 2]);
  const pairs = ["a", "b", "a", "b"].map((side, place) => stands(`${place}`, side === "a" ? 5 : 9, { side }));
  assert.deepEqual(ranked(pairs, "highest", false), [2, 1, 2, 1]);
});

test("the way to the target is told in whole percents, never beyond it", () => {
  assert.deepEqual(
    [along(109, 391), along(0, 500), along(-20, 520), along(520, -20), along(499, 1)],
    [21, 0, 0, 100, 99],
  );
});

test("a round is announced with its gains and who leads then", () => {
  const says = {
    gained: "{gains}.",
    saved: "Round {n} saved.",
    leads: "{name} leads with {total}.",
    lead: "{names} lead with {total}.",
    tie: "{n}-way tie at {total}.",
    over: "The match is over.",
    and: "{names} and {last}",
  };
  const say = (gains, ...leaders) => announced(Object.entries(gains), leaders, 3, says);
  assert.equal(say({ Ada: 109, Bo: 0 }, stands("Ada", 184)), "Ada +109. Ada leads with 184.");
  assert.equal(
    say({ Ada: 5, Bo: -20, Cy: 7 }, stands("Ada", -5), stands("Cy", -5)),
    "Ada +5, Bo −20 and Cy +7. Ada and Cy lead with −5.",
  );
  assert.equal(say({ Ada: 0 }, ...["a", "b", "c", "d"].map((one) => stands(one, 0))), "Round 3 saved. 4-way tie at 0.");
  const pairs = ["a", "b", "a", "b"].map((side) => stands(side, 9, { side }));
  assert.equal(say({ a: 1, b: 1, c: 1, d: 1, e: 1 }, ...pairs), "Round 3 saved. 2-way tie at 9.");
  assert.equal(say({ Ada: 9 }), "Ada +9. The match is over.");
});
