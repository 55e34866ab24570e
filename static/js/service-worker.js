// Keeps what was opened, so that it opens again without a connection. The server writes `referee` above this line.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const FILES = `files-${referee.version}`;
const PAGES = "pages"; // People's names: only of the key in use.
const FRESH = "fresh"; // What sheets became after some page of theirs was drawn, and the rules of their matches.
const AHEAD = "ahead"; // Pages of the last matches, taken along without a visit: of the key in use too.
const BEGUN = "begun"; // Matches that began on this phone: their pages, then where they moved to.
const STATES = `${referee.root}ahead`;
const HOLDER = `${referee.root}holder`;
const MOST_PAGES = 60;
const RENEWED = 10;
const PATIENCE = 4000;
/** @param {number} status */
const isAway = (status) => status === 429 || status >= 500; // As in outbox.js: "not now".
/** @param {number} status */
const isProxys = (status) => [502, 504].includes(status) || status >= 520; // Nothing that the app itself says.
const DOORS = /^(join\/|recover$|club\/(keys\/|(leave|delete|forget)$))/; // Where the key in use changes.
const ASKED = "Asked-At"; // When a copy was asked for, in milliseconds: two in one second are told apart.
const STILL_NEW = 10000;
const SELDOM = 240000; // Milliseconds between two looks for what to take along.
const MOST_TABLES = 2; // Matches whose rules are taken along unvisited.

worker.addEventListener("install", (event) =>
  event.waitUntil(
    (async () => {
      const cache = await caches.open(FILES);
      const answer = await fetch(referee.files, { credentials: "omit" });
      if (!answer.ok) throw new Error(`not now: ${answer.status}`);
      /** @type {[address: string, type: string, text: string][]} */
      const files = await answer.json();
      const put = files.map(([address, type, text]) =>
        cache.put(address, new Response(text, { headers: { "Content-Type": type } })),
      );
      await Promise.all([
        ...put,
        cache.addAll(referee.fonts),
        cache.add(new Request(referee.shell, { credentials: "omit" })),
      ]);
      await worker.skipWaiting();
    })(),
  ),
);

worker.addEventListener("activate", (event) =>
  event.waitUntil(
    (async () => {
      const files = (await caches.keys()).filter((name) => name.startsWith("files-") && name !== FILES);
      const before = await Promise.all(files.map(async (name) => (await caches.open(name)).keys()));
      await Promise.all(files.slice(0, -1).map((name) => caches.delete(name))); // Pages still open use the last one.
      await worker.clients.claim();
      await takeBooks(before.flat().map(({ url }) => url.match(/([^/]+)\.json$/)?.[1] ?? ""));
      await renew();
    })(),
  ),
);

/** Store rulebooks for offline, always the first one: what was looked at once is there without a connection. @param {string[]} ids */
async function takeBooks(ids) {
  const cache = await caches.open(FILES);
  for (const id of new Set([Object.keys(referee.books)[0], ...ids])) {
    const address = referee.books[id];
    if (address && !(await cache.match(address))) await cache.add(address).catch(() => {});
  }
}

/** Return the ids of the rulebooks in an address. @param {URL} url */
const booksAt = ({ pathname, searchParams }) => [
  ...searchParams.getAll("rulebook"),
  ...pathname.slice(referee.root.length).split("/").slice(0, 2),
];

/** Fetch open and kept pages again: they shall name the files of this version. */
async function renew() {
  const open = (await worker.clients.matchAll({ type: "window" })).map((client) => client.url.split("#")[0]);
  await takeBooks(open.flatMap((address) => booksAt(new URL(address))));
  const known = (await (await caches.open(PAGES)).keys()).map((request) => request.url).slice(-RENEWED);
  for (const address of new Set([...known, ...open])) {
    const url = new URL(address);
    if (url.href === new URL(HOLDER, location.href).href) continue;
    try {
      const rules = (await fetchToKeep(url)).match(/ data-rules="([^"]+)"/)?.[1];
      if (rules) await inTurn(() => takeAlong(url.pathname, rules));
    } catch {
      break;
    }
  }
}

