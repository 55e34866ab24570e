import assert from "node:assert/strict";
import { test } from "node:test";

import { fitting, wordsOf } from "../../static/js/searching.js";
import { disputeGroups, hear, walk } from "../../static/js/hearing-state.js";
import { worded } from "../../static/js/words.js";

const ruling = (verdict) => ({
  verdict,
  silent: false,
  announced: { sign: "", kind: "verdict", headline: verdict, before: [], orders: [], verdict: "", lead: "" },
  open_questions: [],
  steps: [0],
});
/* Was it challenged? Yes: which color? No: it stands. Another start asks for the color first. */
const book = {
  rulebook: "r",
  title: "Rules",
  house_rules: ["stack"],
  house_rule_titles: ["Stacking"],
  clauses: [{ id: "c", lang: "en", reading: "So we read it" }],
  questions: [
    { key: "challenged", text: "Challenged?" },
    { key: "color", text: "Which color?" },
  ],
  statements: ["Someone challenged.", "Nobody challenged.", "The color was blue."],
  steps: [{ text: "It says so.", clause: "c" }],
  nodes: [
    {
      ask: 0,
      options: [
        ["Yes", true, 1, 0],
        ["No", false, 3, 1],
      ],
    },
    {
      ask: 1,
      options: [
        ["Red", "red", 2, null],
        ["Blue", "blue", 3, 2],
      ],
    },
    ruling("Illegal"),
    ruling("Legal"),
  ],
};
const dispute = { id: "d", title: "Challenge", starts: [{ node: 0 }, { node: 1 }], lead: "", outside: null };
const here = (hash = "", more = {}) => ({
  root: "/",
  home: "/disputes",
  match: null,
  hash,
  query: new URLSearchParams(),
  names: null,
  law: [],
  ...more,
});
const heard = (hash, more) => hear(book, dispute, here(hash, more));

test("answers stand behind #, those of the address before them", () => {
  const walked = walk(book, dispute.starts, [0, 0, 0], new URLSearchParams());
  assert.equal(walked.ruling.verdict, "Illegal");
  assert.deepEqual([walked.facts, walked.exact], [[["challenged", "yes"]], false], "red is only an example");
  const given = walk(book, dispute.starts, [0, 1], new URLSearchParams("challenged=yes"));
  assert.deepEqual([given.ruling.verdict, given.answers.map(({ before }) => before)], ["Legal", [null, 0]]);
  assert.equal(
    walk(book, dispute.starts, [0, 7], new URLSearchParams()).question.text,
    "Challenged?",
    "no such answer",
  );
});

test("a question leads on by its place, and to the other ways to begin", () => {
  const { draws, page, people } = heard("");
  assert.deepEqual([draws, people, page.rules], ["hearing_page", [], ["Rules", "Stacking"]]);
  assert.deepEqual(page.question.choices, [
    { label: "Yes", address: "#/0.0" },
    { label: "No", address: "#/0.1" },
  ]);
  assert.deepEqual(page.question.others, [{ title: "Which color?", address: "#/1" }]);
  const second = heard("#/0.0").page;
  assert.deepEqual(second.answers.lines, [{ text: "Someone challenged.", change: "#/0" }]);
  assert.deepEqual(second.question.others, []);
});

test("a ruling brings its reasons, and outside a match nothing to save", () => {
  const { draws, page } = heard("#/0.1");
  assert.deepEqual([draws, page.ruling.verdict, page.writes], ["ruling_page", "Legal", null]);
  const [reason] = page.ruling.reasons;
  assert.deepEqual(
    [reason.lang, reason.reading, reason.address],
    ["en", "So we read it", "/rules/r?house_rule=stack#c"],
  );
});

