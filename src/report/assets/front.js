"use strict";
// The front of several objectives: in a plane or in space, with what the models expect of it; and the design that is chosen.
const expected = model.front ? model.front.points : [];
const evaluationOf = (i) => ({id: columns.id[i], i});
const positions = new Map(columns.id.map((id, i) => [id, i]));
const chooseId = (id) => choose(positions.has(id) ? evaluationOf(positions.get(id)) : {id});
const onFront = new Set(summary.front ? summary.front.ids : []);
const complete = several ? indices.filter((i) => columns.status[i] === DONE && objectives.every((o, m) => designValueOf(m, i) !== null)) : [];
// Designs of the front, least of the first objective first.
const members = complete.filter((i) => onFront.has(columns.id[i])).sort((a, b) => designValueOf(0, a) - designValueOf(0, b));
const expectedText = (point) => ["expected by the models", ...objectives.map((o, m) => `${escaped(o.name)}: ${objectiveText(m, lifts(m) ? lowered(point.mean[m]) : point.mean[m], 5)} (95 %: ${objectiveText(m, lifts(m) ? lowered(point.low[m]) : point.low[m], 5)} to ${objectiveText(m, lifts(m) ? lowered(point.high[m]) : point.high[m], 5)})${unitOf(o)}`),
  ...summary.variables.slice(0, 25).map((v, k) => `${escaped(v.name)} = ${escaped(point.x[k] === "" ? "-" : point.x[k].slice(0, 12))}${unitOf(v)}`),
  ...(constraints.length ? [`feasible with ${number(100 * point.feasible, 3)} %`] : [])].join("<br>");
// Value, or an end of the interval, of objective m at a point that is expected.
const meanOf = (m, point, part = "mean") => lifts(m) ? lowered(point[part][m]) : point[part][m];

// Where an axis of objective m begins and ends: all results, or the front and a little more.
function frontRange(m, near) {
  const values = (near && members.length ? members : complete).map((i) => designValueOf(m, i)).concat(expected.map((p) => meanOf(m, p)));
  const low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!values.length) return [0, 1];
  const pad = high > low ? 0.08 * (high - low) : Math.abs(high) * 0.1 || 1;
  return [low - pad, high + pad];
}
// Room below a picture for its legend, whose lines are more where it is narrow.
const legendRoom = () => { const width = $("#front .chart").clientWidth; return width < 560 ? 150 : width < 960 ? 118 : 84; };
const frontLegend = (names) => ({bottom: 0, itemWidth: 16, itemHeight: 9, itemGap: $("#front .chart").clientWidth < 560 ? 18 : 26, textStyle: {color: colors.soft}, data: names});
const betterName = (m) => `${labelled(objectives[m])}, ${objectives[m].maximize ? "more" : "less"} is better`;
const kindsOfPoints = () => [["feasible", complete.filter((i) => columns.feasible[i] && !onFront.has(columns.id[i])), "circle", 5, {color: colors.accent, opacity: 0.5}],
  ["not feasible", complete.filter((i) => !columns.feasible[i] && !onlyFeasible), "triangle", 5, hollow()],
  ["knee", members.filter((i) => columns.id[i] === summary.front.knee), "diamond", 15, {color: colors.warn}]].filter((one) => one[1].length);
const chosenSeries = (at) => ({id: "chosen", name: "chosen", type: "scatter", silent: true, z: 9, symbol: "circle", symbolSize: 17, itemStyle: {color: "transparent", borderColor: colors.bad, borderWidth: 3},
  data: chosen === null ? [] : chosen.point ? [at((m) => meanOf(m, chosen.point))] : chosen.i !== undefined && complete.includes(chosen.i) ? [at((m) => designValueOf(m, chosen.i))] : []});

