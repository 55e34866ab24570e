// A hearing on the phone: walks the tree that the server grew, and gives the views that the server's templates draw.
//
// Behind # stand the answers: who it is about ("-" for nobody), "/", and the places of the answers, the start first.

import { worded } from "./words.js";

/** @typedef {[label: string, value: unknown, next: number, statement: number | null, open?: number]} Option */
/** @typedef {{ask: number, options: Option[]}} Asking */
/** @typedef {{sign: string, kind: string, headline: string, before: string[], orders: string[], verdict: string, lead: string}} Announcement what the table is shown first */
/** @typedef {{verdict: string, silent: boolean, announced: Announcement, open_questions: string[], steps: number[]}} Ruling */
/** @typedef {{clause: string, text: string, value: string, kind: string, label?: string, orders: string[], closes?: boolean}} Choice what may be decided, and what that makes someone do; whether it `closes` the other questions */
/** @typedef {[place: number, then: number[][], closing?: number[]]} OpenPoint */
/** @typedef {{chosen?: Choice[], clause?: string}} Decided what was chosen; the clause that words would fill in */
/** @typedef {{dispute: string, clause: string, text: string, value: string, id?: string}} Law what the club decided on a clause; without an id only on this phone */
/** @typedef {{node: number, open?: number}} Start */
/** @typedef {{then: number | null, people: number[], fields: Record<string, string>}} CastOption */
/** @typedef {{place: number, options: CastOption[]}} CastRow */
/**
 * @typedef {object} Dispute
 * @property {string} id
 * @property {string} title
 * @property {string} lead
 * @property {string} found_by other words by which people look for it
 * @property {string} moment when it arises; empty for what arises most often
 * @property {string | null} outside
 * @property {Start[]} starts
 * @property {Start[]} [named] the starts with names
 * @property {{text: string, rows: CastRow[]}} [cast] whom it may be about
 */
/** @typedef {{id: string, topic: string, title: string, text: string, lang?: string, word?: string, reading: string, settings: Record<string, unknown>}} Clause */
/**
 * A rulebook as a phone takes it along.
 * @typedef {object} Book
 * @property {string} rulebook
 * @property {string} title
 * @property {string} sentence
 * @property {string} source
 * @property {string[]} house_rules
 * @property {string[]} house_rule_titles
 * @property {Clause[]} clauses
 * @property {Dispute[]} disputes
 * @property {(Asking | Ruling)[]} nodes
 * @property {{key: string, text: string}[]} questions
 * @property {string[]} statements
 * @property {{text: string, clause: string}[]} steps
 * @property {import("./lookup.js").Heard["cards"]} cards
 * @property {import("./lookup.js").Heard["points"]} points
 * @property {import("./lookup.js").Heard["rulings"]} rulings
 * @property {[clause: string, choices: any[][]][]} open what may fill a clause in
 * @property {OpenPoint[][]} opened what rulings leave open
 * @property {{text: string, hint: string}} by_cards how cards may decide
 * @property {string} ours how a clause is cited that the club decided
 * @property {string | null} home the box that this is the rulebook of, where the box has its own
 * @property {string} box
 * @property {string[]} here phrases that name a box elsewhere
 */
/**
 * Where the page stands.
 * @typedef {object} Here
 * @property {string} root of the app
 * @property {string} home of the room
 * @property {string | null} match
 * @property {string} hash
 * @property {{get: (name: string) => string | null}} query
 * @property {string[] | null} names who sits at the match, clockwise; null elsewhere
 * @property {Law[]} law of the club, the newest first
 * @property {{id: string, text: string}[]} asked the questions of the catalogue
 */

export const PERSON = 0xe000; // The first of the characters that stand for people.
const DIRECTIONS = ["clockwise", "counterclockwise"]; // as options of a cast come
const OUTSIDE = ["not-agreed", "silent"];

/** @param {unknown} value */
const word = (value) => (value === true ? "yes" : value === false ? "no" : String(value));

/** Group the disputes by when they arise; those on which the rules are silent are a group of their own. @param {Book} book @param {(id: string) => string} addressOf */
export function disputeGroups(book, addressOf) {
  const line = (/** @type {Dispute} */ { id, title, lead, found_by }) => ({
    id,
    title,
    hint: lead,
    address: addressOf(id),
    found_by,
  });
  const inside = book.disputes.filter(({ outside }) => !outside);
  const listed = (/** @type {string} */ why) => book.disputes.filter(({ outside }) => outside === why).map(line);
  return {
    groups: [...new Set(inside.map(({ moment }) => moment))].map((moment) => ({
      moment,
      disputes: inside.filter((one) => one.moment === moment).map(line),
    })),
    outside: OUTSIDE.map((why) => ({ why, disputes: listed(why) })).filter(({ disputes }) => disputes.length),
  };
}

/**
 * Follow the answers: those that the address names, those behind #, and those that have no alternative.
 * @param {Book} book
 * @param {Start[]} starts
 * @param {number[]} steps
 * @param {Here["query"]} query
 */
