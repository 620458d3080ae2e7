"use strict";
// What a model of the objective says, and whether to believe it.
const modelName = () => model.of_method ? "the campaign's own model" : "a Gaussian process";
function modelOrigin() {
  return model.of_method ? `It is the campaign's own model (${model.surrogate}: ${model.summary}), learnt from ${model.points} results.`
    : `The method has no model that tells its uncertainty: this is a Gaussian process of ${model.points} results.`;
}
function showImportance() {
  if (!ordered.length && !infeasible.length) return hide("importance");
  if (model.note || !model.importance.length) {
    $("#importance .note").textContent = model.note || "";
    $("#importance .chart").hidden = true;
    return;
  }
  const bounded = quantities.filter((q) => q.constraint);
  const list = [{name: several ? "all objectives" : about.objective, word: several ? "each objective" : "the objective", all: true}, ...bounded];
  quantityChooser("importance", list, (q) => drawImportance(q.all ? models : [q.model], q.all ? objectives : [q.constraint], q.word));
}
function drawImportance(shown, named, of) {
  const holder = $("#importance .chart"), many = shown.length > 1, most = (k) => Math.max(...shown.map((one) => one.importance[k])); // of several objectives the one that it matters for
  const order = searched().sort((a, b) => most(b) - most(a)).slice(0, 40);
  const logs = shown.map((one, m) => one.transform === "log" ? named[m].name : null).filter(Boolean);
  $("#importance .note").textContent = `Total effects (Jansen 1999): the share of the variation of ${of}${logs.length ? many ? ` (after a logarithm: ${logs.join(", ")})` : ", after a logarithm," : ""} over the whole box that remains in the model when only this variable is unknown. They add up to more than 1 where variables act together. ${modelOrigin()}`
    + (searched().length > 40 ? ` The 40 largest of ${searched().length}.` : "");
  const names = order.map((k) => summary.variables[k].name), labels = shortened(names, names.map(() => 20));
  holder.style.height = `${Math.max(8, 3.5 + (many ? 2 : 0) + (many ? 0.9 * shown.length + 0.6 : 1.5) * order.length)}rem`;
  charts.filter((entry) => entry.holder === holder).forEach((entry) => { entry.instance.dispose(); charts.splice(charts.indexOf(entry), 1); });
  chart(holder, () => ({
    grid: {left: 24, right: 60, top: 26, bottom: many ? 56 : 34, containLabel: true}, tooltip: tooltip((p) => `${escaped(p.name)}${many ? ` for ${escaped(p.seriesName)}` : ""}: ${number(p.value, 3)}`),
    legend: many ? {bottom: 0, itemWidth: 16, itemHeight: 9, textStyle: {color: colors.soft}} : undefined,
    xAxis: axis("total effect", {type: "value", min: 0, scale: false}),
    yAxis: {type: "category", inverse: true, data: names, axisLabel: {color: colors.ink, interval: 0, width: 160, overflow: "truncate", formatter: (name, place) => labels[place]}, axisLine: {lineStyle: {color: colors.line}}},
    series: shown.map((one, m) => Object.assign({type: "bar", data: order.map((k) => one.importance[k]), itemStyle: {color: many ? [colors.accent, colors.warn, colors.good, colors.bad, colors.soft][m] : colors.accent}, barMaxWidth: 16,
      label: {show: true, position: "right", color: colors.soft, formatter: (p) => p.value < 0.01 ? "< 0.01" : p.value.toFixed(2)}}, many ? {name: named[m].name} : {}))
  }));
}
function showWords() {
  const words = model.words || [];
  if (!words.length) return hide("words");
  words.forEach((text) => $("#words ul").append(element("li", text)));
}

