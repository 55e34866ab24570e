import assert from "node:assert/strict";
import { test } from "node:test";

import { Rules } from "../../static/js/rules-state.js";

const clause = (id, topic, text) => ({ id, topic, title: id, text, settings: {} });
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
  clauses: [
    clause("uno", "call", "Call."),
    clause("skip", "play", "Skip, too."),
    clause("card-flip", "cards", "Turn."),
  ],
};
const catalogue = {
  questions: [
    { id: "uno", topic: "call", text: "Uno?" },
    { id: "skip", topic: "play", text: "Skip?" },
    { id: "none", topic: "play", text: "None?" },
    { id: "card-flip", topic: "cards", text: "Flip?" },
  ],
  topics: { play: "Playing", call: "Calling" },
  at_table: 2,
  of_any_box: 3,
  asked_most: ["uno"],
  shown: 6,
  near: 3,
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

test("a card that only some boxes hold is asked of those that speak of it", () => {
  const page = rules().asked("card-flip");
  assert.deepEqual([page.leading.clause.text, page.otherwise, page.alike, page.silent], ["Turn.", [], [], []]);
});

test("a clause comes with its section and what the others say", () => {
  const page = rules().clause("skip");
  assert.deepEqual(
    [page.leading.clause.text, page.leading.address, page.back],
    ["Skip.", "/r/rules/one/skip", "/r/rules/one#skip"],
  );
  assert.deepEqual(
    [page.otherwise[0].clause.text, page.around.said.map(({ clause: { id } }) => id)],
    ["Skip, too.", ["own"]],
  );
  assert.equal(rules().clause("own-9"), null, "no question of this name");
});

test("a rule in the table's own words is asked of its rulebook alone, by its title", () => {
  const page = rules().clause("own");
  assert.deepEqual(
    [page.question.text, page.leading.clause.text, page.otherwise, page.silent],
    ["own", "Own.", [], []],
  );
  const { results } = rules().found(result({ hits: ["own"] }));
  assert.deepEqual([results[0].leading.clause.text, results[0].around.id], ["Own.", "play"]);
  assert.equal(rules(false).clause("own"), null, "no rulebook of a table leads");
});

test("a topic leaves out what no book speaks of; a rulebook says what it leaves open", () => {
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
    [
      ["play", 2],
      ["call", 0],
    ],
  );
});

test("what was found is led by the book in force, else by one that speaks", () => {
  const led = rules().found(result({ hits: ["uno"], silent: true, answered: false }));
  assert.deepEqual([led.led, led.results[0].leading.clause, led.instead], ["One", undefined, []]);
  assert.equal(rules(false).found(result({ hits: ["uno"] })).results[0].leading.clause.text, "Call.");
});

test("what others say is marked by what it settles, else by its words", () => {
  const settling = (settings, text) => ({ ...clause("skip", "play", text), settings });
  const others = (...clauses) => {
    const books = clauses.map((each, place) => ({ ...one, rulebook: String(place), clauses: each ? [each] : [] }));
    const { otherwise, alike, silent } = new Rules(books, true, catalogue, "/").asked("skip");
    return [...otherwise, ...alike, ...silent].map(({ differs }) => differs);
  };
  assert.deepEqual(
    others(
      settling({ a: 1 }, "A"),
      settling({ a: 1 }, "Same, in other words"),
      settling({ a: 2 }, "B"),
      settling({}, "A"),
      null,
    ),
    [true, false, false, true],
  );
  assert.deepEqual(others(settling({}, "A"), settling({}, "B")), [null], "only the wording could tell");
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