// The band of what draws of the models attain, and its median; both need the first two objectives in their order.
function bandSeries(yRange) {
  const band = model.front && model.front.band;
  if (!band) return [];
  const worst = objectives[1].maximize ? yRange[0] : yRange[1], value = (list, k, m) => lifts(m) ? lowered(list[k]) : list[k];
  const better = objectives[1].maximize ? band.high : band.low, worse = objectives[1].maximize ? band.low : band.high;
  const kept = band.at.map((unused, k) => k).filter((k) => better[k] !== null);
  const edge = (list) => kept.map((k) => [value(band.at, k, 0), list[k] === null ? worst : value(list, k, 1)]);
  const shape = edge(better).concat(edge(worse).reverse());
  return [{name: "90 % of the models' draws", type: "custom", silent: true, clip: true, z: 0, itemStyle: {color: colors.good, opacity: 0.25}, tooltip: {show: false}, data: shape.length > 2 ? [[...shape[0]]] : [],
    renderItem: (params, api) => ({type: "polygon", shape: {points: shape.map((p) => api.coord(p))}, style: {fill: colors.good, opacity: 0.22}})},
  {name: "median of the draws", type: "line", silent: true, showSymbol: false, z: 1, lineStyle: {width: 1.5, type: "dashed", color: colors.good}, itemStyle: {color: colors.good},
    data: kept.filter((k) => band.middle[k] !== null).map((k) => [value(band.at, k, 0), value(band.middle, k, 1)])}];
}
// Intervals of points that are expected, along both axes of a plane.
function crossSeries(a, b) {
  const line = (api, x1, y1, x2, y2) => {
    const [p, q] = [api.coord([x1, y1]), api.coord([x2, y2])];
    return {type: "line", shape: {x1: p[0], y1: p[1], x2: q[0], y2: q[1]}, style: {stroke: colors.good, lineWidth: 1, opacity: 0.35}};
  };
  return {name: "95 % of expected", type: "custom", silent: true, clip: true, z: 0, itemStyle: {color: colors.good, opacity: 0.4}, encode: {x: 0, y: 1}, tooltip: {show: false},
    data: expected.map((p, k) => [meanOf(a, p), meanOf(b, p), k]), renderItem: (params, api) => {
      const p = expected[api.value(2)];
      return {type: "group", children: [line(api, meanOf(a, p, "low"), meanOf(b, p), meanOf(a, p, "high"), meanOf(b, p)), line(api, meanOf(a, p), meanOf(b, p, "low"), meanOf(a, p), meanOf(b, p, "high"))]};
    }};
}
function plane(state) {
  const [a, b] = state.axes, xRange = frontRange(a, state.near), yRange = frontRange(b, state.near), isPair = objectives.length === 2;
  const points = (list) => list.map((i) => [designValueOf(a, i), designValueOf(b, i), i]), reference = [a, b].map((m) => lifts(m) ? lowered(objectives[m].reference) : objectives[m].reference);
  const inside = reference[0] >= xRange[0] && reference[0] <= xRange[1] && reference[1] >= yRange[0] && reference[1] <= yRange[1];
  const digits = (m, range) => fineness(range[0], range[1]) * (range[1] > range[0] ? 1 : 0), upRoom = room(yRange[0], yRange[1], lifts(b));
  return {
    grid: grid({left: 70 + upRoom, bottom: legendRoom()}), legend: frontLegend(),
    tooltip: tooltip((p) => p.seriesName === "expected" ? expectedText(expected[p.value[2]]) : p.seriesName === "reference point" ? "reference point" : designText(p.value[2])),
    xAxis: axis(betterName(a), {type: "value", min: xRange[0], max: xRange[1], finer: digits(a, xRange), lifts: lifts(a), axisLabel: Object.assign({color: colors.soft, hideOverlap: true, showMinLabel: false, showMaxLabel: false, formatter: (v) => (lifts(a) ? lifted : number)(v, 4 + digits(a, xRange))})}),
    yAxis: upright(betterName(b), {type: "value", min: yRange[0], max: yRange[1], nameGap: 52 + upRoom, axisLabel: {color: colors.soft, showMinLabel: false, showMaxLabel: false, formatter: (v) => (lifts(b) ? lifted : number)(v, 4 + digits(b, yRange))}}),
    dataZoom: [{type: "inside", filterMode: "none"}],
    series: [{name: "front", type: isPair ? "line" : "scatter", step: objectives[a].maximize ? "start" : "end", symbol: "circle", symbolSize: 8, showAllSymbol: true, z: 4, lineStyle: {width: 1.5}, itemStyle: {color: colors.good},
      data: points(members).sort((p, q) => p[0] - q[0])},
    ...kindsOfPoints().map(([name, list, symbol, symbolSize, itemStyle]) => ({name, type: "scatter", symbol, symbolSize, itemStyle, data: points(list), z: name === "knee" ? 6 : 2})),
    ...(state.models && expected.length ? [...(isPair ? bandSeries(yRange) : [crossSeries(a, b)]), {name: "expected", type: "scatter", symbol: "diamond", symbolSize: 8, z: 3, itemStyle: {color: "transparent", borderColor: colors.good, borderWidth: 1.5, opacity: 0.8}, data: expected.map((p, k) => [meanOf(a, p), meanOf(b, p), k])}] : []),
    ...(inside ? [{name: "reference point", type: "scatter", symbol: "path://M4,0 L6,0 L6,4 L10,4 L10,6 L6,6 L6,10 L4,10 L4,6 L0,6 L0,4 L4,4 Z", symbolSize: 12, itemStyle: {color: colors.bad}, data: [reference]}] : []),
    chosenSeries((get) => [get(a), get(b)])]
  };
}

