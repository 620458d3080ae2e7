"use strict";
// What all pictures share: the data, texts of numbers, axes, and charts that take the keyboard.
const data = JSON.parse(document.getElementById("data").textContent);
const {columns, course, model} = data, summary = data.summary || data.campaigns[0]; // of a comparison the first one
const about = summary.campaign;
const PENDING = 0, DONE = 1, CANNOT_RUN = 2;
const count = columns.id.length;
const indices = Array.from({length: count}, (unused, i) => i);
const charts = [];

const $ = (selector) => document.querySelector(selector);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let colors;
function readColors() {
  colors = {ink: css("--ink"), soft: css("--soft"), line: css("--line"), paper: css("--paper"), accent: css("--accent"),
    good: css("--good"), bad: css("--bad"), warn: css("--warn"),
    // viridis, told apart also without colours; the best stand out from the page
    scale: ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"]};
  if (css("--dark")) colors.scale.reverse();
}

function number(value, digits = 6) {
  if (value === null || value === undefined || !isFinite(value)) return "–";
  if (value !== 0 && (Math.abs(value) >= 1e7 || Math.abs(value) < 1e-4)) return Number(value.toPrecision(digits)).toExponential();
  return String(Number(value.toPrecision(digits)));
}
// Numbers that differ little beside their size take more digits to be told apart: how many.
function fineness(low, high) {
  const size = Math.max(Math.abs(low), Math.abs(high)), span = Math.abs(high - low);
  return size > 0 && span > 0 ? Math.min(Math.max(Math.floor(Math.log10(size / span)), 0), 8) : 0;
}
// Differences of the largest numbers overflow: such objectives are kept divided by a power of ten.
const lift = Math.max(Math.abs(summary.range.best), Math.abs(summary.range.worst)) > 1e300 ? 10 : 0;
const lowered = (value) => lift && typeof value === "number" ? value / 10 ** lift : value;
if (lift) {
  const lower = (object, keys) => keys.forEach((key) => { object[key] = Array.isArray(object[key]) ? object[key].map(lowered) : lowered(object[key]); });
  lower(columns, ["objective"]);
  lower(summary.range, ["best", "worst", "better"]);
  lower(about, ["best"]);
  [...summary.trace, ...summary.trace_time].forEach((step) => lower(step, [2]));
  [...(model.slices || []), ...(model.partial || [])].forEach((slice) => lower(slice || {}, ["median", "mean", "low", "high"].filter((key) => slice && slice[key])));
  if (model.calibration) lower(model.calibration, ["predicted", "observed"]);
}
const finer = fineness(summary.range.best, summary.range.worst);
function lifted(value, digits) {
  if (!lift || !value || !isFinite(value)) return number(value, digits);
  const [mantissa, power] = value.toExponential(Math.min(digits, 17) - 1).split("e");
  return `${Number(mantissa)}e${Number(power) + lift < 0 ? "" : "+"}${Number(power) + lift}`;
}
const objective = (value, digits = 6) => lifted(value, digits + finer);
// The objectives, of which there is at least one; a model of each; values of objective m, and how they are written.
const objectives = summary.front ? summary.front.objectives : [{name: about.quantity, unit: about.unit, maximize: about.goal === "maximize", place: -1}];
const several = objectives.length > 1;
const models = [model, ...(model.others || [])];
const constraints = summary.constraints.map((c, k) => k).filter((k) => !summary.constraints[k].objective);
const valueOf = (m, i) => objectives[m].place < 0 ? columns.objective[i] : columns.c[objectives[m].place][i];
const lifts = (m) => objectives[m].place < 0;
// The same of the design of evaluation i: the mean of its runs where a design has several, null in the rows of its other runs.
const designValueOf = (m, i) => columns.means ? (lifts(m) ? lowered(columns.means[m][i]) : columns.means[m][i]) : valueOf(m, i);
const runsAt = (i) => columns.runs && columns.runs[i] > 1 ? columns.runs[i] : 1;
const errorOfMean = (m, i, digits = 2) => runsAt(i) === 1 || columns.errors[m][i] === null ? "" : ` ± ${(lifts(m) ? lifted : number)(lifts(m) ? lowered(columns.errors[m][i]) : columns.errors[m][i], digits)}`;
const meanWords = (i) => runsAt(i) > 1 ? ` (mean of ${runsAt(i)} runs)` : "";
const objectiveText = (m, value, digits = 6) => lifts(m) ? objective(value, digits) : number(value, digits + rangeOf(m).finer);
const ranges = [];
// Least and largest value of all results, and how many digits more tell them apart.
function rangeOf(m) {
  if (!ranges[m]) {
    const values = indices.filter((i) => columns.status[i] === DONE).map((i) => valueOf(m, i)).filter((v) => v !== null);
    const low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    ranges[m] = {low, high, finer: values.length ? fineness(low, high) : 0};
  }
  return ranges[m];
}
// Folders of evaluations. A page in the campaign's directory has links that go with it; one from a server has none.
const folders = summary.folders;
const isAtHome = folders && decodeURI(location.pathname).startsWith(`${folders.directory}/`);
function folderLink(id, text = String(id)) {
  const name = `evals/${String(id).padStart(6, "0")}/`;
  if (!folders || location.protocol !== "file:") return element("span", text);
  return element("a", text, {href: isAtHome ? name : `file://${encodeURI(folders.directory)}/${name}`, title: `the folder of evaluation ${id}`});
}
// The folder of an evaluation, and how its logs end where the page has that.
function filesOf(id) {
  const part = element("div"), ends = folders.ends[id];
  part.append(element("h3", "files"), folderLink(id, `evals/${String(id).padStart(6, "0")}`));
  Object.entries(ends || {}).forEach(([name, text]) => part.append(element("h3", `the end of ${name}`), element("pre", text)));
  return part;
}
// Whether only feasible designs are shown.
let onlyFeasible = false;
// What was chosen, and who wants to hear of it.
let chosen = null;
const listeners = [];
function choose(what) {
  if (what === null || what === undefined) return;
  chosen = what;
  listeners.forEach((hear) => hear());
}
function duration(seconds) {
  if (seconds === null || !isFinite(seconds)) return "–";
  if (seconds < 120) return `${number(seconds, 3)} s`;
  if (seconds < 7200) return `${number(seconds / 60, 3)} min`;
  if (seconds < 172800) return `${number(seconds / 3600, 3)} h`;
  return `${number(seconds / 86400, 3)} d`;
}
// The unit in which times of the whole campaign read well.
const clock = ((seconds) => seconds > 345600 ? {name: "days", size: 86400} : seconds > 14400 ? {name: "hours", size: 3600} :
  seconds > 600 ? {name: "minutes", size: 60} : {name: "seconds", size: 1})(about.seconds);

function element(name, text, properties) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  return Object.assign(made, properties || {});
}
function escaped(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
}
function hide(id) { $(`#${id}`).hidden = true; }
function fillHead(table, names) {
  const row = element("tr");
  names.forEach((name) => row.append(element("th", name, {scope: "col"})));
  table.append(element("thead"), element("tbody"));
  table.tHead.append(row);
  return table.tBodies[0];
}

