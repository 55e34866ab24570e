// What waits on this phone until the server has it: kept in IndexedDB, sent once each, never dropped. The rounds of a match
// go in order; what is for another club than the one this phone is in waits until the phone is back there.
//
// What an item is stands in waiting-state.js. Rounds, and what stands in order with them, have `after`: the rounds that were
// there before; what is about a round has {round, version}, and all but rounds a {title}.

import { club, csrf, post, rootPath, store, stored } from "./base.js";
import { beginsMatch, isAway, isOrdered, isRound } from "./waiting-state.js";
import { worded } from "./words.js";

const DATABASE = "referee";
const ROUNDS = "rounds";

const NOT_WITH_THIS_KEY = [401, 403, 404];

/** @typedef {import("./waiting-state.js").Item} Item */

/** @type {Promise<IDBDatabase> | undefined} */
let opening;
function database() {
  opening ??= new Promise((found, refused) => {
    const asked = indexedDB.open(DATABASE, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(ROUNDS, { keyPath: "key" });
    asked.onsuccess = () => found(asked.result);
    asked.onerror = () => refused(asked.error);
  });
  return opening;
}

/**
 * Do one step in the database.
 * @template Result
 * @param {IDBTransactionMode} mode
 * @param {(rounds: IDBObjectStore) => IDBRequest<Result>} step
 * @returns {Promise<Result>}
 */
async function within(mode, step) {
  const transaction = (await database()).transaction(ROUNDS, mode);
  const asked = step(transaction.objectStore(ROUNDS));
  return new Promise((done, refused) => {
    transaction.oncomplete = () => done(asked.result);
    transaction.onerror = transaction.onabort = () => refused(transaction.error);
  });
}

/** Return what waits, oldest first; nothing where the browser refuses storage. @param {string | null} match @returns {Promise<Item[]>} */
export async function listed(match = null) {
  if (!stored("outbox")) return []; // Opening the store takes longer than saving a round.
  const all = await everything();
  return all.filter((item) => match === null || item.match === match);
}

/** @returns {Promise<Item[]>} */
async function everything() {
  try {
    const all = await within("readonly", (rounds) => rounds.getAll());
    return all.sort((one, other) => placeOf(one) - placeOf(other));
  } catch {
    return [];
  }
}

/** @param {Item} item */
const placeOf = (item) => item.place ?? 0; // Every item that was put in has one.

/** Return the title of the match on this page. */
const titleHere = () => document.querySelector("#sheet h1, [data-match-title]")?.textContent?.trim() ?? "";

/** @param {Item} item @returns {(other: Item) => boolean} */
const isLiveOf = (item) => (other) => other.round === item.round && other.standing !== "aside";

/** Put an item in, or in the place of the one with its key. Return false where the browser refuses storage. @param {Item} item */
export async function put(item) {
  try {
    const all = await everything();
    const before = all.find(({ key }) => key === item.key);
    const place = item.place ?? before?.place ?? Math.max(0, ...all.map(placeOf)) + 1;
    const own = { club: before ? before.club : club(), where: before?.where ?? titleHere(), ...item, place };
    if (!before && item.round) own.version = Number(item.version) + all.filter(isLiveOf(item)).length; // They come first, and each makes a new version.
    await within("readwrite", (rounds) => rounds.put(own));
    navigator.storage?.persist?.(); // Asks the browser not to clear it where space runs short.
    if (store("outbox", true)) return true;
    await within("readwrite", (rounds) => rounds.delete(item.key)); // Nobody would look for it.
    return false;
  } catch {
    return false;
  }
}

/** Take an item out: the server has it, or a person changes it. @param {string} key */
export async function take(key) {
  await within("readwrite", (rounds) => rounds.delete(key));
  if ((await everything()).length) return;
  store("outbox", null);
  if ((await everything()).length) store("outbox", true); // Another page put something in meanwhile.
}

/** Return what of a match waits to be sent in order: its rounds, and what stands between them. @param {string} match */
export const liveInOrder = async (match) =>
  (await listed(match)).filter((item) => isOrdered(item) && item.standing !== "aside");

/** Return a new key for a round, as the server makes one for the form that it draws. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Return an id for what only this phone knows yet, a match or a player. */
export const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => "0123456789abcdefghjkmnpqrstvwxyz"[byte & 31]).join(
    "",
  );

/** @param {Item} item @param {{id: string} | null} here */
const isElsewhere = (item, here) => Boolean(item.club) && item.club?.id !== here?.id;

/** Return what waits for other clubs than the one this phone is in, as [{name of the club, items}]. */
export async function elsewhere() {
  const here = club();
  /** @type {Map<string, {name: string, items: Item[]}>} */
  const groups = new Map();
  for (const item of await listed()) {
    if (!item.club || !isElsewhere(item, here) || item.standing === "aside") continue;
    const group = groups.get(item.club.id) ?? { name: item.club.name, items: [] };
    groups.set(item.club.id, group);
    group.items.push(item);
  }
  return [...groups.values()];
}

/**
 * Send what waits for this club: of each match in order, up to the first that people must look at.
 * Return {sent: [items], away: whether the server was not reached, bodies: Map of match to the last answer, moved: Map of
 * match to the address of its sheet, where it began on this phone}.
 */
