// The hand pad: one tap a card. What taps change and what it adds up to is said in pad-state.js.

import { announce, make, post, store, stored } from "./base.js";
import { lettersOf, meaningOf, moveBy, oneStop, stayWhile } from "./keyboard.js";
import { newKey } from "./outbox.js";
import * as taps from "./pad-state.js";
import { isAway, newItem, roundsAfter } from "./waiting-state.js";
import { signed, worded } from "./words.js";

/**
 * @typedef {import("./pad-state.js").PadState} PadState
 * @typedef {import("./waiting-state.js").Item} Item
 * @typedef {import("./base.js").Body} Body
 * @typedef {{live: () => Item[] | Promise<Item[]>, keep: (item: Item, failed: boolean) => Promise<boolean>}} Outbox
 * @typedef {{onClose: () => void, onSaved: (body: Body) => void, onKept?: (item: Item) => void, onSaving?: (item: Item) => void, onRefused?: (item: Item) => void, outbox?: Outbox | null}} Does
 * @typedef {{button: HTMLButtonElement, label: string, points: number, most: number, look: Element}} Key
 */

const GROUPS = "[data-people], [data-winners], [data-side-row], [data-reminder], .keys";
const FIELDS = "input, select, textarea, [contenteditable]";
const MANY = 13; // Cards that may take more rows than a small phone has room for.
const BUZZ = 10; // Milliseconds.
const DOUBLE_TAP = 300; // Milliseconds within which nobody taps *Next* twice on purpose.