// Categories and switches: a point and a bar for each value.
function discreteSeries(slice, names) {
  const best = slice.best === null ? -1 : Math.round(slice.best);
  return [{type: "scatter", symbolSize: 9, itemStyle: {color: colors.accent},
    data: slice.median.map((v, i) => ({value: [names[i], v], itemStyle: {color: slice.x[i] === best ? colors.good : colors.accent}}))},
  {type: "custom", silent: true, clip: true, encode: {x: 0, y: [1, 2]}, data: slice.x.map((v, i) => [v, slice.low[i], slice.high[i]]), renderItem: (params, api) => {
    const a = api.coord([api.value(0), api.value(1)]), b = api.coord([api.value(0), api.value(2)]);
    return {type: "line", shape: {x1: a[0], y1: a[1], x2: b[0], y2: b[1]}, style: {stroke: colors.accent, lineWidth: 2, opacity: 0.5}};
  }}];
}
function smoothSeries(slice) {
  return [{type: "line", data: slice.median.map((v, i) => [slice.x[i], v]), showSymbol: false, lineStyle: {width: 2, color: colors.accent}, itemStyle: {color: colors.accent},
    markLine: {symbol: "none", silent: true, precision: -1, label: {show: false}, lineStyle: {color: colors.good, type: "dashed"}, data: slice.best === null ? [] : [{xAxis: slice.best}]}},
  {type: "custom", silent: true, clip: true, z: 1, tooltip: {show: false}, encode: {x: 0, y: [1, 2]}, data: slice.x.map((v, i) => [v, slice.low[i], slice.high[i]]),
    renderItem: (params, api) => params.dataIndex > 0 ? null : {type: "polygon", style: {fill: colors.accent, opacity: 0.18},
      shape: {points: slice.x.map((v, i) => api.coord([v, slice.low[i]])).concat(slice.x.map((v, i) => api.coord([v, slice.high[i]])).reverse())}}}];
}
// The probability below which designs are doubtful: 50 %, or what the models give the feasible design that pictures run
// through, which is often less where it lies on constraints.
const isThroughFeasible = indices.some((i) => columns.id[i] === model.through && columns.feasible[i]);
const doubt = isThroughFeasible && typeof model.feasible === "number" ? Math.min(Math.max(model.feasible, 0.001), 0.5) : 0.5;
// The less probable it is that designs are feasible, the darker the background, in five steps.
function doubtfulAreas(slice, discrete) {
  const points = (slice.feasible || []).map((p, i) => [discrete ? i : slice.x[i], p]), areas = [];
  if (points.length && isThroughFeasible) { // the design itself may lie between the values
    const best = discrete ? Math.round(slice.best) : slice.best, at = points.findIndex(([x]) => x >= best);
    if (at >= 0) points.splice(at, points[at][0] === best ? 1 : 0, [best, doubt]);
  }
  points.forEach(([x, p], i) => {
    const level = Math.ceil(5 * (1 - p / doubt));
    if (level < 1) return;
    const ends = discrete ? [x, x] : [Math.max(i - 1, 0), Math.min(i + 1, points.length - 1)].map((other) => (x + points[other][0]) / 2);
    const last = areas[areas.length - 1];
    if (last && !discrete && last[0].level === level && last[1].xAxis >= ends[0]) last[1].xAxis = ends[1];
    else areas.push([{xAxis: ends[0], level, itemStyle: {opacity: 0.05 * level}}, {xAxis: ends[1]}]);
  });
  return {silent: true, itemStyle: {color: colors.soft}, data: areas};
}
// kind: "slices" through one design, or "means" over the other variables; same: [least, most] of all pictures or null
function drawSlice(holder, k, q, kind, same) {
  const variable = summary.variables[k], slice = q[kind][k], text = q.text, shares = (chance[kind][k] || {}).median;
  const discrete = variable.type === "categorical" || variable.type === "boolean";
  const names = slice.x.map((v) => valueText(variable, v));
  const titles = shortened(summary.variables.map(labelled), summary.variables.map(() => 26));
  const [low, high] = q.chance ? [0, 1] : same || [Math.min(...slice.low), Math.max(...slice.high)], digits = fineness(low, high), step = stepOf(high - low, 4), across = discrete ? 0 : fineness(variable.lower, variable.upper);
  chart(holder, () => {
    const series = discrete ? discreteSeries(slice, names) : smoothSeries(slice), bounds = q.constraint ? [q.constraint.lower, q.constraint.upper].filter((v) => v !== null && v >= low && v <= high) : [];
    if (kind === "slices") series[0].markArea = doubtfulAreas(models[0].slices[k], discrete);
    if (bounds.length) series.push({type: "line", data: [], silent: true, markLine: {symbol: "none", silent: true, precision: -1, label: {show: false}, lineStyle: {color: colors.bad}, data: bounds.map((v) => ({yAxis: v}))}});
    return Object.assign(small(titles[k], room(low, high, q.lifts)), {
      tooltip: Object.assign(tooltip((list) => {
        const i = list[0].dataIndex;
        return `${escaped(variable.name)} = ${escaped(names[i])}${unitOf(variable)}<br>${q.chance ? "" : `${several || q.constraint ? `${escaped(q.word)}: ` : ""}${text(slice.median[i])}<br>95 %: ${text(slice.low[i])} to ${text(slice.high[i])}`}${shares ? `${q.chance ? "" : "<br>"}feasible with ${percent(shares[i])}` : ""}`;
      }), {trigger: "axis"}),
      xAxis: axis("", Object.assign(variableAxis(variable, 0, 4), discrete ? {axisLabel: {color: colors.soft, interval: 0, width: 180 / names.length, overflow: "truncate"}}
        : across > 2 ? {splitNumber: 2, axisLabel: {color: colors.soft, hideOverlap: true, showMaxLabel: false, formatter: (v) => number(v, 3 + across)}} : {})),
      yAxis: axis("", Object.assign({splitNumber: 4, finer: digits, lifts: q.lifts}, q.chance ? {min: 0, max: 1} : same && high > low ? {min: step * Math.floor(low / step), max: step * Math.ceil(high / step), interval: step} : {})), series
    });
  });
}
// A choice of the objective that a section is about.
function objectiveChooser(section, show) {
  if (several) chooser($(`#${section} .controls`), "objective", objectives.map((o) => labelled(o)), 0, show);
  show(0);
}
function showSlices() {
  if (model.note || !model.slices.length) return hide("slices");
  const hasChance = chance.slices.some(Boolean), list = [...quantities, ...(hasChance ? [chance] : [])], grid = $("#slices .grid");
  const state = {q: list[0], kind: "slices", same: true}, of = list.length > 1 ? "one quantity" : "the objective";
  const notes = {
    slices: `Median and central 95 % of ${of} without noise, as predicted by ${modelName()}. All other variables are as in ${several ? `evaluation ${model.through}${model.through === (summary.front && summary.front.knee) ? ", the knee of the front" : ""}` : "the best design"} (dashed line, green point).`
      + (hasChance ? ` Grey: the probability of being feasible is below ${percent(doubt)}${doubt < 0.5 ? ", that of this design" : ""}; the darker, the lower.` : "") + (searched().length > 24 ? " The 24 variables that matter most." : ""),
    means: `Partial dependence (Friedman 2001): the mean of ${of} over designs in which all other variables are drawn from their ranges, as predicted by ${modelName()}, and the central 95 % of that mean. Dashed line, green point: the ${several ? "value in evaluation " + model.through : "best design's value"}.`
      + (searched().length > 12 ? " The 12 variables that matter most." : "")};
  const show = () => {
    const weight = (state.q.model || model).importance, curves = state.q[state.kind];
    $("#slices .note").textContent = notes[state.kind];
    clear(grid);
    const shown = searched().filter((k) => curves[k]).sort((a, b) => weight[b] - weight[a]).slice(0, 24), all = (part, end) => end(...shown.flatMap((k) => curves[k][part]));
    const same = state.same && shown.length > 1 ? [all("low", Math.min), all("high", Math.max)] : null; // steeper means more only on one scale
    shown.forEach((k) => drawSlice(holderIn(grid, `${state.kind === "means" ? "Mean" : "Model"} of ${state.q.word} along ${summary.variables[k].name}`), k, state.q, state.kind, same));
    fit();
  };
  quantityChooser("slices", list, (q) => { state.q = q; show(); });
  if (list.every((q) => q.means.some(Boolean)) && searched().length > 1)
    chooser($("#slices .controls"), "other variables:", [several ? "as in that design" : "as in the best design", "mean over all their values"], 0, (at) => { state.kind = at ? "means" : "slices"; show(); });
  if (searched().length > 1) toggle($("#slices .controls"), "all on one scale", (on) => { state.same = on; show(); }, true);
}

