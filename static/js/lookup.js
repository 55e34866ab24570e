// The look-up without a connection: the server's, evaluated over what it learned and wrote down. Each step is that of
// the same name in referee/rules/lookup_words.py, lookup_model.py and lookup.py, which say why.

const TOKEN = /\+\s*\p{Nd}+|\p{Nd}+\s*\+(?!\s*\p{Nd})|\+|\p{Nd}+(?:st|nd|rd|th)?(?!\p{L})|\p{Nd}+|\p{L}+/gu;
const ASIDE = /^(elsewhere|box:|foreign:|aside:)/;

/** Give a function that finds what answers a query as `found(query, books, led)`: each book a map of its clauses by id, the first in force where `led`. */
export function lookUpOver({ words, questions, boxes, open, parts, instead, model, constants }) {
  const hear = hearingOver(words, constants);
  const likelihoods = likelihoodsOver(model, constants);
  const known = new Map([...questions, ...open].map((question) => [question.id, question]));
  const answerable = new Set(questions.map(({ id }) => id));

  return (query, books, led) => {
    const heard = hear(query);
    const likely = heard.elsewhere ? new Map() : likelihoods(heard.signs);
    const ofBoxes = [...likely.keys()].filter((id) => id.startsWith("box-"));
    const shares = ofBoxes.map((id) => likely.get(id));
    const noRule = likely.get("nothing") ?? 1;
    const doubt = noRule + shares.reduce((sum, share) => sum + share, 0);
    for (const id of ["nothing", ...ofBoxes]) likely.delete(id);
    const topics = [...new Set([...likely.keys()].map((id) => known.get(id).topic))].slice(0, constants.most_topics);
    const result = { query, answered: false, silent: false, asked: null, hits: [], topics: topics.length ? topics : constants.first_asked, corrected: heard.corrected, box: null };
    const box = heard.box ?? (doubt > constants.most_doubt && shares[0] > noRule ? ofBoxes[0].slice("box-".length) : null);
    if (box !== null) return { ...result, box: boxes.find(({ id }) => id === box) };
    const speaks = (id) => answerable.has(id) && (led ? books.slice(0, 1) : books).some((book) => {
      const clause = book.get(id);
      return clause && parts.every(({ question, setting, terms }) => question !== id || !terms.some((term) => heard.terms.has(term)) || clause.settles.includes(setting));
    });
    const hits = (near) => {
      const least = constants.worth_showing * Math.max(0, ...likely.values());
      const said = [];
      for (const id of near.filter((one) => answerable.has(one))) {
        if ((said.length < constants.nearest || likely.get(id) >= least) && books.some((book) => book.has(id))) said.push(id);
      }
      return said.slice(0, constants.most_results);
    };
    const near = [...likely.keys()];
    if (doubt > constants.most_doubt || (!heard.terms.size && Math.max(0, ...likely.values()) < constants.faint)) {
      return { ...result, hits: doubt <= constants.off_the_matter && heard.terms.size ? hits(near) : [] };
    }
    let asked = near[0];
    if (answerable.has(asked) && !speaks(asked)) {
      const alike = near.filter((id) => likely.get(id) >= likely.get(asked) * constants.as_likely);
      asked = [...(instead[asked] ?? []), ...alike].find(speaks) ?? asked;
    }
    const answered = speaks(asked);
    if (answered) likely.set(asked, likely.get(near[0]));
    const { topic } = known.get(asked);
    const elsewhere = (id) => (answered ? id !== asked : known.get(id).topic !== topic);
    const sorted = [...near.filter((id) => !elsewhere(id)), ...near.filter(elsewhere)];
    return { ...result, answered, silent: !answered, asked: known.get(asked), hits: hits(sorted) };
  };
}

/** Give a function that tells what a query is about: its terms, and the signs that the model weighs. */
function hearingOver(words, constants) {
  const forms = new Map(Object.entries(words.forms));
  const articles = new Set(words.articles);
  const turned = (table) => new Map(Object.entries(table).flatMap(([meaning, all]) => all.map((one) => [one, meaning])));
  const cards = turned(words.cards);
  const phrases = turned(words.phrases);
  const [longestCard, longestPhrase] = [cards, phrases].map(longestByFirstWord);
  const correct = correctionOver(words.known);

  function plain(stems) {
    const found = [];
    const list = stems.filter((word) => !articles.has(word));
    stretches(list, cards, longestCard, (card, _, end) => { found.push(card); return end - 1; }, (word) => found.push(word));
    return found;
  }

  return (query) => {
    const corrected = new Map();
    const stems = tokens(query, constants.longest_word).flatMap((word) => {
      const meant = correct(word);
      if (meant !== word) corrected.set(word, meant);
      return (forms.get(meant) || meant).split(" ").map(stem);
    });
    const list = plain(stems);
    const all = new Set();
    let understood = 0;
    stretches(list, phrases, longestPhrase, (meaning, place, end) => {
      if (end > understood) { // else it is a part of a longer phrase
        for (const term of meaning.split(" ").filter(Boolean)) all.add(meaning.startsWith("foreign:") ? meaning : term);
        understood = end;
      }
      return place;
    }, (word, place) => { if (place >= understood) all.add(word); });
    const strangers = Math.min([...all].filter((term) => term.startsWith("foreign:")).length, constants.most_strangers);
    const prefixes = list.filter((word) => word.length > constants.longest_prefix).map((word) => `~${word.slice(0, constants.longest_prefix)}`);
    const signs = new Set([...all, ...list.map((word) => `=${word}`), ...prefixes, ...Array.from({ length: strangers }, (_, number) => `foreign:${number}`)]);
    const box = [...all].find((term) => term.startsWith("box:"))?.slice("box:".length) ?? null;
    return { terms: new Set([...all].filter((term) => !ASIDE.test(term))), signs, box, elsewhere: all.has("elsewhere") || box !== null, corrected };
  };
}