/** Vibrate shortly, unless it is switched off or this phone asks for stillness. */
function buzz() {
  if (stored("buzz") === "off" || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  navigator.vibrate?.(BUZZ);
}

/** Create the hand pad over a round form. @param {HTMLFormElement} form @param {Does} does */
export const handPad = (form, does) => {
  latest = new HandPad(form, does);
  return latest;
};

/** The pad that hears the keyboard while it is seen, wherever on the page nothing else has the focus. @type {HandPad | null} */
let latest = null;
document.addEventListener("keydown", (event) => {
  if (latest?.$("pad")?.checkVisibility()) latest.press(event);
});

class HandPad {
  /**
   * `outbox` takes a new round that the server cannot take now; without one the pad keeps it as a draft.
   * @param {HTMLFormElement} form
   * @param {Does} does
   */
  constructor(form, { onClose, onSaved, onKept = () => {}, onSaving = () => {}, onRefused = () => {}, outbox = null }) {
    this.form = form;
    this.does = { onClose, onSaved, onKept, onSaving, onRefused };
    this.outbox = outbox;
    this.draftKey = `draft.${form.dataset.draft}`;
    this.countsPoints = form.dataset.keepsPoints === "yes";
    this.keysets = keysOf(form);
    this.letters = new Map([...this.keysets.values()].map((keys) => [keys, lettersIn(keys)]));
    this.sides = labelled(form, 'input[name="side"]');
    this.knocksOut = "knocks" in this.$("sit").dataset;
    this.players = taps.playersOf(labelled(form, 'input[name="went_out"]'), JSON.parse(form.dataset.teams ?? "[]"));
    this.endings = new Map(labelled(form, 'input[name="ended"][type="radio"]'));
    this.corrects = this.value("after") === "";
    this.saving = false;
    this.asksSide = false;
    this.newest = -1;
    this.resting = 0;
    /** @type {{id: string, next: string | undefined} | null} whose hand *Next* found without a card, and who comes after */
    this.asked = null;
    /** @type {Body | null} the answer that tells what another phone saved first */
    this.theirs = null;
    /** @type {PadState} */
    this.state = this.fromFields();
    this.brought = this.corrects ? this.pointsNow() : {};
    /** @type {PadState | null} */
    const draft = stored(this.draftKey);
    this.usable = draft !== null && form.querySelector("#problems") === null;
    if (draft && this.usable) this.state = taps.withDraft(this.state, draft, this.players);
    this.sent = this.usable && Boolean(draft?.sent);
    this.listen();
    this.$("plain").hidden = true;
    this.$("pad").hidden = false;
  }

  /** Show the pad; `winner` is who went out, or "" when it is still to be said. @param {string} winner */
  open(winner) {
    if (winner !== this.state.winner && this.players.some(({ id }) => id === winner)) {
      this.change(taps.end(this.state, winner, "went-out"));
    } else this.draw();
    this.problem([]);
  }

  pending() {
    return this.usable || taps.isTouched(this.state);
  }

  /** @param {string} name */
  $(name) {
    return /** @type {HTMLButtonElement} */ (this.form.querySelector(`[data-${name}]`)); // Of all it may be, a button can do most.
  }

  /** @param {string} name */
  field(name) {
    return /** @type {HTMLInputElement | null} */ (this.form.querySelector(`[name="${CSS.escape(name)}"]`));
  }

  /** @param {string} name */
  value(name) {
    return this.field(name)?.value ?? "";
  }

  get title() {
    return this.form.querySelector("h1")?.textContent ?? "";
  }

  /** @param {string | null | undefined} id */
  nameOf(id) {
    return this.players.find((player) => player.id === id)?.name ?? worded("nobody");
  }

  get queue() {
    return taps.order(this.state, this.players);
  }

  get hand() {
    return this.state.hands[this.state.turn ?? ""];
  }

  /** Return the keys of the side that showed at the end, by face. @returns {Map<string, Key>} */
  get keys() {
    return this.keysets.get(this.state.side ?? "") ?? [...this.keysets.values()][0];
  }

  /** @param {string} card */
  faceOf(card) {
    return taps.faceOf(card, (face) => [...this.keysets.values()].some((keys) => keys.has(face)));
  }

  /** @param {string} card */
  points(card) {
    return this.keys.get(this.faceOf(card))?.points ?? 0;
  }

  /** @param {string | null} id */
  worthOf(id) {
    return taps.worth(this.state.hands[id ?? ""], (card) => this.points(card));
  }

  get typing() {
    return (
      taps.countsCards(this.state) ||
      (this.hand.cards.length === 0 && (this.hand.typed !== "" || stored("pad.mode") === "total"))
    );
  }

  /** Return the shares of the points, by how the round ended. @returns {Record<string, import("./pad-state.js").Share>} */
  get shares() {
    return JSON.parse(this.form.dataset.shares ?? "{}");
  }

  /** Return whether the pad is at entering hands. */
  get countsHands() {
    return this.countsPoints && this.state.stage === "count";
  }

  /** @returns {PadState} */
  fromFields() {
    const { form } = this;
    const checked = (/** @type {string} */ name) =>
      /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll(`[name="${name}"]:checked`)]).map(
        ({ value }) => value,
      );
    const ended = /** @type {HTMLInputElement | null} */ (
      form.querySelector('[name="ended"]:checked, [name="ended"][type="hidden"]')
    );
    const empty = checked("empty");
    const hands = this.players.map(({ id }) => [
      id,
      {
        ...taps.readHand(this.value(`hand-${id}`), (face) => [...this.keysets.values()].some((keys) => keys.has(face))),
        left: this.value(`left-${id}`),
        empty: empty.includes(id),
      },
    ]);
    return {
      ended: ended?.value || "went-out",
      winner: checked("went_out")[0] ?? null,
      sat: checked("sat_out"),
      out: checked("knocked_out"),
      side: checked("side")[0] ?? "",
      credited: checked("credited_to"),
      last: this.value("last_card"),
      hands: Object.fromEntries(hands),
      turn: null,
      stage: "count",
      key: this.value("idempotency_key"),
      after: this.value("after"),
      revision: this.value("revision"),
      version: this.field("version")?.value,
    };
  }

  listen() {
    const { form } = this;
    for (const keys of this.keysets.values()) {
      for (const [face, { button }] of keys) button.onclick = () => this.lay(face);
    }
    for (const key of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-digit]"))) {
      key.onclick = () => this.type(key.dataset.digit ?? "");
    }
    this.$("next").onclick = () => this.next();
    this.$("empty").onclick = () => this.answer(taps.leaveEmpty(this.state));
    this.$("absent").onclick = () => this.answer(taps.sitOut(this.state, this.state.turn ?? undefined));
    this.$("same").onclick = () => this.keepTheirs();
    this.$("another").onclick = () => this.addAnother();
    this.$("close").onclick = () => this.does.onClose();
    this.$("change-winner").onclick = () => this.change({ ...this.state, stage: "winner" });
    this.$("mode").onclick = () => {
      store("pad.mode", this.typing ? null : "total");
      this.change(taps.clear(this.state));
    };
    this.$("sit").onclick = () => {
      const { queue } = this;
      const place = queue.indexOf(this.state.turn ?? "");
      const leave = this.knocksOut ? taps.knockOut : taps.sitOut;
      this.change(leave(this.state, queue[place + 1] ?? queue[place - 1]));
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.next();
    });
  }

  /** Do what a key of the keyboard means while the pad is open, unless something else on the page has the focus. @param {KeyboardEvent} event */
  press(event) {
    const target = /** @type {Element} */ (event.target);
    const ours = this.form.contains(target) || target.matches("body, main, #pad");
    if (event.defaultPrevented || !(ours || event.key === "Escape") || target.matches(FIELDS)) return;
    const entering = !this.$("count").hidden && !this.saving;
    const meaning = meaningOf(event, {
      entering,
      typing: entering && this.typing,
      free: !target.closest("a, button, summary"),
      has: (face) => this.keys.get(face)?.button.disabled === false,
      letters: this.letters.get(this.keys) ?? new Map(),
    });
    if (meaning || (entering && this.move(event))) event.preventDefault();
    if (!meaning) return;
    if (meaning.does === "close") this.does.onClose();
    else if (meaning.does === "next" && !this.$("next").hidden) this.next();
    else if (meaning.does === "lay") this.lay(meaning.what);
    else if (meaning.does === "type") this.type(meaning.what);
    else if (meaning.does === "erase" && this.typing) this.type("erase");
    else if (meaning.does === "erase" && this.hand.cards.length) this.change(taps.takeBack(this.state));
    if (["lay", "type", "erase"].includes(meaning.does)) this.$("pad-title").focus({ preventScroll: true }); // Enter goes on.
  }

  /** Move by arrow keys among the keys, and from the heading to them. @param {KeyboardEvent} event */
  move({ key, target }) {
    const from = /** @type {Element} */ (target);
    return from.closest(".keys") || from === this.$("pad-title") ? moveBy(key, this.grid) : false;
  }

  /** Return the keys that are shown. */
  get grid() {
    return /** @type {HTMLElement} */ (this.form.querySelector(".keys:not([hidden])"));
  }

  /** @param {PadState} state */
  change(state) {
    if (this.saving) return; // What is on its way is not changed any more; the next round begins with its answer.
    this.theirs = null;
    this.rest(0);
    this.state = state;
    store(this.draftKey, state);
    this.draw();
  }

  draw() {
    stayWhile(this.$("pad"), { places: GROUPS, fallback: "[data-pad-title]" }, () => this.redraw());
  }

  redraw() {
    const { queue } = this;
    this.state = taps.settled(this.state, queue);
    const { state, saving } = this;
    const decided = taps.isDecided(state);
    this.$("pad-title").textContent = this.heading();
    this.$("change-winner").hidden = !decided || state.stage !== "count";
    this.drawPeople(decided);
    this.drawGain();
    this.asksSide = this.sides.length > 0 && !state.side && this.countsHands && queue.length > 0;
    const choosing = !decided || state.stage !== "count" || this.asksSide;
    this.$("theirs").hidden = !this.theirs;
    this.$("choose").hidden = Boolean(this.theirs) || !choosing;
    this.$("count").hidden = Boolean(this.theirs) || choosing || !this.countsPoints || !queue.length;
    this.$("mode").hidden = this.$("sit").hidden = this.$("count").hidden;
    if (this.theirs) this.drawTheirs(this.theirs);
    else if (choosing) this.drawChoice();
    else if (!this.$("count").hidden) this.drawHand(queue);
    const last =
      !this.countsPoints ||
      !queue.length ||
      queue[queue.length - 1] === state.turn ||
      state.stage === "credit" ||
      taps.isCorrected(state, queue, this.corrects);
    const save = this.form.querySelector("[data-plain] .primary")?.textContent ?? "";
    this.$("next").hidden =
      Boolean(this.theirs) || !decided || this.asksSide || ["winner", "left"].includes(state.stage);
    this.$("next").textContent = saving
      ? worded("saving")
      : last
        ? save
        : worded("next", { name: this.nameOf(queue[queue.indexOf(state.turn ?? "") + 1]) });
    // What is tapped while a round is on its way would be lost: that it is not taken is to be seen.
    for (const part of ["count", "people", "next"]) this.$(part).setAttribute("aria-busy", String(saving));
  }

  heading() {
    if (!this.state.winner) return taps.isDecided(this.state) ? this.ended() : this.title;
    const name = this.nameOf(this.state.winner);
    return this.corrects ? worded("went-out-corrected", { title: this.title, name }) : this.ended();
  }

  /** Return in words how the round ended. */
  ended() {
    const { winner, ended } = this.state;
    const left = taps.whoIsLeft(this.state, this.players);
    if (left) return worded("last-one-left", { name: left.name });
    return winner ? worded("went-out", { name: this.nameOf(winner) }) : (this.endings.get(ended) ?? "");
  }

  /** @param {boolean} decided */
  drawPeople(decided) {
    const left = taps.whoIsLeft(this.state, this.players);
    this.$("people").hidden = !decided || !this.countsPoints;
    this.$("people").replaceChildren(
      ...this.players.map(({ id, name }) => {
        const button = make("button", "", { type: "button", disabled: id === this.state.winner || Boolean(left) });
        const note = make("span", "", { className: "note" });
        note.append(make("span", this.noteOn(id), { className: "number" }), ...this.cardsOf(id));
        button.append(make("bdi", name), note);
        if (id === this.state.turn && this.state.stage === "count") button.setAttribute("aria-current", "step");
        button.onclick = () => this.change(taps.turnTo(this.state, id));
        return button;
      }),
    );
    this.$("people").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }

  /** @param {string} id */
  noteOn(id) {
    const { state } = this;
    if (id === state.winner) return worded("note-out");
    if (state.sat.includes(id)) return worded("note-sat-out");
    if (taps.isKnockedOut(state, id)) return worded("note-knocked-out");
    if (id === taps.whoIsLeft(state, this.players)?.id) return worded("note-left-over");
    if (this.players.some((player) => player.id === id && taps.isAside(state, player))) return worded("note-aside");
    if (!taps.isEntered(state, id)) return "–";
    return taps.countsCards(state) ? worded("note-left", { n: state.hands[id].left }) : String(this.worthOf(id));
  }

  /** Return the elements that show how many cards a hand has. @param {string} id */
  cardsOf(id) {
    const { cards } = this.state.hands[id];
    if (!cards.length || taps.countsCards(this.state) || !this.queue.includes(id)) return [];
    const count = make("span", String(cards.length), { className: "how-many" });
    return [" ", count, make("span", ` ${worded("cards-held", { n: cards.length })}`, { className: "unseen" })];
  }

  /** Show beside who went out what that brings so far; ranks are known only once all hands are. */
  drawGain() {
    const { winner, ended } = this.state;
    const share = this.shares[ended];
    const gains = winner && share && !share.ranks ? this.pointsNow()[winner] : 0;
    this.$("so-far").hidden = !gains;
    if (!gains) return;
    this.$("so-far").textContent = signed(gains);
    this.$("so-far").append(make("span", ` ${worded("so-far")}`, { className: "unseen" }));
  }

  /** Compute the points that the round brings as it stands, by the shares that the page has. */
  pointsNow() {
    return taps.pointsOf(this.state, this.players, this.shares[this.state.ended], (face) => this.points(face));
  }

  /** @param {Body} body */
  drawTheirs(body) {
    this.$("theirs-rounds").replaceChildren(...(body.theirs ?? []).map((text) => make("li", text, { dir: "auto" })));
  }

  drawChoice() {
    const { state } = this;
    const asks = this.asksSide && taps.isDecided(state) && state.stage === "count" ? "side" : state.stage;
    for (const lead of /** @type {NodeListOf<HTMLElement>} */ (this.form.querySelectorAll("[data-lead]"))) {
      lead.hidden = lead.dataset.lead !== (["side", "credit", "left"].includes(asks) ? asks : "winner");
    }
    const choice = (/** @type {string} */ label, /** @type {() => PadState} */ step) => {
      const button = make("button", "", { type: "button", className: "wide", onclick: () => this.change(step()) });
      button.append(make("bdi", label));
      return button;
    };
    const ofEach = (/** @type {(id: string) => PadState} */ step) =>
      this.players.map(({ id, name }) => {
        const button = choice(name, () => step(id));
        const row = document.querySelector(`.standing[data-went-out="${id}"]`);
        const [mark, total] = [row?.querySelector(".marker"), row?.querySelector("[data-total]")];
        if (mark && total) {
          button.prepend(mark.cloneNode(true));
          button.append(make("span", total.textContent, { className: "number" }));
        }
        return button;
      });
    let shown = ofEach((id) => taps.end(this.state, id, "went-out"));
    if (asks === "side") shown = this.sides.map(([side, label]) => choice(label, () => taps.turnSide(state, side)));
    else if (asks === "left") shown = ofEach((id) => taps.lastOneLeft(state, id, this.players));
    else if (asks === "credit") {
      shown = ofEach((id) => taps.credit(this.state, id));
      const pressed = this.players.map(({ id }) => String(state.credited.includes(id)));
      shown.forEach((button, place) => button.setAttribute("aria-pressed", pressed[place]));
    } else {
      const others = [...this.endings].filter(([value]) => value !== "went-out");
      /** @type {(value: string) => PadState} */
      const ends = (value) =>
        value === "last-one-left" ? { ...this.state, stage: "left" } : taps.end(this.state, null, value);
      shown.push(...others.map(([value, label]) => choice(label, () => ends(value))));
    }
    this.$("winners").replaceChildren(...shown);
  }

  /** @param {string[]} queue */
  drawHand(queue) {
    const { state, hand, typing } = this;
    const counting = taps.countsCards(state);
    const plus = /** @type {HTMLButtonElement | null} */ (this.form.querySelector("[data-digit='+']"));
    this.$("turn").textContent = this.nameOf(state.turn);
    for (const keys of /** @type {NodeListOf<HTMLElement>} */ (this.form.querySelectorAll("[data-keys]"))) {
      keys.hidden = typing || ![state.side ?? "", ""].includes(keys.dataset.keys ?? "");
    }
    this.$("digits").hidden = !typing;
    if (plus) plus.disabled = counting;
    this.$("mode").textContent = worded(typing ? "tap-cards" : "type-total");
    this.$("mode").hidden = counting;
    this.$("sum").textContent = counting ? hand.left || "0" : String(this.worthOf(state.turn));
    this.$("sum").append(make("small", this.unit()));
    for (const [face, { button, most }] of this.keys) {
      button.disabled = taps.laid(state, queue, (card) => this.faceOf(card) === face) >= most;
    }
    this.$("fan").style.setProperty("--gaps", String(Math.max(1, hand.cards.length - 1)));
    this.$("fan").replaceChildren(
      ...(typing ? [] : hand.cards.map((card, place) => this.laidCard(card, place, hand.cards.length))),
    );
    if (hand.cards.length >= MANY) this.$("fan").scrollTop = this.$("fan").scrollHeight;
    if (!typing && !hand.cards.length) {
      this.$("fan").append(
        make("span", (hand.empty && this.$("empty").textContent) || worded("tap-each"), { className: "empty" }),
      );
    }
    if (this.asked?.id !== state.turn || taps.isEntered(state, state.turn ?? "")) this.asked = null;
    this.$("asks").hidden = this.asked === null;
    this.$("fan").hidden = this.asked !== null;
    this.$("empty").hidden = counting;
    this.$("asked").textContent = this.nameOf(state.turn);
    this.newest = -1;
    this.drawSides();
    this.drawReminder();
    oneStop(this.grid);
  }

  drawSides() {
    if (!this.sides.length) return;
    const aside = taps.setAside(this.state, this.players).map(({ name }) => name);
    const row = make("span", "", { className: "row" });
    row.append(
      ...this.sides.map(([side, label]) =>
        toggle(label, this.state.side === side, () => {
          this.change(taps.turnSide(this.state, side));
          announce(worded("side-showed", { side: label }));
        }),
      ),
    );
    this.$("side-row").replaceChildren(row);
    if (aside.length) this.$("side-row").append(make("span", worded("set-aside-cards", { names: aside.join(", ") })));
  }

  unit() {
    const { cards, typed, left } = this.hand;
    if (taps.countsCards(this.state)) return worded("unit-cards-left", { n: Number(left) });
    if (typed.includes("+")) return typed;
    return cards.length ? worded("unit-cards", { n: cards.length }) : worded("unit-points");
  }

  /** @param {string} card @param {number} place @param {number} count */
  laidCard(card, place, count) {
    const face = this.faceOf(card);
    const key = /** @type {Key} */ (
      this.keys.get(face) ?? [...this.keysets.values()].find((keys) => keys.has(face))?.get(face)
    );
    const button = make("button", "", { type: "button", className: place === this.newest ? "laid new" : "laid" });
    const sign = key.look.textContent ?? "";
    const called = sign.startsWith("+") && sign !== key.label ? `${sign} ${key.label}` : key.label; // What is seen is what is said.
    button.setAttribute("aria-label", worded("take-back", { card: called }));
    const middle = make("span", "", { className: "middle" });
    middle.setAttribute("aria-hidden", "true");
    middle.append(onlyDrawn(key.look));
    button.append(key.look.cloneNode(true), middle);
    if (count < 7) {
      const turn = place - (count - 1) / 2;
      button.style.setProperty("--tilt", `${turn * 2.5}deg`);
      button.style.setProperty("--drop", `${turn * turn * 0.1}rem`);
    }
    button.onclick = () => {
      this.change(taps.takeBack(this.state, place));
      announce(worded("card-taken-back", { card: key.label, sum: this.worthOf(this.state.turn) }));
      const beside = /** @type {HTMLElement | undefined} */ (
        this.$("fan").children[Math.min(place, this.hand.cards.length - 1)]
      );
      (beside ?? key.button).focus({ preventScroll: true });
    };
    return button;
  }

  drawReminder() {
    const asks = /** @type {HTMLSelectElement | null} */ (/** @type {Element | null} */ (this.field("last_card")));
    this.$("reminder").hidden = !asks || !this.state.winner;
    if (!asks || !this.state.winner) return;
    const row = make("span", "", { className: "row" });
    row.append(
      make("span", worded("last-card", { name: this.nameOf(this.state.winner) })),
      ...[...asks.options]
        .filter(({ value }) => value && this.keys.has(value))
        .map(({ value, text }) =>
          toggle(text, this.state.last === value, () => this.change(taps.lastCard(this.state, value))),
        ),
    );
    this.$("reminder").replaceChildren(row);
    if (this.state.last && asks.dataset.drawn) this.$("reminder").append(make("span", asks.dataset.drawn));
  }

  /** @param {string} face */
  lay(face) {
    buzz();
    this.newest = this.hand.cards.length;
    this.change(taps.lay(this.state, face));
    announce(worded("card-laid", { card: this.keys.get(face)?.label ?? "", sum: this.worthOf(this.state.turn) }));
  }

  /** @param {string} key */
  type(key) {
    buzz();
    this.change(taps.type(this.state, key));
    announce(this.$("sum").firstChild?.textContent ?? "");
  }

  /** Ignore taps on *Next* for so many milliseconds, so that a double tap counts once; 0 ends that. @param {number} pause */
  rest(pause) {
    clearTimeout(this.resting);
    this.$("next").toggleAttribute("data-resting", pause > 0);
    if (pause) this.resting = setTimeout(() => this.rest(0), pause);
  }

  next() {
    if ("resting" in this.$("next").dataset) return;
    const { queue, state } = this;
    const after = taps.following(state, queue, this.corrects);
    this.problem([]);
    const { turn } = state;
    if (this.countsHands && queue.length && turn && !taps.isEntered(state, turn)) this.ask(turn, after);
    else this.goOn(after);
    this.rest(DOUBLE_TAP);
  }

  /** Ask once about a hand without a card, then go on to the next one, or save where there is none. @param {string} id @param {string} [next] */
  ask(id, next) {
    if (id !== this.state.turn) this.change({ ...this.state, turn: id });
    this.asked = { id, next };
    const byKeyboard = [this.$("next"), this.$("pad-title")].some((one) => one === document.activeElement);
    this.draw();
    if (byKeyboard) this.$("empty").focus({ preventScroll: true });
    announce(this.$("asks").querySelector("p")?.textContent ?? "");
  }

  /** @param {PadState} state */
  answer(state) {
    const next = this.asked?.next;
    const queue = taps.order(state, this.players);
    this.change(queue.includes(state.turn ?? "") ? state : { ...state, turn: next ?? queue[queue.length - 1] ?? null });
    this.goOn(taps.isCorrected(this.state, this.queue, this.corrects) ? undefined : next);
  }

  /** Go on to the next hand; after the last, to whoever was passed over, and then save. @param {string} [next] */
  goOn(next) {
    const passed = this.countsHands ? this.queue.find((id) => !taps.isEntered(this.state, id)) : undefined;
    if (this.countsHands && next) {
      this.change({ ...this.state, turn: next });
      announce(worded("next", { name: this.nameOf(next) }));
    } else if (passed) this.ask(passed);
    else if (this.countsHands && this.state.ended === "draw-pile-empty" && this.field("credited_to")) {
      this.change({ ...this.state, stage: "credit" });
    } else this.save();
  }

  toFields() {
    const data = new FormData(this.form);
    const fields = taps.fieldsOf(
      this.state,
      this.players,
      this.players.some(({ id }) => this.field(`left-${id}`)),
    );
    if (this.field("version")) fields.push(["version", [this.state.version ?? this.value("version")]]);
    for (const [name, values] of fields) {
      data.delete(name);
      for (const value of values) data.append(name, String(value));
    }
    return data;
  }

  /** Save the round. A new one is shown as it will stand while it is on its way. */
  async save() {
    if (this.saving) return;
    this.saving = true;
    const ahead = this.state.place ? [] : ((await this.outbox?.live()) ?? []);
    const own = ahead.find(({ key }) => key === this.state.key);
    if (own) {
      this.restAfterKeeping(own); // It was kept, and its page left before the draft went.
      return;
    }
    if (ahead.length) this.state = { ...this.state, after: roundsAfter(ahead, 0) };
    if (ahead.length || this.state.place) {
      const item = this.toItem();
      if (await this.outbox?.keep(item, false)) {
        this.restAfterKeeping(item);
        return;
      }
    }
    const answer = post(this.form.action, this.toFields(), { keepalive: true });
    if (!this.corrects) {
      this.does.onSaving(this.toItem());
      store(this.draftKey, { ...this.state, sent: true });
    }
    this.draw();
    const { status, problems, body } = await answer;
    if (isAway(status) && this.outbox) {
      const item = this.corrects ? this.toCorrection() : this.toItem();
      if (await this.outbox.keep(item, true)) {
        this.restAfterKeeping(item);
        return;
      }
    }
    this.saving = false;
    if (status >= 200 && status < 300) {
      store(this.draftKey, null);
      this.does.onSaved(body);
    } else this.refused(problems, body);
  }

  /** Show why the server did not take the round. @param {import("./base.js").Problem[]} problems @param {Body} body */
  refused(problems, body) {
    store(this.draftKey, this.state);
    this.does.onRefused(this.toItem());
    const who = problems.find((one) => one.player)?.player;
    if (who && this.queue.includes(who)) this.state = { ...this.state, turn: who };
    if (body.theirs) {
      // Maybe the very same round: only a person can tell.
      this.theirs = body;
      this.draw();
      announce(this.$("theirs").textContent ?? "");
      this.$("same").focus({ preventScroll: true });
      return;
    }
    if (body.seen) this.see(body.seen); // The next Save is meant for the sheet as it stands now.
    this.state = { ...this.state, stage: "count" };
    this.draw();
    this.problem(problems);
  }

  /** Note the sheet as it stands now as the one that this round was entered on. @param {import("./base.js").Seen} seen */
  see({ revision, version = this.state.version, after = String(this.state.after), key = this.state.key }) {
    this.state = { ...this.state, revision, version, after, key };
    if (this.pending()) store(this.draftKey, this.state);
  }

  /** Keep the round that another phone saved: this one is the same. */
  keepTheirs() {
    const body = this.theirs ?? {};
    store(this.draftKey, null);
    this.does.onSaved(body);
  }

  addAnother() {
    this.see(this.theirs?.seen ?? { revision: "" });
    this.theirs = null;
    this.save();
  }

  /** Return what the outbox stores of a round or a correction. @returns {Item} */
  waiting() {
    const [match] = (this.form.dataset.draft ?? "").split(".");
    const fields = [...this.toFields()]
      .filter(([name]) => name !== "csrf_token")
      .map(([name, value]) => /** @type {[string, string]} */ ([name, String(value)]));
    return newItem({ key: this.state.key, match, address: this.form.action, fields });
  }

  /** Return a correction for the outbox, with the points it brings more than the round did. @returns {Item} */
  toCorrection() {
    const now = Object.entries(this.pointsNow());
    const [, round, version] = (this.form.dataset.draft ?? "").split(".");
    const hands = this.queue.map((id) => `${this.nameOf(id)} ${this.worthOf(id)}`).join(", ");
    const says = `${this.ended()} · ${worded("hands", { hands })}`;
    return {
      ...this.waiting(),
      key: newKey(),
      kind: "correction",
      round,
      version: Number(version),
      asks: this.form.action,
      title: this.title,
      says,
      points: Object.fromEntries(now.map(([id, points]) => [id, points - (this.brought[id] ?? 0)])),
    };
  }

  /** Return the round for the outbox, with the points it brings. @returns {Item} */
  toItem() {
    const { state, players } = this;
    const points = this.pointsNow();
    return {
      ...this.waiting(),
      place: state.place,
      after: Number(state.after),
      state,
      says: taps.saysOf(this.ended(), players, points),
      points,
    };
  }

  /** @param {Item} item */
  restAfterKeeping(item) {
    const [key, after] = [this.field("idempotency_key"), this.field("after")];
    store(this.draftKey, null);
    if (key) key.value = newKey();
    if (after && !this.state.place) after.value = String(Number(this.state.after) + 1);
    this.saving = false;
    this.does.onKept(item);
  }

  /** @param {import("./base.js").Problem[]} problems */
  problem(problems) {
    this.$("pad-error").hidden = !problems.length;
    this.$("pad-error").textContent = problems.map((one) => one.message).join(" ");
  }
}

