// The look-up without a connection: the server's, over what it learned. Each step is that of the same name in
// referee/rules/lookup/query.py, model.py and lookup.py, which say why.

const TOKEN = /\+\s*\p{Nd}+|\p{Nd}+\s*\+(?!\s*\p{Nd})|\+|\p{Nd}+(?:st|nd|rd|th)?(?!\p{L})|\p{Nd}+|\p{L}+/gu;
const CLASSIC = { "+2": "draw-two", "+4": "wild-draw-four", "wild": "wild", "skip": "skip", "reverse": "reverse" };
const ASIDE = /^(elsewhere|box:|foreign:|aside:)/;

/** @typedef {Record<"longest_word" | "longest_prefix" | "most_corrected" | "most_topics" | "worth_showing" | "nearest" | "most_results" | "most_doubt" | "off_the_matter" | "silent_above" | "unsure" | "own_cards" | "own_words" | "sentence" | "strange" | "outweighs", number> & {first_asked: string[], foreign_words: string[]}} Constants */
/** @typedef {{forms: Record<string, string>, articles: string[], known: string, cards: Record<string, string[]>, phrases: Record<string, string[]>, endings: string[], pieces: number, on: string[]}} Words */
/** @typedef {{unit: number, step: number, origin: number, targets: string[], bias: number[], weights: [signs: string[], tells: number[], places: string[], weights: string[]]}} Model */
/** @typedef {{id: string, topic: string, text: string}} Question */
/** @typedef {{id: string, title: string, notice: string, about: string, known: boolean}} Box */
/** @typedef {{words: Words, questions: Question[], open: Question[], boxes: Box[], instead: Record<string, string[]>, model: Model, language: string, constants: Constants, no_rules?: string}} Learned what the look-up has learned, as the server writes it: `open` are questions that no rulebook answers, `language` is what the language of all this calls itself */
/**
 * What a look-up gives: whether a rule answers, or the rules say nothing of what was asked, and the clauses to show.
 * `unsure` is whether these are only the nearest, `askIn` the language to ask in where the words are of another one,
 * `point` what a hearing decides, as books have it; empty where none is asked; `smile` stands where it is about no rule.
 * @typedef {{query: string, answered: boolean, silent: boolean, unsure: boolean, asked: Question | null, hits: string[], topics: string[], corrected: Map<string, string>, askIn: string, box: Box | null, point: string, smile?: boolean}} Result
 */
/** @typedef {{cards: Record<string, [card: string, alike: string]>, points: Record<string, [ruling: number, facts: string]>, rulings: {dispute: string, allowed: boolean | null, summary: string, clauses: string[]}[]}} Heard what hearings under a rulebook decide of cards, by question and cards, and the names of these */
/** @typedef {{home: string | null, box: string, here: string[]}} OfBox what a rulebook is for: `home` is a box that has its own, `here` are phrases that name a box elsewhere */
/** @typedef {Map<string, {topic: string, title: string, text: string}>} Clauses those of a rulebook by id */
/** @typedef {ReturnType<typeof hearingOver>} Hear */

/** Return the rulebooks that a look-up searches: those of the classic box, and the first, where it is in force. @template {OfBox} T @param {T[]} books @param {boolean} led */
export function searched(books, led) {
  const [first] = books;
  const found = books.filter(
    (book) => (led && book === first) || (book.home === null && (!led || book.box === first.box)),
  );
  return found.length ? found : books;
}

