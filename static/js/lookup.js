// The look-up without a connection: the server's, evaluated over what it learned and wrote down. Each step is that of
// the same name in referee/rules/lookup_words.py, lookup_model.py and lookup.py, which say why.

const TOKEN = /\+\s*\p{Nd}+|\p{Nd}+\s*\+(?!\s*\p{Nd})|\+|\p{Nd}+(?:st|nd|rd|th)?(?!\p{L})|\p{Nd}+|\p{L}+/gu;
const ASIDE = /^(elsewhere|box:|foreign:|aside:)/;

/** @typedef {Record<"longest_word" | "longest_prefix" | "most_corrected" | "most_strangers" | "most_unheard" | "most_topics" | "worth_showing" | "nearest" | "most_results" | "most_doubt" | "least_doubt" | "faint" | "off_the_matter" | "silent_above" | "sure" | "certain" | "most_other" | "of_card" | "own_cards" | "short" | "sentence" | "strange" | "outweighs", number> & {first_asked: string[], foreign_words: string[]}} Constants */
/** @typedef {{forms: Record<string, string>, articles: string[], known: string[], cards: Record<string, string[]>, phrases: Record<string, string[]>, verbs: string[], amounts: string[], with_two: string[], grammar: Grammar}} Words */
/** @typedef {{endings: string[], pieces: number, plural: string[], card: string[], wild: string, challenge: string[], numbers: Record<string, string>}} Grammar */
/** @typedef {{unit: number, targets: string[], bias: number[], weights: [signs: string[], tells: number[], places: number[][], weights: number[][]]}} Model */
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
 * @property {Model} model how likely each is asked
 * @property {Model} matters how likely each is asked of a card
 * @property {Record<string, string>} asked_of_card
 * @property {string} language what the language of all this calls itself
 * @property {string[]} titles of boxes, which may have a card's name in them
 * @property {Constants} constants
 */
/**
 * What a look-up gives: whether a rule answers, or the rules say nothing of what was asked, and the clauses to show.
 * @typedef {object} Result
 * @property {string} query
 * @property {boolean} answered
 * @property {boolean} silent
 * @property {boolean} closest whether the first clause is only the closest one
 * @property {Question | null} asked
 * @property {string[]} hits
 * @property {string[]} topics
 * @property {Map<string, string>} corrected
 * @property {string} askIn the language to ask in, where the words are of another one
 * @property {Box | null} box
 */
