"use strict";
// How the time went: slots, batches, failures, what the campaign ran on.
const slotLabel = (row, each) => each > 1 ? `${row * each} to ${row * each + each - 1}` : `${row}`;

// Too many evaluations to show each: how busy every row of slots was.
function drawRows(rows) {
  const cells = [];
  rows.busy.forEach((line, row) => line.forEach((share, bin) => {
    if (share > 0.002) cells.push([bin * course.width / clock.size, (bin + 1) * course.width / clock.size, row, share, rows.lost[row][bin]]);
  }));
  $("#timeline .note").textContent = "Too many evaluations to show each: the stronger the colour, the longer the slots were busy; red where what they did failed.";
  $("#timeline .chart").style.height = `${Math.min(40, 10 + rows.busy.length)}rem`;
  chart($("#timeline .chart"), () => ({
    grid: grid({left: 60}),
    tooltip: tooltip((p) => `slot ${slotLabel(p.value[2], rows.each)}<br>${number(100 * p.value[3], 3)} % busy${p.value[4] > 0 ? `, ${number(100 * p.value[4], 3)} % with failures` : ""}`),
    dataZoom: [{type: "inside", filterMode: "weakFilter"}],
    xAxis: axis(`${clock.name} since the first start`, {type: "value", min: 0, scale: false, axisLine: {onZero: false, lineStyle: {color: colors.line}}}),
    yAxis: upright(rows.each > 1 ? `slots, ${rows.each} a row` : "slot", {type: "value", min: -0.5, max: rows.busy.length - 0.5, inverse: true, minInterval: 1, splitLine: {show: false}, nameGap: 34, axisLabel: {color: colors.soft, formatter: (v) => Number.isInteger(v) ? String(v * rows.each) : ""}}),
    series: [{type: "custom", encode: {x: [0, 1], y: 2}, data: cells, renderItem: (params, api) => bar(params, api,
      {fill: api.value(4) > 0.5 * api.value(3) ? colors.bad : colors.accent, opacity: 0.15 + 0.85 * Math.min(api.value(3), 1)}, 0)}]
  }));
}
// A rectangle from value 0 to value 1, about row 2, inside of the axes.
function bar(params, api, style, gap) {
  const a = api.coord([api.value(0), api.value(2) - 0.5]), b = api.coord([api.value(1), api.value(2) + 0.5]), room = params.coordSys;
  const shape = echarts.graphic.clipRectByRect({x: a[0], y: a[1] + 1, width: Math.max(b[0] - a[0] - gap, gap ? 1 : 0.5), height: Math.max(b[1] - a[1] - 2, 1)},
    {x: room.x, y: room.y, width: room.width, height: room.height});
  return shape && {type: "rect", shape, style};
}
function runText(i) {
  const host = columns.hosts[columns.host[i]];
  const place = columns.places[columns.place[i]];
  return `${designText(i)}<br>${duration(columns.ended[i] - columns.started[i])} in slot ${columns.slot[i]}${place ? `, ${escaped(place)}` : ""}${host ? ` on ${escaped(host)}` : ""}<br>attempts ${columns.attempts[i]}, exit ${columns.exit[i]}${columns.signal[i] ? `, signal ${columns.signal[i]}` : ""}`;
}
function showTimeline() {
  const shown = indices.filter((i) => columns.started[i] !== null && columns.ended[i] !== null);
  if (!shown.length || !course.width) return hide("timeline");
  if (course.rows) return drawRows(course.rows);
  const places = course.places, rows = places ? places.length : Math.max(about.slots, 1), row = (slot, place) => places ? place : Math.max(slot, 0);
  const kinds = [["done", "accent", (i) => columns.status[i] === DONE], ["cannot run", "warn", (i) => columns.status[i] === CANNOT_RUN], ["failed", "bad", (i) => columns.status[i] > CANNOT_RUN]];
  $("#timeline .note").textContent = "Each bar lasts from the start to the end of an evaluation. Cannot run: the simulation said so" + (about.penalties ? ", or reported a penalty." : ".") + (course.retried.length ? " Pale: attempts that were repeated." : "") + " Scroll, pinch, or + and - zoom.";
  $("#timeline .chart").style.height = `${Math.min(40, 12 + rows)}rem`;
  const lines = (i) => [columns.started[i] / clock.size, columns.ended[i] / clock.size, row(columns.slot[i], columns.place[i]), i];
  chart($("#timeline .chart"), () => ({
    grid: grid({left: places ? 190 : 60, bottom: 96}), legend: {bottom: 30, itemWidth: 16, itemHeight: 9, textStyle: {color: colors.soft}},
    tooltip: tooltip((p) => p.seriesName === "repeated" ? `evaluation ${p.value[3]}: an attempt of ${duration((p.value[1] - p.value[0]) * clock.size)} that was repeated` : runText(p.value[3])),
    dataZoom: [{type: "inside", filterMode: "weakFilter"}, {type: "slider", height: 18, bottom: 6, textStyle: {color: colors.soft}}],
    xAxis: axis(`${clock.name} since the first start`, {type: "value", min: 0, scale: false, nameGap: 22, axisLine: {onZero: false, lineStyle: {color: colors.line}}}),
    yAxis: upright(places ? "" : "slot", {type: "value", min: -0.5, max: rows - 0.5, inverse: true, minInterval: 1, nameGap: 34, splitLine: {show: false}, axisLabel: {color: colors.soft, width: 180, overflow: "truncate", formatter: (v) => !Number.isInteger(v) ? "" : places ? places[v] : String(v)}}),
    series: kinds.map(([name, color, filter]) => ({name, type: "custom", itemStyle: {color: colors[color]}, encode: {x: [0, 1], y: 2}, data: shown.filter(filter).map(lines),
      renderItem: (params, api) => bar(params, api, {fill: colors[color], opacity: 0.85}, 0.5)}))
      .concat([{name: "repeated", type: "custom", itemStyle: {color: colors.bad, opacity: 0.4}, encode: {x: [0, 1], y: 2},
        data: course.retried.map(([id, a, b, slot, place]) => [a / clock.size, b / clock.size, row(slot, place), id]), renderItem: (params, api) => bar(params, api, {fill: colors.bad, opacity: 0.4}, 0.5)}])
      .filter((s) => s.data.length)
  }));
}