/** Return a function that finds what answers a query: the first book is in force where `led`, `of` tells what it is for, and `heard` what hearings under each decide. @param {Learned} learned @returns {(query: string, books: Clauses[], led: boolean, of?: OfBox, heard?: Heard[]) => Result} */
export function lookUpOver(learned) {
  const { words, questions, open, constants } = learned;
  const hear = hearingOver(words, constants);
  const isStrange = strangerOver(words, constants);
  const tells = new Map(learned.model.weights[0].map((sign, place) => [sign, learned.model.weights[1][place]]));
  const known = new Map([...questions, ...open].map((question) => [question.id, question]));
  const likelihoods = likelihoodsOver(learned.model);
  const inPublished = publishedOver(learned, hear, tells, known, likelihoods);
  const pointOf = pointOver(learned, hear, likelihoods);
  const isNoRule = noRuleOver(learned, hear);
  const inOwn = ownOver(hear, tells, known, learned.model.unit, constants);

  return (query, books, led, of, heard = []) => {
    if (isNoRule(query)) return { ...nothing(query), smile: true };
    const strange = { ...nothing(query), topics: constants.first_asked, askIn: learned.language };
    const isOther = isStrange(query);
    const read = isOther ? strange : inPublished(query, books, led, of);
    const found = isOther || !heard.length ? read : withPoint(read, pointOf(query, heard[0]), heard, led, known);
    const own = led ? inOwn(query, books[0]) : [];
    if (!own.length) return found;
    const near = found.answered ? found.hits : [];
    const [first, ...further] = own.map((rule) => rule.id);
    const isFirst = !near.length || own[0].score > found.score;
    const leading = isFirst ? [first, ...near.slice(0, 1)] : [near[0], first];
    const hits = [...leading, ...further, ...near.slice(1)].slice(0, constants.most_results);
    if (!isFirst) return { ...found, hits };
    const { id, topic, text } = own[0];
    const asked = { id, topic, text };
    return { ...nothing(query), answered: true, asked, hits, topics: [topic], corrected: found.corrected };
  };
}

/** Return a function that finds which of the questions known is asked, and what answers it. @param {Learned} learned @param {Hear} hear @param {Map<string, number>} tells @param {Map<string, Question>} known @param {ReturnType<typeof likelihoodsOver>} likelihoods @returns {(query: string, books: Clauses[], led: boolean, of?: OfBox) => Result & {score: number}} */
function publishedOver({ boxes, instead: others, constants }, hear, tells, known, likelihoods) {
  const topicOf = (/** @type {string} */ id) => known.get(id)?.topic ?? "";
  return (query, books, led, of) => {
    const home = (led && of?.home) || null;
    const said = without(query, boxes.find(({ id }) => id === home)?.title); // There its name tells nothing.
    const heard = hear(said, new Set(), new Set(led ? of?.here : []));
    const all = heard.elsewhere ? new Map() : likelihoods(heard.signs);
    const ofBoxes = [...all].filter(([id]) => id.startsWith("box-"));
    for (const [id] of ofBoxes) all.delete(id);
    const likely = atHomeOf(all, books, home ? constants.own_cards : 1);
    const noRule = likely.get("nothing") ?? 1;
    likely.delete("nothing");
    const ids = [...likely.keys()];
    const topics = [...new Set(ids.map(topicOf))].slice(0, constants.most_topics);
    const result = {
      ...nothing(query),
      topics: topics.length ? topics : constants.first_asked,
      corrected: heard.corrected,
    };
    const surest = Math.max(0, ...likely.values());
    const [nearest, share] = (!home && ofBoxes[0]) || ["", 0];
    const isElsewhere = share > noRule && ofBoxes.reduce((sum, [, one]) => sum + one, 0) > surest;
    const box = heard.box ?? (isElsewhere ? nearest.slice("box-".length) : null);
    if (box !== null) return { ...result, box: boxes.find(({ id }) => id === box) ?? null };
    const hits = (/** @type {string[]} */ list) => worthShowing(list, likely, books, constants);
    const spoken = ids.filter((id) => (led ? books.slice(0, 1) : books).some((book) => book.has(id)));
    const unheard = [...heard.terms].filter((term) => !tells.has(term)).length;
    if (!spoken.length || noRule * (1 + unheard) > constants.most_doubt * (noRule + surest)) {
      return { ...result, hits: noRule <= constants.off_the_matter && heard.terms.size ? hits(ids) : [] };
    }
    const instead = [ids[0], ...(others[ids[0]] ?? [])].filter((id) => spoken.includes(id));
    const [best] = [...instead, ...spoken];
    const score = likely.get(best) ?? 0;
    const silent = !instead.length && score * constants.silent_above < surest;
    const asked = known.get(silent ? ids[0] : best) ?? null;
    if (silent) {
      const off = (/** @type {string} */ id) => Number(topicOf(id) !== asked?.topic);
      return { ...result, silent, asked, hits: hits([...ids].sort((one, other) => off(one) - off(other))) };
    }
    const first = hits([...new Set([best, ...spoken, ...ids])]);
    const unsure = (instead.length ? surest : score) < constants.unsure;
    return { ...result, answered: !unsure, unsure, asked, hits: first, score };
  };
}

