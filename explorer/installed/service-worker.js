// Keeps the page's own files, so that the page opens when the server is not running. Nothing else
// is kept: what databases answer goes past this worker. The server writes two lines before this
// text: `CACHE`, a name that is another one for other files, and `FILES`, their addresses.

"use strict";

/** Fetches a file from the server: the browser may have an older one of its own. */
const fresh = (address) => new Request(address, { cache: "no-cache" });

/** Keeps all files of this version; what has no place is as if there were no worker. */
async function keep() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map(fresh));
}

/** Deletes the files of other versions. */
async function clean() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
}

/** Answers with what the server has; where it does not answer, with what is kept. */
async function answer(request, address) {
  try {
    return await fetch(request);
  } catch (fault) {
    const cache = await caches.open(CACHE);
    const kept = await cache.match(address);
    if (!kept) throw fault;
    return kept;
  }
}

addEventListener("install", (event) => {
  // A newer program is never to wait for an older one.
  skipWaiting();
  event.waitUntil(keep());
});

addEventListener("activate", (event) => event.waitUntil(clean()));

addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  const isOwn = origin === location.origin && FILES.includes(pathname);
  if (!isOwn || event.request.method !== "GET") return;
  event.respondWith(answer(event.request, pathname));
});
