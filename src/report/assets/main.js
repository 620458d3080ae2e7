"use strict";
readColors();
showHead();
[showProgress, showFront, showBest, showImportance, showSlices, showParallel, showProjection, showConstraints, showTimeline, showUse, showPauses, showCalibration, showFailures, showStarts].forEach((show) => show());
// The model and the colours are those of the first objective.
if (summary.front)
  [["importance", "for"], ["slices", "for"], ["parallel", "colours by"], ["projection", "colours by"]].forEach(([id, word]) => $(`#${id} h2`).append(` (${word} ${about.quantity})`));
$("#configuration pre").textContent = summary.configuration;
document.querySelectorAll("main > section:not([hidden])").forEach((section) => $("#contents").append(element("a", section.querySelector("h2").textContent, {href: `#${section.id}`})));

// On paper: light, as wide as a page, everything open.
function setPrinting(on) {
  document.documentElement.classList.toggle("printing", on);
  $("#configuration details").open = on;
  redraw();
  fit();
}
window.addEventListener("resize", fit);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
window.addEventListener("beforeprint", () => setPrinting(true));
window.addEventListener("afterprint", () => setPrinting(false));
fit(); // a picture that was drawn before others came beside it was wider
document.body.dataset.ready = "yes";