/** Return a function that finds which question of a hearing a query asks, and of which cards, as a book lists what hearings decide. @param {Learned} learned @param {Hear} hear @param {ReturnType<typeof likelihoodsOver>} likelihoods */
function pointOver({ words, constants }, hear, likelihoods) {
  const on = new Set(words.on);
  const synonyms = Object.entries(CLASSIC).flatMap(([name, card]) =>
    (words.cards[name] ?? []).map((one) => /** @type {[string, [string, string]]} */ ([one, [card, ""]])),
  );
  return (/** @type {string} */ query, /** @type {Heard} */ { cards }) => {
    const labels = Object.entries(cards);
    const held = new Set(labels.map(([, [card]]) => card));
    const names = new Map([...synonyms.filter(([, [card]]) => held.has(card)), ...labels]);
    const typed = hear.typed(query);
    const places = typed.flatMap((word, place) => hear.stems(word).map((stem) => ({ stem, place })));
    const list = places.map(({ stem }) => stem);
    const all = apart(stretches(list, names, longestOf(names))).flatMap(({ meaning, start: at, end }) => {
      if (!meaning) return [];
      const [start, isUnder] = [places[at].place, on.has(list[at - 1])];
      return [{ card: meaning[0], alike: meaning[1], start, end: places[end - 1].place + 1, isUnder }];
    });
    const faces = all.filter(({ card }) => !/^\d+$/.test(card));
    const named = faces.length ? faces : all;
    for (const { alike, start, end } of [...named].reverse()) if (alike) typed.splice(start, end - start, alike);
    const { signs, elsewhere } = hear(typed.join(" "));
    const [target, share] = (named.length && named.length < 3 && !elsewhere && [...likelihoods(signs)][0]) || ["", 0];
    const isStack = target.startsWith("stacking-");
    const isAlike = named.every(({ card }) => card === named[0].card);
    if (share < constants.unsure || !(isAlike || (isStack && named.some(({ isUnder }) => isUnder)))) return "";
    const order = named[named.length - 1].isUnder ? named : [...named].reverse();
    const [{ card: played }, { card: under }] = [order[0], order[order.length - 1]];
    return isStack ? `stacking-mixed ${played} ${under}` : `${target} ${played}`;
  };
}

/** Answer with what a hearing decides under the first book, or where none is in force the first that speaks. @param {Result & {score: number}} found @param {string} point @param {Heard[]} heard @param {boolean} led @param {Map<string, Question>} known */
function withPoint(found, point, heard, led, known) {
  const rulings = heard.flatMap(({ points, rulings: all }) => (points[point] ? [all[points[point][0]]] : []));
  const first = (!led && rulings.find(({ allowed }) => allowed !== null)) || rulings[0];
  if (!first || (led && !heard[0].points[point])) return found;
  const silent = first.allowed === null;
  if (silent && found.answered && found.asked?.id === "matching") return found;
  const read = first.clauses.filter((id) => known.has(id));
  const hits = [...new Set([...(silent || found.silent ? [] : found.hits.slice(0, 1)), ...read, ...found.hits])];
  return {
    ...found,
    answered: !silent,
    silent,
    unsure: false,
    box: null,
    hits,
    point,
    score: found.hits.includes(hits[0]) ? found.score : 1,
  };
}

/** Return what a look-up gives that finds nothing. @param {string} query @returns {Result & {score: number}} */
function nothing(query) {
  const none = { answered: false, silent: false, unsure: false, asked: null, hits: [], topics: [], box: null };
  return { query, ...none, point: "", corrected: new Map(), askIn: "", score: 0 };
}