/** Return a button that is pressed or not. @param {string} text @param {boolean} pressed @param {() => void} onclick */
function toggle(text, pressed, onclick) {
  const button = make("button", text, { type: "button", onclick });
  button.setAttribute("aria-pressed", String(pressed));
  return button;
}

/** Copy the look of a card, its sign drawn by the style alone, so that readers find it once. @param {Element} look */
function onlyDrawn(look) {
  const copy = /** @type {HTMLElement} */ (look.cloneNode(true));
  const text = copy.firstChild;
  if (text instanceof Text) {
    copy.dataset.sign = text.data;
    text.remove();
  }
  return copy;
}

/** Read the keys that the page has, by the faces they lay, for each side of the deck. @param {HTMLFormElement} form @returns {Map<string, Map<string, Key>>} */
function keysOf(form) {
  const sides = /** @type {Map<string, Map<string, Key>>} */ (new Map());
  for (const keys of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-keys]"))) {
    const side = new Map();
    sides.set(keys.dataset.keys ?? "", side);
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (keys.querySelectorAll("[data-face]"))) {
      const { face = "", label = "", points, most } = button.dataset;
      side.set(face, { button, label, points: Number(points), most: Number(most), look: button.firstElementChild });
    }
  }
  return sides;
}

/** Return the letters that lay cards by keyboard, and note each on its key. @param {Map<string, Key>} keys */
function lettersIn(keys) {
  const letters = lettersOf([...keys].map(([face, { label }]) => [face, label]));
  for (const [letter, face] of letters) keys.get(face)?.button.setAttribute("aria-keyshortcuts", letter.toUpperCase());
  return letters;
}

/** Return the values of some choices with their labels. @param {HTMLFormElement} form @param {string} selector @returns {[string, string][]} */
function labelled(form, selector) {
  const choices = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll(selector)]);
  return choices.map((choice) => [choice.value, choice.parentElement?.textContent?.trim() ?? ""]);
}
