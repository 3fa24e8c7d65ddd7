// Lets the browser keep the page, so that it can be installed and opens also when the server is not
// running. What is kept, and what never is, `/service-worker.js` says.

/** Registers the worker where browsers allow one: over HTTPS, and on this machine. */
export function keepForOffline() {
  if (!isSecureContext || !navigator.serviceWorker) return;
  // A browser that refuses, or that keeps nothing, has the page from the server as before.
  const register = () => navigator.serviceWorker.register("/service-worker.js").catch(() => {});
  // What the page itself needs comes first.
  if (document.readyState === "complete") register();
  else addEventListener("load", register, { once: true });
}
