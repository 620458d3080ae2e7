// Equations, by the KaTeX of the site. A browser does not let pages read their neighbours from a disk, so
// the search gives its summaries only when the site comes from a server.
if (window.DOCUMENTATION_OPTIONS && location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll(".math[data-display]")) {
    katex.render(element.textContent, element, {displayMode: element.dataset.display === "yes"});
  }
});