/** @typedef {{label: string, names: string[], own: boolean, matters: Record<string, string[] | null>}} BoxCard a card of the box, and the clauses on it */
/** @typedef {{label: string, own: boolean, matters: Map<string, string[] | null>}} NamedCard */
/** @typedef {Map<string, {name: string[], card: NamedCard}[]>} Names the names of cards by their first word */
/** @typedef {{id: string, text: string, clauses: Map<string, number>, silent: number, does: string[]}} CardAsked what is asked of a card, how likely each clause is meant or none, and what the card does */
/** @typedef {{home: string | null, box: string, cards: BoxCard[]}} OfBox what a rulebook is for: `home` is a box that has its own */
/** @typedef {Map<string, {settings: Record<string, unknown>, title?: string}>} Clauses those of a rulebook by id */
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
// eslint-disable-next-line max-lines-per-function -- one decision, in the order in which the server makes it
export function lookUpOver(learned) {
  const { words, questions, boxes, open, constants } = learned;
  const hear = hearingOver(words, constants);
  const { stems, corrected: spelled, isStrange } = wordsOver(words, constants);
  const cardQuestion = cardQuestionOver(learned, spelled, hear);
  const plain = (/** @type {string} */ text) => stems(tokens(text, constants.longest_word)).join(" ");
  /** @type {WeakMap<Clauses, Map<string, string>>} */
  const titlesOf = new WeakMap();
  const titled = (/** @type {string} */ query, /** @type {Clauses} */ book, /** @type {BoxCard[]} */ named) => {
    if (!titlesOf.has(book)) {
      const titles = [...book]
        .reverse()
        .map(([id, { title = "" }]) => /** @type {[string, string]} */ ([plain(title), id]));
      const taken = new Set(["", ...named.flatMap(({ names, label }) => [...names, label]).map(plain)]);
      titlesOf.set(book, new Map(titles.filter(([title]) => !taken.has(title))));
    }
    return titlesOf.get(book)?.get(plain(query));
  };
  const likelihoods = likelihoodsOver(learned.model, constants);
  const taught = new Set(learned.model.weights[0]);
  const concepts = new Set(
    [...Object.keys(learned.words.cards), ...Object.keys(learned.words.phrases)].flatMap((key) => key.split(" ")),
  );
  const known = new Map([...questions, ...open].map((question) => [question.id, question]));

  // eslint-disable-next-line max-lines-per-function -- likewise
  return (query, books, led, of) => {
    let heard = hear(query);
    const home = led ? (of?.home ?? null) : null;
    const atHome = home !== null && heard.box === home;
    if (atHome) heard = hear(without(query, boxes.find(({ id }) => id === home)?.title)); // There its name tells nothing.
    const atTable = heard.box === null || heard.box === home;
    const card = led && of ? cardQuestion(query, of.cards, atTable, books[0]) : null;
    const all = heard.elsewhere && !atHome && !card ? new Map() : likelihoods(heard.signs);
    all.delete(`box-${home}`);
    const ofBoxes = [...all].filter(([id]) => id.startsWith("box-"));
    for (const [id] of ofBoxes) all.delete(id);
    const likely = atHomeOf(all, books, home === null ? 1 : constants.own_cards);
    const noRule = likely.get("nothing") ?? 1;
    likely.delete("nothing");
    const near = [...likely.keys()];
    const topicOf = (/** @type {string} */ id) => known.get(id)?.topic ?? "";
    const topics = [...new Set(near.map(topicOf))].slice(0, constants.most_topics);
    const { corrected, terms } = heard;
    /** @type {Result} */
    const result = {
      query,
      answered: false,
      silent: false,
      closest: false,
      asked: null,
      hits: [],
      topics: topics.length ? topics : constants.first_asked,
      corrected,
      askIn: isStrange(query) ? learned.language : "",
      box: null,
    };
    if (result.askIn) return { ...result, topics: constants.first_asked, corrected: new Map() };
    const title = led && of ? titled(query, books[0], of.cards) : undefined;
    if (title) {
      const question = known.get(title) ?? null;
      return {
        ...result,
        answered: true,
        asked: question,
        hits: [title],
        topics: [question?.topic ?? "special-cards"],
      };
    }
    const speaks = speaking(learned, led ? books.slice(0, 1) : books, terms);
    if (card) return { ...result, ...foundOfCard(card, likely, noRule, speaks, known, books, constants) };
    const [[nearest, nearestShare]] = ofBoxes.length ? ofBoxes : [["", 0]];
    const allBoxes = ofBoxes.reduce((sum, [, share]) => sum + share, 0);
    const isElsewhere = nearestShare > noRule && allBoxes > Math.max(0, ...likely.values());
    const box = heard.box ?? (isElsewhere ? nearest.slice("box-".length) : null);
    if (box !== null && !atHome) return { ...result, box: boxes.find(({ id }) => id === box) ?? null };
    const hits = (/** @type {string[]} */ ids) => worthShowing(ids, likely, books, constants);
    const spoken = near.filter(speaks);
    const surest = Math.max(0, ...likely.values());
    const unheard = [...terms].filter((term) => !taught.has(term)).length;
    const isUnheard = unheard && unheard >= [...terms].filter((term) => concepts.has(term)).length;
    if (
      !spoken.length ||
      noRule > (isUnheard ? constants.least_doubt : constants.most_doubt) * (noRule + surest) ||
      (!terms.size && surest < constants.faint)
    ) {
      return { ...result, hits: noRule <= constants.off_the_matter && terms.size ? hits(near) : [] };
    }
    const share = (/** @type {string} */ id) => likely.get(id) ?? 0;
    const instead = [near[0], ...(learned.instead[near[0]] ?? [])].filter((id) => spoken.includes(id));
    const [best] = [...instead, ...spoken];
    const silent = !instead.length && share(best) * constants.silent_above < surest;
    const asked = silent ? near[0] : best;
    const elsewhere = (/** @type {string} */ id) => topicOf(id) !== topicOf(asked);
    const topicFirst = [...near.filter((id) => !elsewhere(id)), ...near.filter(elsewhere)];
    return {
      ...result,
      answered: !silent,
      silent,
      closest: !silent && share(best) < constants.certain,
      asked: known.get(asked) ?? null,
      hits: hits(silent ? topicFirst : [...new Set([best, ...spoken, ...near])]),
    };
  };
}