function showUse() {
  if (!course.width) return hide("use");
  const share = about.busy / (about.seconds * Math.max(about.slots, 1));
  const at = (list) => list.flatMap((v, i) => [[i * course.width / clock.size, v], [(i + 1) * course.width / clock.size, v]]);
  $("#use .note").textContent = `${(100 * share).toFixed(0)} % of ${about.slots} slot${about.slots > 1 ? "s" : ""} over ${duration(about.seconds)}: ${duration(about.busy)} of simulations in all, ${duration(about.busy / Math.max(about.done + about.cannot_run + about.failed, 1))} each on average. The rest is waiting: for the last of a batch, for proposals, for a scheduler, or between a stop and a resume.`;
  chart($("#use .chart"), () => ({
    grid: grid({bottom: 70}), legend: {bottom: 0, itemWidth: 16, itemHeight: 9, textStyle: {color: colors.soft}},
    tooltip: Object.assign(tooltip((list) => list.map((p) => `${p.seriesName}: ${number(p.value[1], 3)} slots`).join("<br>")), {trigger: "axis"}),
    dataZoom: [{type: "inside", filterMode: "none"}],
    xAxis: axis(`${clock.name} since the first start`, {type: "value", min: 0, max: about.seconds / clock.size, scale: false, axisLabel: {color: colors.soft, showMaxLabel: false}}),
    yAxis: upright("slots", {type: "value", min: 0, scale: false, minInterval: 1}),
    series: [["busy", "accent", course.busy], ["of them with what failed", "bad", course.lost]].map(([name, color, list]) => ({name, type: "line", showSymbol: false,
      lineStyle: {width: 1, color: colors[color]}, itemStyle: {color: colors[color]}, areaStyle: {color: colors[color], opacity: 0.3}, data: at(list)}))
      .filter((s) => s.data.some((p) => p[1] > 0))
  }));
}