test("at a match people are asked for first, and the ruling knows who sits where", () => {
  const option = (then, people) => ({
    then,
    people,
    fields: { "as-offender": String(people[0]), "as-target": String(then) },
  });
  const rows = [
    { place: 0, options: [option(1, [0, 1])] },
    { place: 1, options: [option(0, [1, 0])] },
  ];
  const about = { ...dispute, named: dispute.starts, cast: { text: "Who?", rows } };
  const at = (hash, query = "") =>
    hear(
      book,
      about,
      here(hash, { match: "m", home: "/matches/m/disputes", names: ["Ada", "Bo"], query: new URLSearchParams(query) }),
    );
  const { players, directions } = at("").page.question.cast;
  assert.deepEqual(
    players.map(({ name, address }) => [name, address]),
    [
      ["Ada", "#0/"],
      ["Bo", "#1/"],
    ],
  );
  assert.deepEqual(directions, [], "between two it does not matter which way play goes");
  const { page, people } = at("#1/0.0.0");
  assert.deepEqual(
    [people, page.answers.who],
    [
      ["Bo", "Ada"],
      ["\ue000", "\ue001"],
    ],
  );
  assert.deepEqual(page.writes, {
    address: "/matches/m/disputes/d/ruling",
    later: worded("saved-by-example"),
    decides: false,
    keeps: false,
    fields: [
      ["challenged", "yes"],
      ["as-offender", "1"],
      ["as-target", "0"],
      ["standing", ""],
    ],
  });
  assert.deepEqual(at("#-/0.1").page.writes.fields, [
    ["challenged", "no"],
    ["names", "no"],
    ["standing", ""],
  ]);
  assert.deepEqual(at("", "as-offender=1&as-target=0").page.question.text, "Challenged?", "the address says who");
});

test("who comes next follows from the direction of play", () => {
  const option = (place, then) => ({ then, people: [place, then], fields: { "as-offender": String(place) } });
  const rows = [0, 1, 2].map((place) => ({
    place,
    options: [option(place, (place + 1) % 3), option(place, (place + 2) % 3)],
  }));
  const about = { ...dispute, named: dispute.starts, cast: { text: "Who?", rows } };
  const { cast } = hear(book, about, here("", { match: "m", names: ["Ada", "Bo", "Cy"] })).page.question;
  assert.deepEqual([cast.goes, cast.directions.length], ["clockwise", 2]);
  const going = (goes) =>
    cast.players.filter((one) => one.goes === goes).map(({ name, then }) => `${name} then ${then}`);
  assert.deepEqual(going("clockwise"), ["Ada then Bo", "Bo then Cy", "Cy then Ada"]);
  assert.deepEqual(going("counterclockwise"), ["Ada then Cy", "Bo then Ada", "Cy then Bo"]);
});

test("disputes stand by when they arise, those of which the rules know nothing apart", () => {
  const often = { ...dispute, moment: "" };
  const later = { ...dispute, id: "e", moment: "Playing a card" };
  const told = { disputes: [often, { ...later, id: "x", outside: "silent" }, later] };
  const { groups, outside } = disputeGroups(told, (id) => `/${id}`);
  const shown = (disputes) => disputes.map(({ address }) => address);
  assert.deepEqual(
    groups.map(({ moment, disputes }) => [moment, shown(disputes)]),
    [
      ["", ["/d"]],
      ["Playing a card", ["/e"]],
    ],
  );
  assert.deepEqual(
    outside.map(({ why, disputes }) => [why, shown(disputes)]),
    [["silent", ["/x"]]],
  );
});

test("a dispute is found by what people call it, whatever little words they use", () => {
  const texts = ["Wild Draw Four challenge +4 bluff", "Missed Uno call forgot", "Stacking draw cards +2 +4"];
  const found = (typed) => texts.filter((_, place) => fitting(texts, wordsOf(typed))[place]);
  assert.deepEqual(found("+4"), [texts[0], texts[2]]);
  assert.deepEqual(found("Is the BLUFF"), [texts[0]]);
  assert.deepEqual(found("she forgot to say uno!"), [texts[1]], "most of the words are enough");
  assert.deepEqual(found("poker"), []);
  assert.deepEqual(found("the "), texts, "little words leave out nothing");
});

