// The look-up without a connection: the server's, evaluated over what it learned and wrote down. Each step is that of
// the same name in referee/rules/lookup_words.py, lookup_model.py and lookup.py, which say why.

const TOKEN = /\+\s*\p{Nd}+|\p{Nd}+\s*\+(?!\s*\p{Nd})|\+|\p{Nd}+(?:st|nd|rd|th)?(?!\p{L})|\p{Nd}+|\p{L}+/gu;
const ASIDE = /^(elsewhere|box:|foreign:|aside:)/;

/** @typedef {Record<"longest_word" | "longest_prefix" | "most_strangers" | "most_unheard" | "most_topics" | "worth_showing" | "nearest" | "most_results" | "most_doubt" | "faint" | "off_the_matter" | "as_likely", number> & {first_asked: string[]}} Constants */
/** @typedef {{forms: Record<string, string>, articles: string[], known: string[], cards: Record<string, string[]>, phrases: Record<string, string[]>}} Words */
/** @typedef {{unit: number, targets: string[], bias: number[], weights: [signs: string[], places: number[][], weights: number[][]]}} Model */
/** @typedef {{id: string, topic: string, text: string}} Question */
/** @typedef {{id: string, title: string, notice: string, about: string, known: boolean}} Box */
/**
 * What the look-up has learned, as the server writes it.
 * @typedef {object} Learned
 * @property {Words} words
 * @property {Question[]} questions
 * @property {Question[]} open questions that no rulebook answers
 * @property {Box[]} boxes
 * @property {{question: string, setting: string, terms: string[]}[]} parts of clauses
 * @property {Record<string, string[]>} instead
 * @property {Model} model
 * @property {{numbers: Record<string, string>, matters: Record<string, string>, titles: string[], as_a_verb: string}} cards how it is heard what is asked about one
 * @property {Constants} constants
 */
/**
 * What a look-up gives: whether a rule answers, or the rules say nothing of what was asked, and the clauses to show.
 * @typedef {object} Result
 * @property {string} query
 * @property {boolean} answered
 * @property {boolean} silent
 * @property {Question | null} asked
 * @property {string[]} hits
 * @property {string[]} topics
 * @property {Map<string, string>} corrected
 * @property {Box | null} box
 */
/** @typedef {{names: string[], does: string, matters: Record<string, string | null>}} BoxCard a card that only some boxes hold, and the clauses on it */
/** @typedef {{home: string | null, box: string, cards: BoxCard[]}} OfBox what a rulebook is for: `home` is a box that has its own */
/** @typedef {Map<string, {settings: Record<string, unknown>}>} Clauses those of a rulebook by id */
/** @typedef {{terms: Set<string>, signs: Set<string>, box: string | null, elsewhere: boolean, corrected: Map<string, string>}} Heard */

/**
 * Return the rulebooks that a look-up searches: those of the classic box, and the first, where it is in force.
 * @template {OfBox} T
 * @param {T[]} books
 * @param {boolean} led
 */
export function searched(books, led) {
  const [first] = books;
  const found = books.filter(
    (book) => (led && book === first) || (book.home === null && (!led || book.box === first.box)),
  );
  return found.length ? found : books;
}

/**
 * Return a function that finds what answers a query as `found(query, books, led, of)`: the first book is in force where
 * `led`, and `of` tells what it is for.
 * @param {Learned} learned
 * @returns {(query: string, books: Clauses[], led: boolean, of?: OfBox) => Result}
 */