// "length [mm]", or the name alone where no unit is stated.
const labelled = (column) => column.unit ? `${column.name} [${column.unit}]` : column.name;
const unitOf = (column) => column.unit ? ` ${escaped(column.unit)}` : "";

// Partial dependences, as curves like those of slices; null where a variable has none.
const meansOf = (one) => (one.partial || []).map((curve) => curve && curve.x.length ? Object.assign({median: curve.mean}, curve) : null);
// What has a model: the objectives, constraints, and, where something bounds designs, how probably they are feasible.
const quantities = model.note ? [] : [
  ...objectives.map((o, m) => ({name: several ? labelled(o) : about.objective, word: several ? o.name : "the objective", model: models[m], slices: models[m].slices, means: meansOf(models[m]), place: m, lifts: lifts(m), maximize: o.maximize, text: (value) => objectiveText(m, value)})),
  ...constraints.map((k, at) => ({k, at, c: summary.constraints[k], one: (model.constraints || [])[at]})).filter(({one}) => one).map(({c, one, at}) => ({name: labelled(c), word: c.name, model: one, slices: one.slices, means: meansOf(one), place: objectives.length + at, constraint: c, lifts: false, text: (value) => number(value, 5)}))];
const percent = (value) => `${number(100 * value, 3)} %`;
const chancesOf = (curves) => (curves || []).map((one) => one && one.feasible && one.x.length ? {best: one.best, x: one.x, median: one.feasible, low: one.feasible, high: one.feasible} : null);
const chance = {name: "probability of being feasible", word: "the probability of being feasible", chance: true, lifts: false, text: percent,
  slices: chancesOf(model.slices), means: chancesOf(model.partial)};