/**
 * Leave out the cards that no book here speaks of, and prefer those of a box that has its own.
 * @param {Map<string, number>} likely
 * @param {Clauses[]} books
 * @param {number} more
 */
function atHomeOf(likely, books, more) {
  const isCard = (/** @type {string} */ id) => /^(start-)?card-/.test(id);
  const possible = [...likely].filter(([id]) => !isCard(id) || books.some((book) => book.has(id)));
  const found = possible.map(([id, share]) => /** @type {[string, number]} */ ([id, share * (isCard(id) ? more : 1)]));
  const sum = (/** @type {[string, number][]} */ list) => list.reduce((total, [, share]) => total + share, 0);
  const scale = sum(possible) / (sum(found) || 1);
  return new Map(
    found
      .sort((one, other) => other[1] - one[1])
      .map(([id, share]) => /** @type {[string, number]} */ ([id, share * scale])),
  );
}

/**
 * Return what a book says of a card, or that it is silent on it.
 * @param {CardAsked} card
 * @param {Map<string, number>} likely
 * @param {number} noRule
 * @param {(id: string) => boolean} speaks
 * @param {Map<string, Question>} known
 * @param {Clauses[]} books
 * @param {Constants} constants
 */
function foundOfCard(card, likely, noRule, speaks, known, books, constants) {
  const { of_card: weight, certain } = constants;
  const total = [...likely.values()].reduce((sum, share) => sum + share, noRule);
  const score = new Map(
    [...likely]
      .filter(([id]) => speaks(id))
      .map(([id, share]) => /** @type {[string, number]} */ ([id, (share / total) * (1 - weight)])),
  );
  const unsaid = [...likely].reduce((sum, [id, share]) => sum + (score.has(id) ? 0 : share / total), 0);
  for (const [id, share] of card.clauses) score.set(id, (score.get(id) ?? 0) + share * weight);
  const ranked = [...score.keys()].sort((one, other) => (score.get(other) ?? 0) - (score.get(one) ?? 0));
  const best = score.get(ranked[0]) ?? 0;
  const openShare = card.silent * weight + unsaid * (1 - weight);
  const silent = !ranked.length || (card.silent > 0 && openShare > Math.max(constants.sure, best));
  const ofCard = silent || card.id === ranked[0];
  const topic =
    known.get(ofCard ? card.id : ranked[0])?.topic ?? (card.id.startsWith("start-") ? "start-card" : "special-cards");
  return {
    answered: !silent,
    silent,
    closest: !silent && best < certain,
    asked: ofCard ? { id: card.id, topic, text: card.text } : (known.get(ranked[0]) ?? null),
    hits: worthShowing(
      silent ? card.does : ranked,
      new Map([...card.does.map((id) => /** @type {[string, number]} */ ([id, card.silent])), ...score]),
      books,
      constants,
    ),
    topics: [topic],
  };
}

/** Leave a box's own name out of a query. @param {string} query @param {string} [title] */
const without = (query, title) =>
  title ? query.replace(new RegExp(title.replace(/[^\p{L}\p{N}]/gu, "\\$&"), "gi"), "") : query;

const MIXED = "stacking-mixed";
const NAME = "namedcard";
const AGAIN = "secondcard";
const ONTO = "onto";
const OTHER = "other";