export function lookUpOver(learned) {
  const { words, questions, boxes, open, model, constants, cards } = learned;
  const hear = hearingOver(words, constants);
  const likelihoods = likelihoodsOver(model, constants);
  const known = new Map([...questions, ...open].map((question) => [question.id, question]));
  const answerable = new Set(questions.map(({ id }) => id));

  return (query, books, led, of) => {
    let heard = hear(query);
    const home = led ? (of?.home ?? null) : null;
    const atHome = home !== null && heard.box === home;
    if (atHome) heard = hear(without(query, boxes.find(({ id }) => id === home)?.title)); // There its name tells nothing.
    const likely = heard.elsewhere && !atHome ? new Map() : likelihoods(heard.signs);
    const ofBoxes = [...likely.keys()].filter((id) => id.startsWith("box-"));
    const shares = ofBoxes.map((id) => likely.get(id));
    const noRule = likely.get("nothing") ?? 1;
    let doubt = noRule + shares.reduce((sum, share) => sum + share, 0);
    for (const id of ["nothing", ...ofBoxes]) likely.delete(id);
    const near = [...likely.keys()];
    const topicOf = (/** @type {string} */ id) => known.get(id)?.topic ?? "";
    const topics = [...new Set(near.map(topicOf))].slice(0, constants.most_topics);
    const { corrected, terms } = heard;
    /** @type {Result} */
    const result = {
      query,
      answered: false,
      silent: false,
      asked: null,
      hits: [],
      topics: topics.length ? topics : constants.first_asked,
      corrected,
      box: null,
    };
    const card = home === null || !of ? null : cardQuestion(query, of.cards, cards, constants);
    if (card) return { ...result, ...toldOf(card, known.get(card), books[0]) };
    let box =
      heard.box ?? (doubt > constants.most_doubt && shares[0] > noRule ? ofBoxes[0].slice("box-".length) : null);
    if (box !== null && box === home) [box, doubt] = [null, atHome ? noRule : 0];
    if (box !== null) return { ...result, box: boxes.find(({ id }) => id === box) ?? null };
    const hits = (/** @type {string[]} */ ids) =>
      worthShowing(
        ids.filter((id) => answerable.has(id)),
        likely,
        books,
        constants,
      );
    if (doubt > constants.most_doubt || (!terms.size && Math.max(0, ...likely.values()) < constants.faint)) {
      return { ...result, hits: doubt <= constants.off_the_matter && terms.size ? hits(near) : [] };
    }
    const speaks = speaking(learned, led ? books.slice(0, 1) : books, terms, answerable);
    const asked = answerable.has(near[0]) && !speaks(near[0]) ? insteadOf(near, likely, speaks, learned) : near[0];
    const answered = speaks(asked);
    if (answered) likely.set(asked, likely.get(near[0]));
    const elsewhere = (/** @type {string} */ id) => (answered ? id !== asked : topicOf(id) !== topicOf(asked));
    const sorted = [...near.filter((id) => !elsewhere(id)), ...near.filter(elsewhere)];
    return { ...result, answered, silent: !answered, asked: known.get(asked) ?? null, hits: hits(sorted) };
  };
}

/** Return a book's answer to a question, or that it is silent. @param {string} id @param {Question | undefined} question @param {Clauses} book */
const toldOf = (id, question, book) => ({
  answered: book.has(id),
  silent: !book.has(id),
  asked: question ?? null,
  hits: book.has(id) ? [id] : [],
  topics: [question?.topic ?? ""],
});

/** Leave a box's own name out of a query. @param {string} query @param {string} [title] */
const without = (query, title) =>
  title ? query.replace(new RegExp(title.replace(/[^\p{L}\p{N}]/gu, "\\$&"), "gi"), "") : query;

/** Find the question about what only some boxes hold, by the longest name of it in the query. @param {string} query @param {BoxCard[]} cards @param {Learned["cards"]} heard @param {Constants} constants @returns {string | null} */
function cardQuestion(query, cards, { numbers, matters, titles, as_a_verb: verb }, { longest_word: longest }) {
  let asked = ` ${tokens(query, longest)
    .map((word) => numbers[word] ?? word)
    .join(" ")} `;
  for (const title of titles) asked = asked.replaceAll(` ${title} `, " ");
  asked = asked.replace(new RegExp(verb, "g"), "");
  /** @type {BoxCard | null} */
  let best = null;
  let most = 0;
  for (const card of cards) {
    for (const name of card.names) {
      if (name.length > most && asked.includes(` ${name} `)) [best, most] = [card, name.length];
    }
  }
  if (!best) return null;
  for (const [matter, shows] of Object.entries(matters)) {
    if (matter in best.matters && new RegExp(shows, "i").test(query)) return best.matters[matter];
  }
  return best.does;
}

/** Return a function that checks whether a book has a clause on a question, with the very part that was asked about. @param {Learned} learned @param {Clauses[]} books @param {Set<string>} heard @param {Set<string>} answerable */
function speaking({ parts }, books, heard, answerable) {
  return (/** @type {string} */ id) =>
    answerable.has(id) &&
    books.some((book) => {
      const clause = book.get(id);
      return (
        clause &&
        parts.every(
          ({ question, setting, terms }) =>
            question !== id || !terms.some((term) => heard.has(term)) || setting in clause.settings,
        )
      );
    });
}

/** Find the question to answer where the likeliest has no clause. @param {string[]} near @param {Map<string, number>} likely @param {(id: string) => boolean} speaks @param {Learned} learned */
function insteadOf(near, likely, speaks, { instead, constants }) {
  const share = (/** @type {string} */ id) => likely.get(id) ?? 0;
  const alike = near.filter((id) => share(id) >= share(near[0]) * constants.as_likely);
  return [...(instead[near[0]] ?? []), ...alike].find(speaks) ?? near[0];
}

