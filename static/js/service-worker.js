// Keeps what was opened, so that it opens again without a connection. The server writes `referee` above this line.

const FILES = `files-${referee.version}`;
const PAGES = "pages"; // People's names: only of the key in use.
const FRESH = "fresh"; // What sheets became after their page was drawn, and the rules of their matches.
const HOLDER = `${referee.root}holder`;
const MOST_PAGES = 60;
const RENEWED = 10;
const PATIENCE = 4000;
const AWAY = [502, 504];

addEventListener("install", (event) => event.waitUntil((async () => {
  const cache = await caches.open(FILES);
  await cache.addAll(referee.files.map((file) => new Request(file, { credentials: "omit" })));
  await skipWaiting();
})()));

addEventListener("activate", (event) => event.waitUntil((async () => {
  const files = (await caches.keys()).filter((name) => name.startsWith("files-") && name !== FILES);
  await Promise.all(files.slice(0, -1).map((name) => caches.delete(name))); // Pages still open use the last one.
  await clients.claim();
  await renew();
})()));

/** Fetch open and kept pages again: they shall name the files of this version. */
async function renew() {
  const open = (await clients.matchAll({ type: "window" })).map((client) => client.url.split("#")[0]);
  const known = (await (await caches.open(PAGES)).keys()).map((request) => request.url).slice(-RENEWED);
  for (const address of new Set([...known, ...open])) {
    const url = new URL(address);
    if (url.href === new URL(HOLDER, location).href) continue;
    try { await keep(url, await fetch(url, { headers: { Accept: "text/html" } })); } catch { return; }
  }
}

/* A sheet that was opened before anybody listened asks to be kept, and the first page with it. */
addEventListener("message", (event) => event.waitUntil((async () => {
  await clients.claim(); // It may have been on its way while this worker came up.
  const start = new URL(referee.root, location);
  for (const url of [start, new URL(event.source.url.split("#")[0])]) {
    if (await (await caches.open(PAGES)).match(url)) continue;
    try { await keep(url, await fetch(url, { headers: { Accept: "text/html" } })); } catch { /* Next time. */ }
  }
})()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin || !url.pathname.startsWith(referee.root)) return;
  const path = url.pathname.slice(referee.root.length);
  if (request.mode === "navigate") event.respondWith(page(event, url, path));
  else if (request.method !== "GET") return;
  else if (path.startsWith("static/")) event.respondWith(file(request, path));
  else if (/^offline\/.+\.json$/.test(path)) event.respondWith(lasting(request, FILES));
  else if (/^matches\/[^/]+\/offline\/.+\.json$/.test(path)) event.respondWith(lasting(request, FRESH));
});

async function page(event, url, path) {
  const stands = event.request.method === "GET" && !ours(path) && await kept(url);
  const asked = fetch(event.request).then(async (answer) => {
    if (event.request.method === "GET") await keep(url, answer.clone());
    if (AWAY.includes(answer.status)) throw new Error("a proxy answered in the server's place");
    return answer;
  });
  const late = new Promise((_, refuse) => { if (stands) setTimeout(refuse, PATIENCE); });
  event.waitUntil(asked.catch(() => {}));
  try {
    return await Promise.race([asked, late]);
  } catch {
    return stands || await caches.match(referee.shell) || Response.error();
  }
}

/** Tell whether the shell itself shows what stands at an address: rules and disputes need no page of their own. */
const ours = (path) => /^(matches\/[^/]+\/)?(disputes|rules)(\/|$)/.test(path);

/** Find the copy of a page, marked with the moment it was drawn. */
async function kept(url) {
  const cache = await caches.open(PAGES);
  const found = await cache.match(url) ?? await cache.match(url, { ignoreSearch: true });
  if (!found) return null;
  const drawn = new Date(found.headers.get("Date") ?? Date.now()).toISOString();
  return new Response((await found.text()).replace("<html", `<html data-kept="${drawn}"`), { headers: found.headers });
}

/** Keep a page, one after the other: a page of another key first drops what was there. */
let keeping = Promise.resolve();
function keep(url, answer) {
  keeping = keeping.then(() => keepNow(url, answer), () => keepNow(url, answer));
  return keeping;
}

async function keepNow(url, answer) {
  if (answer.status === 401) await forget();
  const cache = await caches.open(PAGES);
  if ([403, 404, 410].includes(answer.status)) await cache.delete(url);
  const holder = answer.headers.get("Referee-Holder");
  if (!answer.ok || !holder) return;
  const before = await (await cache.match(HOLDER))?.text();
  if (before !== holder) {
    await forget();
    await (await caches.open(PAGES)).put(HOLDER, new Response(holder));
  }
  const pages = await caches.open(PAGES);
  await pages.delete(url); // Put anew it is the newest.
  await pages.put(url, answer);
  await (await caches.open(FRESH)).delete(url.pathname);
  const all = (await pages.keys()).filter((request) => !request.url.endsWith(HOLDER));
  await Promise.all(all.slice(0, -MOST_PAGES).map((request) => pages.delete(request)));
}

/** Drop every page: they were another key's. */
const forget = () => Promise.all([caches.delete(PAGES), caches.delete(FRESH)]);

async function file(request, path) {
  const found = await caches.match(request);
  if (found) return found;
  try {
    return await fetch(request);
  } catch { // A page of an earlier version asks: the file of that name serves.
    const name = path.replace(/^static\/([0-9a-f]{12}\/)?/, "");
    const cache = await caches.open(FILES);
    const same = (await cache.keys()).find((one) => one.url.endsWith(`/${name}`));
    return same ? cache.match(same) : Response.error();
  }
}

async function lasting(request, where) {
  const found = await caches.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(where)).put(request, answer.clone());
  return answer;
}