/** @param {URL} url */
async function fetchToKeep(url) {
  const asked = Date.now();
  const answer = await fetch(url, { headers: { Accept: "text/html" } });
  await keep(url, answer.clone(), asked);
  return answer.text();
}

/* A sheet asks to be kept, with the first page where it was opened before anybody listened, its rules, and who sits there. */
worker.addEventListener("message", (event) =>
  event.waitUntil(
    (async () => {
      if (event.data.ahead) {
        await takeMatches(event.data.state);
        return;
      }
      await worker.clients.claim(); // It may have been on its way while this worker came up.
      const start = new URL(referee.root, location.href);
      const sheet = new URL(/** @type {WindowClient} */ (event.source).url.split("#")[0]);
      for (const url of [start, sheet]) {
        if (await (await caches.open(PAGES)).match(url)) continue;
        try {
          await fetchToKeep(url);
        } catch {
          /* Next time. */
        }
      }
      const { rules, seats } = event.data;
      if (rules) await inTurn(() => takeAlong(sheet.pathname, rules, seats)).catch(() => {});
    })(),
  ),
);

/** Fetch and store the rules of a match, in place of those before. @param {string} sheet @param {string} rules @param {string[]} [seats] */
async function takeAlong(sheet, rules, seats) {
  const fresh = await caches.open(FRESH);
  if (seats) await fresh.put(`${sheet}/seats`, new Response(JSON.stringify(seats)));
  const there = (await fresh.keys()).filter(({ url }) => new URL(url).pathname.startsWith(`${sheet}/offline/`));
  const before = there.filter(({ url }) => new URL(url).pathname !== rules);
  if (before.length === there.length) {
    const answer = await fetch(rules);
    if (!answer.ok) return;
    await fresh.put(rules, answer);
  }
  await Promise.all(before.map((request) => fresh.delete(request)));
}

let looked = 0;

/**
 * Take along the pages of the last matches that this phone does not have as they are now: once in a while, or where the sheet that
 * is open is another than what was taken along.
 * @param {string | undefined} state of that sheet
 */
async function takeMatches(state) {
  const asked = Date.now();
  /** @type {string[] | undefined} */
  const had = await (await (await caches.open(AHEAD)).match(STATES))?.json();
  const changed = state && !had?.some((one) => one.startsWith(`${state}-`));
  if (asked - looked < SELDOM && !changed) return;
  looked = asked;
  const have = encodeURIComponent((had ?? []).join(" "));
  const answer = await fetch(`${referee.ahead}?have=${have}`).catch(() => null);
  if (answer) await inTurn(() => keepMatches(answer, asked)).catch(() => {});
}

/** @param {Response} answer @param {number} asked when */
async function keepMatches(answer, asked) {
  if (!(await isHolders(answer, asked))) return;
  /** @type {{states: string[], pages: [string, string][]}} */
  const { states, pages } = await answer.json();
  const ahead = await caches.open(AHEAD);
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Date": new Date(asked).toUTCString(),
    [ASKED]: String(asked),
  };
  let tables = 0;
  for (const [address, html] of pages) {
    await ahead.put(address, new Response(html, { headers }));
    const rules = html.match(/ data-rules="([^"]+)"/)?.[1];
    if (rules && tables++ < MOST_TABLES) await takeAlong(address, rules).catch(() => {});
  }
  const still = new Set(states.map((state) => state.split("-")[0]));
  for (const request of await ahead.keys()) {
    const { pathname } = new URL(request.url);
    const match = pathname.match(/\/matches\/([^/]{16})/)?.[1];
    const blank = pathname.match(/\/blanks\/(.+)$/)?.[1];
    if ((match && !still.has(match)) || (blank && !states.some((state) => state.startsWith(`blank-${blank}-`)))) {
      await ahead.delete(request);
    }
  }
  await ahead.put(STATES, new Response(JSON.stringify(states)));
}

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin || !url.pathname.startsWith(referee.root)) return;
  const path = url.pathname.slice(referee.root.length);
  if (request.mode === "navigate") event.respondWith(page(event, url, path));
  if (request.mode === "navigate" || request.method !== "GET") return;
  const isPicture = /^static\/\w+\/help\//.test(path); // Of help: once it was seen.
  if (isPicture) event.respondWith(lasting(request, FILES));
  else if (path.startsWith("static/")) event.respondWith(file(request, path));
  else if (/^offline\/.+\.json$/.test(path)) event.respondWith(lasting(request, FILES));
  else if (/^matches\/[^/]+\/offline\/.+\.json$/.test(path)) event.respondWith(lasting(request, FRESH));
});

