"use strict";
// What the models expect in the plane of two variables, with the designs that were evaluated.
// Ends of the cells around these places, in pixels.
function cellEnds(at) {
  const middle = at.slice(1).map((v, i) => (v + at[i]) / 2);
  if (at.length < 2) return [at[0] - 1e4, at[0] + 1e4];
  return [2 * at[0] - middle[0], ...middle, 2 * at[at.length - 1] - middle[middle.length - 1]];
}
// Lines of one level through a grid of values, by marching squares: pairs of points.
function isolines(value, across, up, level) {
  const lines = [], nx = across.length;
  const cross = (i, j, k, l) => { // between grid points (i, j) and (k, l)
    const a = value[j * nx + i], b = value[l * nx + k];
    if ((a < level) === (b < level)) return null;
    const t = (level - a) / (b - a);
    return [across[i] + t * (across[k] - across[i]), up[j] + t * (up[l] - up[j])];
  };
  for (let j = 0; j + 1 < up.length; ++j)
    for (let i = 0; i + 1 < nx; ++i) {
      const found = [cross(i, j, i + 1, j), cross(i + 1, j, i + 1, j + 1), cross(i, j + 1, i + 1, j + 1), cross(i, j, i, j + 1)].filter(Boolean);
      for (let k = 0; k + 1 < found.length; k += 2) lines.push([found[k], found[k + 1]]);
    }
  return lines;
}
// The quantile of the standard normal at p.
function quantile(p) {
  let low = -8, high = 8;
  for (let i = 0; i < 40; ++i) { const middle = (low + high) / 2; if (0.5 + 0.5 * erf(middle / Math.SQRT2) < p) low = middle; else high = middle; }
  return low;
}
const smooth = (variable) => variable.type === "real" || variable.type === "integer";
// What can be shown of a pair: means and standard deviations of quantities, and probabilities.
function mapLayers(pair) {
  const layers = [];
  quantities.forEach((q) => {
    const one = pair.quantities[q.place], lower = (v) => q.lifts ? lowered(v) : v;
    if (!one) return;
    layers.push({name: `${q.name}: mean`, values: one.mean.map(lower), text: q.text, reversed: q.maximize, lifts: q.lifts});
    layers.push({name: `${q.name}: standard deviation`, values: one.sd.map(lower), text: q.text, lifts: q.lifts});
  });
  if (pair.feasible) layers.push({name: chance.name, values: pair.feasible, text: percent, range: [0, 1], reversed: true});
  if (pair.works) layers.push({name: "probability that the simulation works", values: pair.works, text: percent, range: [0, 1], reversed: true});
  return layers;
}
function mapSeries(pair, layer, isPlane) {
  const [va, vb] = [pair.a, pair.b].map((k) => summary.variables[k]), nx = pair.x.length;
  const pixels = (api) => [pair.x.map((x, i) => api.coord([smooth(va) ? x : i, smooth(vb) ? pair.y[0] : 0])[0]), pair.y.map((y, j) => api.coord([smooth(va) ? pair.x[0] : 0, smooth(vb) ? y : j])[1])];
  const place = (x, y, i, j) => [smooth(va) ? x : i, smooth(vb) ? y : j];
  const cells = pair.y.flatMap((y, j) => pair.x.map((x, i) => [...place(x, y, i, j), layer.values[j * nx + i], j * nx + i]));
  let drawn = null; // ends of the cells of one picture
  const cell = (params, api) => {
    if (params.dataIndexInside === 0 || !drawn) drawn = pixels(api).map(cellEnds);
    const i = params.dataIndex % nx, j = Math.floor(params.dataIndex / nx), [x, y] = drawn, area = params.coordSys;
    const shape = echarts.graphic.clipRectByRect({x: Math.min(x[i], x[i + 1]), y: Math.min(y[j], y[j + 1]), width: Math.abs(x[i + 1] - x[i]) + 0.6, height: Math.abs(y[j + 1] - y[j]) + 0.6}, area);
    return shape && {type: "rect", shape, style: {fill: api.visual("color")}};
  };
  const group = (values, levels, style) => (params, api) => {
    const [x, y] = pixels(api);
    return {type: "group", children: levels.flatMap((level) => isolines(values, x, y, level)).map(([p, q]) => ({type: "line", shape: {x1: p[0], y1: p[1], x2: q[0], y2: q[1]}, style}))};
  };
  const low = Math.min(...layer.values), high = Math.max(...layer.values), levels = Array.from({length: 9}, (unused, k) => low + (k + 1) * (high - low) / 10);
  const lines = (name, render) => ({name, type: "custom", silent: true, clip: true, z: 3, encode: {x: 0, y: 1}, tooltip: {show: false}, data: [cells[0].slice(0, 2)], renderItem: render});
  return [{name: "model", type: "custom", z: 1, encode: {x: 0, y: 1}, data: cells, renderItem: cell},
    ...(isPlane && high > low ? [lines("levels", group(layer.values, levels, {stroke: colors.paper, lineWidth: 1, opacity: 0.55}))] : []),
    ...(isPlane && pair.feasible ? [lines("edge of feasible designs", group(pair.margin, [quantile(doubt)], {stroke: colors.bad, lineWidth: 2}))] : [])];
}
function showMap() {
  const maps = model.maps || [];
  if (model.note || !maps.length) return hide("map");
  const state = {pair: 0, layer: 0, points: count <= 2000}, controls = $("#map .controls"), isNarrow = () => $("#map .chart").clientWidth < 560;
  const hasChance = Boolean(maps[0].feasible), hasOthers = searched().length > 2, best = several ? [] : indices.filter((i) => columns.id[i] === model.through);
  $("#map .note").textContent = `Predictions of ${modelName()} for ${hasOthers ? "" : "the "}two variables${hasOthers ? `; all others are as in ${several ? `evaluation ${model.through}` : "the best design"}` : ""}.${maps.length > 1 ? " Only pairs of the variables that matter most have a map, pairs of numbers first." : ""}${hasChance ? ` Red line: the probability of being feasible is ${percent(doubt)}.` : ""} ${infeasible.length ? "Dots: feasible designs; grey triangles: designs that are not feasible" : "Dots: designs"}${lost.length ? `; crosses: ${lostName}` : ""}.${hasOthers ? " These designs differ in the other variables, too." : ""}`;
  const entry = chart($("#map .chart"), () => {
    const pair = maps[state.pair], layer = mapLayers(pair)[state.layer], axes = [pair.a, pair.b], [va, vb] = axes.map((k) => summary.variables[k]);
    const [low, high] = layer.range || [Math.min(...layer.values), Math.max(...layer.values)];
    const point = (i) => ({value: [columns.x[pair.a][i], columns.x[pair.b][i], i], symbolOffset: jitter(i, axes)});
    const upRoom = room(vb.lower, vb.upper), size = count > 3000 ? 3 : 6, shown = (list) => (state.points ? list : []).map(point);
    return {
      grid: grid({left: 70 + upRoom, bottom: 96, right: 30}),
      tooltip: tooltip((p) => p.seriesName === "model" ? `${escaped(va.name)} = ${escaped(valueText(va, pair.x[p.dataIndex % pair.x.length]))}${unitOf(va)}<br>${escaped(vb.name)} = ${escaped(valueText(vb, pair.y[Math.floor(p.dataIndex / pair.x.length)]))}${unitOf(vb)}<br>`
        + mapLayers(pair).map((one) => `${escaped(one.name)}: ${one.text(one.values[p.dataIndex])}`).join("<br>") : designText(p.value[2])),
      visualMap: {min: low, max: high > low ? high : low + 1, dimension: 2, seriesIndex: 0, calculable: true, orient: "horizontal", left: "center", bottom: 0, itemHeight: isNarrow() ? 100 : 160, textStyle: {color: colors.soft}, formatter: layer.text,
        inRange: {color: layer.reversed ? colors.scale.slice().reverse() : colors.scale}},
      xAxis: axis(labelled(va), roomyAxis(va)),
      yAxis: upright(labelled(vb), Object.assign({nameGap: 52 + upRoom}, roomyAxis(vb, 42))),
      series: [...mapSeries(pair, layer, smooth(va) && smooth(vb)),
        {name: "designs", type: "scatter", z: 5, symbolSize: size, itemStyle: {color: colors.paper, borderColor: colors.ink, borderWidth: 1}, data: shown(ordered)},
        {name: "not feasible", type: "scatter", z: 4, symbol: "triangle", symbolSize: size + 2, itemStyle: {color: colors.soft, borderColor: colors.paper, borderWidth: 1}, data: shown(shownInfeasible())},
        {name: lostName, type: "scatter", z: 4, symbol: "path://M0,0 L10,10 M0,10 L10,0", symbolSize: 8, itemStyle: {color: "none", borderColor: colors.bad, borderWidth: 2}, data: shown(shownLost())},
        {name: "best", type: "scatter", z: 6, symbol: "diamond", symbolSize: 17, silent: true, itemStyle: {color: "none", borderColor: colors.bad, borderWidth: 3}, data: best.map(point)}]
    };
  }, (p) => p.seriesName === "model" ? null : evaluationOf(p.value[2]));
  chooser(controls, "plane:", maps.map((pair) => `${summary.variables[pair.a].name} × ${summary.variables[pair.b].name}`), 0, (k) => { state.pair = k; draw(entry); });
  chooser(controls, "shown:", mapLayers(maps[0]).map((layer) => layer.name), 0, (k) => { state.layer = k; draw(entry); });
  toggle(controls, "designs", (on) => { state.points = on; draw(entry); }, state.points);
}
