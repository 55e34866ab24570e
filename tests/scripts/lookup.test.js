import assert from "node:assert/strict";
import { test } from "node:test";

import { lookUpOver, searched } from "../../static/js/lookup.js";

/* A look-up that learned four things: stacking, how many cards one gets, that dogs are no matter of Uno, and another box. */
const learned = {
  words: {
    forms: { cards: "card" },
    articles: ["the", "a"],
    known: ["stack", "draw", "deal", "many", "cards", "dog", "flip", "mercy"],
    cards: { drawtwo: ["draw two", "+2"] },
    phrases: { "stacking": ["stack"], "box:mercy": ["mercy"] },
    verbs: ["i"],
    amounts: ["cards"],
    with_two: ["2 player", "2 players"],
    grammar: {
      endings: [],
      pieces: 0,
      plural: ["s"],
      card: ["card"],
      wild: "wild",
      challenge: ["challenge"],
      numbers: { five: "5", fives: "5s" },
    },
  },
  questions: [
    { id: "stacking", topic: "draws", text: "May draw cards be stacked?" },
    { id: "hand-size", topic: "start", text: "How many cards?" },
  ],
  open: [],
  parts: [],
  instead: {},
  boxes: [
    { id: "flip", notice: "Flip!" },
    { id: "mercy", notice: "Mercy!" },
  ],
  model: {
    unit: 1,
    targets: ["stacking", "hand-size", "nothing", "box-flip"],
    bias: [0, 0, 0, 0],
    weights: [
      ["stacking", "drawtwo", "deal", "card", "dog", "~flip"],
      [1, 1, 1, 1, 1, 1],
      [[0], [0], [1], [1], [2], [3]],
      [[6], [3], [6], [2], [9], [9]],
    ],
  },
  matters: {
    unit: 1,
    targets: ["worth", "stack", "first", "effect", "other"],
    bias: [0, 0, 0, 0, 0],
    weights: [
      ["namedcard", "point", "stacking", "first", "do", "deal"],
      [1, 1, 1, 1, 1, 1],
      [[], [0], [1, 4], [2], [3], [4]],
      [[], [9], [9, 5], [9], [9], [9]],
    ],
  },
  asked_of_card: {
    worth: "Points of {card}?",
    stack: "Stack {card}?",
    first: "{card} first?",
    effect: "What does {card}?",
  },
  titles: ["uno flip"],
  language: "English",
  constants: {
    longest_word: 20,
    longest_prefix: 4,
    most_strangers: 2,
    most_unheard: 3,
    most_topics: 3,
    first_asked: ["start"],
    worth_showing: 0.1,
    nearest: 1,
    most_results: 5,
    most_doubt: 0.5,
    faint: 0.2,
    off_the_matter: 0.9,
    silent_above: 2,
    sure: 0.4,
    certain: 0.4,
    of_card: 0.7,
    own_cards: 1,
    most_other: 0.5,
    short: 2,
    sentence: 4,
    strange: 0.2,
    outweighs: 3,
    foreign_words: ["combien", "cartes"],
    most_corrected: 12,
    least_doubt: 0.065,
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
    { ...look("stack +2"), corrected: null, asked: null },
    {
      query: "stack +2",
      answered: true,
      silent: false,
      closest: false,
      asked: null,
      hits: ["stacking"],
      topics: ["draws", "start"],
      corrected: null,
      askIn: "",
      box: null,
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

const flip = {
  home: "flip",
  box: "flip",
  cards: [
    {
      label: "Draw Five",
      names: ["draw 5"],
      own: true,
      matters: { worth: ["points-actions"], effect: ["card-draw-five"] },
    },
    {
      label: "Flip",
      names: ["flip"],
      own: true,
      matters: { worth: null, stack: [], first: ["start-card-flip"], effect: ["card-flip"] },
    },
    { label: "Skip", names: ["skip"], own: false, matters: { effect: ["skip", "skip-two"] } },
  ],
};

test("under a box, its cards are answered by their clauses, and its words name no other box", () => {
  const ids = ["points-actions", "card-draw-five", "card-flip", "skip", "skip-two"];
  const book = new Map([...both, ...ids.map((id) => [id, clause()])]);
  const found = (query, led = true) => lookUpOver(learned)(query, [book], led, flip);
  assert.deepEqual(found("what does draw five do").hits, ["card-draw-five"]);
  assert.deepEqual(found("points of two draw fives").hits, ["points-actions"]);
  assert.deepEqual(found("what does uno flip do in a flip").hits, ["card-flip"]);
  assert.deepEqual(
    [found("a flip turned up first").hits, found("a flip turned up first").silent],
    [["card-flip"], true],
  );
  assert.deepEqual([found("stack a flip").asked.text, found("stack a flip").silent], ["Stack Flip?", true]);
  assert.equal(found("stack in mercy").box.id, "mercy");
  assert.equal(found("flipper", false).box.id, "flip");
});

test("a card of the classic box is left to the words unless a matter or two players are named, and so is a verb", () => {
  const book = new Map([...both, ["skip", clause()], ["skip-two", clause()]]);
  const found = (query) => lookUpOver(learned)(query, [book], true, flip);
  assert.deepEqual(found("skip with 2 players").hits, ["skip-two"]);
  assert.equal(found("stack a skip").asked.id, "stacking");
  assert.equal(found("i skip, deal 2 players many cards").asked.id, "hand-size");
});

test("under a box only its own rulebook is searched, else those of the classic box", () => {
  const classic = { home: null, box: "classic", cards: [] };
  const partners = { home: "partners", box: "classic", cards: [] };
  assert.deepEqual(searched([flip, classic, partners], true), [flip]);
  assert.deepEqual(searched([partners, classic, flip], true), [partners, classic]);
  assert.deepEqual(searched([flip, classic, partners], false), [classic]);
  assert.deepEqual(searched([flip], false), [flip], "where nothing else was taken along");
});