/** Leave out what hardly anybody meant, and what no book speaks of. @param {string[]} ids @param {Map<string, number>} likely @param {Clauses[]} books @param {Constants} constants */
function worthShowing(ids, likely, books, constants) {
  const least = constants.worth_showing * Math.max(0, ...likely.values());
  /** @type {string[]} */
  const said = [];
  for (const id of ids) {
    if ((said.length < constants.nearest || (likely.get(id) ?? 0) >= least) && books.some((book) => book.has(id))) {
      said.push(id);
    }
  }
  return said.slice(0, constants.most_results);
}

/** Return a function that reads a query: its terms, and the features that the model weighs. @param {Words} words @param {Constants} constants @returns {(query: string) => Heard} */
function hearingOver(words, constants) {
  const forms = new Map(Object.entries(words.forms));
  const articles = new Set(words.articles);
  const turned = (/** @type {Record<string, string[]>} */ table) =>
    new Map(
      Object.entries(table).flatMap(([meaning, all]) =>
        all.map((one) => /** @type {[string, string]} */ ([one, meaning])),
      ),
    );
  const cards = turned(words.cards);
  const phrases = turned(words.phrases);
  const longestCard = longestByFirstWord(cards);
  const longestPhrase = longestByFirstWord(phrases);
  const correct = correctionOver(words.known);

  const plain = (/** @type {string[]} */ stems) => {
    /** @type {string[]} */
    const found = [];
    const list = stems.filter((word) => !articles.has(word));
    stretches(
      list,
      cards,
      longestCard,
      (card, end) => {
        found.push(card);
        return end - 1;
      },
      (word) => found.push(word),
    );
    return found;
  };

  return (query) => {
    /** @type {Map<string, string>} */
    const corrected = new Map();
    const stems = tokens(query, constants.longest_word).flatMap((word) => {
      const meant = correct(word);
      if (meant !== word) corrected.set(word, meant);
      return (forms.get(meant) || meant).split(" ").map(stem);
    });
    const list = plain(stems);
    const all = meanings(list, phrases, longestPhrase);
    const signs = signsOf(list, all, constants);
    const box = [...all].find((term) => term.startsWith("box:"))?.slice("box:".length) ?? null;
    return {
      terms: new Set([...all].filter((term) => !ASIDE.test(term))),
      signs,
      box,
      elsewhere: all.has("elsewhere") || box !== null,
      corrected,
    };
  };
}

/** Return the features that the model weighs: terms, words as they stand, their beginnings, and words of no rule. @param {string[]} list @param {Set<string>} terms @param {Constants} constants */
function signsOf(list, terms, { longest_prefix: longest, most_strangers: most }) {
  const prefixes = list.filter((word) => word.length > longest).map((word) => `~${word.slice(0, longest)}`);
  const strangers = [...terms].filter((term) => term.startsWith("foreign:")).slice(0, most);
  return new Set([
    ...terms,
    ...list.map((word) => `=${word}`),
    ...prefixes,
    ...strangers.map((_, place) => `foreign:${place}`),
  ]);
}

/** Find what the phrases in a query mean; words that are in none stand for themselves. @param {string[]} list @param {Map<string, string>} phrases @param {Map<string, number>} longest */
function meanings(list, phrases, longest) {
  /** @type {Set<string>} */
  const all = new Set();
  let understood = 0;
  const take = (/** @type {string} */ meaning, /** @type {number} */ end, /** @type {number} */ place) => {
    if (end > understood) {
      // else it is a part of a longer phrase
      for (const term of meaning.split(" ").filter(Boolean)) all.add(meaning.startsWith("foreign:") ? meaning : term);
      understood = end;
    }
    return place;
  };
  stretches(list, phrases, longest, take, (word, place) => {
    if (place >= understood) all.add(word);
  });
  return all;
}

/** Return a function that corrects a typo: to the nearest word known, of equals the most frequent. @param {string[]} known */
function correctionOver(known) {
  const all = new Set(known);
  const stemsKnown = new Set(known.map(stem));
  return (/** @type {string} */ word) => {
    if (!/^\p{L}+$/u.test(word) || word.length <= 3 || all.has(word) || stemsKnown.has(stem(word))) return word;
    const allowed = word.length < 7 ? 1 : 2;
    let best = word;
    let least = Infinity;
    for (const near of known) {
      if (near.length < 3 || Math.abs(near.length - word.length) > allowed) continue;
      const other = Number(word[0] !== near[0]);
      const distance = edits(word, near);
      if (distance > allowed || (distance === Math.floor(word.length / 3) && other && word.length < 6)) continue;
      if (distance + other / 2 < least) [best, least] = [near, distance + other / 2]; // Of equals the most frequent, which stands first.
    }
    return best;
  };
}

