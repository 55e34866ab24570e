import assert from "node:assert/strict";
import { test } from "node:test";

import { Rules } from "../../static/js/rules-state.js";

const clause = (id, topic, text) => ({ id, topic, title: id, text, settles: [] });
const one = {
  rulebook: "one",
  title: "One",
  source: "s",
  sentence: "",
  house_rules: [],
  clauses: [clause("skip", "play", "Skip."), clause("own", "play", "Own.")],
};
const two = {
  rulebook: "two",
  title: "Two",
  source: "s",
  sentence: "",
  house_rules: [],
  clauses: [clause("uno", "call", "Call."), clause("skip", "play", "Skip, too.")],
};
const catalogue = {
  questions: [
    { id: "uno", topic: "call", text: "Uno?" },
    { id: "skip", topic: "play", text: "Skip?" },
    { id: "none", topic: "play", text: "None?" },
  ],
  topics: { play: "Playing", call: "Calling" },
  asked_most: ["uno"],
};
const rules = (led = true) => new Rules([one, two], led, catalogue, "/r/");
const result = (more) => ({
  query: "",
  answered: true,
  silent: false,
  asked: null,
  hits: [],
  topics: [],
  corrected: new Map(),
  box: null,
  ...more,
});

test("a clause comes with its section and what the others say", () => {
  const page = rules().clause("skip");
  assert.deepEqual(
    [page.leading.clause.text, page.leading.address, page.back],
    ["Skip.", "/r/rules/one/skip", "/r/rules/one#skip"],
  );
  assert.deepEqual(
    [page.others[0].clause.text, page.around.said.map(({ clause: { id } }) => id)],
    ["Skip, too.", ["own"]],
  );
  assert.equal(rules().clause("own"), null, "no question of this name");
});

test("a topic leaves out what no book speaks of; a rulebook what it has no clause on", () => {
  assert.deepEqual(
    rules()
      .topic("play")
      .asked.map(({ question }) => question.id),
    ["skip"],
  );
  assert.equal(rules().topic("nothing"), null);
  assert.deepEqual(
    rules()
      .rulebook()
      .sections.map(({ id, said }) => [id, said.length]),
    [["play", 2]],
  );
});

test("what was found is led by the book in force, else by one that speaks", () => {
  const led = rules().found(result({ hits: ["uno"], silent: true, answered: false }));
  assert.deepEqual([led.led, led.results[0].leading.clause, led.instead], ["One", undefined, []]);
  assert.equal(rules(false).found(result({ hits: ["uno"] })).results[0].leading.clause.text, "Call.");
});

test("where nothing answers, near questions and topics are offered; for another box only topics", () => {
  const none = rules(false).found(
    result({ answered: false, hits: ["uno", "skip"], topics: ["play"], corrected: new Map([["skpi", "skip"]]) }),
  );
  assert.deepEqual([none.results, none.corrected], [[], ["skip"]]);
  assert.deepEqual(
    none.instead.map(({ address }) => address),
    ["/r/rules/topics/call#uno", "/r/rules/topics/play#skip", "/r/rules/topics/play"],
  );
  assert.deepEqual(rules().found(result({ answered: false, hits: ["uno"], topics: ["call"], box: {} })).instead, [
    { title: "Calling", address: "/r/rules/topics/call?rulebook=one" },
  ]);
});
