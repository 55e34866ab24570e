// The Rules room on the phone: the views that the server's templates draw, of the texts as a phone takes them along.

import { searched } from "./lookup.js";

/** @typedef {import("./hearing-state.js").Book} Book */
/** @typedef {import("./hearing-state.js").Clause} Clause */
/** @typedef {{id: string, topic: string, text: string}} Question */
/**
 * @typedef {object} Catalogue
 * @property {Question[]} questions those that a table asks first
 * @property {number} at_table how many of them those are
 * @property {number} of_any_box how many of them are not about a card that only some boxes hold
 * @property {Record<string, string>} topics
 * @property {string[]} asked_most
 * @property {number} shown results where there is an answer
 * @property {number} near questions where there is none
 */
/** @typedef {import("./lookup.js").Result} Result */

/**
 * Return whether two clauses settle a thing differently; null where they settle nothing that could be compared.
 * @param {Clause | undefined} one
 * @param {Clause | undefined} other
 */
function differs(one, other) {
  if (!one || !other) return one !== other;
  if (one.text === other.text) return false;
  const [settled, otherwise] = [one, other].map(({ settings }) => JSON.stringify(settings));
  return settled === "{}" && otherwise === "{}" ? null : settled !== otherwise;
}

export class Rules {
  /**
   * @param {Book[]} books in their order; the first is in force where `led`
   * @param {boolean} led
   * @param {Catalogue} catalogue
   * @param {string} root of the app
   */
  constructor(books, led, catalogue, root) {
    this.books = books;
    this.led = led;
    this.catalogue = catalogue;
    this.root = root;
    this.clauses = new Map(books.map((book) => [book, new Map(book.clauses.map((clause) => [clause.id, clause]))]));
    const asked = new Set(catalogue.questions.map(({ id }) => id));
    const own = books[0].clauses.filter(({ id }) => led && !asked.has(id)); // In the table's own words.
    const ownQuestions = own.map(({ id, topic, title }) => ({ id, topic, text: title }));
    this.questions = new Map([...catalogue.questions, ...ownQuestions].map((question) => [question.id, question]));
    this.ofBoxes = new Set([...catalogue.questions.slice(catalogue.of_any_box), ...own].map(({ id }) => id));
    this.back = `${root}rules${led ? `?rulebook=${books[0].rulebook}` : ""}`;
  }

  /** @param {Book} book */
  clausesOf(book) {
    return /** @type {Map<string, Clause>} */ (this.clauses.get(book));
  }

  /** Find what a rulebook says on a question. @param {Book} book @param {string} id */
  clauseOf(book, id) {
    return this.clauses.get(book)?.get(id);
  }

  /** @param {string} id */
  question(id) {
    return /** @type {Question} */ (this.questions.get(id));
  }

  /** @param {string} topic */
  topicAt(topic) {
    return `${this.root}rules/topics/${topic}${this.led ? `?rulebook=${this.books[0].rulebook}` : ""}`;
  }

  /** Return the address that asks the rulebook of another box. @param {string} id @param {string} query */
  boxAt(id, query) {
    return `${this.root}rules?${new URLSearchParams({ rulebook: id, q: query })}`;
  }

  /** @param {string[]} topics */
  topicLinks(topics) {
    return topics.map((id) => ({ title: this.catalogue.topics[id], address: this.topicAt(id) }));
  }

  /** @param {string} id */
  questionLink(id) {
    const { text, topic } = this.question(id);
    return { title: text, address: `${this.topicAt(topic)}#${id}` };
  }

  /** @param {Book} book @param {string} id */
  said(book, id) {
    const { title, source, rulebook } = book;
    return {
      rulebook: { title, source },
      clause: this.clauseOf(book, id),
      address: `${this.root}rules/${rulebook}/${id}`,
    };
  }

  /** @param {string} id @param {Book[]} [books] */
  asked(id, books = this.books) {
    const [first, ...others] = this.ofBoxes.has(id) ? books.filter((book) => this.clauseOf(book, id)) : books;
    const leading = this.said(first, id);
    const compared = others.map((book) => {
      const said = this.said(book, id);
      return { ...said, differs: differs(leading.clause, said.clause) };
    });
    return {
      question: this.question(id),
      leading,
      in_a_word: leading.clause?.word,
      otherwise: compared.filter((said) => said.clause && said.differs !== false),
      alike: compared.filter((said) => said.clause && said.differs === false),
      silent: compared.filter(({ clause }) => !clause),
    };
  }