function showPauses() {
  const known = summary.pauses.filter(([, pause, proposal]) => pause !== null || proposal !== null);
  if (known.length < 2) return hide("pauses");
  const rest = known.map(([batch, pause, proposal]) => [batch, Math.max((pause || 0) - (proposal || 0), 0)]);
  const proposing = known.map(([batch, , proposal]) => [batch, proposal || 0]);
  const total = (list) => duration(list.reduce((sum, [, v]) => sum + v, 0) * (about.proposed ? 1 : 0));
  const step = known.length > 1 ? known[1][0] - known[0][0] : 1;
  $("#pauses .note").textContent = (step > 1 ? `Means of groups of ${step} batches. ` : `Proposing took ${total(proposing)} in all, the rest ${total(rest)}. `)
    + "Proposing: fitting models and choosing points. The rest: from the last result of a batch to the first launch of the next, without proposing.";
  const kind = known.length > 150 ? {type: "line", showSymbol: false, areaStyle: {opacity: 0.4}, lineStyle: {width: 1}} : {type: "bar", barMaxWidth: 14};
  chart($("#pauses .chart"), () => ({
    grid: grid({bottom: 70}), legend: {bottom: 0, itemWidth: 16, itemHeight: 9, textStyle: {color: colors.soft}},
    tooltip: tooltip((p) => `batch ${p.value[0]}, ${p.seriesName}: ${duration(p.value[1])}`), dataZoom: [{type: "inside", filterMode: "none"}],
    xAxis: axis("batch", {type: "value", min: known[0][0] - step, max: known[known.length - 1][0] + step, axisLabel: {color: colors.soft, showMinLabel: false, showMaxLabel: false}}), yAxis: upright("seconds", {type: "value", min: 0, scale: false}),
    series: [["proposing", "accent", proposing], ["the rest", "soft", rest]].map(([name, color, list]) => Object.assign({name, stack: "time", data: list, itemStyle: {color: colors[color]}}, kind))
      .filter((s) => s.data.some((p) => p[1] > 0))
  }));
}

function showFailures() {
  const groups = Object.values(summary.failures).sort((a, b) => b.count - a.count);
  if (!groups.length) return hide("failures");
  const body = fillHead($("#failures table"), ["how many", "class", "reason of the first one", "evaluations"]);
  groups.slice(0, 100).forEach((g) => {
    const line = element("tr"), places = element("td", null, {className: "wrap short"}), logs = folders && folders.ends[g.ids[0]];
    g.ids.forEach((id, i) => places.append(i ? ", " : "", folderLink(id)));
    if (g.count > g.ids.length) places.append(", …");
    if (logs) {
      const more = element("details"), [name, text] = Object.entries(logs)[0];
      more.append(element("summary", `the end of ${name} of evaluation ${g.ids[0]}`), element("pre", text));
      places.append(more);
    }
    line.append(element("td", g.count), element("td", g.status), element("td", g.reason, {className: "wrap"}), places);
    body.append(line);
  });
}

function showStarts() {
  if (!summary.starts.length) return hide("starts");
  const body = fillHead($("#starts table"), ["start", "gannet", "host", "ranks", "nodes", "MPI", "BLAS", "PETSc", "HDF5"]);
  summary.starts.forEach((s) => {
    const line = element("tr");
    [s.time, s.gannet, s.host, s.ranks, s.nodes, s.mpi, s.blas ? `${s.blas}${s.kernels ? `, ${s.kernels}` : ""}` : null, s.petsc, s.hdf5].forEach((text) => line.append(element("td", text === undefined || text === null ? "–" : text)));
    body.append(line);
  });
}