/** Give a function that corrects a slip of the finger: to the nearest word known, of equals the most frequent. */
function correctionOver(known) {
  const all = new Set(known);
  const stemsKnown = new Set(known.map(stem));
  return (word) => {
    if (!/^\p{L}+$/u.test(word) || word.length <= 3 || all.has(word) || stemsKnown.has(stem(word))) return word;
    const allowed = word.length < 7 ? 1 : 2;
    let [best, least] = [word, Infinity];
    for (const near of known) {
      if (near.length < 3 || Math.abs(near.length - word.length) > allowed) continue;
      const other = word[0] !== near[0];
      const distance = edits(word, near);
      if (distance > allowed || (distance === Math.floor(word.length / 3) && other && word.length < 6)) continue;
      if (distance + other / 2 < least) [best, least] = [near, distance + other / 2]; // Of equals the most frequent, which stands first.
    }
    return best;
  };
}

/** Give a function that tells how likely each question is by the signs of a query, the likeliest first. */
function likelihoodsOver(model, constants) {
  const rows = new Map(model.weights[0].map((sign, place) => [sign, [model.weights[1][place], model.weights[2][place]]]));
  return (signs) => {
    const unheard = [...signs].filter((sign) => /^=\p{L}+$/u.test(sign) && !rows.has(sign)).slice(0, constants.most_unheard);
    const said = [...signs, ...unheard.map((_, number) => `unheard:${number}`)].filter((sign) => rows.has(sign)).map((sign) => rows.get(sign));
    if (!said.length) return new Map();
    const sums = model.targets.map(() => 0);
    for (const [places, weights] of said) places.forEach((place, at) => { sums[place] += weights[at]; });
    const scale = 1 / Math.sqrt(said.length);
    const odds = model.bias.map((bias, place) => Math.exp((bias + sums[place] * scale) / model.unit));
    const total = odds.reduce((sum, odd) => sum + odd, 0);
    return new Map(odds.map((odd, place) => [model.targets[place], odd / total]).sort((one, other) => other[1] - one[1]));
  };
}

/** Go through words and hand each longest stretch that a table knows to `take(meaning, start, end)`, else the word. */
function stretches(list, table, longest, take, other) {
  for (let place = 0; place < list.length; place += 1) {
    let end = Math.min(place + (longest.get(list[place]) ?? 0), list.length);
    while (end > place && !table.has(list.slice(place, end).join(" "))) end -= 1;
    if (end > place) place = take(table.get(list.slice(place, end).join(" ")), place, end);
    else other(list[place], place);
  }
}

function tokens(text, longest) {
  const folded = text.normalize("NFKC").toLowerCase().normalize("NFKD").replace(/[\p{M}'’`´]/gu, "");
  return (folded.match(TOKEN) ?? []).filter((token) => token !== "+")
    .map((token) => (token.includes("+") ? `+${token.replace(/[+\s]/g, "")}` : token.slice(0, longest)));
}

function stem(word) {
  if (word.length <= 3 || /[^ -~]/.test(word)) return word;
  let cut = word;
  if (cut.endsWith("ies") && cut.length > 4) cut = `${cut.slice(0, -3)}y`;
  else if (/(?:ches|shes|sses|xes|zes)$/.test(cut)) cut = cut.slice(0, -2);
  else if (/[^sui]s$/.test(cut)) cut = cut.slice(0, -1);
  const rest = cut.replace(/(?:ing|ed)$/, "");
  if (rest !== cut && rest.length >= 3 && /[aeiouy]/.test(rest)) cut = /([^lsfz])\1$/.test(rest) ? rest.slice(0, -1) : rest;
  return cut.endsWith("e") && cut.length > 3 ? cut.slice(0, -1) : cut;
}

function longestByFirstWord(table) {
  const longest = new Map();
  for (const phrase of table.keys()) {
    const list = phrase.split(" ");
    longest.set(list[0], Math.max(longest.get(list[0]) ?? 1, list.length));
  }
  return longest;
}

/** Count the edits between two words: insert, delete, replace, exchange neighbors. */
function edits(one, other) {
  let [before, row] = [[], Array.from({ length: other.length + 1 }, (_, place) => place)];
  for (let i = 1; i <= one.length; i += 1) {
    const last = before;
    [before, row] = [row, [i]];
    for (let j = 1; j <= other.length; j += 1) {
      let cost = Math.min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (one[i - 1] !== other[j - 1]));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) cost = Math.min(cost, last[j - 2] + 1);
      row.push(cost);
    }
  }
  return row.at(-1);
}