/** @param {FetchEvent} event @param {URL} url @param {string} path @returns {Promise<Response>} */
async function page(event, url, path) {
  if (event.request.method !== "GET") return form(event, path);
  const begun = await (await caches.open(BEGUN)).match(url.pathname);
  if (begun) {
    const moved = begun.headers.get("Moved");
    return moved ? Response.redirect(moved + url.search) : asKept(begun, "away");
  }
  const asked = Date.now();
  const instead = await sheetOf(url, path);
  const stands = !ours(path) && (instead || (await kept(url)));
  const came = late.get(url.href);
  if (stands && came) {
    late.delete(url.href);
    return came;
  }
  const answered = fetch(event.request).then(async (answer) => {
    await keep(url, answer.clone(), asked);
    if (isProxys(answer.status) || (stands && isAway(answer.status))) throw new Error(`not now: ${answer.status}`);
    return answer;
  });
  event.waitUntil(answered.then(() => takeBooks(booksAt(url))).catch(() => {}));
  const patience = new Promise((over) => {
    if (stands) setTimeout(over, PATIENCE, "late");
  });
  const outcome = await Promise.race([answered, patience]).catch(() => "away");
  if (outcome instanceof Response) return outcome;
  if (!stands) return (await caches.match(referee.shell)) || Response.error();
  if (instead) return Response.redirect(instead);
  if (outcome === "late") event.waitUntil(tellOfLate(answered, url, event.resultingClientId));
  return asKept(/** @type {Response} */ (stands), outcome);
}

/** Find the kept sheet that opens the hand pad where the pad's own page cannot be had: it knows what waits to be sent. @param {URL} url @param {string} path */
async function sheetOf(url, path) {
  const match = path.match(/^(matches\/[^/]+)\/rounds\/new$/)?.[1];
  const sheet = match && new URL(`${referee.root}${match}`, location.href);
  return sheet && (await kept(sheet)) ? `${sheet}${url.search}#record` : null;
}

/* A server that was only slow: the page that stood in for its answer asks again, and gets the answer that came. */
/** @type {Map<string, Response>} */
const late = new Map();
/** @param {Promise<Response>} answered @param {URL} url @param {string} id */
async function tellOfLate(answered, url, id) {
  let word = "answered";
  try {
    late.set(url.href, (await answered).clone());
    setTimeout(() => late.delete(url.href), STILL_NEW);
  } catch {
    word = "away";
  }
  (await worker.clients.get(id))?.postMessage(word);
}

/** Send a form. Without a connection its page stays as it is, with all that was typed, and says so. @param {FetchEvent} event @param {string} path */
async function form(event, path) {
  try {
    const answer = await fetch(event.request);
    if (isProxys(answer.status)) throw new Error(`not now: ${answer.status}`);
    if (DOORS.test(path)) {
      door = Date.now();
      await forget();
    }
    return answer;
  } catch {
    if ("isHistoryNavigation" in event.request && event.request.isHistoryNavigation) {
      return Response.redirect(event.request.url);
    } // Back to a form that was sent: it is not sent once more.
    const sender = event.clientId && (await worker.clients.get(event.clientId));
    if (!sender) return (await caches.match(referee.shell)) || Response.error();
    sender.postMessage("not sent");
    return new Response(null, { status: 204 });
  }
}

/** Return whether the shell itself shows an address: rules, disputes and help need no page of their own. @param {string} path */
const ours = (path) => /^((matches\/[^/]+\/)?(disputes|rules)|help)(\/|$)/.test(path);

/** Return the newest copy of a page: one that was opened, or one that was fetched ahead. @param {URL} url */
async function kept(url) {
  const [pages, ahead] = [await caches.open(PAGES), await caches.open(AHEAD)];
  const opened = (await pages.match(url)) ?? (await pages.match(url, { ignoreSearch: true }));
  const along = await ahead.match(url, { ignoreSearch: true });
  if (!opened || !along) return opened ?? along;
  return askedAt(along) > askedAt(opened) ? along : opened;
}