/**
 * Return a function that finds what a query asks of a card it names; null where it names none, or the words decide.
 * @param {Learned} learned
 * @param {(query: string) => string[]} corrected
 * @param {(query: string) => Heard} hear
 * @returns {(query: string, cards: BoxCard[], atHome: boolean, book: Clauses) => CardAsked | null}
 */
function cardQuestionOver({ words, titles, matters, asked_of_card: texts, constants }, corrected, hear) {
  const { numbers, plural } = words.grammar;
  const likelihoods = likelihoodsOver(matters, constants);
  return (query, cards, atHome, book) => {
    let text = ` ${corrected(query)
      .map((word) => (Object.hasOwn(numbers, word) ? numbers[word] : word))
      .join(" ")} `;
    for (const title of titles) text = text.replaceAll(` ${title} `, " ");
    const { named, around } = namedIn(text.split(" ").filter(Boolean), namesFrom(cards, plural), words);
    const [card] = named;
    if (!card?.matters.size || !(atHome || card.own)) return null;
    const said = around.join(" ");
    const withTwo = words.with_two.some((shown) => ` ${said} `.includes(` ${shown} `));
    let likely = possibleOf(card, around.includes(AGAIN), likelihoods(hear(said).signs));
    if ((likely.get(OTHER) ?? 1) > constants.most_other) {
      if (!withTwo && !card.own) return null;
      likely = new Map([["effect", constants.most_other / 2]]);
    }
    const near = [...likely.keys()].filter((id) => id !== OTHER);
    const held = near[0] === "when" && around.includes(AGAIN) && !card.own;
    if (held || card.matters.get(near[0]) === null) return null;
    const clauseOn = clausesOn(card, book, withTwo, named.length > 1);
    /** @type {Map<string, number>} */
    const clauses = new Map();
    for (const matter of near) {
      const clause = clauseOn(matter);
      if (clause) clauses.set(clause, (clauses.get(clause) ?? 0) + (likely.get(matter) ?? 0));
    }
    const does = card.matters.get("effect") ?? [];
    const first = clauseOn(near[0]);
    return {
      id: first ?? [...(card.matters.get(near[0]) ?? []), ...does][0],
      text: texts[near[0]].replace("{card}", card.label),
      clauses,
      silent: first ? 0 : 1 - [...clauses.values()].reduce((sum, share) => sum + share, 0),
      does: [...new Set(does)].filter((id) => book.has(id)),
    };
  };
}

/** Leave what can't be asked of this card out of the likelihoods, nor of one card what takes two. @param {NamedCard} card @param {boolean} again @param {Map<string, number>} likely */
function possibleOf({ matters }, again, likely) {
  const asked = (/** @type {string} */ matter) => matters.has(matter) && (again || matter !== ONTO);
  const possible = [...likely].filter(([matter]) => matter === OTHER || asked(matter));
  const total = possible.reduce((sum, [, share]) => sum + share, 0);
  return new Map(possible.map(([matter, share]) => [matter, share / total]));
}

/** Return a function that finds a book's clause on what is asked of a card. @param {NamedCard} card @param {Clauses} book @param {boolean} withTwo @param {boolean} several */
function clausesOn({ matters }, book, withTwo, several) {
  const isForTwo = (/** @type {string} */ id) => Number(!id.endsWith("-two"));
  return (/** @type {string} */ matter) => {
    let wanted = matters.get(matter) ?? [];
    if (wanted.includes(MIXED) && several) wanted = [MIXED, ...wanted];
    if (withTwo) wanted = [...wanted].sort((one, other) => isForTwo(one) - isForTwo(other));
    return wanted.find((id) => book.has(id));
  };
}

/** Sort the names of cards by their first word, each also in the plural. @param {BoxCard[]} cards @param {string[]} plural @returns {Names} */
function namesFrom(cards, plural) {
  /** @type {Names} */
  const found = new Map();
  for (const { label, own, names, matters } of cards) {
    const card = { label, own, matters: new Map(Object.entries(matters)) };
    for (const form of names.flatMap((name) => ["", ...plural].map((ending) => name + ending))) {
      const name = form.split(" ");
      found.set(name[0], [...(found.get(name[0]) ?? []), { name, card }]);
    }
  }
  return found;
}