/** Return a function that tells whether a question has all words of a group of a closed list, and no word of a card or rule besides. @param {Learned} learned @param {Hear} hear */
function noRuleOver({ no_rules: groups = "", questions, constants }, hear) {
  const all = groups.split(" | ").map(hear.stems);
  /** @type {Set<string> | undefined} */
  let ofRules;
  return (/** @type {string} */ query) => {
    const stems = new Set(hear.stems(query));
    const group = groups && all.find((one) => one.every((word) => stems.has(word)));
    if (!group) return false;
    ofRules ??= new Set(questions.flatMap(({ text }) => [...hear(text).terms]));
    const rest = tokens(query, constants.longest_word).filter(
      (word) => !hear.stems(word).some((stem) => group.includes(stem)),
    );
    return ![...hear(rest.join(" ")).terms].some((term) => ofRules?.has(term));
  };
}

/** Return a function that finds the rules in a table's own words that a query is about, the nearest first. @param {Hear} hear @param {Map<string, number>} tells @param {Map<string, Question>} known @param {number} unit what a word tells that nobody taught @param {Constants} constants */
function ownOver(hear, tells, known, unit, { own_words: least, nearest }) {
  /** @type {WeakMap<Clauses, {rules: (Question & {signs: Set<string>})[], written: Set<string>}>} */
  const read = new WeakMap();
  const readIn = (/** @type {Clauses} */ book) => {
    const own = [...book].filter(([id]) => !known.has(id)).map(([id, clause]) => ({ ...clause, id }));
    const written = new Set(own.flatMap(({ title, text }) => hear.stems(`${title} ${text}`)));
    const rules = own.map(({ id, topic, title, text }) => {
      return { id, topic, text: title, signs: hear(`${title} ${text}`, written).signs };
    });
    return { rules, written };
  };
  const sum = (/** @type {string[]} */ signs) => signs.reduce((all, sign) => all + (tells.get(sign) ?? unit) ** 2, 0);
  return (/** @type {string} */ query, /** @type {Clauses} */ book) => {
    const { rules, written } = read.get(book) ?? readIn(book);
    read.set(book, { rules, written });
    const asked = rules.length ? [...hear(query, written).signs] : [];
    return rules
      .map((rule) => ({ ...rule, score: sum(asked.filter((sign) => rule.signs.has(sign))) / sum(asked) }))
      .filter(({ score }) => score > least)
      .sort((one, other) => other.score - one.score)
      .slice(0, nearest);
  };
}

/** @param {string} id */
const isCard = (id) => /^(start-)?card-/.test(id);

/** Leave out the cards that no book here speaks of, and prefer those of a box that has its own. @param {Map<string, number>} likely @param {Clauses[]} books @param {number} more */
function atHomeOf(likely, books, more) {
  const isHeld = (/** @type {string} */ id) =>
    books.some((book) => book.has(id) || book.has(id.replace(/^start-/, "")));
  const possible = [...likely].filter(([id]) => !isCard(id) || isHeld(id));
  const found = possible.map(([id, share]) => /** @type {[string, number]} */ ([id, share * (isCard(id) ? more : 1)]));
  const sum = (/** @type {[string, number][]} */ list) => list.reduce((total, [, share]) => total + share, 0);
  const scale = sum(possible) / (sum(found) || 1);
  return new Map(
    found
      .sort((one, other) => other[1] - one[1])
      .map(([id, share]) => /** @type {[string, number]} */ ([id, share * scale])),
  );
}

/** Leave a box's own name out of a query. @param {string} query @param {string} [title] */
const without = (query, title) =>
  title ? query.replace(new RegExp(title.replace(/[^\p{L}\p{N}]/gu, "\\$&"), "gi"), "") : query;

/** Leave out what hardly anyone meant, and what no book speaks of. @param {string[]} ids @param {Map<string, number>} likely @param {Clauses[]} books @param {Constants} constants */
function worthShowing(ids, likely, books, constants) {
  const least = constants.worth_showing * Math.max(0, ...likely.values());
  const found = ids.filter((id) => books.some((book) => book.has(id)));
  return found
    .filter((id, place) => place < constants.nearest || (likely.get(id) ?? 0) >= least)
    .slice(0, constants.most_results);
}

