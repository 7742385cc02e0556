// Browsers let no page search files: without a server there is no box for it.
if (location.protocol === "file:") {
  document.querySelectorAll(".md-search, [for=__search]").forEach((box) => box.remove());
}