function erf(x) { // Abramowitz and Stegun 7.1.26, to 1.5e-7
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const y = 1 - ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t * Math.exp(-x * x);
  return Math.sign(x) * y;
}
function showCalibration() {
  if (model.note || !model.calibration) return hide("calibration");
  objectiveChooser("calibration", drawCalibration);
}
function drawCalibration(m) {
  const c = models[m].calibration, text = (value) => objectiveText(m, value), of = several ? ` ${labelled(objectives[m])}` : ` ${about.objective}`, parent = $("#calibration .grid");
  const share = (bound) => Math.round(100 * c.residual.filter((r) => Math.abs(r) <= bound).length / c.residual.length);
  const diagonal = (from, to) => ({type: "line", silent: true, showSymbol: false, lineStyle: {color: colors.soft, type: "dashed"}, itemStyle: {color: colors.soft}, data: [[from, from], [to, to]]});
  $("#calibration .note").textContent = `Five-fold cross-validation of ${modelName()}: of ${c.residual.length} results ${share(1.96)} % lie in the 95 % intervals of predictions made without them, ${share(0.6745)} % in the 50 % intervals. A curve above the dashed line means that intervals are too wide, and one below it that they are too narrow.`;
  clear(parent);
  const holders = ["Predicted against observed values", "Coverage of intervals"].map((label) => holderIn(parent, `${label}${of ? ` of${of}` : ""}`));
  const all = c.observed.concat(c.predicted).filter((v) => v !== null), low = Math.min(...all), high = Math.max(...all), digits = fineness(low, high);
  chart(holders[0], () => ({
    grid: grid({left: 70 + room(low, high, lifts(m))}), tooltip: tooltip((p) => `evaluation ${p.value[2]}<br>observed ${text(p.value[1])}<br>predicted ${text(p.value[0])}`),
    xAxis: axis(`predicted${of}`, {type: "value", finer: digits, lifts: lifts(m), splitNumber: digits > 2 || lifts(m) && lift ? 3 : 5}),
    yAxis: upright(`observed${of}`, {type: "value", finer: digits, lifts: lifts(m), nameGap: 52 + room(low, high, lifts(m))}),
    series: [{type: "scatter", symbolSize: 6, itemStyle: {color: colors.accent, opacity: 0.6}, data: c.predicted.map((p, i) => [p, c.observed[i], c.id[i]])}, diagonal(low, high)]
  }));
  const sorted = c.residual.map((r) => erf(Math.abs(r) / Math.SQRT2)).sort((a, b) => a - b);
  chart(holders[1], () => ({
    grid: grid(), tooltip: tooltip((p) => `${number(100 * p.value[0], 3)} % intervals hold ${number(100 * p.value[1], 3)} %`),
    xAxis: axis("nominal share", {type: "value", min: 0, max: 1}), yAxis: upright("share of results in the intervals", {type: "value", min: 0, max: 1}),
    series: [{type: "line", step: "end", showSymbol: false, lineStyle: {color: colors.accent, width: 2}, itemStyle: {color: colors.accent}, data: [[0, 0], ...sorted.map((v, i) => [v, (i + 1) / sorted.length]), [1, 1]]}, diagonal(0, 1)]
  }));
  fit();
}
