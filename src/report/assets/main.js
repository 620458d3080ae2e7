"use strict";
readColors();
showHead();
showSwitch();
[showProgress, showFront, showBest, showWords, showImportance, showSlices, showMap, showParallel, showProjection, showConstraints, showTimeline, showUse, showPauses, showCalibration, showFailures, showStarts].forEach((show) => show());
placeDesign();
if (several) $("#best h2").textContent = "Designs of the front, then others";
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
if (several) chooseFirst();
document.body.dataset.ready = "yes";