/** Find the cards named, that with the longest name first, and put `NAME` in the places of their names. @param {string[]} said @param {Names} names @param {Words} words */
function namedIn(said, names, { verbs, amounts, grammar }) {
  /** @type {Map<NamedCard, number>} */
  const found = new Map();
  /** @type {string[]} */
  const around = [];
  const isNumber = (/** @type {NamedCard} */ { label }) => /^\p{Nd}+$/u.test(label);
  const isVerb = (/** @type {string[]} */ name, /** @type {NamedCard} */ card, /** @type {number} */ place) =>
    place > 0 &&
    !isNumber(card) &&
    /^\p{L}+$/u.test(name[0]) &&
    name[0] !== grammar.wild &&
    !(card.own && !/^\p{Nd}+$/u.test(name[name.length - 1])) &&
    verbs.includes(said[place - 1]);
  for (let place = 0; place < said.length;) {
    const here = (names.get(said[place]) ?? []).filter(
      ({ name, card }) =>
        name.every((word, at) => said[place + at] === word) &&
        !isVerb(name, card, place) &&
        !(isNumber(card) && amounts.includes(said[place + name.length])),
    );
    if (!here.length) {
      around.push(said[place]);
      place += 1;
      continue;
    }
    const { name, card } = here.reduce((best, one) => (one.name.length > best.name.length ? one : best));
    found.set(card, Math.max(found.get(card) ?? 0, name.join(" ").length));
    if (grammar.challenge.includes(name[0])) around.push(name[0]);
    around.push(around.includes(NAME) ? AGAIN : NAME);
    place += name.length;
    if (grammar.card.includes(said[place])) place += 1;
  }
  return { named: [...found.keys()].sort((one, other) => (found.get(other) ?? 0) - (found.get(one) ?? 0)), around };
}