  /** Return all that a rulebook says on a topic, in the order of the questions. @param {Book} book @param {string} topic @param {string} [without] */
  section(book, topic, without) {
    const all = new Set(
      [...this.catalogue.questions, ...book.clauses].filter((one) => one.topic === topic).map(({ id }) => id),
    );
    const spoken = [...all].filter((id) => id !== without && this.clauseOf(book, id));
    const open = this.catalogue.questions
      .slice(0, this.catalogue.at_table)
      .filter((question) => question.topic === topic && !this.clauseOf(book, question.id));
    return {
      id: topic,
      title: this.catalogue.topics[topic],
      said: spoken.map((id) => this.said(book, id)),
      silent: open,
    };
  }

  /** @param {string} id @param {Book[]} [order] */
  inSection(id, order = this.books) {
    return { ...this.asked(id, order), around: this.section(order[0], this.question(id).topic, id) };
  }

  /** Show what a look-up found. @param {Result} result */
  found({ query, answered, silent, unsure, asked, hits, topics, corrected, askIn, box, point, smile }) {
    const shown = answered || silent || unsure ? hits.slice(0, this.catalogue.shown) : [];
    const alike = box || shown.length ? [] : hits.slice(0, this.catalogue.near);
    const instead = shown.length ? [] : [...alike.map((id) => this.questionLink(id)), ...this.topicLinks(topics)];
    const results = shown.map((id) => this.inSection(id, this.led ? this.books : this.speakingFirst(id)));
    return {
      smile,
      corrected: [...corrected.values()],
      box: box && { ...box, address: box.known ? this.boxAt(box.id, query) : "" },
      silent,
      answered,
      unsure,
      heard: point && this.heard(point),
      asked,
      ask_in: askIn,
      led: this.led ? this.books[0].title : "",
      instead,
      results,
    };
  }

  /** Show what a hearing decides under the first rulebook, and how the others rule on the same cards. @param {string} point */
  heard(point) {
    const all = searched(this.books, this.led).flatMap((book) => {
      const [place, facts] = book.points[point] ?? [];
      if (place === undefined) return [];
      const { dispute, allowed, summary } = book.rulings[place];
      const title = book.disputes.find(({ id }) => id === dispute)?.title ?? "";
      const address = `${this.root}disputes/${dispute}?rulebook=${book.rulebook}&${facts}`;
      return [{ silent: allowed === null, allowed, summary, dispute: title, rulebook: { title: book.title }, address }];
    });
    const first = (!this.led && all.find(({ silent }) => !silent)) || all[0];
    const others = first.silent ? all.slice(1) : [];
    const spoken = others.filter(({ silent }) => !silent);
    return {
      ...first,
      otherwise: spoken.filter(({ summary }) => summary !== first.summary),
      alike: spoken.filter(({ summary }) => summary === first.summary),
      doesnt_say: others.filter(({ silent }) => silent),
    };
  }

  /** @param {string} id */
  speakingFirst(id) {
    const lead = this.books.find((book) => this.clauseOf(book, id)) ?? this.books[0];
    return [lead, ...this.books.filter((book) => book !== lead)];
  }

  /** Show what is offered before anything is typed. */
  browse() {
    const { topics, asked_most: most } = this.catalogue;
    const lead = `${this.root}rules/${this.books[0].rulebook}/`;
    return {
      asked_most: most.map((id) =>
        this.led ? { title: this.question(id).text, address: lead + id } : this.questionLink(id),
      ),
      topics: this.topicLinks(Object.keys(topics)),
      rulebooks: this.books.map(({ title, sentence, rulebook }) => ({
        title,
        hint: sentence,
        address: `${this.root}rules/${rulebook}`,
      })),
    };
  }

  /** Show what all rulebooks say on a topic; null where there is no such topic. @param {string} topic */
  topic(topic) {
    const title = this.catalogue.topics[topic];
    const spoken = this.catalogue.questions.filter(
      ({ id, topic: of }) => of === topic && this.books.some((book) => this.clauseOf(book, id)),
    );
    return title ? { title, back: this.back, compares: true, asked: spoken.map(({ id }) => this.asked(id)) } : null;
  }

  /** Show what the leading rulebook says on a question; null where there is no such question. @param {string} id */
  clause(id) {
    if (!this.questions.has(id)) return null;
    return { ...this.inSection(id), back: `${this.root}rules/${this.books[0].rulebook}#${id}` };
  }

  /** Show the whole leading rulebook. */
  rulebook() {
    const [book] = this.books;
    const sections = Object.keys(this.catalogue.topics).map((topic) => this.section(book, topic));
    return {
      title: book.title,
      sentence: book.sentence,
      source: book.source,
      back: this.back,
      sections: sections.filter(({ said, silent }) => said.length || silent.length),
    };
  }
}