// A choice of the quantity that a section is about.
function quantityChooser(section, list, show) {
  if (list.length > 1) chooser($(`#${section} .controls`), "quantity:", list.map((q) => q.name), 0, (at) => show(list[at]));
  show(list[0]);
}
// Of discrete variables many designs share a place: they are moved apart by a few pixels.
const isDiscrete = (v) => v.type !== "real";
function jitter(i, axes) {
  const share = (turn) => ((columns.id[i] + 1) * turn) % 1 - 0.5;
  return axes.map((k, side) => isDiscrete(summary.variables[k]) ? 18 * share(side ? 0.7548776662 : 0.5698402910) : 0);
}
// Variables that are searched; the others are fixed or computed from them, and charts leave them out.
const searched = () => summary.variables.map((v, k) => k).filter((k) => summary.variables[k].searched);
function valueText(variable, value) {
  if (value === null) return variable.conditional ? "-" : "no value"; // inactive, or not computed
  if (variable.type === "categorical") return variable.values[value];
  if (variable.type === "boolean") return value ? "true" : "false";
  return number(value, variable.searched ? 6 + fineness(variable.lower, variable.upper) : 10);
}
const resultWord = (i) => columns.status[i] === PENDING ? "no result yet" : columns.penalty[i] !== null ? "a penalty" : columns.status[i] === CANNOT_RUN ? "cannot run" : "failed";
function designText(i) {
  const note = columns.feasible[i] || columns.status[i] !== DONE ? "" : columns.elsewhere[i] ? " (outside of what is allowed)" : " (not feasible)";
  const lines = [`evaluation ${columns.id[i]}${columns.imported[i] ? " (imported)" : ""}${several ? note : ""}`];
  if (columns.penalty[i] !== null) lines.push(`objective ${objective(columns.penalty[i])} (a penalty)`);
  else if (!several) lines.push(`objective ${objective(columns.objective[i])}${note}`);
  else objectives.forEach((o, m) => lines.push(runsAt(i) > 1 ? `${escaped(o.name)}: ${objectiveText(m, designValueOf(m, i))}${errorOfMean(m, i)}${unitOf(o)}${meanWords(i)}` : `${escaped(o.name)}: ${objectiveText(m, valueOf(m, i))}${unitOf(o)}`));
  summary.variables.slice(0, 25).forEach((v, k) => lines.push(`${escaped(v.name)} = ${escaped(valueText(v, columns.x[k][i]))}${unitOf(v)}`));
  if (summary.variables.length > 25) lines.push(`… ${summary.variables.length - 25} more`);
  constraints.forEach((k, at, all, c = summary.constraints[k]) => lines.push(`${escaped(c.name)}: ${number(columns.c[k][i])}${unitOf(c)}`));
  return lines.join("<br>");
}

// Charts are made again when the colours change. Points can be chosen by a click or by Enter where pick says what a
// point stands for: a number of an evaluation, or a point that the models expect.
function chart(holder, options, pick) {
  const entry = {holder, options, pick, series: 0, point: -1};
  holder.tabIndex = 0;
  holder.setAttribute("aria-keyshortcuts", `ArrowLeft ArrowRight ArrowUp ArrowDown + - 0 s${pick ? " Enter" : ""}`);
  holder.addEventListener("keydown", (event) => takeKey(entry, event));
  charts.push(entry);
  draw(entry);
  return entry;
}
function fileName(entry) {
  const section = entry.holder.closest("section");
  const place = [...section.querySelectorAll(".chart")].indexOf(entry.holder);
  return `${about.name}-${section.id}${place > 0 ? `-${place + 1}` : ""}`;
}
function draw(entry) {
  if (entry.instance) entry.instance.dispose();
  const renderer = count > 3000 ? "canvas" : "svg";
  entry.instance = echarts.init(entry.holder, null, {renderer});
  const option = Object.assign({
    animation: false,
    textStyle: {fontFamily: "inherit", color: colors.ink},
    toolbox: {show: !document.documentElement.classList.contains("printing"), feature: {saveAsImage: {title: "save", name: fileName(entry)}}, iconStyle: {borderColor: colors.soft}, right: 4, top: 0},
    aria: {enabled: true}
  }, entry.options());
  option.series.forEach((one) => { one.progressive = 0; }); // whole at once, for printing too
  entry.instance.setOption(option);
  entry.instance.on("mouseover", (p) => { entry.holder.title = p.targetType === "axisName" ? p.name : p.targetType === "axisLabel" ? String(p.value) : ""; });
  entry.instance.on("mouseout", () => { entry.holder.title = ""; });
  if (entry.pick) entry.instance.on("click", (p) => { if (!p.targetType) choose(entry.pick(p)); });
}
// Take the charts of a part of the page away.
function clear(parent) {
  charts.filter((entry) => parent.contains(entry.holder)).forEach((entry) => {
    entry.instance.dispose();
    charts.splice(charts.indexOf(entry), 1);
  });
  parent.replaceChildren();
}
function redraw() { readColors(); charts.forEach(draw); }
function fit() {
  charts.forEach((entry) => {
    entry.instance.resize();
    entry.instance.getZr().flush();
  });
}

