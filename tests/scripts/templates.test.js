import assert from "node:assert/strict";
import { test } from "node:test";

import { drawing } from "../../static/js/templates.js";

const name = (key) => ["name", key];
const of = (whole, key) => ["of", whole, ["is", key]];
const out = (value) => ["out", value];
const macro = (body, takes = ["page"], defaults = []) => ({ takes, defaults, body });
const draw = (body, page, values = {}) => drawing({ macros: { it: macro(body) }, values })("it", page);

test("values are escaped as on the server, what is missing is nothing", () => {
  assert.equal(
    draw(["<b>", out(name("page")), "</b>"], `<i a="1" b='2'>&`),
    "<b>&lt;i a=&#34;1&#34; b=&#39;2&#39;&gt;&amp;</b>",
  );
  assert.equal(draw([out(of(of(name("page"), "no"), "such"))], {}), "");
  assert.equal(draw([out(of(name("paths"), "next"))], {}, { paths: { next: "M9" } }), "M9");
});

test("a role in a sentence is marked, and nothing else in it is HTML", () => {
  const told = [["out", ["roles", name("page")]]];
  assert.equal(draw(told, "\u2068The <player>\u2069 draws 4"), '<span class="role">The &lt;player&gt;</span> draws 4');
});

test("an empty list is a no, as is an empty text", () => {
  const body = [["if", name("page"), ["yes"], ["no"]]];
  assert.deepEqual(
    [[], "", null, 0, false].map((page) => draw(body, page)),
    Array(5).fill("no"),
  );
  assert.deepEqual(
    [[0], "0", 1, true, {}].map((page) => draw(body, page)),
    Array(5).fill("yes"),
  );
});

test("conditions are put together", () => {
  const [one, other] = [of(name("page"), "one"), of(name("page"), "other")];
  const all = [
    ["not", one],
    ["and", one, other],
    ["or", one, other],
    ["equal", one, other],
    ["choose", one, ["is", "a"], ["is", "b"]],
  ];
  const said = (page) => all.map((test_) => draw([["if", test_, ["1"], ["0"]]], page)).join("");
  assert.equal(said({ one: true, other: true }), "01111");
  assert.equal(said({ one: false, other: true }), "10101");
  assert.equal(draw([out(["choose", one, ["is", "a"], ["is", "b"]])], {}), "b");
});

test("a list is gone through, and knows its first and last", () => {
  const body = [
    ["for", "one", name("page"), [out(name("one")), ["if", of(name("loop"), "last"), ["."], [", "]]], ["none"]],
  ];
  assert.equal(draw(body, ["a", "b"]), "a, b.");
  assert.deepEqual([draw(body, []), draw(body, undefined)], ["none", "none"]);
});

test("a macro calls another, whose HTML is not escaped once more", () => {
  const macros = {
    outer: macro(["<p>", out(["call", "inner", [name("page")]]), "</p>"]),
    inner: macro(["<b>", out(name("text")), out(name("end")), "</b>"], ["text", "end"], ["!"]),
  };
  assert.equal(drawing({ macros, values: {} })("outer", "<a>"), "<p><b>&lt;a&gt;!</b></p>");
});