/** Return a function that tells whether a query is in another language. @param {Words} words @param {Constants} constants */
function strangerOver(words, { longest_word: longest, sentence, strange, outweighs, foreign_words: others }) {
  const known = new Set(words.known.split(" "));
  const foreign = new Set(others);
  return (/** @type {string} */ query) => {
    const said = tokens(query, longest).filter((word) => /^\p{L}+$/u.test(word));
    const ofOthers = said.filter((word) => foreign.has(word)).length;
    const listed = said.filter((word) => known.has(word)).length;
    if (ofOthers && listed <= outweighs * ofOthers) return true;
    return said.length >= sentence && listed < strange * said.length;
  };
}

/** Return a function that reads a query: its terms, and the features that the model weighs; stems that are `written` by the table are no misspellings, and phrases used `here` name no box. @param {Words} words @param {Constants} constants */
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
  const longestCard = longestOf(cards);
  const longestPhrase = longestOf(phrases);
  const stem = stemOver(words.endings);
  const correct = correctionOver(words.known.split(" "), stem, constants);
  const stemsOf = (/** @type {string[]} */ list) =>
    list.flatMap((word) => (forms.get(word) || word).split(" ").map(stem));

  const plain = (/** @type {string[]} */ stems) => {
    const list = stems.filter((word) => !articles.has(word));
    return apart(stretches(list, cards, longestCard)).map(({ meaning, start }) => meaning ?? list[start]);
  };

  /** @type {Set<string>} */
  const none = new Set();
  const hear = (/** @type {string} */ query, written = none, here = none) => {
    const said = tokens(query, constants.longest_word);
    const meant = correct(said, written);
    const changed = said.map((word, place) => /** @type {[string, string]} */ ([word, meant[place]]));
    const corrected = new Map(changed.filter(([word, known]) => word !== known));
    const list = plain(stemsOf(meant));
    const all = meanings(list, phrases, longestPhrase, here);
    const signs = signsOf(list, all, words.pieces, constants);
    const box = [...all].find((term) => term.startsWith("box:"))?.slice("box:".length) ?? null;
    const terms = new Set([...all].filter((term) => !ASIDE.test(term)));
    return { terms, signs, box, elsewhere: all.has("elsewhere") || box !== null, corrected };
  };
  const split = (/** @type {string} */ text) => tokens(text, constants.longest_word);
  const stems = (/** @type {string} */ text) => stemsOf(split(text)).filter((word) => !articles.has(word));
  return Object.assign(hear, { stems, typed: (/** @type {string} */ text) => correct(split(text), none) });
}

/** Return the features that the model weighs: terms, words as they stand, their beginnings or all pieces of them, and words of no rule. @param {string[]} list @param {Set<string>} terms @param {number} pieces @param {Constants} constants */
function signsOf(list, terms, pieces, { longest_prefix: longest }) {
  const piecesOf = (/** @type {string} */ word) => [...word].map((_, at) => word.slice(at, at + pieces));
  const parts = pieces
    ? list.flatMap((word) => piecesOf(`^${word}`)).filter((piece) => piece.length === pieces)
    : list.filter((word) => word.length > longest).map((word) => word.slice(0, longest));
  return new Set([
    ...terms,
    ...list.filter((word) => !terms.has(word)).map((word) => `=${word}`),
    ...parts.map((part) => `~${part}`),
  ]);
}

/** Find what the phrases in a query mean, those used here as words; words that are in none stand for themselves. @param {string[]} list @param {Map<string, string>} phrases @param {number} longest @param {Set<string>} here */
function meanings(list, phrases, longest, here) {
  /** @type {Set<string>} */
  const all = new Set();
  let understood = 0;
  for (const { meaning, start, end } of stretches(list, phrases, longest, (phrase) => here.has(phrase))) {
    if (meaning === undefined && start >= understood) all.add(list[start]);
    if (meaning === undefined || end <= understood) continue; // a part of a longer phrase
    for (const term of meaning.split(" ").filter(Boolean)) all.add(meaning.startsWith("foreign:") ? meaning : term);
    understood = end;
  }
  return all;
}

