import assert from "node:assert/strict";
import { test } from "node:test";

import { lookUpOver, searched } from "../../static/js/lookup.js";

/* A look-up that learned four things: stacking, how many cards one gets, that dogs are no matter of Uno, and another box. */
const learned = {
  words: {
    forms: { cards: "card" },
    articles: ["the", "a"],
    known: "stack draw deal many cards dog flip mercy",
    cards: { drawtwo: ["draw two", "+2"] },
    phrases: { "stacking": ["stack"], "box:mercy": ["mercy"] },
    endings: [],
    pieces: 0,
  },
  questions: [
    { id: "stacking", topic: "draws", text: "May draw cards be stacked?" },
    { id: "hand-size", topic: "start", text: "How many cards?" },
  ],
  open: [],
  instead: {},
  boxes: [
    { id: "flip", title: "Flip!", notice: "Flip!" },
    { id: "mercy", notice: "Mercy!" },
  ],
  model: {
    unit: 1,
    step: 1,
    origin: 77,
    targets: ["stacking", "hand-size", "nothing", "box-flip"],
    bias: [0, 0, 0, 0],
    weights: [
      ["stacking", "drawtwo", "deal", "card", "dog", "~flip"],
      [1, 1, 1, 1, 1, 1],
      ["M", "M", "N", "N", "O", "P"],
      ["S", "P", "S", "O", "V", "V"],
    ],
  },
  language: "English",
  constants: {
    longest_word: 20,
    longest_prefix: 4,
    most_topics: 3,
    first_asked: ["start"],
    worth_showing: 0.1,
    nearest: 1,
    most_results: 5,
    most_doubt: 0.5,
    off_the_matter: 0.9,
    silent_above: 2,
    unsure: 0.2,
    own_cards: 3,
    own_words: 0.5,
    sentence: 4,
    strange: 0.2,
    outweighs: 3,
    foreign_words: ["combien", "cartes"],
    most_corrected: 12,
  },
};
const clause = (...settings) => ({ settings: Object.fromEntries(settings.map((one) => [one, true])) });
const both = new Map([
  ["stacking", clause()],
  ["hand-size", clause()],
]);
const look = (query, books = [both], led = true) => lookUpOver(learned)(query, books, led);

test("a question is answered by the clause that its words are most likely about", () => {
  assert.deepEqual(
    { ...look("stack +2"), corrected: null, asked: null, score: null },
    {
      query: "stack +2",
      answered: true,
      silent: false,
      unsure: false,
      asked: null,
      hits: ["stacking"],
      topics: ["draws", "start"],
      corrected: null,
      askIn: "",
      box: null,
      point: "",
      score: null,
    },
  );
  assert.equal(look("how many cards to deal").asked.id, "hand-size");
});

test("a slip of the finger is corrected and said, a short word is not", () => {
  assert.deepEqual([...look("stakc").corrected], [["stakc", "stack"]]);
  assert.equal(look("stakc").asked.id, "stacking");
  assert.equal(look("dgo").corrected.size, 0);
});

test("a sentence of words that nobody taught is asked for in the language that is known", () => {
  const found = look("quante carte si danno adesso");
  assert.deepEqual([found.askIn, found.answered, found.hits, found.topics], ["English", false, [], ["start"]]);
  assert.equal(look("quante carte").askIn, "", "too short to tell");
});

test("so is a short question whose everyday words are of another language", () => {
  assert.equal(look("combien de stack").askIn, learned.language);
  assert.equal(look("combien, I have no idea how many cards to draw, I have to deal stack cards").askIn, "");
});

test("of very many misspelled words only the first are corrected", () => {
  const many = [..."abcdfghijlmnop"].map((letter) => `stack${letter}`);
  assert.deepEqual(
    [...look("stack ".repeat(20) + many.join(" ")).corrected.keys()],
    many.slice(0, learned.constants.most_corrected),
  );
});

test("a book without the clause is silent; another one speaks where none is in force", () => {
  const silent = new Map([["hand-size", clause()]]);
  assert.deepEqual([look("stack", [silent]).answered, look("stack", [silent]).silent], [false, true]);
  assert.equal(look("stack", [silent, both], true).silent, true);
  assert.equal(look("stack", [silent, both], false).answered, true);
});

test("a question about another box names it, by a word of its own or by what is most likely", () => {
  assert.deepEqual(
    [look("stack in mercy").box.id, look("stack in mercy").answered, look("stack in mercy").hits],
    ["mercy", false, []],
  );
  assert.equal(look("flipper").box.notice, "Flip!");
  assert.equal(look("dog").box, null);
});

test("what is no matter of the game, and nothing at all, find nothing", () => {
  assert.deepEqual([look("dog").answered, look("dog").silent, look("dog").hits], [false, false, []]);
  assert.deepEqual(look("").topics, ["start"]);
});

const flip = { home: "flip", box: "flip", here: ["mercy"] };

test("under a box its own name tells nothing, and phrases that it uses itself name no other", () => {
  const found = (query, led = true) => lookUpOver(learned)(query, [both], led, flip);
  assert.deepEqual(found("Flip! stack").hits, ["stacking"]);
  assert.deepEqual([found("stack in mercy").hits, found("stack in mercy").box], [["stacking"], null]);
  assert.equal(found("stack in mercy", false).box.id, "mercy");
  assert.equal(found("flipper", false).box.id, "flip");
});

test("a rule in the table's own words is found by its title and text, and leads where it is nearer", () => {
  const book = new Map([
    ...both,
    ["own-1", { topic: "start", title: "Quiet zero", text: "Nobody whispers while the zero lies." }],
    ["own-2", { topic: "start", title: "Birthday", text: "Whoever has one draws two cards less." }],
  ]);
  const found = (query, led = true) => lookUpOver(learned)(query, [book], led);
  assert.deepEqual(found("quiet zero").asked, { id: "own-1", topic: "start", text: "Quiet zero" });
  assert.deepEqual([found("whispers").hits, found("whispers").answered], [["own-1"], true]);
  assert.deepEqual([found("birthday").hits, [...found("birthday").corrected]], [["own-2"], []]);
  assert.deepEqual(found("stack").hits, ["stacking"]);
  assert.deepEqual(found("birthday", false).hits, [], "no rulebook of the table leads");
  assert.deepEqual(found("deal cards on my birthday").hits.includes("hand-size"), true);
});

test("under a box only its own rulebook is searched, else those of the classic box", () => {
  const classic = { home: null, box: "classic", here: [] };
  const partners = { home: "partners", box: "classic", here: [] };
  assert.deepEqual(searched([flip, classic, partners], true), [flip]);
  assert.deepEqual(searched([partners, classic, flip], true), [partners, classic]);
  assert.deepEqual(searched([flip, classic, partners], false), [classic]);
  assert.deepEqual(searched([flip], false), [flip], "where nothing else was taken along");
});
