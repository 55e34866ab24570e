// The service worker: caches pages and files, so that they open without a connection. The server defines `referee` above.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const FILES = `files-${referee.version}`;
const PAGES = "pages"; // Pages that were opened. They hold people's names, so only those of the key in use.
const FRESH = "fresh"; // Newer sheets than in `PAGES`, fetched by polls, and the rules of their matches.
const AHEAD = "ahead"; // Pages of the last matches, prefetched without a visit: of the key in use too.
const BEGUN = "begun"; // Matches started offline: their pages, then the address the server gave them.
const STATES = `${referee.root}ahead`;
const HOLDER = `${referee.root}holder`;
const MOST_PAGES = 60;
const RENEWED = 10;
const PATIENCE = 4000;
/** @param {number} status */
const isAway = (status) => status === 429 || status >= 500; // Worth a retry, as in outbox.js.
/** @param {number} status */
const isProxyError = (status) => [502, 504].includes(status) || status >= 520; // The app itself never answers these.
const KEY_CHANGES = /^(join\/|recover$|club\/(keys\/|(leave|delete|forget)$))/; // Forms that change the key in use.
const ASKED = "Asked-At"; // Header of a copy: when it was requested, in milliseconds, since `Date` has only seconds.
const STILL_NEW = 10000;
const SELDOM = 240000; // Milliseconds between two prefetches.
const MOST_TABLES = 2; // Matches whose rules are prefetched.

worker.addEventListener("install", (event) => event.waitUntil(install()));

async function install() {
  const cache = await caches.open(FILES);
  const answer = await fetch(referee.files, { credentials: "omit" });
  if (!answer.ok) throw new Error(`not now: ${answer.status}`);
  /** @type {[address: string, type: string, text: string][]} */
  const files = await answer.json();
  const put = files.map(([address, type, text]) =>
    cache.put(address, new Response(text, { headers: { "Content-Type": type } })),
  );
  const shell = new Request(referee.shell, { credentials: "omit" });
  await Promise.all([...put, cache.addAll(referee.fonts), cache.add(shell)]);
  await worker.skipWaiting();
}

worker.addEventListener("activate", (event) => event.waitUntil(activate()));

async function activate() {
  const files = (await caches.keys()).filter((name) => name.startsWith("files-") && name !== FILES);
  const before = await Promise.all(files.map(async (name) => (await caches.open(name)).keys()));
  await Promise.all(files.slice(0, -1).map((name) => caches.delete(name))); // Pages still open use the last one.
  await worker.clients.claim();
  await cacheBooks(before.flat().map(({ url }) => url.match(/([^/]+)\.json$/)?.[1] ?? ""));
  await renew();
}

/** Cache the rulebooks that were looked at, and always the first one. @param {string[]} ids */
async function cacheBooks(ids) {
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

/** Fetch open and cached pages again, so that they link to the files of this version. */
async function renew() {
  const open = (await worker.clients.matchAll({ type: "window" })).map((client) => client.url.split("#")[0]);
  await cacheBooks(open.flatMap((address) => booksAt(new URL(address))));
  const known = (await (await caches.open(PAGES)).keys()).map((request) => request.url).slice(-RENEWED);
  for (const address of new Set([...known, ...open])) {
    const url = new URL(address);
    if (url.href === new URL(HOLDER, location.href).href) continue;
    try {
      const rules = (await fetchAndStore(url)).match(/ data-rules="([^"]+)"/)?.[1];
      if (rules) await inTurn(() => cacheRules(url.pathname, rules));
    } catch {
      break;
    }
  }
}

/** Fetch a page, cache it and return its HTML. @param {URL} url */
async function fetchAndStore(url) {
  const asked = Date.now();
  const answer = await fetch(url, { headers: { Accept: "text/html" } });
  await store(url, answer.clone(), asked);
  return answer.text();
}

/* A sheet asks to be cached, with its rules and who plays, when it is opened and when it changes. Home has its totals too. */
worker.addEventListener("message", (event) => event.waitUntil(hear(event)));

/** @param {ExtendableMessageEvent} event */
async function hear(event) {
  if (event.data.ahead) {
    await prefetchMatches(event.data.state);
    return;
  }
  await worker.clients.claim(); // The page may have loaded while this worker was starting.
  const sheet = new URL(/** @type {WindowClient} */ (event.source).url.split("#")[0]);
  const isCached = await (await caches.open(PAGES)).match(sheet); // Newer ones are in `FRESH`.
  for (const url of [new URL(referee.root, location.href), ...(isCached ? [] : [sheet])]) {
    await fetchAndStore(url).catch(() => {}); // Next time.
  }
  const { rules, seats } = event.data;
  if (rules) await inTurn(() => cacheRules(sheet.pathname, rules, seats)).catch(() => {});
}