/** @param {Response} copy */
const askedAt = ({ headers }) => Number(headers.get(ASKED));

/** Mark a copy with the moment it was drawn, and why it is shown: the server is "away", or "late". @param {Response} found @param {unknown} why */
async function asKept(found, why) {
  const drawn = new Date(found.headers.get("Date") ?? Date.now()).toISOString();
  const marks = `data-kept="${drawn}" data-asked="${askedAt(found)}" data-server="${why}"`;
  return new Response((await found.text()).replace("<html", `<html ${marks}`), { headers: found.headers });
}

/** Keep a page, one after the other: a page of another key first drops what was there; so does a door gone through. */
/** @type {Promise<unknown>} */
let keeping = Promise.resolve();
let door = 0;
let heldSince = 0;
/** @param {URL} url @param {Response} answer @param {number} asked when */
function keep(url, answer, asked) {
  return inTurn(() => keepNow(url, answer, asked));
}

/** @param {() => Promise<unknown>} step */
function inTurn(step) {
  keeping = keeping.then(step, step);
  return keeping;
}

/**
 * Return whether an answer is for the key in use; one for another key deletes what was stored before.
 * @param {Response} answer
 * @param {number} asked when
 */
async function isHolders(answer, asked) {
  const holder = answer.headers.get("Referee-Holder");
  if (asked <= door || !answer.ok || !holder) return false;
  const before = await (await (await caches.open(PAGES)).match(HOLDER))?.text();
  if (before === holder) return true;
  if (asked < heldSince) return false; // Asked under the key before, and late.
  heldSince = asked;
  await forget();
  await (await caches.open(PAGES)).put(HOLDER, new Response(holder));
  return true;
}

/** @param {URL} url @param {Response} answer @param {number} asked when */
async function keepNow(url, answer, asked) {
  if (asked <= door) return;
  if (answer.status === 401 || answer.headers.has("Referee-Gone")) await forget();
  const cache = await caches.open(PAGES);
  if ([403, 404, 410].includes(answer.status)) {
    await cache.delete(url);
    await (await caches.open(AHEAD)).delete(url, { ignoreSearch: true });
  }
  if (!answer.ok || !answer.headers.has("Referee-Holder")) return;
  const headers = new Headers(answer.headers);
  headers.set(ASKED, String(asked));
  const whole = new Response(await answer.arrayBuffer(), { headers }); // Half a page must not take the place of a kept one.
  if (!(await isHolders(whole, asked))) return;
  const pages = await caches.open(PAGES);
  await pages.put(url, whole); // In the place of the one kept before, and as the newest.
  const fresh = await caches.open(FRESH);
  const all = (await pages.keys()).filter((request) => !request.url.endsWith(HOLDER));
  for (const request of all.slice(0, -MOST_PAGES)) {
    await pages.delete(request);
    const { pathname } = new URL(request.url);
    if (!/\/matches\/[^/]+$/.test(pathname)) continue;
    for (const one of await fresh.keys()) if (new URL(one.url).pathname.startsWith(pathname)) await fresh.delete(one);
  }
}

/** Drop every page: they were another key's. */
const forget = () => Promise.all([PAGES, FRESH, AHEAD, BEGUN].map((name) => caches.delete(name)));

/** @param {Request} request @param {string} path */
async function file(request, path) {
  const found = await caches.match(request);
  if (found) return found;
  try {
    return await fetch(request);
  } catch {
    // A page of an earlier version asks: the file of that name serves.
    const name = path.replace(/^static\/([0-9a-f]{12}\/)?/, "");
    const cache = await caches.open(FILES);
    const same = (await cache.keys()).find((one) => one.url.endsWith(`/${name}`));
    return (same && (await cache.match(same))) || Response.error();
  }
}

/** @param {Request} request @param {string} where the name of a cache */
async function lasting(request, where) {
  const found = await caches.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(where)).put(request, answer.clone());
  return answer;
}