function save(entry) {
  const type = entry.instance.getZr().painter.getType();
  const url = entry.instance.getDataURL({type: type === "svg" ? "svg" : "png", pixelRatio: 2, backgroundColor: colors.paper});
  element("a", null, {href: url, download: `${fileName(entry)}.${type === "svg" ? "svg" : "png"}`}).click();
}
// Arrows step through the points of a series, up and down change it; the tip is spoken, too.
function step(entry, points, series) {
  const all = entry.instance.getModel().getSeries().filter((one) => one.getData().count() > 0);
  if (!all.length) return;
  if (series) entry.point = 0;
  entry.series = (entry.series + series + all.length) % all.length;
  const one = all[entry.series], length = one.getData().count();
  entry.point = Math.min(Math.max(entry.point + points, 0), length - 1);
  entry.instance.dispatchAction({type: "showTip", seriesIndex: one.seriesIndex, dataIndex: entry.point});
  const tip = entry.instance.getDom().lastElementChild;
  setTimeout(() => { $("#said").textContent = tip ? tip.innerText : ""; }, 50);
}
function zoom(entry, factor) {
  const zooms = entry.instance.getOption().dataZoom;
  if (!zooms || !zooms.length) return;
  const {start, end} = zooms[0], middle = (start + end) / 2, half = Math.max((end - start) * factor / 2, 0.05);
  entry.instance.dispatchAction(factor === 0 ? {type: "dataZoom", start: 0, end: 100} :
    {type: "dataZoom", start: Math.max(middle - half, 0), end: Math.min(middle + half, 100)});
}
function pickPoint(entry) {
  const one = entry.instance.getModel().getSeries().filter((series) => series.getData().count() > 0)[entry.series];
  if (one && entry.point >= 0) choose(entry.pick({seriesName: one.name, value: one.getRawValue(entry.point)}));
}
function takeKey(entry, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {ArrowRight: () => step(entry, 1, 0), ArrowLeft: () => step(entry, -1, 0), ArrowDown: () => step(entry, 0, 1),
    ArrowUp: () => step(entry, 0, -1), "+": () => zoom(entry, 0.5), "-": () => zoom(entry, 2), "0": () => zoom(entry, 0),
    s: () => save(entry), ...(entry.pick ? {Enter: () => pickPoint(entry)} : {}), Escape: () => entry.instance.dispatchAction({type: "hideTip"})};
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
}

function axis(name, more) {
  return Object.assign({name, nameLocation: "middle", nameGap: 28, nameTextStyle: {color: colors.soft},
    axisLabel: {color: colors.soft, hideOverlap: true, formatter: (v) => typeof v === "number" ? (more && more.lifts ? lifted : number)(v, 4 + (more && more.finer || 0)) : v},
    axisLine: {lineStyle: {color: colors.line}}, splitLine: {lineStyle: {color: colors.line, opacity: 0.6}}, scale: true}, more || {});
}
function upright(name, more) { return axis(name, Object.assign({nameGap: 52}, more || {})); }
// The axis of a variable: its box, or its values (width: of a name, in pixels).
function variableAxis(v, width) {
  const names = v.type === "boolean" ? ["false", "true"] : v.values;
  if (v.type === "real" || v.type === "integer") return {type: v.log ? "log" : "value", min: v.lower, max: v.upper, finer: v.log ? 0 : fineness(v.lower, v.upper)};
  return {type: "category", data: names, axisLabel: {color: colors.soft, hideOverlap: false, interval: names.length > 12 ? "auto" : 0, width: width || 400 / names.length, overflow: "truncate"}};
}
const grid = (more) => Object.assign({left: 70, right: 24, top: 34, bottom: 44}, more || {});
// Room for labels of these numbers beyond the usual, in pixels.
const room = (low, high, lifts) => {
  const size = Math.max(Math.abs(low), Math.abs(high)), power = lifts && lift || size >= 1e7 || (size > 0 && size < 1e-4);
  return 6 * fineness(low, high) + (power ? 34 : 0);
};
function small(title, more = 0) {
  return {toolbox: {show: false}, grid: {left: 58 + more, right: 22, top: 34, bottom: 26},
    title: {text: title, textStyle: {fontSize: 13, fontWeight: 600, color: colors.ink}, left: 4, top: 2}};
}
function tooltip(formatter) {
  return {trigger: "item", confine: true, formatter, backgroundColor: colors.paper, borderColor: colors.line, textStyle: {color: colors.ink, fontSize: 12}};
}
function holderIn(parent, label) {
  const holder = element("div", null, {className: "chart"});
  holder.setAttribute("role", "img");
  holder.setAttribute("aria-label", label);
  parent.append(holder);
  return holder;
}
function toggle(parent, text, change, checked) {
  const label = element("label"), box = element("input", null, {type: "checkbox", checked: Boolean(checked)});
  box.addEventListener("change", () => change(box.checked));
  label.append(box, ` ${text}`);
  parent.append(label);
}
function chooser(parent, text, entries, chosen, change) {
  const label = element("label", `${text} `), box = element("select");
  entries.forEach((name, i) => box.append(element("option", name, {value: i, selected: i === chosen})));
  box.addEventListener("change", () => change(Number(box.value)));
  label.append(box);
  parent.append(label);
}
