"use strict";
// What all pictures share: the data, texts of numbers, axes, and charts that take the keyboard.
const data = JSON.parse(document.getElementById("data").textContent);
const usesCanvas = Boolean(data.columns) && data.columns.id.length > 3000; // so many points are too slow as SVG
const charts = [];

const $ = (selector) => document.querySelector(selector);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let colors;
function readColors() {
  colors = {ink: css("--ink"), soft: css("--soft"), line: css("--line"), paper: css("--paper"), accent: css("--accent"),
    good: css("--good"), bad: css("--bad"), warn: css("--warn"),
    // viridis, told apart also without colours; the best stand out from the page, and the worst do not vanish in it
    scale: css("--dark") ? ["#fde725", "#5ec962", "#21a99f", "#5c7cc4", "#8d63b8"] : ["#440154", "#3b528b", "#21918c", "#5ec962", "#e0c81e"]};
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
function duration(seconds) {
  if (seconds === null || !isFinite(seconds)) return "–";
  if (seconds > 0 && seconds < 1e-3) return `${number(1e6 * seconds, 3)} µs`;
  if (seconds > 0 && seconds < 1) return `${number(1e3 * seconds, 3)} ms`;
  if (seconds < 120) return `${number(seconds, 3)} s`;
  if (seconds < 7200) return `${number(seconds / 60, 3)} min`;
  if (seconds < 172800) return `${number(seconds / 3600, 3)} h`;
  return `${number(seconds / 86400, 3)} d`;
}
// The unit in which times of up to so many seconds read well.
const clockOf = (seconds) => seconds > 345600 ? {name: "days", size: 86400} : seconds > 14400 ? {name: "hours", size: 3600} :
  seconds > 600 ? {name: "minutes", size: 60} : seconds > 0.1 ? {name: "seconds", size: 1} : seconds > 1e-4 ? {name: "milliseconds", size: 1e-3} : {name: "microseconds", size: 1e-6};

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
  table.setAttribute("aria-label", table.parentElement.getAttribute("aria-label"));
  names.forEach((name) => row.append(element("th", name, {scope: "col"})));
  table.append(element("thead"), element("tbody"));
  table.tHead.append(row);
  return table.tBodies[0];
}

// "length [mm]", or the name alone where no unit is stated.
const labelled = (column) => column.unit ? `${column.name} [${column.unit}]` : column.name;
const unitOf = (column) => column.unit ? ` ${escaped(column.unit)}` : "";

// Charts are made again when the colours change. Points can be chosen by a click or by Enter where pick says what a
// point stands for: a number of an evaluation, or a point that the models expect.
function chart(holder, options, pick) {
  const entry = {holder, options, pick, label: holder.getAttribute("aria-label"), series: 0, point: -1};
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
  return `${$("#title").textContent}-${section.id}${place > 0 ? `-${place + 1}` : ""}`;
}
function draw(entry) {
  if (entry.instance) entry.instance.dispose();
  entry.instance = echarts.init(entry.holder, null, {renderer: usesCanvas ? "canvas" : "svg"});
  const option = Object.assign({
    animation: false,
    textStyle: {fontFamily: getComputedStyle(document.body).fontFamily, color: colors.ink}, // by name, for a canvas inherits nothing
    toolbox: {show: !document.documentElement.classList.contains("printing"), feature: {saveAsImage: {title: "save", name: fileName(entry)}}, iconStyle: {borderColor: colors.soft}, right: 4, top: 0},
  }, entry.options());
  // Read aloud: what the picture shows, and of what; the arrows tell its points. ECharts itself would tell the first numbers.
  const names = [...new Set(option.series.filter((one) => one.name && one.data && one.data.length).map((one) => one.name))];
  option.aria = {enabled: true, label: {description: `${entry.label}${names.length ? `: ${names.join(", ")}` : ""}`}};
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
// The least round step that cuts a span into so many parts at most.
function stepOf(span, most) {
  const power = 10 ** Math.floor(Math.log10(span / most));
  return [1, 2, 5, 10].map((k) => k * power).find((size) => span / size <= most) || 10 * power;
}
// Ticks of a range: its ends, and round values between them that leave room for the labels of the ends.
function ticksOf(low, high, most, whole) {
  let step = stepOf(high - low, most);
  if (whole) step = Math.max(Math.round(step), 1);
  const ticks = [low];
  for (let k = Math.ceil(low / step); k * step < high; ++k) if (k * step - low >= 0.6 * step && high - k * step >= 0.6 * step) ticks.push(Number((k * step).toPrecision(12)));
  return [...ticks, high];
}
// Labels of a logarithmic axis are all of one form.
const powerText = (low, high) => low < 1e-4 || high >= 1e7 ? (v) => v.toExponential(3).replace(/\.?0+e/, "e") : null;
// The axis of a variable: its box, or its values (width: of a name, in pixels; most: steps between ticks).
function variableAxis(v, width, most = 8) {
  const names = v.type === "boolean" ? ["false", "true"] : v.values;
  if (v.type === "real" || v.type === "integer") {
    const finer = v.log ? 0 : fineness(v.lower, v.upper), text = v.log && powerText(v.lower, v.upper);
    const made = {type: v.log ? "log" : "value", min: v.lower, max: v.upper, finer};
    if (text) made.axisLabel = {color: colors.soft, hideOverlap: true, formatter: text};
    if (v.log || finer > 2 || !(v.upper > v.lower)) return made;
    const customValues = ticksOf(v.lower, v.upper, most, v.type === "integer" && Number.isInteger(v.lower) && Number.isInteger(v.upper));
    return Object.assign(made, {axisTick: {customValues}, axisLabel: {color: colors.soft, hideOverlap: true, customValues, formatter: (x) => number(x, 4 + finer)}});
  }
  return {type: "category", data: names, axisLabel: {color: colors.soft, hideOverlap: false, interval: names.length > 12 ? "auto" : 0, width: width || 400 / names.length, overflow: "truncate"}};
}
// The same with half a step beyond the ends, for points that are moved apart and for cells around values.
function roomyAxis(v, width) {
  const made = variableAxis(v, width);
  if (v.type !== "integer" || !made.axisTick) return made;
  const more = Math.max(0.5, 0.025 * (v.upper - v.lower));
  return Object.assign(made, {min: v.lower - more, max: v.upper + more});
}
const grid = (more) => Object.assign({left: 70, right: 24, top: 34, bottom: 44}, more || {});
// Room for labels of these numbers beyond the usual, in pixels.
const room = (low, high, lifts) => {
  const size = Math.max(Math.abs(low), Math.abs(high)), power = lifts && lift || size >= 1e7 || (size > 0 && size < 1e-4);
  return 6 * fineness(low, high) + (power ? 34 : size >= 1e5 ? 7 * (Math.floor(Math.log10(size)) - 4) : 0);
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