/** Return a function that checks whether a book has a clause on a question, with the very part that was asked about. @param {Learned} learned @param {Clauses[]} books @param {Set<string>} heard */
function speaking({ parts }, books, heard) {
  return (/** @type {string} */ id) =>
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

/** Leave out what hardly anyone meant, and what no book speaks of. @param {string[]} ids @param {Map<string, number>} likely @param {Clauses[]} books @param {Constants} constants */
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

/** Return how the words of a query are corrected, how stems are taken of them, articles left out, and whether they are of another language. @param {Words} words @param {Constants} constants */
function wordsOver(words, constants) {
  const { longest_word: longest, short, sentence, strange, outweighs, foreign_words: others } = constants;
  const forms = new Map(Object.entries(words.forms));
  const articles = new Set(words.articles);
  const stem = stemOver(words.grammar.endings);
  const known = new Set(words.known);
  const foreign = new Set(others);
  const correct = correctionOver(words.known, knowing(words.known, stem), constants);
  return {
    isStrange: (/** @type {string} */ query) => {
      const said = tokens(query, longest).filter((word) => /^\p{L}+$/u.test(word));
      const ofOthers = said.filter((word) => foreign.has(word)).length;
      if (ofOthers && said.filter((word) => known.has(word)).length <= outweighs * ofOthers) return true;
      const telling = said.filter((word) => word.length > short);
      return telling.length >= sentence && telling.filter((word) => known.has(word)).length < strange * telling.length;
    },
    corrected: (/** @type {string} */ query) => correct(tokens(query, longest)),
    stems: (/** @type {string[]} */ list) =>
      list.flatMap((word) => (forms.get(word) || word).split(" ").map(stem)).filter((word) => !articles.has(word)),
  };
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
  const stem = stemOver(words.grammar.endings);
  const correct = correctionOver(words.known, knowing(words.known, stem), constants);

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
    const said = tokens(query, constants.longest_word);
    const stems = correct(said).flatMap((meant, place) => {
      if (meant !== said[place]) corrected.set(said[place], meant);
      return (forms.get(meant) || meant).split(" ").map(stem);
    });
    const list = plain(stems);
    const all = meanings(list, phrases, longestPhrase);
    const signs = signsOf(list, all, words.grammar.pieces, constants);
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

/** Return the features that the model weighs: terms, words as they stand, their beginnings or all pieces of them, and words of no rule. @param {string[]} list @param {Set<string>} terms @param {number} pieces @param {Constants} constants */
function signsOf(list, terms, pieces, { longest_prefix: longest, most_strangers: most }) {
  const parts = pieces
    ? list.flatMap((word) =>
        Array.from(
          { length: Math.max(0, word.length + 2 - pieces) },
          (_, at) => `~${`^${word}`.slice(at, at + pieces)}`,
        ),
      )
    : list.filter((word) => word.length > longest).map((word) => `~${word.slice(0, longest)}`);
  const strangers = [...terms].filter((term) => term.startsWith("foreign:")).slice(0, most);
  return new Set([
    ...terms,
    ...list.filter((word) => !terms.has(word)).map((word) => `=${word}`),
    ...parts,
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

/** Return a function that tells whether a word is spelled as one known, its ending aside. @param {string[]} known @param {(word: string) => string} stem */
function knowing(known, stem) {
  const all = new Set(known);
  const stemsKnown = new Set(known.map(stem));
  return (/** @type {string} */ word) => all.has(word) || stemsKnown.has(stem(word));
}

/** Return a function that corrects the typos among words: each to the nearest word known, of equals the most frequent; of very many only the first. @param {string[]} known @param {(word: string) => boolean} knows @param {Constants} constants */
function correctionOver(known, knows, { most_corrected: most }) {
  const nearest = (/** @type {string} */ word) => {
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
  const isMisspelled = (/** @type {string} */ word) => /^\p{L}+$/u.test(word) && word.length > 3 && !knows(word);
  return (/** @type {string[]} */ said) => {
    const misspelled = [...new Set(said)].filter(isMisspelled).slice(0, most);
    const meant = new Map(misspelled.map((word) => [word, nearest(word)]));
    return said.map((word) => meant.get(word) ?? word);
  };
}

/** Return a function that ranks the questions by the features of a query, the likeliest first. @param {Model} model @param {Constants} constants @returns {(signs: Set<string>) => Map<string, number>} */
function likelihoodsOver(model, constants) {
  const rows = new Map(
    model.weights[0].map((sign, place) => [
      sign,
      { tells: model.weights[1][place], places: model.weights[2][place], weights: model.weights[3][place] },
    ]),
  );
  return (signs) => {
    const unheard = [...signs]
      .filter((sign) => /^=?\p{L}+$/u.test(sign) && !rows.has(sign))
      .slice(0, constants.most_unheard);
    const said = [...signs, ...unheard.map((_, number) => `unheard:${number}`)].flatMap((sign) => rows.get(sign) ?? []);
    if (!said.length) return new Map();
    const sums = model.targets.map(() => 0);
    for (const { places, weights } of said) {
      places.forEach((place, at) => {
        sums[place] += weights[at];
      });
    }
    const scale = model.unit / Math.hypot(...said.map(({ tells }) => tells));
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
    .replaceAll("ß", "ss")
    .normalize("NFKD")
    .replace(/[\p{M}'’`´]/gu, "");
  return (folded.match(TOKEN) ?? [])
    .filter((token) => token !== "+")
    .map((token) => (token.includes("+") ? `+${token.replace(/[+\s]/g, "")}` : token.slice(0, longest)));
}

/** Return a function that cuts the endings of a word, as long as three letters are left; without any, as English does. @param {string[]} endings */
function stemOver(endings) {
  return (/** @type {string} */ word) => {
    if (word.length <= 3 || /[^ -~]/.test(word)) return word;
    if (!endings.length) return englishStem(word);
    let cut = word.replace(/(.)\1/g, "$1");
    const fitting = () => endings.find((end) => cut.endsWith(end) && cut.length > end.length + 2);
    for (let end = fitting(); end; end = fitting()) cut = cut.slice(0, -end.length);
    return cut;
  };
}

/** @param {string} word */
function englishStem(word) {
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