// Three objectives in space: turned, tilted, and seen from far away.
function space(state) {
  const {axes, near} = state, range = axes.map((m) => frontRange(m, near));
  const unit = (m, value) => { const k = axes.indexOf(m); return (value - range[k][0]) / (range[k][1] - range[k][0]) - 0.5; };
  const turn = state.turn * Math.PI / 180, tilt = state.tilt * Math.PI / 180;
  const project = ([x, y, z]) => [x * Math.cos(turn) - y * Math.sin(turn), z * Math.cos(tilt) + (x * Math.sin(turn) + y * Math.cos(turn)) * Math.sin(tilt)];
  const place = (get) => axes.map((m) => unit(m, get(m)));
  const holds = (p) => p.every((v) => Math.abs(v) <= 0.5);
  const at = (i) => place((m) => designValueOf(m, i)), expectedAt = (p) => place((m) => meanOf(m, p));
  const points = (list) => list.map((i) => [at(i), i]).filter(([p]) => holds(p)).map(([p, i]) => [...project(p), i]);
  const corners = [-0.5, 0.5], edges = [];
  corners.forEach((u) => corners.forEach((v) => edges.push([[-0.5, u, v], [0.5, u, v]], [[u, -0.5, v], [u, 0.5, v]], [[u, v, -0.5], [u, v, 0.5]])));
  const lines = (list, color, width, opacity, name) => ({name, type: "lines", coordinateSystem: "cartesian2d", silent: true, z: 0, lineStyle: {color, width, opacity, curveness: 0}, itemStyle: {color, opacity}, tooltip: {show: false}, data: list.map(([p, q]) => ({coords: [project(p), project(q)]}))});
  const clip = (v) => Math.min(Math.max(v, -0.5), 0.5);
  const bars = expected.filter((p) => holds(expectedAt(p))).flatMap((p) => axes.map((m, k) => ["low", "high"].map((end) => expectedAt(p).map((v, other) => other === k ? clip(unit(m, meanOf(m, p, end))) : v))));
  // The upright axis is written at the edge that is farthest left, where no points are: its name above the top of it, and to
  // the right, where there is room for a long one.
  const left = corners.flatMap((u) => corners.map((v) => [u, v, -0.5])).reduce((a, b) => project(b)[0] < project(a)[0] ? b : a);
  const on = (k, value) => { const p = k === 2 ? [...left] : [-0.5, -0.5, -0.5]; p[k] = value; return p; };
  const beside = $("#front .chart").clientWidth < 560 ? 0.26 : 0.14; // where it is narrow, names are as long as edges
  const names = axes.map((m, k) => {
    if (k === 2) return {value: project(on(k, 0.5)), label: {show: true, position: "top", distance: 10, align: "left", formatter: labelled(objectives[m]), color: colors.ink, fontSize: 12}};
    const q = project(on(k, 0)), away = Math.hypot(q[0], q[1]) || 1;
    return {value: [q[0] * (1 + beside / away), q[1] * (1 + beside / away)], label: {show: true, formatter: labelled(objectives[m]), color: colors.ink, fontSize: 12}}; });
  const ends = axes.flatMap((m, k) => corners.map((end) => { const q = project(on(k, end < 0 ? -0.36 : 0.47)), away = Math.hypot(q[0], q[1]) || 1;
    return {value: [q[0] * (1 + 0.05 / away), q[1] * (1 + 0.05 / away)], label: {show: true, formatter: objectiveText(m, end < 0 ? range[k][0] : range[k][1], 3), color: colors.soft, fontSize: 11}}; }));
  const drop = members.map(at).filter(holds).map((p) => [p, [p[0], p[1], -0.5]]);
  const hidden = {type: "value", min: -0.88, max: 0.88, show: false};
  return {
    grid: {left: 4, right: 4, top: 24, bottom: legendRoom() - 20}, legend: frontLegend(["front", ...kindsOfPoints().map(([name]) => name), ...(state.models && expected.length ? ["expected", {name: "95 % of expected", itemStyle: {opacity: 0.35}}] : []), "chosen"]),
    tooltip: tooltip((p) => p.seriesName === "expected" ? expectedText(expected[p.value[2]]) : designText(p.value[2])), xAxis: hidden, yAxis: hidden,
    series: [{name: "front", type: "scatter", symbol: "circle", symbolSize: 9, z: 4, itemStyle: {color: colors.good}, data: points(members)},
      ...kindsOfPoints().map(([name, list, symbol, symbolSize, itemStyle]) => ({name, type: "scatter", symbol, symbolSize, itemStyle, data: points(list), z: name === "knee" ? 6 : 2})),
      ...(state.models && expected.length ? [{name: "expected", type: "scatter", symbol: "diamond", symbolSize: 8, z: 3, itemStyle: {color: "transparent", borderColor: colors.good, borderWidth: 1.5, opacity: 0.8}, data: expected.map((p, k) => [expectedAt(p), k]).filter(([p]) => holds(p)).map(([p, k]) => [...project(p), k])},
        lines(bars, colors.good, 1, 0.35, "95 % of expected")] : []),
      lines(edges, colors.line, 1, 1, "box"), lines(drop, colors.good, 1, 0.3, "drops"),
      {name: "axes", type: "scatter", silent: true, symbolSize: 0.01, z: 8, data: [...names, ...ends]}, chosenSeries((get) => project(place(get)))]
  };
}

