import assert from "node:assert/strict";
import { test } from "node:test";

import { lettersOf, meaningOf } from "../../static/js/keyboard.js";

const named = (...labels) => labels.map((label) => [label.toLowerCase().replaceAll(" ", "-"), label]);
const CLASSIC = ["0", "7", "Skip", "Reverse", "Draw Two", "Wild", "Wild Draw Four"];

test("each deck's cards have letters of their own, the initials of the classic ones", () => {
  const cases = [
    [CLASSIC, { s: "skip", r: "reverse", d: "draw-two", w: "wild", f: "wild-draw-four" }],
    [
      ["Reverse", "Draw Five", "Skip Everyone", "Flip", "Wild", "Wild Draw Color"],
      { r: "reverse", d: "draw-five", s: "skip-everyone", f: "flip", w: "wild", c: "wild-draw-color" },
    ],
    [
      ["Draw Two", "Draw Four", "Skip", "Skip Everyone", "Wild Draw Six"],
      { d: "draw-two", f: "draw-four", s: "skip", e: "skip-everyone", w: "wild-draw-six" },
    ],
    [["Hit 1", "Hit 2"], { h: "hit-1", i: "hit-2" }],
    [["Wild", "W"], { w: "wild" }],
    [["10", "+5", "W"], { w: "w" }],
    [["Ä", "Éa"], { a: "éa" }],
    [[], {}],
  ];
  for (const [labels, letters] of cases) {
    assert.deepEqual(Object.fromEntries(lettersOf(named(...labels))), letters, labels.join());
  }
});

test("a pressed key means a card, a digit of a total, a step, or nothing here", () => {
  const letters = lettersOf(named(...CLASSIC));
  const has = (face) => ["0", "7", "skip", "wild-draw-four"].includes(face); // The deck's other cards are all laid.
  const plain = { key: "", ctrlKey: false, metaKey: false, altKey: false, repeat: false };
  const cards = { entering: true, typing: false, free: false, has, letters };
  const total = { ...cards, typing: true };
  const asking = { ...cards, entering: false };
  const lays = (what) => ({ does: "lay", what });
  const types = (what) => ({ does: "type", what });
  const cases = [
    ["7", cards, lays("7")],
    ["0", cards, lays("0")],
    ["9", cards, null],
    ["s", cards, lays("skip")],
    ["S", cards, lays("skip")],
    ["f", cards, lays("wild-draw-four")],
    ["w", cards, null],
    ["x", cards, null],
    ["+", cards, null],
    ["F5", cards, null],
    [" ", cards, null],
    ["Tab", cards, null],
    [{ key: "s", ctrlKey: true }, cards, null],
    [{ key: "s", metaKey: true }, cards, null],
    [{ key: "7", altKey: true }, cards, null],
    [{ key: "7", repeat: true }, cards, null],
    ["Backspace", cards, { does: "erase" }],
    [{ key: "Backspace", repeat: true }, cards, { does: "erase" }],
    ["7", total, types("7")],
    ["+", total, types("+")],
    ["s", total, null],
    ["Backspace", total, { does: "erase" }],
    ["7", asking, null],
    ["s", asking, null],
    ["Backspace", asking, null],
    ["Enter", cards, null],
    ["Enter", { ...cards, free: true }, { does: "next" }],
    ["Enter", { ...asking, free: true }, { does: "next" }],
    [{ key: "Enter", repeat: true }, cards, { does: "nothing" }],
    ["Escape", cards, { does: "close" }],
    ["Escape", asking, { does: "close" }],
  ];
  for (const [key, at, meaning] of cases) {
    const pressed = { ...plain, ...(typeof key === "string" ? { key } : key) };
    assert.deepEqual(meaningOf(pressed, at), meaning, JSON.stringify([key, at.entering, at.typing, at.free]));
  }
});