/** Return a function that corrects the typos among words: each to the nearest word known, of equals the most frequent; of very many only the first. @param {string[]} known @param {(word: string) => string} stem @param {Constants} constants */
function correctionOver(known, stem, { most_corrected: most }) {
  const all = new Set(known);
  const stems = new Set(known.map(stem));
  const nearest = (/** @type {string} */ word) => {
    const allowed = word.length < 7 ? 1 : 2;
    let [best, least] = [word, allowed + 1];
    for (const near of known) {
      const distance = Math.abs(near.length - word.length) > allowed ? Infinity : edits(word, near);
      if (distance < least) [best, least] = [near, distance]; // Of equals the most frequent, which stands first.
    }
    return best;
  };
  const isMisspelled = (/** @type {string} */ word) =>
    /^\p{L}+$/u.test(word) && word.length > 3 && !all.has(word) && !stems.has(stem(word));
  return (/** @type {string[]} */ said, /** @type {Set<string>} */ written) => {
    const unknown = [...new Set(said)].filter((word) => isMisspelled(word) && !written.has(stem(word)));
    const misspelled = unknown.slice(0, most);
    const meant = new Map(misspelled.map((word) => [word, nearest(word)]));
    return said.map((word) => meant.get(word) ?? word);
  };
}

/** Return a function that ranks the questions by the features of a query, the likeliest first. @param {Model} model @returns {(signs: Set<string>) => Map<string, number>} */
function likelihoodsOver(model) {
  const numbers = (/** @type {string} */ letters) => [...letters].map((one) => one.charCodeAt(0) - model.origin);
  const [names, tellings, steps, weighed] = model.weights;
  const rows = new Map(
    names.map((sign, row) => [sign, { tells: tellings[row], steps: steps[row], weights: weighed[row] }]),
  );
  return (signs) => {
    const unheard = [...signs].filter((sign) => /^=?\p{L}+$/u.test(sign) && !rows.has(sign));
    const said = [...signs, ...unheard.map((_, number) => `unheard:${number}`)].flatMap((sign) => rows.get(sign) ?? []);
    if (!said.length) return new Map();
    const sums = model.targets.map(() => 0);
    for (const row of said) {
      const weights = numbers(row.weights);
      let place = 0;
      for (const [at, step] of numbers(row.steps).entries()) sums[(place += step)] += weights[at];
    }
    const scale = (model.unit * model.step) / Math.hypot(...said.map(({ tells }) => tells));
    const odds = model.bias.map((bias, place) => Math.exp((bias + sums[place] * scale) / model.unit));
    const total = odds.reduce((sum, odd) => sum + odd, 0);
    const shares = odds.map((odd, place) => /** @type {[string, number]} */ ([model.targets[place], odd / total]));
    return new Map(shares.sort((one, other) => other[1] - one[1]));
  };
}

/** Return the longest stretch that a table knows from each word on, with what it means; else the word alone. @template T @param {string[]} list @param {Map<string, T>} table @param {number} longest @param {(phrase: string) => boolean} [isLeftOut] */
function stretches(list, table, longest, isLeftOut = () => false) {
  return list.map((_, start) => {
    for (let end = Math.min(start + longest, list.length); end > start; end -= 1) {
      const phrase = list.slice(start, end).join(" ");
      if (table.has(phrase) && !isLeftOut(phrase)) return { meaning: table.get(phrase), start, end };
    }
    return { start, end: start + 1 };
  });
}

/** Count the words of the longest phrase. @param {Map<string, unknown>} table */
const longestOf = (table) => Math.max(0, ...[...table.keys()].map((phrase) => phrase.split(" ").length));

/** Leave out the stretches that begin within one before. @template {{start: number, end: number}} T @param {T[]} all */
function apart(all) {
  let done = 0;
  return all.filter(({ start, end }) => {
    const isApart = start >= done;
    if (isApart) done = end;
    return isApart;
  });
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