/** Return a function that ranks the questions by the features of a query, the likeliest first. @param {Model} model @param {Constants} constants @returns {(signs: Set<string>) => Map<string, number>} */
function likelihoodsOver(model, constants) {
  const rows = new Map(
    model.weights[0].map((sign, place) => [
      sign,
      { places: model.weights[1][place], weights: model.weights[2][place] },
    ]),
  );
  return (signs) => {
    const unheard = [...signs]
      .filter((sign) => /^=\p{L}+$/u.test(sign) && !rows.has(sign))
      .slice(0, constants.most_unheard);
    const said = [...signs, ...unheard.map((_, number) => `unheard:${number}`)].flatMap((sign) => rows.get(sign) ?? []);
    if (!said.length) return new Map();
    const sums = model.targets.map(() => 0);
    for (const { places, weights } of said) {
      places.forEach((place, at) => {
        sums[place] += weights[at];
      });
    }
    const scale = 1 / Math.sqrt(said.length);
    const odds = model.bias.map((bias, place) => Math.exp((bias + sums[place] * scale) / model.unit));
    const total = odds.reduce((sum, odd) => sum + odd, 0);
    const shares = odds.map((odd, place) => /** @type {[string, number]} */ ([model.targets[place], odd / total]));
    return new Map(shares.sort((one, other) => other[1] - one[1]));
  };
}

/**
 * Go through words and hand each longest stretch that a table knows to `take(meaning, end, start)`, which says where to go on; else the word.
 * @param {string[]} list
 * @param {Map<string, string>} table
 * @param {Map<string, number>} longest
 * @param {(meaning: string, end: number, start: number) => number} take
 * @param {(word: string, place: number) => void} other
 */
function stretches(list, table, longest, take, other) {
  for (let place = 0; place < list.length; place += 1) {
    let end = Math.min(place + (longest.get(list[place]) ?? 0), list.length);
    const meaning = () => table.get(list.slice(place, end).join(" "));
    while (end > place && meaning() === undefined) end -= 1;
    if (end > place) place = take(meaning() ?? "", end, place);
    else other(list[place], place);
  }
}

/** @param {string} text @param {number} longest */
function tokens(text, longest) {
  const folded = text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\p{M}'’`´]/gu, "");
  return (folded.match(TOKEN) ?? [])
    .filter((token) => token !== "+")
    .map((token) => (token.includes("+") ? `+${token.replace(/[+\s]/g, "")}` : token.slice(0, longest)));
}

/** @param {string} word */
function stem(word) {
  if (word.length <= 3 || /[^ -~]/.test(word)) return word;
  let cut = word;
  if (cut.endsWith("ies") && cut.length > 4) cut = `${cut.slice(0, -3)}y`;
  else if (/(?:ches|shes|sses|xes|zes)$/.test(cut)) cut = cut.slice(0, -2);
  else if (/[^sui]s$/.test(cut)) cut = cut.slice(0, -1);
  const rest = cut.replace(/(?:ing|ed)$/, "");
  if (rest !== cut && rest.length >= 3 && /[aeiouy]/.test(rest)) {
    cut = /([^lsfz])\1$/.test(rest) ? rest.slice(0, -1) : rest;
  }
  return cut.endsWith("e") && cut.length > 3 ? cut.slice(0, -1) : cut;
}

/** @param {Map<string, string>} table */
function longestByFirstWord(table) {
  /** @type {Map<string, number>} */
  const longest = new Map();
  for (const phrase of table.keys()) {
    const list = phrase.split(" ");
    longest.set(list[0], Math.max(longest.get(list[0]) ?? 1, list.length));
  }
  return longest;
}

/** Count the edits between two words: insert, delete, replace, exchange neighbors. @param {string} one @param {string} other */
function edits(one, other) {
  /** @type {number[]} */
  let before = [];
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let i = 1; i <= one.length; i += 1) {
    const last = before;
    [before, row] = [row, [i]];
    for (let j = 1; j <= other.length; j += 1) {
      let cost = Math.min(before[j] + 1, row[j - 1] + 1, before[j - 1] + Number(one[i - 1] !== other[j - 1]));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        cost = Math.min(cost, last[j - 2] + 1);
      }
      row.push(cost);
    }
  }
  return row[other.length];
}
