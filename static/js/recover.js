// A scanned recovery sheet brings its words behind the #: they go into the field, never to a server's log.
const words = location.hash.slice(1).replaceAll(/-|%20/g, " ");
if (/^[a-z0-9 ]+$/i.test(words)) {
  const field = /** @type {HTMLInputElement} */ (document.getElementById("words"));
  field.value = words;
  history.replaceState(null, "", location.pathname);
}