export async function send() {
  /** @type {{sent: Item[], away: boolean, bodies: Map<string, import("./base.js").Body>, moved: Map<string, string>}} */
  const outcome = { sent: [], away: false, bodies: new Map(), moved: new Map() };
  const alone = async () => {
    const stopped = new Set();
    const here = club();
    for (const { key } of await listed()) {
      const item = (await everything()).find((one) => one.key === key); // As it is now: a match that began may have got its name.
      if (!item || item.standing === "aside" || isElsewhere(item, here)) continue;
      if (item.of && stopped.has(item.of)) stopped.add(item.match); // It goes on from a match that is not as far yet.
      if (item.standing !== "waiting") {
        if (isOrdered(item)) stopped.add(item.match); // Whatever comes later counts on it.
        continue;
      }
      if (stopped.has(item.match)) continue;
      const { status, body, problems } = await offer(item);
      const problem = problems.map((one) => one.message).join(" ");
      if (status >= 200 && status < 300) {
        if (body.begun) outcome.moved.set(item.match, await move(item, body.begun));
        await take(item.key);
        outcome.sent.push(item);
        outcome.bodies.set(item.match, body);
      } else if (status === 500) {
        outcome.away = true; // It may stay so: people may change it, or discard it, and nothing else waits for it.
        stopped.add(item.match);
        await put({ ...item, problem });
      } else if (isAway(status)) {
        outcome.away = true;
        return;
      } else if (NOT_WITH_THIS_KEY.includes(status)) {
        // Another tab joined another club, say: it waits for its own.
        stopped.add(item.match);
        await put({ ...item, problem });
      } else {
        if (isOrdered(item)) stopped.add(item.match);
        const conflict = status === (isRound(item) ? 409 : 412) && !beginsMatch(item);
        await put({
          ...item,
          problem,
          standing: conflict ? "conflict" : "refused",
          ...(conflict ? await asItStands(item) : { theirs: [] }),
        });
      }
    }
  };
  if (navigator.locks) await navigator.locks.request("referee-outbox", alone);
  else await alone();
  return outcome;
}

/**
 * Replace the ids that this phone made for a match and its players by the server's, in all that waits. Return the
 * address of its sheet.
 * @param {Item} item
 * @param {{match: string, seats: string[]}} begun
 */
async function move(item, { match, seats }) {
  const pairs = [[item.match, match], ...(item.seats ?? []).map((one, seat) => [one, seats[seat] ?? one])];
  const moved = (/** @type {string} */ text) => pairs.reduce((all, [ours, its]) => all.replaceAll(ours, its), text);
  for (const one of await everything()) {
    if (one.key !== item.key && (one.match === item.match || one.of === item.match)) {
      await put(JSON.parse(moved(JSON.stringify(one))));
    }
  }
  const draft = stored(`draft.${item.match}.new`);
  if (draft) store(`draft.${match}.new`, JSON.parse(moved(JSON.stringify(draft))));
  store(`draft.${item.match}.new`, null);
  const [sheet] = item.address.split("matches/");
  const address = `${sheet}matches/${match}`;
  if (!("caches" in self)) return address;
  const pages = await caches.open("begun");
  for (const request of await pages.keys()) {
    if (!request.url.includes(`/matches/${item.match}`)) continue;
    await pages.put(request, new Response(null, { headers: { Moved: moved(request.url) } }));
  }
  return address;
}

/** @param {Item} item */
async function offer(item) {
  const fields = new FormData();
  for (const [name, value] of item.fields) fields.append(name, value);
  if (item.round) fields.set("version", String(item.version)); // As people saw it last, and with what went before.
  const answer = await post(item.address, fields);
  if (answer.status === 400) {
    const page = await fetch(item.address.match(/.*\/matches\/[^/]+/)?.[0] ?? item.address, {
      headers: { Accept: "text/html" },
    }).catch(() => null);
    const token = /** @type {HTMLMetaElement | null} */ (
      new DOMParser().parseFromString((await page?.text()) ?? "", "text/html").querySelector('meta[name="csrf-token"]')
    );
    if (token) csrf().content = token.content;
    return token ? post(item.address, fields) : answer;
  }
  if (answer.status === 412 && answer.body.seen && (await asItStands(item)).version === item.version) {
    // People looked at it as it stands now.
    fields.set("revision", answer.body.seen.revision);
    if (fields.has("version")) fields.set("version", answer.body.seen.version ?? "");
    return post(item.address, fields);
  }
  return answer;
}

/**
 * Read what the server has where an item's writer saw something else: {theirs: what it says, version: of the round corrected}.
 * @param {Item} item
 * @returns {Promise<{theirs: string[], version?: number}>}
 */
async function asItStands(item) {
  try {
    /** @type {{rounds: {id: string, number: number, version: number, went_out: string | null, points: Record<string, number>}[]}} */
    const { rounds } = await (await fetch(`${rootPath()}api/v1/matches/${item.match}`)).json();
    const meant = rounds.filter((round) => (item.round ? round.id === item.round : round.number > Number(item.after)));
    const theirs = meant.map((round) => {
      const points = Object.entries(round.points)
        .filter(([, worth]) => worth)
        .map(([name, worth]) => `${name} ${worth}`)
        .join(", ");
      const { number: n, went_out: name } = round;
      return name ? worded("theirs-round", { n, name, points }) : worded("theirs-round-nobody", { n, points });
    });
    return item.round ? { theirs, version: meant[0]?.version } : { theirs };
  } catch {
    return { theirs: [] };
  }
}
