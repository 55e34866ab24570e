import assert from "node:assert/strict";
import { test } from "node:test";

import { counted, isAway, isRound } from "../../static/js/waiting-state.js";

test("what waits is counted by kind, in the order of a sheet", () => {
  const said = [
    [[{}], "1 round"],
    [[{}, {}], "2 rounds"],
    [[{ kind: "ruling" }, {}, {}], "2 rounds and 1 ruling"],
    [[{ kind: "ruling" }, { kind: "correction" }, { kind: "ruling" }], "1 correction and 2 rulings"],
  ];
  for (const [items, words] of said) assert.equal(counted(items), words);
});

test("a server that is down, hung or busy is away; one that says no is not", () => {
  assert.deepEqual([0, 408, 429, 500, 503, 599].filter((status) => !isAway(status)), []);
  assert.deepEqual([200, 303, 400, 401, 403, 404, 409, 412, 422].filter(isAway), []);
});

test("what has no kind is a round", () => {
  assert.deepEqual([{}, { kind: "ruling" }, { kind: "correction" }].map(isRound), [true, false, false]);
});
