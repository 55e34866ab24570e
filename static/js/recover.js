// A scanned recovery sheet brings its words behind the #: they go into the field, never to a server's log.
const words = decodeURIComponent(location.hash.slice(1)).replaceAll("-", " ");
if (words) {
  document.getElementById("words").value = words;
  history.replaceState(null, "", location.pathname);
}