// Buttons and lists beside the picture of the front.
function frontControls(state, entry) {
  const controls = $("#front > .controls"), names = objectives.map((o) => o.name), parts = element("span");
  const more = () => {
    parts.replaceChildren();
    if (objectives.length < 3) return;
    const sides = state.inSpace ? ["x:", "y:", "up:"] : ["across:", "up:"];
    if (!state.inSpace || objectives.length > 3) sides.forEach((side, k) => chooser(parts, side, names, state.axes[k], (m) => {
      const other = state.axes.indexOf(m); // two axes of one objective would show nothing
      if (other >= 0) state.axes[other] = state.axes[k];
      state.axes[k] = m;
      draw(entry);
      more();
    }));
    if (state.inSpace) [["turn", 0, 360], ["tilt", 0, 90]].forEach(([what, least, most]) => {
      const label = element("label", `${what} `), slide = element("input", null, {type: "range", min: least, max: most, step: 5, value: state[what]});
      slide.addEventListener("input", () => { state[what] = Number(slide.value); draw(entry); });
      label.append(slide);
      parts.append(label);
    });
  };
  if (objectives.length > 2) chooser(controls, "shown", ["in a plane", "in space"], state.inSpace ? 1 : 0, (k) => { state.inSpace = k === 1; draw(entry); more(); });
  controls.append(parts);
  more();
  if (complete.length > members.length) toggle(controls, "only near the front", (on) => { state.near = on; draw(entry); }, state.near);
  if (expected.length) toggle(controls, "what the models expect", (on) => { state.models = on; draw(entry); }, state.models);
}
function showFront() {
  if (!several || !(complete.length + expected.length)) return hide("front");
  const front = summary.front, [picture, growth] = document.querySelectorAll("#front .chart");
  const state = {axes: objectives.length > 2 ? [0, 1, 2] : [0, 1], inSpace: false, turn: 30, tilt: 25, models: true,
    near: members.length > 1 && objectives.some((o, m) => { const [all, part] = [false, true].map((near) => frontRange(m, near)); return all[1] - all[0] > 2 * (part[1] - part[0]); })};
  const notes = [];
  if (!members.length) notes.push("No design is on the front: none is feasible, or none has values of all objectives.");
  if (members.length === 1) notes.push("A single design is better than all others in every objective: no trade-off shows yet.");
  if (expected.length) notes.push(`Diamonds: points that the means of ${modelName()} put on the front${objectives.length > 2 ? ". Lines: their 95 % intervals, without noise" : ""}.`);
  if (model.front && model.front.band) notes.push("Shaded: the central 90 % of what 64 draws of the models attain, without noise; where it is wide, there is something to learn.");
  if (columns.means && columns.runs.some((n) => n > 1)) notes.push("Designs with several runs are shown at the means of their runs.");
  if (model.note) notes.push(model.note);
  notes.push("Click a point, or go to it with the arrows and press Enter, to see its design.");
  $("#front .note").textContent = notes.join(" ");
  const entry = chart(picture, () => state.inSpace ? space(state) : plane(state),
    (p) => p.seriesName === "expected" ? {point: expected[p.value[2]]} : ["front", "feasible", "not feasible", "knee"].includes(p.seriesName) ? evaluationOf(p.value[2]) : null);
  frontControls(state, entry);
  const mark = () => entry.instance.setOption({series: [{id: "chosen", data: (state.inSpace ? space(state) : plane(state)).series.find((one) => one.id === "chosen").data}]});
  listeners.push(mark);
  if (!front.course.length) growth.hidden = true;
  else chart(growth, () => ({grid: grid({left: 90}), tooltip: tooltip((p) => `after ${p.value[0]} results: ${number(p.value[1])}`), xAxis: axis("results", {type: "value", min: 0, scale: false}),
    yAxis: upright("hypervolume", {type: "value", nameGap: 70}), series: [{name: "hypervolume", type: "line", step: "end", showSymbol: front.course.length < 60, symbolSize: 4, lineStyle: {width: 2.5}, itemStyle: {color: colors.good}, data: front.course}]}));
}

