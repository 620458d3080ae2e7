// The search asks for the pages that it found, to show the words around what was looked for. From a disk it gets them
// out of pages.js, which is loaded on the page of the search only.
if (location.protocol === "file:") {
  window.fetch = (address) => {
    const name = new URL(address, location.href).pathname;
    const page = Object.keys(SITE_PAGES).find((known) => name.endsWith("/" + known));
    const main = document.createElement("div");
    main.setAttribute("role", "main");
    main.textContent = SITE_PAGES[page] || "";
    return Promise.resolve(new Response(main.outerHTML));
  };
}
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll(".math[data-display]")) {
    katex.render(element.textContent, element, {displayMode: element.dataset.display === "yes"});
  }
});