export function walk(book, starts, [start, ...taken], query) {
  const first = starts[start] ?? starts[0];
  let node = book.nodes[first.node];
  let open = first.open;
  let used = 0;
  /** @type {{text: string, before: number | null}[]} */
  const answers = [];
  /** @type {[string, string][]} */
  const facts = [];
  let exact = true;
  while ("options" in node) {
    const question = book.questions[node.ask];
    const said = query.get(question.key);
    const given = node.options.findIndex(([, value]) => said !== null && word(value) === said);
    const asks = given < 0 && node.options.length > 1;
    const option = node.options[asks ? taken[used] : Math.max(0, given)];
    if (!option) return { node, question, answers };
    const [label, value, next, statement, left] = option;
    const text = statement === null ? `${question.text} ${label}.` : book.statements[statement];
    if (asks || given >= 0) answers.push({ text, before: asks ? used : null });
    if (asks) used += 1;
    if (statement !== null) facts.push([question.key, word(value)]);
    else exact = false;
    node = book.nodes[next];
    open = left;
  }
  return { ruling: node, open, answers, facts, exact };
}

/**
 * Return what a page shows of a dispute: the macro that draws it, its view, and the names to fill in.
 * @param {Book} book
 * @param {Dispute} dispute
 * @param {Here} here
 */
export function hear(book, dispute, here) {
  const { home, hash, query, names } = here;
  const cast = names && dispute.cast?.rows.length === names.length ? dispute.cast : null;
  const options = cast?.rows.flatMap((row) => row.options) ?? [];
  const [who = "", path = "", ...decided] = hash.slice(1).split("/");
  const [start = 0, ...taken] = path.split(".").filter(Boolean).map(Number);
  const about = aboutWhom(options, who, query);
  const page = { title: dispute.title, list: home, rules: [book.title, ...book.house_rule_titles] };
  if (cast && names && !about && who !== "-" && query.get("names") !== "no") {
    const question = { text: cast.text, cast: castView(cast, here, names, options) };
    return { draws: "hearing_page", page: { ...page, answers: {}, question }, people: [] };
  }
  const starts = (about && dispute.named) || dispute.starts;
  const said = { get: (/** @type {string} */ name) => about?.fields[name] ?? query.get(name) }; // who was tapped says more
  const heard = walk(book, starts, [start, ...taken], said);
  const to = (/** @type {number[]} */ ...places) => `#${about ? options.indexOf(about) : who}/${places.join(".")}`;
  const anew = `${home}/${dispute.id}${here.match ? "" : `?rulebook=${book.rulebook}`}`;
  const answers = {
    who: about ? [PERSON, ...(about.then === null ? [] : [PERSON + 1])].map((one) => String.fromCharCode(one)) : [],
    change: anew,
    lines: heard.answers.map(({ text, before }) => ({
      text,
      change: before === null ? anew : to(start, ...taken.slice(0, before)),
    })),
  };
  const people = about && names ? about.people.map((place) => names[place]) : [];
  if (heard.question) {
    const choices = heard.node.options.map(([label], place) => ({ label, address: to(start, ...taken, place) }));
    const others = answers.lines.length ? [] : otherStarts(book, starts, heard.question.text);
    const question = {
      text: heard.question.text,
      kind: "choice",
      choices,
      others: others.map(({ place, title }) => ({ title, address: to(place) })),
    };
    return { draws: "hearing_page", page: { ...page, answers, question }, people };
  }
  const fields = [...new Map([...heard.facts, ...Object.entries(about?.fields ?? { names: "no" })])];
  const shown = ruled(book, dispute, here, { ...heard, fields, at: to(start, ...taken), decided });
  return { draws: "ruling_page", page: { ...page, answers, ...shown, offline: true }, people };
}

/**
 * Return what a page shows of a ruling, with what was decided where it is silent: places of a question and of a choice.
 * @param {Book} book
 * @param {Dispute} dispute
 * @param {Here} here
 * @param {{ruling: Ruling, open?: number, fields: string[][], exact: boolean, at: string, decided: string[]}} heard
 */
function ruled(book, dispute, { home, root, names, law, asked }, { ruling, open, fields, exact, at, decided }) {
  const ours = law.filter((one) => one.dispute === dispute.id);
  const points = names?.length && open !== undefined ? book.opened[open].map((one) => pointOf(book, one, ours)) : [];
  const places = decided.map((one) => one.split(".").map(Number)).sort(([one], [other]) => one - other);
  const chosen = places.map(([point, choice]) => points[point]?.lines[choice]).filter(Boolean);
  const last = chosen.some(({ closes }) => closes);
  const left = points.map(({ clause, lines }, point) => ({
    question: asked.find(({ id }) => id === clause)?.text,
    lines: lines
      .map((line, choice) => ({ ...line, address: [at, ...decided, `${point}.${choice}`].join("/") }))
      .filter(({ closes }) => !chosen.length || !closes),
  }));
  const filled = chosen.filter(({ label }) => label).map(({ label }) => ({ text: label, cite: book.ours }));
  const announced = chosen.length ? announcedAs(chosen, ruling.announced) : ruling.announced;
  const sent = [...fields, ["standing", ours.find(({ id }) => id)?.id ?? ""]];
  const isNew = (/** @type {Choice} */ one) => ours.every(({ value }) => value !== one.value);
  return {
    ruling: { ...ruling, announced, rulebook: book.title, reasons: [...reasonsOf(book, ruling, root), ...filled] },
    writes: names && {
      address: `${home}/${dispute.id}/ruling`,
      fields: [...sent, ...chosen.map(({ value }) => ["decided", value])],
      later: worded(exact ? "saved-here" : "saved-by-example"),
      decides: chosen.length > 0,
      keeps: chosen.length ? chosen.some(isNew) : points.length > 0,
    },
    clause: points[0]?.clause,
    chosen,
    open: left.filter((_, point) => !last && places.every(([one]) => one !== point)),
    ...(chosen.length && { decided: chosen.map(({ text }) => text), undecided: at }),
  };
}