// The design that is chosen: values, and a button that copies it.
const designState = {form: 0};
// With a single objective the design is below the best value.
function placeDesign() {
  listeners.push(showDesign);
  if (several) return;
  $("#design").hidden = true;
  ($("#progress").hidden ? $("#best") : $("#progress")).append($("#design"));
  $("#progress .note").textContent = "Click a point, or go to it with the arrows and press Enter, to see its design.";
}
function chooseFirst() {
  const first = members.find((i) => columns.id[i] === summary.front.knee) ?? members[0];
  if (first !== undefined) choose(evaluationOf(first));
  else $("#design").hidden = true;
}
// As the table has it, in full precision, or as the pictures do.
function rowOf(what) {
  if (what.point) return {x: what.point.x};
  const row = summary.best.find((one) => one.id === what.id);
  return row || {x: summary.variables.map((v, k) => columns.x[k][what.i] === null ? "" : v.type === "real" || v.type === "integer" ? String(columns.x[k][what.i]) : valueText(v, columns.x[k][what.i]))};
}
function group(title, pairs) {
  const part = element("div"), list = element("dl");
  pairs.forEach(([name, value]) => { const pair = element("div"); pair.append(element("dt", name), element("dd", value)); list.append(pair); });
  part.append(element("h3", title), list);
  return part;
}
function showDesign() {
  const stepped = several ? members : ordered;
  const {i, point} = chosen, row = rowOf(chosen), unit = (column) => column.unit ? ` ${column.unit}` : "", holder = $("#design");
  const title = point ? "A design that the models expect on the front; it was not evaluated" : `Evaluation ${chosen.id}: ${several && chosen.id === summary.front.knee ? "the knee of the front" : onFront.has(chosen.id) ? "on the front" : i === undefined ? "in the table" : columns.status[i] !== DONE ? resultWord(i) : !columns.feasible[i] ? "not feasible" : several ? "not on the front" : `number ${ordered.indexOf(i) + 1} of ${ordered.length} feasible ones`}`;
  const value = (m) => point ? `${objectiveText(m, meanOf(m, point), 6)} (95 %: ${objectiveText(m, meanOf(m, point, "low"), 4)} to ${objectiveText(m, meanOf(m, point, "high"), 4)})` : runsAt(i) > 1 ? `${objectiveText(m, designValueOf(m, i), 8)}${errorOfMean(m, i)}` : objectiveText(m, valueOf(m, i), 8);
  const columnsHolder = holder.querySelector(".columns"), controls = holder.querySelector(".controls"), button = element("button", "copy this design", {type: "button"});
  const had = document.activeElement && controls.contains(document.activeElement) ? document.activeElement.textContent : "";
  columnsHolder.replaceChildren(group((several ? "objectives" : "objective") + (point ? "" : meanWords(i)), objectives.map((o, m) => [o.name, value(m) + unit(o)])),
    group("variables", summary.variables.map((v, k) => [v.name, isInactive(row.x[k], k) ? "-" : (["real", "integer"].includes(v.type) ? valueText(v, Number(row.x[k])) : row.x[k]) + unit(v)])),
    ...(constraints.length ? [group("constraints", constraints.map((k, at) => [summary.constraints[k].name, number(point ? point.c[at] : columns.c[k][i]) + unit(summary.constraints[k])]).concat(point ? [["feasible with", `${number(100 * point.feasible, 3)} %`]] : []))] : []));
  if (!point && folders) columnsHolder.append(filesOf(chosen.id));
  button.addEventListener("click", () => copy(forms[designState.form][1](row), button));
  controls.replaceChildren(element("strong", title), " ");
  const at = stepped.indexOf(i);
  [["before", -1], ["next", 1]].forEach(([text, stepBy]) => {
    const go = element("button", text, {type: "button", disabled: !stepped.length || (at >= 0 && stepped[at + stepBy] === undefined)});
    go.addEventListener("click", () => choose(evaluationOf(stepped[at < 0 ? 0 : at + stepBy])));
    controls.append(go, " ");
  });
  chooser(controls, "as", forms.map(([name]) => name), designState.form, (k) => { designState.form = k; });
  controls.append(button);
  const again = [...controls.querySelectorAll("button")].find((one) => one.textContent === had && !one.disabled);
  if (again) again.focus(); // the buttons are made anew
  holder.hidden = false;
  if (document.body.dataset.ready) $("#said").textContent = `${title}. ${objectives.map((o, m) => `${o.name} ${value(m)}`).join(", ")}`;
}
