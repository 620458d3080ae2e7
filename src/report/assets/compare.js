"use strict";
// Several campaigns beside each other.
const about = data.campaigns[0].campaign; // the first one says what values mean
const campaigns = data.campaigns.map((one) => ({...one, about: one.campaign}));
const isUnique = new Set(campaigns.map((one) => one.about.name)).size === campaigns.length;
campaigns.forEach((one) => { one.label = isUnique ? one.about.name : one.directory; });
const haveFronts = campaigns.every((one) => one.front), sameGoal = new Set(campaigns.map((one) => `${one.about.goal} ${one.about.quantity}`)).size === 1;
const sign = about.goal === "maximize" ? -1 : 1;
function style(k) {
  const shades = [colors.accent, colors.bad, colors.good, colors.warn, colors.ink, colors.soft];
  return {color: shades[k % shades.length], type: ["solid", "dashed", "dotted"][Math.floor(k / shades.length) % 3], symbol: ["circle", "triangle", "rect", "diamond"][k % 4]};
}
const bestText = (one) => one.about.best === null ? "–" : `${number(one.about.best, 8)}${one.about.unit ? ` ${one.about.unit}` : ""}${one.about.feasible ? "" : " (not feasible)"}`;

// A legend of many campaigns, which is turned by pages.
const pagedLegend = (more) => ({bottom: 0, type: "scroll", itemHeight: 9, textStyle: {color: colors.soft}, pageTextStyle: {color: colors.soft}, pageIconColor: colors.ink, pageIconInactiveColor: colors.line, ...more});
const referenceOf = (one) => one.front.objectives.map((o) => `${o.name} ${number(o.reference)}`).join(", ");
const referenceText = () => new Set(campaigns.map((one) => JSON.stringify(one.front.objectives.map((o) => [o.name, o.reference])))).size === 1 ? `All have the reference point ${referenceOf(campaigns[0])}.` : "Hypervolumes cannot be compared: the campaigns have different reference points.";

function showLead() {
  const lead = $("#lead");
  if (!sameGoal) { lead.textContent = `The campaigns have different objectives or goals: ${campaigns.map((one) => `${one.label}: ${one.about.goal} ${one.about.quantity}`).join("; ")}. Compare their values with care.`; lead.className = "bad"; return; }
  const value = (one) => haveFronts ? -one.front.hypervolume : sign * one.about.best;
  const order = campaigns.filter((one) => one.about.feasible && (haveFronts || one.about.best !== null)).sort((a, b) => value(a) - value(b));
  if (!order.length) lead.textContent = "No campaign has a feasible design yet.";
  else if (haveFronts) lead.textContent = `Largest hypervolume: ${number(order[0].front.hypervolume)}, ${order[0].label}. ${referenceText()}`;
  else lead.textContent = `Best ${about.quantity}: ${bestText(order[0])}, ${order[0].label}, evaluation ${order[0].best[0].id} of ${order[0].about.proposed}.`;
}

// Steps of the best value, or of the hypervolume, until the last evaluation.
function stepsOf(one, inTime) {
  if (haveFronts) return one.front.course;
  const steps = (inTime ? one.trace_time : one.trace).map(([n, seconds, value]) => [inTime ? seconds / clockOfAll.size : n, value]);
  if (steps.length) steps.push([inTime ? one.about.seconds / clockOfAll.size : one.about.proposed, steps[steps.length - 1][1]]);
  return steps;
}
const longest = Math.max(...campaigns.map((one) => one.about.seconds || 0));
const clockOfAll = clockOf(longest);
function showCourses() {
  const state = {time: false, log: false}, all = campaigns.flatMap((one) => stepsOf(one, false).map((p) => p[1]));
  if (!all.length) return hide("courses");
  const low = Math.min(...all), high = Math.max(...all), digits = fineness(low, high), name = haveFronts ? "hypervolume" : about.objective;
  if (haveFronts) $("#courses h2").textContent = "Hypervolume";
  const entry = chart($("#courses .chart"), () => ({
    grid: grid({left: 80 + room(low, high), bottom: 84}), legend: pagedLegend({itemWidth: 26}),
    tooltip: tooltip((p) => `${escaped(p.seriesName)}<br>${number(p.value[1], 8)}`),
    xAxis: axis(state.time ? `${clockOfAll.name} since the first start` : haveFronts ? "results" : "evaluations", {type: "value", min: 0, scale: false}),
    yAxis: upright(name, {type: state.log && low > 0 ? "log" : "value", finer: digits, nameGap: 62 + room(low, high)}),
    dataZoom: [{type: "inside", filterMode: "none"}],
    series: campaigns.map((one, k) => ({name: one.label, type: "line", step: "end", symbol: style(k).symbol, symbolSize: 6, lineStyle: {width: 2.2, color: style(k).color, type: style(k).type}, itemStyle: {color: style(k).color}, data: stepsOf(one, state.time)}))
  }));
  const controls = $("#courses .controls");
  if (!haveFronts && longest > 0) toggle(controls, "against wall time", (on) => { state.time = on; draw(entry); });
  if (low > 0) toggle(controls, "logarithmic", (on) => { state.log = on; draw(entry); });
}