const silent = {
  ...ruling("Silent"),
  announced: {
    sign: "open",
    kind: "open",
    headline: "The rules don’t say who plays next",
    before: [],
    orders: [],
    verdict: "",
    lead: "",
  },
};
/* Who plays next: as Official has it, or not at all; then nobody draws, either. And how many does Bo draw? */
const unsaid = {
  ...book,
  nodes: [silent],
  statements: [
    "It’s Bo’s turn.",
    "Play goes on.",
    "As in Official",
    "turn",
    "",
    "Bo draws 2.",
    "Draw two.",
    "draws",
    "No.",
  ],
  by_cards: { text: "The cards decide.", hint: "The higher card." },
  ours: "Your club decided",
  open: [
    [
      "c",
      [
        [1, 2, 3, "next"],
        [8, 4, 3, "none", 7, 0],
      ],
    ],
    ["e", [[6, 4, 7, 2]]],
  ],
  opened: [
    [[0, [[0], []]]],
    [
      [0, [[0], []], [1]],
      [1, [[5]]],
    ],
  ],
};
const asked = [
  { id: "c", text: "Who plays next?" },
  { id: "e", text: "How many?" },
];
const next = 'c:{"turn":"next"}';
const decide = (hash, law = [], open = 0) =>
  hear(unsaid, { ...dispute, starts: [{ node: 0, open }] }, here(hash, { names: ["Ada", "Bo"], law, asked })).page;

test("a silent ruling is decided by a choice, and says what that makes someone do", () => {
  const [{ question, lines }] = decide("#-/0").open;
  assert.equal(question, "Who plays next?");
  assert.deepEqual(
    lines.map((line) => [line.text, line.hint, line.here, line.address, line.value]),
    [
      ["Play goes on.", "As in Official", "It’s Bo’s turn.", "#-/0/0.0", next],
      ["No.", "", "", "#-/0/0.1", 'c:{"turn":"none","draws":0}'],
      ["The cards decide.", "The higher card.", "", "#-/0/0.2", 'c:"The higher card."'],
    ],
  );
  const page = decide(lines[0].address);
  const { sign, headline } = page.ruling.announced;
  assert.deepEqual([page.decided, sign, headline], [["Play goes on."], "law", "It’s Bo’s turn"]);
  assert.deepEqual(page.writes.fields.at(-1), ["decided", next]);
  assert.deepEqual([page.writes.decides, page.writes.keeps, page.undecided, page.open], [true, true, "#-/0", []]);
  assert.deepEqual(page.ruling.reasons.at(-1), {
    text: "Play goes on.",
    cite: "Your club decided",
  });
  const byCards = decide("#-/0/0.2").ruling;
  assert.deepEqual([byCards.announced.headline, byCards.reasons.length], ["The cards decide", 1]);
});

test("two questions are decided one after the other, in their order, unless the first closes the second", () => {
  const open = (hash) =>
    decide(hash, [], 1).open.map(({ question, lines }) => [question, lines[0].address, lines.length]);
  assert.deepEqual(open("#-/0"), [
    ["Who plays next?", "#-/0/0.0", 3],
    ["How many?", "#-/0/1.0", 2],
  ]);
  assert.deepEqual(open("#-/0/0.0"), [["How many?", "#-/0/0.0/1.0", 1]]);
  assert.deepEqual(open("#-/0/1.0"), [["Who plays next?", "#-/0/1.0/0.0", 1]]);
  assert.deepEqual([open("#-/0/0.1"), open("#-/0/0.2")], [[], []]);
  const page = decide("#-/0/1.0/0.0", [], 1);
  assert.deepEqual(page.decided, ["Play goes on.", "Draw two."]);
  assert.deepEqual(page.ruling.announced.orders, ["Bo draws 2."]);
  const sent = page.writes.fields.filter(([name]) => name === "decided").map(([, value]) => value);
  assert.deepEqual(sent, [next, 'e:{"draws":2}']);
});

test("what the club decided stands first where the same clause is open, and is kept no second time", () => {
  const kept = {
    id: "1",
    dispute: "d",
    clause: "c",
    text: "You decided: Play goes on.",
    value: next,
  };
  const first = (law) => decide("#-/0", [law]).open[0].lines[0];
  assert.deepEqual([first(kept).text, first(kept).here], [kept.text, "It’s Bo’s turn."]);
  assert.equal(first({ ...kept, dispute: "another" }).text, "Play goes on.");
  assert.equal(first({ ...kept, value: 'c:{"turn":"last"}' }).text, "Play goes on.", "decides nothing here");
  assert.equal(first({ ...kept, text: "By words", value: 'c:"We draw."' }).text, "By words");
  const { writes } = decide("#-/0/0.0", [kept]);
  assert.equal(writes.keeps, false);
  assert.deepEqual(
    writes.fields.find(([name]) => name === "standing"),
    ["standing", "1"],
  );
});