/** Cache the rules of a match, replacing those before. @param {string} sheet @param {string} rules @param {string[]} [seats] */
async function cacheRules(sheet, rules, seats) {
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
 * Prefetch the pages of the last matches that have changed: every few minutes, or when the open sheet is newer than its copy.
 * @param {string | undefined} state of the open sheet
 */
async function prefetchMatches(state) {
  const asked = Date.now();
  /** @type {string[] | undefined} */
  const had = await (await (await caches.open(AHEAD)).match(STATES))?.json();
  const changed = state && !had?.some((one) => one.startsWith(`${state}-`));
  if (asked - looked < SELDOM && !changed) return;
  looked = asked;
  const have = encodeURIComponent((had ?? []).join(" "));
  const answer = await fetch(`${referee.ahead}?have=${have}`).catch(() => null);
  if (answer) await inTurn(() => storeMatches(answer, asked)).catch(() => {});
}

/** Cache prefetched pages, and delete those of matches that the answer no longer has. @param {Response} answer @param {number} asked when */
async function storeMatches(answer, asked) {
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
    if (rules && tables++ < MOST_TABLES) await cacheRules(address, rules).catch(() => {});
  }
  const still = new Set(states.map((state) => state.split("-")[0]));
  for (const request of await ahead.keys()) {
    const { pathname } = new URL(request.url);
    const match = pathname.match(/\/matches\/([^/]{16})/)?.[1];
    const plan = pathname.match(/\/(?:plans|blanks)\/(.+)$/)?.[1]; // Releases before 1.1 called them blanks.
    if ((match && !still.has(match)) || (plan && !states.some((state) => state.startsWith(`plan-${plan}-`)))) {
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
  const isPicture = /^static\/\w+\/help\//.test(path); // Of help: cached when first seen, not installed.
  if (isPicture) event.respondWith(cacheFirst(request, FILES));
  else if (path.startsWith("static/")) event.respondWith(file(request, path));
  else if (/^offline\/.+\.json$/.test(path)) event.respondWith(cacheFirst(request, FILES));
  else if (/^matches\/[^/]+\/offline\/.+\.json$/.test(path)) event.respondWith(cacheFirst(request, FRESH));
});

/**
 * Return a page: from the server, or its copy when the server is away or takes longer than `PATIENCE`.
 * @param {FetchEvent} event @param {URL} url @param {string} path @returns {Promise<Response>}
 */
async function page(event, url, path) {
  if (event.request.method !== "GET") return form(event, path);
  const begun = await (await caches.open(BEGUN)).match(url.pathname);
  if (begun) {
    const moved = begun.headers.get("Moved");
    return moved ? Response.redirect(moved + url.search) : withMarks(begun, "away");
  }
  const asked = Date.now();
  const instead = await sheetOf(url, path);
  const stands = !shellShows(path) && (instead || (await cachedPage(url)));
  const came = lateAnswers.get(url.href);
  if (stands && came) {
    lateAnswers.delete(url.href);
    return came;
  }
  const answered = fetch(event.request).then(async (answer) => {
    await store(url, answer.clone(), asked);
    if (isProxyError(answer.status) || (stands && isAway(answer.status))) throw new Error(`not now: ${answer.status}`);
    return answer;
  });
  event.waitUntil(answered.then(() => cacheBooks(booksAt(url))).catch(() => {}));
  const patience = new Promise((over) => {
    if (stands) setTimeout(over, PATIENCE, "late");
  });
  const outcome = await Promise.race([answered, patience]).catch(() => "away");
  if (outcome instanceof Response) return outcome;
  if (!stands) return (await caches.match(referee.shell)) || Response.error();
  if (instead) return Response.redirect(instead);
  if (outcome === "late") event.waitUntil(tellOfLate(answered, url, event.resultingClientId));
  return withMarks(/** @type {Response} */ (stands), outcome);
}

/** Return the cached sheet to open the hand pad on when the pad's own page is out of reach; it knows what waits. @param {URL} url @param {string} path */
async function sheetOf(url, path) {
  const match = path.match(/^(matches\/[^/]+)\/rounds\/new$/)?.[1];
  const sheet = match && new URL(`${referee.root}${match}`, location.href);
  return sheet && (await cachedPage(sheet)) ? `${sheet}${url.search}#record` : null;
}

/* A slow server: the page got a copy meanwhile. When the answer comes, the page is told, reloads, and gets it from here. */
/** @type {Map<string, Response>} */
const lateAnswers = new Map();
/** @param {Promise<Response>} answered @param {URL} url @param {string} id */
async function tellOfLate(answered, url, id) {
  let word = "answered";
  try {
    lateAnswers.set(url.href, (await answered).clone());
    setTimeout(() => lateAnswers.delete(url.href), STILL_NEW);
  } catch {
    word = "away";
  }
  (await worker.clients.get(id))?.postMessage(word);
}

/** Send a form. Without a connection its page stays open with all that was typed, and says so. @param {FetchEvent} event @param {string} path */
async function form(event, path) {
  try {
    const answer = await fetch(event.request);
    if (isProxyError(answer.status)) throw new Error(`not now: ${answer.status}`);
    if (KEY_CHANGES.test(path)) {
      keyChanged = Date.now();
      await forget();
    }
    return answer;
  } catch {
    if ("isHistoryNavigation" in event.request && event.request.isHistoryNavigation) {
      return Response.redirect(event.request.url);
    } // The back button on a form that was sent: don't send it again.
    const sender = event.clientId && (await worker.clients.get(event.clientId));
    if (!sender) return (await caches.match(referee.shell)) || Response.error();
    sender.postMessage("not sent");
    return new Response(null, { status: 204 });
  }
}

/** Return whether the offline page itself can show an address: rules, disputes and help. @param {string} path */
const shellShows = (path) => /^((matches\/[^/]+\/)?(disputes|rules)|help)(\/|$)/.test(path);

/** Return the newest copy of a page: one that was opened, or one that was prefetched. @param {URL} url */
async function cachedPage(url) {
  const [pages, ahead] = [await caches.open(PAGES), await caches.open(AHEAD)];
  const opened = (await pages.match(url)) ?? (await pages.match(url, { ignoreSearch: true }));
  const along = await ahead.match(url, { ignoreSearch: true });
  if (!opened || !along) return opened ?? along;
  return askedAt(along) > askedAt(opened) ? along : opened;
}

/** @param {Response} copy */
const askedAt = ({ headers }) => Number(headers.get(ASKED));

/** Return a copy whose <html> says when it was drawn, and why it is shown: the server is "away" or "late". @param {Response} found @param {unknown} why */
async function withMarks(found, why) {
  const drawn = new Date(found.headers.get("Date") ?? Date.now()).toISOString();
  const marks = `data-kept="${drawn}" data-asked="${askedAt(found)}" data-server="${why}"`;
  return new Response((await found.text()).replace("<html", `<html ${marks}`), { headers: found.headers });
}

/* One change of the caches at a time: storing a page of another key first deletes all that was there. */
/** @type {Promise<unknown>} */
let queue = Promise.resolve();
let keyChanged = 0; // When a form changed the key: answers requested before are another key's.
let heldSince = 0;
/** @param {URL} url @param {Response} answer @param {number} asked when */
function store(url, answer, asked) {
  return inTurn(() => storeNow(url, answer, asked));
}

/** Run a step after those before it, even if they failed. @param {() => Promise<unknown>} step */
function inTurn(step) {
  queue = queue.then(step, step);
  return queue;
}

/**
 * Return whether an answer is for the key in use; one for another key deletes what was stored before.
 * @param {Response} answer
 * @param {number} asked when
 */
async function isHolders(answer, asked) {
  const holder = answer.headers.get("Referee-Holder");
  if (asked <= keyChanged || !answer.ok || !holder) return false;
  const before = await (await (await caches.open(PAGES)).match(HOLDER))?.text();
  if (before === holder) return true;
  if (asked < heldSince) return false; // Requested under the key before.
  heldSince = asked;
  await forget();
  await (await caches.open(PAGES)).put(HOLDER, new Response(holder));
  return true;
}

/** Cache a page if it is the current key's; drop the oldest over `MOST_PAGES`. @param {URL} url @param {Response} answer @param {number} asked when */
async function storeNow(url, answer, asked) {
  if (asked <= keyChanged) return;
  if (answer.status === 401 || answer.headers.has("Referee-Gone")) await forget();
  const cache = await caches.open(PAGES);
  if ([403, 404, 410].includes(answer.status)) {
    await cache.delete(url);
    await (await caches.open(AHEAD)).delete(url, { ignoreSearch: true });
  }
  if (!answer.ok || !answer.headers.has("Referee-Holder")) return;
  const headers = new Headers(answer.headers);
  headers.set(ASKED, String(asked));
  const whole = new Response(await answer.arrayBuffer(), { headers }); // Read whole first: half a page must not replace a copy.
  if (!(await isHolders(whole, asked))) return;
  const pages = await caches.open(PAGES);
  await pages.put(url, whole); // Replaces the older copy, and becomes the newest.
  const fresh = await caches.open(FRESH);
  const all = (await pages.keys()).filter((request) => !request.url.endsWith(HOLDER));
  for (const request of all.slice(0, -MOST_PAGES)) {
    await pages.delete(request);
    const { pathname } = new URL(request.url);
    if (!/\/matches\/[^/]+$/.test(pathname)) continue;
    for (const one of await fresh.keys()) if (new URL(one.url).pathname.startsWith(pathname)) await fresh.delete(one);
  }
}

/** Delete every page: they were another key's. */
const forget = () => Promise.all([PAGES, FRESH, AHEAD, BEGUN].map((name) => caches.delete(name)));

/** Return a static file, cached or fetched; offline also that of another version by the same name. @param {Request} request @param {string} path */
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

/** Return what is cached, else fetch and cache it: for addresses whose content never changes. @param {Request} request @param {string} where the name of a cache */
async function cacheFirst(request, where) {
  const found = await caches.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(where)).put(request, answer.clone());
  return answer;
}