/** Return an open point: the club's own decision first, then what may fill the clause in, then the cards. @param {Book} book @param {OpenPoint} open @param {Law[]} law @returns {{clause: string, lines: (Choice & {here: string})[]}} */
function pointOf(book, [place, then, closing = []], law) {
  const [clause, choices] = book.open[place];
  const written = (/** @type {unknown} */ said) => `${clause}:${JSON.stringify(said)}`;
  const said = (/** @type {number} */ at) => book.statements[at];
  const offered = choices.map(([text, hint, ...parts], choice) => {
    const names = parts.filter((_, at) => at % 2 === 0);
    const value = written(Object.fromEntries(names.map((name, at) => [said(name), parts[2 * at + 1]])));
    const closes = closing.includes(choice);
    return { text: said(text), label: said(text), hint: said(hint), value, orders: then[choice].map(said), closes };
  });
  const before = law.find((one) => one.clause === clause);
  const same = before && offered.find(({ value }) => value === before.value);
  const closes = before?.value.startsWith(`${clause}:"`);
  const first = before && (same || closes) ? [{ orders: [], closes, ...same, ...before, kind: "precedent" }] : [];
  const cards = { ...book.by_cards, value: written(book.by_cards.hint), orders: [], closes: true };
  const filled = [...offered, cards].map((one) => ({ ...one, kind: "filled" }));
  return { clause, lines: [...first, ...filled].map((one) => ({ ...one, clause, here: one.orders.join(" ") })) };
}

/** Announce a ruling with what was decided where it is silent: what that makes someone do, else the decision itself. @param {Choice[]} chosen @param {Announcement} announced @returns {Announcement} */
function announcedAs(chosen, { kind, headline, before, orders: others }) {
  const orders = [...new Set(chosen.flatMap((one) => one.orders))];
  const bare = { sign: "law", before, verdict: "", lead: "" };
  if (kind !== "open") return { ...bare, kind, headline, orders: [...others, ...orders] };
  const [first = chosen[0].text, ...more] = orders;
  return { ...bare, kind: "order", headline: first.replace(/\.$/, ""), orders: more };
}

/** @param {CastOption[]} options @param {string} who @param {Here["query"]} query */
function aboutWhom(options, who, query) {
  if (who !== "") return options[Number(who)];
  return options.find(({ fields }) => Object.entries(fields).every(([name, value]) => query.get(name) === value));
}

/** Show whom it may be about, in both directions where it matters who came next. @param {{rows: CastRow[]}} cast @param {Here} here @param {string[]} names @param {CastOption[]} options */
function castView(cast, { match }, names, options) {
  const both = cast.rows.some((row) => row.options.length > 1);
  const players = cast.rows.flatMap((row) =>
    row.options.map((option, way) => ({
      name: names[row.place],
      address: `#${options.indexOf(option)}/`,
      ...(both && option.then !== null ? { then: names[option.then], goes: DIRECTIONS[way] } : {}),
    })),
  );
  const directions = both ? DIRECTIONS.map((goes) => ({ goes, address: "#" })) : [];
  return { players, nameless: "#-/", match, goes: DIRECTIONS[0], directions };
}

/** Return the questions that another start would ask first. @param {Book} book @param {{node: number}[]} starts @param {string} asked */
function otherStarts(book, starts, asked) {
  const first = starts.map(({ node }, place) => {
    const begun = book.nodes[node];
    return { place, title: "ask" in begun ? book.questions[begun.ask].text : "" };
  });
  return first.filter(({ title }) => title && title !== asked);
}

/** @param {Book} book @param {Ruling} ruling @param {string} root */
function reasonsOf(book, ruling, root) {
  const rules = new URLSearchParams(book.house_rules.map((id) => ["house_rule", id]));
  return ruling.steps.map((place) => {
    const step = book.steps[place];
    const clause = book.clauses.find(({ id }) => id === step.clause);
    return {
      ...step,
      lang: clause?.lang ?? "",
      reading: clause?.reading ?? "",
      address: `${root}rules/${book.rulebook}${rules.size ? `?${rules}` : ""}#${step.clause}`,
    };
  });
}
