// The hand pad: one tap a card. It adds up worths that the page gives; it knows no rule.

import { keep, kept, post, refresh, say } from "./base.js";
import { newKey } from "./outbox.js";
import { isAway } from "./waiting-state.js";

const DOUBLE_TAP = 300; // Milliseconds within which nobody taps *Next* twice on purpose.
const FACE = /^(?:(?:red|yellow|green|blue)-)?(.+)$/;

/** Add the numbers of a typed sum such as "20+20+50"; null when it is none. */
export function addUp(typed) {
  const text = typed.replace(/\++$/, "");
  return /^\d+(\+\d+)*$/.test(text) ? text.split("+").reduce((sum, part) => sum + Number(part), 0) : null;
}

/**
 * Lay the hand pad over a round form. Returns {open(winner), pending, refresh}.
 * `outbox` ({live, keep}) takes a new round that the server cannot take now; without one the pad keeps it as a draft.
 */
export function handPad(form, { onClose, onSaved, onKept, outbox = null }) {
  const $ = (name) => form.querySelector(`[data-${name}]`);
  const draftKey = `draft.${form.dataset.draft}`;
  const countsPoints = form.dataset.keepsPoints === "yes";
  const keys = new Map([...form.querySelectorAll("[data-face]")].map((key) => [key.dataset.face, {
    button: key, label: key.dataset.label, points: Number(key.dataset.points), most: Number(key.dataset.most), look: key.firstElementChild,
  }]));
  const players = [...form.querySelectorAll('input[name="went_out"]')].map((radio) => ({ id: radio.value, name: radio.parentElement.textContent.trim() }));
  const endings = [...form.querySelectorAll('input[name="ended"][type="radio"]')].map((radio) => ({ value: radio.value, label: radio.parentElement.textContent.trim() }));
  const field = (name) => form.querySelector(`[name="${CSS.escape(name)}"]`);
  const nameOf = (id) => players.find((player) => player.id === id)?.name ?? "Nobody";

  let state = fromFields();
  const corrects = field("after").value === "";
  let saving = false;
  let newest = -1;
  let asked = null; // {id, following}: whose hand *Next* found without a card, and who comes after.
  let theirs = null; // The answer that tells what another phone saved first.
  let resting = 0;

  function fromFields() {
    const hands = {};
    for (const { id } of players) {
      const text = field(`hand-${id}`).value.trim().replace(/^=\s*/, "");
      const cards = text.split(/[\s,]+/).filter(Boolean);
      const known = cards.every((card) => keys.has(card.match(FACE)[1]));
      hands[id] = known ? { cards, typed: "" } : { cards: [], typed: text.replace(/\s/g, "") };
      hands[id].left = field(`left-${id}`)?.value ?? "";
      hands[id].empty = form.querySelector(`[name="empty"][value="${CSS.escape(id)}"]`)?.checked ?? false;
    }
    return {
      ended: form.querySelector('[name="ended"]:checked, [name="ended"][type="hidden"]')?.value || "went-out",
      winner: form.querySelector('[name="went_out"]:checked')?.value ?? null,
      sat: [...form.querySelectorAll('[name="sat_out"]:checked')].map((box) => box.value),
      credited: [...form.querySelectorAll('[name="credited_to"]:checked')].map((box) => box.value),
      last: field("last_card")?.value ?? "",
      hands, turn: null, stage: "count",
      key: field("idempotency_key").value, after: field("after").value, revision: field("revision").value, version: field("version")?.value,
    };
  }

  const hand = () => state.hands[state.turn];
  const counting = () => state.ended === "time-limit";
  const typing = () => counting() || (hand().cards.length === 0 && (hand().typed !== "" || kept("pad.mode") === "total"));
  const worth = ({ cards, typed }) => (typed ? addUp(typed) ?? 0 : cards.reduce((sum, card) => sum + keys.get(card.match(FACE)[1]).points, 0));
  const entered = (one) => (counting() ? one.left !== "" : one.cards.length > 0 || one.typed !== "" || Boolean(one.empty));
  const touched = () => state.winner !== null || Object.values(state.hands).some((one) => one.cards.length || one.typed || one.left || one.empty);

  /** Those whose hands are still to be counted, clockwise from the one who went out. */
  function order() {
    const start = players.findIndex((player) => player.id === state.winner);
    return players.map((_, step) => players[(start + 1 + step + players.length) % players.length].id)
      .filter((id) => id !== state.winner && !state.sat.includes(id));
  }

  /** Tell whether this mends a saved or waiting round in which no hand is missing: then there is nobody to go on to. */
  function isCorrected(queue) {
    return (corrects || state.place) && queue.every((id) => entered(state.hands[id]));
  }

  function change(step) {
    if (saving) return; // What is on its way is not changed any more; the next round begins with its answer.
    theirs = null;
    rest(0);
    step();
    keep(draftKey, state);
    draw();
  }

  function draw() {
    const decided = state.winner !== null || state.ended !== "went-out";
    $("pad-title").textContent = state.winner ? `${corrects ? `${form.querySelector("h1").textContent}: ` : ""}${nameOf(state.winner)} went out` : decided ? endings.find((ending) => ending.value === state.ended).label : form.querySelector("h1").textContent;
    $("change-winner").hidden = !decided || state.stage !== "count";
    const queue = order();
    if (decided && !queue.includes(state.turn)) state.turn = queue[0];
    drawPeople(decided);
    const choosing = !decided || state.stage !== "count";
    $("theirs").hidden = !theirs;
    $("choose").hidden = Boolean(theirs) || !choosing;
    $("count").hidden = Boolean(theirs) || choosing || !countsPoints || !queue.length;
    $("mode").hidden = $("sit").hidden = $("count").hidden;
    if (theirs) drawTheirs(); else if (choosing) drawChoice(); else if (!$("count").hidden) drawHand(queue);
    const last = !countsPoints || queue.at(-1) === state.turn || state.stage === "credit" || isCorrected(queue);
    $("next").hidden = Boolean(theirs) || !decided || state.stage === "winner";
    $("next").textContent = saving ? "Saving …" : last ? form.querySelector("[data-plain] .primary").textContent : `Next: ${nameOf(queue[queue.indexOf(state.turn) + 1])}`;
    $("next").toggleAttribute("aria-busy", saving);
  }

  function drawPeople(decided) {
    $("people").hidden = !decided || !countsPoints;
    $("people").replaceChildren(...players.map(({ id, name }) => {
      const one = state.hands[id];
      const note = id === state.winner ? "out" : state.sat.includes(id) ? "sat out" : entered(one) ? (counting() ? `${one.left} left` : worth(one)) : "–";
      const button = Object.assign(document.createElement("button"), { type: "button" });
      button.innerHTML = "<bdi></bdi><span class='number'></span>";
      button.firstChild.textContent = name;
      button.lastChild.textContent = note;
      if (id === state.turn && state.stage === "count") button.setAttribute("aria-current", "step");
      button.disabled = id === state.winner;
      button.onclick = () => change(() => { state.sat = state.sat.filter((other) => other !== id); state.turn = id; state.stage = "count"; });
      return button;
    }));
    $("people").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }

  function drawTheirs() {
    $("theirs-rounds").replaceChildren(...theirs.body.theirs.map((text) => Object.assign(document.createElement("li"), { textContent: text, dir: "auto" })));
  }

  function drawChoice() {
    const credit = state.stage === "credit";
    $("choose").querySelector("p").textContent = credit ? "Nobody went out. Who gets the points?" : "Who went out?";
    const choice = (label, pressed, onclick) => {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "wide", onclick });
      button.append(Object.assign(document.createElement("bdi"), { textContent: label }));
      if (pressed !== null) button.setAttribute("aria-pressed", pressed);
      return button;
    };
    const winner = (id, ended) => () => change(() => { state.winner = id; state.ended = ended; state.stage = "count"; state.turn = null; });
    $("winners").replaceChildren(...players.map(({ id, name }) => credit
      ? choice(name, state.credited.includes(id), () => change(() => { state.credited = state.credited.includes(id) ? state.credited.filter((other) => other !== id) : [...state.credited, id]; }))
      : choice(name, null, winner(id, "went-out"))),
    ...(credit ? [] : endings.filter((ending) => ending.value !== "went-out").map((ending) => choice(ending.label, null, winner(null, ending.value)))));
  }

  function drawHand(queue) {
    const digits = typing();
    $("turn").textContent = nameOf(state.turn);
    $("keys").hidden = digits;
    $("digits").hidden = !digits;
    form.querySelector("[data-digit='+']").disabled = counting();
    $("mode").textContent = digits ? "Tap cards" : "Type total";
    $("mode").hidden = counting();
    const { cards, typed, left } = hand();
    $("sum").textContent = counting() ? left || "0" : worth(hand());
    const small = document.createElement("small");
    small.textContent = counting() ? "cards left" : typed.includes("+") ? typed : cards.length ? `${cards.length} card${cards.length > 1 ? "s" : ""}` : "points";
    $("sum").append(small);
    for (const [face, key] of keys) {
      const laid = queue.reduce((sum, id) => sum + state.hands[id].cards.filter((card) => card.match(FACE)[1] === face).length, 0);
      key.button.disabled = laid >= key.most;
    }
    $("fan").replaceChildren(...(digits ? [] : cards.map(laidCard)));
    if (!digits && !cards.length) $("fan").append(Object.assign(document.createElement("span"), { className: "empty", textContent: hand().empty ? "Empty hand" : "Tap each card left in the hand." }));
    if (asked?.id !== state.turn || entered(hand())) asked = null;
    $("asks").hidden = asked === null;
    $("fan").hidden = asked !== null;
    $("empty").hidden = counting();
    $("asked").textContent = nameOf(state.turn);
    newest = -1;
    drawReminder();
  }

  function laidCard(card, index, all) {
    const key = keys.get(card.match(FACE)[1]);
    const button = Object.assign(document.createElement("button"), { type: "button", className: index === newest ? "laid new" : "laid" });
    button.setAttribute("aria-label", `Take back ${key.label}`);
    button.append(key.look.cloneNode(true));
    if (all.length < 8) {
      const turn = index - (all.length - 1) / 2;
      button.style.setProperty("--tilt", `${turn * 3}deg`);
      button.style.setProperty("--drop", `${turn * turn * 0.1}rem`);
    }
    button.onclick = () => {
      change(() => hand().cards.splice(index, 1));
      say(`${key.label} taken back. ${worth(hand())}.`);
      ($("fan").children[Math.min(index, hand().cards.length - 1)] ?? key.button).focus({ preventScroll: true });
    };
    return button;
  }

  function drawReminder() {
    const asks = field("last_card");
    $("reminder").hidden = !asks || !state.winner;
    if ($("reminder").hidden) return;
    const row = Object.assign(document.createElement("span"), { className: "row" });
    row.append(`${nameOf(state.winner)}’s last card:`, ...[...asks.options].filter((option) => option.value).map((option) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: option.textContent, onclick: () => change(() => { state.last = state.last === option.value ? "" : option.value; }) });
      button.setAttribute("aria-pressed", state.last === option.value);
      return button;
    }));
    $("reminder").replaceChildren(row);
    if (state.last && asks.dataset.drawn) $("reminder").append(Object.assign(document.createElement("span"), { textContent: asks.dataset.drawn }));
  }

  function lay(face) {
    change(() => { hand().empty = false; hand().cards.push(face); newest = hand().cards.length - 1; });
    say(`${keys.get(face).label}. ${worth(hand())}.`);
  }

  function digit(key) {
    change(() => {
      const one = hand();
      one.empty = false;
      const name = counting() ? "left" : "typed";
      if (key === "erase") one[name] = one[name].slice(0, -1);
      else if (key !== "+" ? one[name].length < 24 : !counting() && /\d$/.test(one[name])) one[name] += key;
    });
    say($("sum").firstChild.textContent);
  }

  /** Let *Next* rest after a tap on it, so that a second one that came by itself does nothing; 0 wakes it. */
  function rest(pause) {
    clearTimeout(resting);
    $("next").toggleAttribute("data-resting", pause > 0);
    if (pause) resting = setTimeout(() => rest(0), pause);
  }

  function next() {
    if ("resting" in $("next").dataset) return;
    const queue = order();
    const following = isCorrected(queue) ? undefined : queue[queue.indexOf(state.turn) + 1];
    problem([]);
    if (countsPoints && state.stage === "count" && queue.length && !entered(hand())) ask(state.turn, following);
    else goOn(following);
    rest(DOUBLE_TAP);
  }

  /** Ask once about a hand without a card, then go on to the following one, or save where there is none. */
  function ask(id, following) {
    if (id !== state.turn) change(() => { state.turn = id; });
    asked = { id, following };
    draw();
    say($("asks").querySelector("p").textContent);
  }

  function answer(step) {
    const { following } = asked;
    change(() => {
      step();
      if (!order().includes(state.turn)) state.turn = following ?? order().at(-1);
    });
    goOn(isCorrected(order()) ? undefined : following);
  }

  /** Go on to the next hand; after the last, to whoever was passed over, and then save. */
  function goOn(following) {
    const passed = countsPoints && state.stage === "count" ? order().find((id) => !entered(state.hands[id])) : undefined;
    if (countsPoints && state.stage === "count" && following) {
      change(() => { state.turn = following; });
      say(`${nameOf(following)}’s hand.`);
    } else if (passed) ask(passed, undefined);
    else if (countsPoints && state.stage === "count" && state.ended === "draw-pile-empty" && field("credited_to")) {
      change(() => { state.stage = "credit"; });
    } else save();
  }

  function toFields() {
    const data = new FormData(form);
    const set = (name, values) => { data.delete(name); for (const value of [values].flat()) data.append(name, value); };
    set("ended", state.ended);
    set("went_out", state.winner ?? []);
    set("sat_out", state.sat);
    set("empty", order().filter((id) => state.hands[id].empty));
    set("credited_to", state.credited);
    set("last_card", state.last);
    set("idempotency_key", state.key);
    set("after", state.after);
    set("revision", state.revision);
    if (field("version")) set("version", state.version ?? field("version").value);
    for (const { id } of players) {
      const { cards, typed, left } = state.hands[id];
      const out = state.sat.includes(id) || id === state.winner;
      set(`hand-${id}`, out ? "" : typed ? `=${typed.replace(/\++$/, "")}` : cards.join(" "));
      if (field(`left-${id}`)) set(`left-${id}`, out ? "" : left);
    }
    return data;
  }

  async function save() {
    if (saving) return;
    saving = true;
    draw();
    const ahead = state.place ? [] : await outbox?.live() ?? [];
    if (ahead.length) state.after = Number(ahead.at(-1).after) + 1;
    if ((ahead.length || state.place) && await outbox.keep(toItem(), false)) { restAfterKeeping(); return; }
    const { status, problems, body } = await post(form.action, toFields());
    if (isAway(status) && outbox && await outbox.keep(corrects ? toCorrection() : toItem(), true)) { restAfterKeeping(); return; }
    saving = false;
    if (status >= 200 && status < 300) {
      keep(draftKey, null);
      onSaved(() => refresh(body));
    } else {
      const who = problems.find((one) => one.player)?.player;
      if (who && order().includes(who)) state.turn = who;
      if (body.theirs) { // Maybe the very same round: only a person can tell.
        theirs = { body };
        draw();
        say($("theirs").textContent);
        $("same").focus({ preventScroll: true });
        return;
      }
      if (body.seen) { // The next Save is meant for the sheet as it stands now.
        Object.assign(state, body.seen);
        keep(draftKey, state);
      }
      state.stage = "count";
      draw();
      problem(problems);
    }
  }

  /** Keep the round that another phone saved, and this one set aside. */
  async function keepTheirs() {
    const { body } = theirs;
    await outbox?.keep({ ...toItem(), standing: "aside" }, false);
    keep(draftKey, null);
    onSaved(() => refresh(body));
  }

  function addAnother() {
    Object.assign(state, theirs.body.seen);
    theirs = null;
    keep(draftKey, state);
    save();
  }

  /** Write a correction as the outbox keeps it; what it brings is for the server to say. */
  function toCorrection() {
    const [match, round, version] = form.dataset.draft.split(".");
    const hands = order().map((id) => `${nameOf(id)} ${worth(state.hands[id])}`);
    const fields = [...toFields()].filter(([name]) => name !== "csrf_token");
    return {
      key: newKey(), kind: "correction", match, round, version: Number(version), address: form.action, asks: form.action, fields, points: {}, standing: "waiting", problem: "", theirs: [],
      title: form.querySelector("h1").textContent, says: `${nameOf(state.winner)} went out. Hands: ${hands.join(", ")}`,
    };
  }

  /** Write the round as the outbox keeps it, with the points it brings by the factors that the page gives. */
  function toItem() {
    const share = JSON.parse(form.dataset.shares)[state.ended];
    const takers = state.ended === "went-out" ? [state.winner] : state.credited;
    const hands = Object.fromEntries(order().map((id) => [id, worth(state.hands[id])]));
    const all = Object.values(hands).reduce((sum, one) => sum + one, 0);
    const points = {};
    for (const { id } of players) {
      const own = hands[id] ?? 0;
      points[id] = share.own * own + (takers.includes(id) ? share.fixed + share.others * (all - own) : 0);
    }
    const gains = players.filter(({ id }) => points[id]).map(({ id, name }) => `${name} +${points[id]}`).join(", ");
    const ended = state.winner ? `${nameOf(state.winner)} went out` : endings.find((ending) => ending.value === state.ended).label;
    const fields = [...toFields()].filter(([name]) => name !== "csrf_token");
    return {
      key: state.key, place: state.place, match: form.dataset.draft.split(".")[0], address: form.action, fields, after: Number(state.after),
      state: { ...state, hands: structuredClone(state.hands) }, says: [ended, gains].filter(Boolean).join(". "), points, standing: "waiting", problem: "", theirs: [],
    };
  }

  function restAfterKeeping() {
    const after = state.place ? field("after").value : Number(state.after) + 1;
    keep(draftKey, null);
    field("idempotency_key").value = newKey();
    field("after").value = after;
    saving = false;
    onKept();
  }

  function problem(problems) {
    $("pad-error").hidden = !problems.length;
    $("pad-error").textContent = problems.map((one) => one.message).join(" ");
  }

  for (const [face, { button }] of keys) button.onclick = () => lay(face);
  for (const key of form.querySelectorAll("[data-digit]")) key.onclick = () => digit(key.dataset.digit);
  $("next").onclick = next;
  $("empty").onclick = () => answer(() => { hand().empty = true; });
  $("absent").onclick = () => answer(() => { state.sat.push(state.turn); });
  $("same").onclick = keepTheirs;
  $("another").onclick = addAnother;
  $("close").onclick = () => onClose();
  $("change-winner").onclick = () => change(() => { state.stage = "winner"; });
  $("mode").onclick = () => {
    keep("pad.mode", typing() ? null : "total");
    change(() => { Object.assign(hand(), { cards: [], typed: "", empty: false }); });
  };
  $("sit").onclick = () => change(() => {
    const queue = order();
    const following = queue[queue.indexOf(state.turn) + 1] ?? queue[0];
    state.sat.push(state.turn);
    state.turn = following;
  });
  $("pad").addEventListener("keydown", (event) => {
    if (event.key === "Escape") onClose();
    if (event.ctrlKey || event.metaKey || event.altKey || $("count").hidden) return;
    if (/^\d$/.test(event.key) || (event.key === "+" && typing())) { if (typing()) digit(event.key); else if (!keys.get(event.key)?.button.disabled) lay(event.key); }
    else if (event.key === "Backspace") { if (typing()) digit("erase"); else if (hand().cards.length) change(() => hand().cards.pop()); }
    else return;
    event.preventDefault();
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); next(); });

  $("plain").hidden = true;
  $("pad").hidden = false;
  const draft = kept(draftKey);
  const usable = draft && form.querySelector(".problems") === null;
  if (usable) { // Who sat down meanwhile has an empty hand; the hand of one who left waits for them.
    state = { ...draft, hands: { ...state.hands, ...draft.hands } };
    if (!players.some(({ id }) => id === state.winner)) state.winner = null;
  }

  return {
    /** Show the pad; `winner` is who went out, or "" when it is still to be said. */
    open(winner) {
      if (winner !== state.winner && players.some(({ id }) => id === winner)) {
        change(() => {
          state.winner = winner; state.ended = "went-out"; state.turn = null; state.stage = "count";
          state.sat = state.sat.filter((id) => id !== winner);
        });
      } else draw();
      problem([]);
    },
    pending: () => Boolean(usable) || touched(),
  };
}
