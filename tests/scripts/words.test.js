import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import WORDS from "../../static/js/words/en.js";
import { atTime, filled, pieces, worded } from "../../static/js/words.js";

const FOLDER = new URL("../../static/js/", import.meta.url);
const keys = Object.keys(WORDS);
const scripts = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".js") && name !== "words.js")
  .map((name) => readFileSync(new URL(name, FOLDER), "utf8"));

test("each sentence is asked for by a script", () => {
  const asked = new Set(scripts.flatMap((text) => [...text.matchAll(/"([a-z-]+)"/g)].map(([, word]) => word)));
  assert.deepEqual(
    keys.filter((key) => !asked.has(key.replace(/\..*/, ""))),
    [],
  );
});

test("each sentence that is asked for is there", () => {
  const asked = scripts.flatMap((text) =>
    [...text.matchAll(/\b(?:worded|pieces)\("([a-z-]+)"/g)].map(([, key]) => key),
  );
  assert.ok(asked.length > 30);
  assert.deepEqual(
    asked.filter((key) => !keys.includes(key)),
    [],
  );
});

test("a time of day is told as the server writes it", () => {
  const evening = new Date(2026, 10, 22, 20, 5);
  assert.match(atTime(evening), /^8:05\sPM$/);
  assert.match(atTime(evening, true), /^Sun,? 8:05\sPM$/);
  assert.match(atTime(new Date(2026, 10, 22, 0, 5)), /^12:05\sAM$/);
});

test("one has a sentence of its own, and places are filled", () => {
  assert.equal(worded("waiting-rounds", { n: 1 }), "1 round not sent yet");
  assert.equal(worded("waiting-rounds", { n: 2 }), "2 rounds not sent yet");
  assert.deepEqual(pieces("elsewhere", { club: "<b>", n: 1 }), ["Not sent to ", "<b>", " yet (", "1", ")"]);
  assert.equal(filled("Record round {n}", { n: 7 }), "Record round 7");
});

test("a number stays behind a name that is written from the right", () => {
  assert.equal(filled("{name} leads with {n}.", { name: "محمد", n: -5 }), "\u200eمحمد\u200e leads with −5.");
  assert.equal(filled("{name}", { name: "Åsa" }), "Åsa");
});