function showFronts() {
  if (!haveFronts || campaigns.some((one) => one.front.objectives.length < 2)) return hide("fronts");
  const [a, b] = campaigns[0].front.objectives, value = (row, o) => o.place < 0 ? Number(row.objective) : row.c[o.place];
  if (campaigns[0].front.objectives.length > 2) $("#fronts .note").textContent = "In the plane of the first two objectives.";
  const points = campaigns.map((one) => { const ids = new Set(one.front.ids); return one.best.filter((row) => ids.has(row.id)).map((row) => [value(row, one.front.objectives[0]), value(row, one.front.objectives[1]), row.id]); });
  if (!points.some((list) => list.length)) return hide("fronts");
  const ups = points.flat().map((p) => p[1]), more = room(Math.min(...ups), Math.max(...ups));
  chart($("#fronts .chart"), () => ({
    grid: grid({left: 80 + more, bottom: 84}), legend: pagedLegend(),
    tooltip: tooltip((p) => `${escaped(p.seriesName)}, evaluation ${p.value[2]}<br>${escaped(a.name)}: ${number(p.value[0])}<br>${escaped(b.name)}: ${number(p.value[1])}`),
    xAxis: axis(labelled(a), {type: "value"}), yAxis: upright(labelled(b), {type: "value", nameGap: 62 + more}), dataZoom: [{type: "inside", filterMode: "none"}],
    series: points.map((list, k) => ({name: campaigns[k].label, type: "scatter", symbol: style(k).symbol, symbolSize: 8, itemStyle: {color: style(k).color, opacity: 0.8}, data: list}))
  }));
}

function row(body, cells) {
  const line = element("tr");
  cells.forEach((text, k) => line.append(k ? element("td", text) : element("th", text, {scope: "row"})));
  body.append(line);
}
function showFacts() {
  const bounded = campaigns.some((one) => one.about.n_feasible >= 0); // without constraints every result is feasible
  const body = fillHead($("#facts table"), ["campaign", haveFronts ? "hypervolume" : "best value", haveFronts ? "designs of the front" : "evaluation", "method", "evaluations", "done", ...(bounded ? ["feasible"] : []), "failed", "cannot run", "time", "seed", "directory"]);
  campaigns.forEach((one) => row(body, [one.label, haveFronts ? number(one.front.hypervolume) : bestText(one), haveFronts ? one.front.ids.length : one.best.length ? one.best[0].id : "–", one.about.method, one.about.evaluations,
    one.about.done, ...(bounded ? [one.about.n_feasible >= 0 ? `${one.about.n_feasible} of ${one.about.done}` : "–"] : []), one.about.failed, one.about.cannot_run, duration(one.about.seconds), one.about.seed, one.directory]));
}
// A row for every name that some campaign has.
function showDesigns() {
  if (haveFronts || !campaigns.some((one) => one.best.length)) return hide("designs");
  const body = fillHead($("#designs table"), ["", ...campaigns.map((one) => one.label)]);
  row(body, [about.quantity, ...campaigns.map(bestText)]);
  [["variables", "x"], ["constraints", "c"]].forEach(([list, key]) => {
    [...new Set(campaigns.flatMap((one) => one[list].map((v) => labelled(v))))].forEach((name) => row(body, [name, ...campaigns.map((one) => {
      const k = one[list].findIndex((v) => labelled(v) === name), value = one.best.length && k >= 0 ? one.best[0][key][k] : null;
      return value === null ? "–" : value !== "" && isFinite(value) ? number(Number(value), 8) : value === "" ? "-" : value;
    })]));
  });
}
// Keys of a configuration by their whole names.
function keysOf(text) {
  const path = [], found = new Map();
  text.split("\n").forEach((line) => {
    const match = /^( *)([^\s#:][^:]*): ?(.*)$/.exec(line);
    if (!match) return;
    const depth = match[1].length;
    while (path.length && path[path.length - 1][0] >= depth) path.pop();
    path.push([depth, match[2].replace(/^"(.*)"$/, "$1")]);
    if (match[3]) found.set(path.map((one) => one[1]).join("."), match[3].replace(/^"(.*)"$/, "$1"));
  });
  return found;
}
function showSettings() {
  const all = campaigns.map((one) => keysOf(one.configuration)), names = [...new Set(all.flatMap((keys) => [...keys.keys()]))].filter((name) => new Set(all.map((keys) => keys.get(name))).size > 1 && name !== "name");
  if (!names.length) { $("#settings .note").textContent = "Their campaign files are equal, apart from the name."; return; }
  const body = fillHead($("#settings table"), ["key", ...campaigns.map((one) => one.label)]);
  names.slice(0, 200).forEach((name) => row(body, [name, ...all.map((keys) => keys.get(name) ?? "–")]));
  if (names.length > 200) $("#settings .note").textContent = `The first 200 of ${names.length}.`;
}
readColors();
[showLead, showCourses, showFronts, showFacts, showDesigns, showSettings].forEach((show) => show());
$("#foot").textContent = `Made ${about.made} by gannet ${about.version}. Pictures: Apache ECharts ${echarts.version}.`;
document.querySelectorAll("main > section:not([hidden])").forEach((section) => $("#contents").append(element("a", section.querySelector("h2").textContent, {href: `#${section.id}`})));
window.addEventListener("resize", fit);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
fit();
document.body.dataset.ready = "yes";
