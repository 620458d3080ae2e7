"use strict";
// What the search found and where it went.
function showHead() {
  const best = summary.best[0];
  const lead = $("#lead");
  if (!best) {
    const ended = about.cannot_run + about.failed;
    lead.textContent = ended ? `No simulation has succeeded yet; ${ended} ended without a result. ` : "No simulation has ended yet.";
    if (ended) lead.append(element("a", "Why", {href: "#failures"}));
  }
  else if (!best.feasible) { lead.textContent = `No feasible design yet (0 of ${about.done} feasible); least violation ${number(about.violation, 4)} at ${runsOf(best)}.`; lead.className = "bad"; }
  else if (summary.front) lead.textContent = `Front of ${summary.front.ids.length} design${summary.front.ids.length === 1 ? "" : "s"}, hypervolume ${number(summary.front.hypervolume)} with the reference point ${summary.front.objectives.map((o) => `${o.name} ${number(o.reference)}${o.chosen ? " (from the results)" : ""}`).join(", ")}${about.n_feasible >= 0 ? `; ${about.n_feasible} of ${about.done} feasible` : ""}.`;
  else lead.textContent = `Best ${about.quantity} ${objectiveOf(best)}${about.unit ? ` ${about.unit}` : ""}, ${runsOf(best)} of ${about.proposed}${about.n_feasible >= 0 ? `; ${about.n_feasible} of ${about.done} feasible` : ""}.`;
  const other = model.recommended;
  if (best && best.feasible && other && other.id !== best.id && !summary.front)
    lead.append(` ${best.runs ? "A" : "Values are noisy, and this is the luckiest one: a"} model of ${other.of_all ? "all results" : "the 10 000 results nearest to the best designs"} recommends evaluation ${other.id}, ${objective(lowered(other.mean), 5)} without noise, give or take ${lowered(other.sd).toPrecision(2)}.`);
  if (about.pending > 0) lead.append(` ${about.pending} had no result yet when this page was made.`);
  if (about.damage) lead.before(element("p", `The journal is damaged, and this page may not be complete: ${about.damage}.`, {className: "bad", id: "damage"}));
  if (about.absent) lead.after(element("p", `Left out because its model failed: ${about.absent}. The campaign's log says why.`, {className: "bad", id: "absent"}));
  if (about.corrections.length) lead.after(element("p", `Corrections: ${about.corrections.join("; ")}.`, {id: "corrections"}));
  if (about.changes.length) lead.after(element("p", `Changes by resumes: ${about.changes.map(c => `${c.made}: ${c.items.join(", ")}`).join("; ")}.`, {id: "changes"}));
  const goal = several ? objectives.map((o) => `${o.maximize ? "more" : "less"} ${o.name}`).join(", ") : about.goal;
  const facts = [["goal", goal], ["method", about.method],
    ["evaluations", about.evaluations], ...(about.cost ? [["cost", about.cost]] : []), ...(about.ended ? [["ended by", about.ended]] : []),
    ["done", about.done], ...(about.n_feasible >= 0 ? [["feasible", `${about.n_feasible} of ${about.done}`]] : []), ...(about.penalties ? [["penalties among them", about.penalties]] : []), ["cannot run", about.cannot_run], ...(about.imported ? [["imported, not counted", about.imported]] : []), ...(about.elsewhere ? [["outside of what is allowed", about.elsewhere]] : []), ["failed", about.failed], ["pending", about.pending], ...(about.discarded ? [["discarded", about.discarded]] : []),
    ["time", duration(about.seconds)],
    ["slots busy", about.busy === null ? "–" : `${(100 * about.busy / (about.seconds * about.slots)).toFixed(0)} % of ${about.slots}`],
    ["seed", about.seed]];
  for (const [name, value] of facts) {
    const pair = element("div", null, {className: name === "goal" && String(value).length > 16 ? "wide" : ""});
    pair.append(element("dt", name), element("dd", value));
    $("#facts").append(pair);
  }
  $("#foot").textContent = `Made ${about.made} by gannet ${about.version}. Pictures: Apache ECharts ${echarts.version}.`;
  if (count < about.proposed) $("#foot").textContent += ` Pictures of single evaluations show ${count} of ${about.proposed}: all steps of the best value, failures, and a regular choice of the others.`;
}

const hollow = () => ({color: "transparent", borderColor: colors.soft, borderWidth: 1.3});
const lost = indices.filter((i) => columns.status[i] > DONE);
const shownInfeasible = () => onlyFeasible ? [] : infeasible;
const shownLost = () => onlyFeasible ? [] : lost;
function showSwitch() {
  if (infeasible.length + lost.length && ordered.length) toggle($("#switch"), "only feasible designs in all pictures of designs", (on) => { onlyFeasible = on; redraw(); });
  else hide("switch");
}
const lostName = about.penalties ? "no result or a penalty" : "no result";

function showProgress() {
  if (summary.front || (!ordered.length && !infeasible.length)) return hide("progress"); // of several objectives none is the best
  const state = {time: false, log: false, near: Boolean(summary.range.stretched)};
  const {best: low, worst: high} = summary.range, some = low !== undefined, canLog = some && Math.min(low, high) > 0;
  const at = (i) => state.time ? columns.ended[i] / clock.size : columns.id[i] + 1;
  const kinds = [["feasible", (i) => columns.status[i] === DONE && columns.feasible[i] && !columns.imported[i], "circle", "accent"],
    ["not feasible", (i) => columns.status[i] === DONE && !columns.feasible[i] && !columns.imported[i], "triangle", "soft"],
    ["imported", (i) => columns.status[i] === DONE && columns.imported[i], "diamond", "soft"]].filter(([, filter]) => indices.some(filter));
  const entry = chart($("#progress .chart"), () => {
    const last = state.time ? about.seconds / clock.size : about.proposed;
    const steps = (state.time ? summary.trace_time : summary.trace).map(([n, seconds, value]) => [state.time ? seconds / clock.size : n, value]);
    if (steps.length) steps.push([last, steps[steps.length - 1][1]]);
    const range = {};
    if (state.near && some) range[about.goal === "minimize" ? "max" : "min"] = summary.range.better;
    const edge = range.max !== undefined ? range.max : range.min !== undefined ? range.min : some ? high : 0;
    const inside = (i) => about.goal === "minimize" ? !(columns.objective[i] > range.max) : !(columns.objective[i] < range.min);
    return {
      grid: grid({left: 70 + room(low, high, true), bottom: 70}), legend: {bottom: 0, itemWidth: 16, itemHeight: 9, textStyle: {color: colors.soft}},
      tooltip: tooltip((p) => p.seriesName === "best so far" ? `best so far: ${objective(p.value[1], 8)}` : designText(p.value[2])),
      xAxis: axis(state.time ? `${clock.name} since the first start` : "evaluations", {type: "value", min: 0, max: last, scale: false, minInterval: state.time ? 0 : 1, axisLabel: {color: colors.soft, hideOverlap: true, showMaxLabel: !state.time}}),
      yAxis: upright(about.objective, Object.assign({finer, lifts: true, nameGap: 52 + room(low, high, true), type: state.log && canLog ? "log" : "value"}, range)),
      dataZoom: [{type: "inside", filterMode: "none"}],
      series: kinds.filter(([name]) => !onlyFeasible || name !== "not feasible").map(([name, filter, symbol, color]) => ({
        name, type: "scatter", symbol, symbolSize: 5, itemStyle: Object.assign(color === "soft" ? hollow() : {color: colors[color]}, {opacity: count > 3000 ? 0.3 : 0.55}), large: count > 5000,
        data: indices.filter((i) => filter(i) && inside(i)).map((i) => [at(i), columns.objective[i], i])
      })).concat([{name: "best so far", type: "line", step: "end", showSymbol: false, lineStyle: {width: 2.5}, itemStyle: {color: colors.good}, data: steps},
        {name: lostName, type: "scatter", symbol: "pin", symbolSize: 9, itemStyle: {color: colors.bad}, data: shownLost().map((i) => [at(i), edge, i])}])
        .filter((s) => s.data.length || s.name === "best so far")
    };
  }, (p) => p.seriesName === "best so far" ? null : evaluationOf(p.value[2]));
  const controls = $("#progress-controls");
  toggle(controls, "against wall time", (on) => { state.time = on; draw(entry); });
  if (canLog) toggle(controls, "logarithmic", (on) => { state.log = on; draw(entry); });
  toggle(controls, "only the better part", (on) => { state.near = on; draw(entry); }, state.near);
}

async function copy(text, button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch (unused) { // pages opened from a file may not have the clipboard
    const area = element("textarea", text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.textContent = "copied";
  $("#said").textContent = "copied";
  setTimeout(() => { button.textContent = label; }, 1500);
}
// Forms of a design that other programs read; numbers as the simulation gave them.
const asNumber = (v) => v.type !== "categorical";
const isInactive = (text, k) => text === "" && summary.variables[k].conditional;
const active = (row) => summary.variables.map((v, k) => k).filter((k) => !isInactive(row.x[k], k));
const inCommas = (text) => /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
const forms = [["lines", (row) => active(row).map((k) => `${summary.variables[k].name} ${row.x[k]}`).join("\n") + "\n"],
  ["JSON", (row) => `{${active(row).map((k, at, list, v = summary.variables[k]) => `${JSON.stringify(v.name)}: ${asNumber(v) ? row.x[k] : JSON.stringify(row.x[k])}`).join(", ")}}\n`],
  ["CSV", (row) => `${summary.variables.map((v) => inCommas(v.name)).join(",")}\n${row.x.map(inCommas).join(",")}\n`]];
// Where designs were run several times: the standard error of the mean, and the evaluations.
const errorOf = (row) => row.runs && row.error !== null ? ` ± ${lowered(row.error).toPrecision(2)}` : "";
// The objective of a row; a mean with an error has the digits that its error leaves.
function objectiveOf(row) {
  const value = lowered(Number(row.objective)), error = row.runs && row.error !== null ? lowered(row.error) : 0;
  const digits = error > 0 && value !== 0 ? Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(error)) + 2 : 8;
  return (error > 0 ? lifted(value, Math.min(Math.max(digits, 1), 8)) : objective(value, 8)) + errorOf(row);
}
const runsOf = (row) => row.runs ? `${row.runs} runs, evaluations ${row.evaluations.split(" ").join(", ")}` : `evaluation ${row.id}`;
function tableText(rows) {
  const joined = rows.some((row) => row.runs);
  const names = ["id", several ? about.quantity : "objective", ...(joined ? ["error", "evaluations"] : []), ...summary.variables.map((v) => v.name), ...summary.constraints.map((c) => c.name), ...summary.labels];
  return [names, ...rows.map((row) => [String(row.id), row.objective, ...(joined ? [String(row.error ?? ""), String(row.evaluations ?? row.id)] : []), ...row.x, ...row.c.map(String), ...row.labels])].map((line) => line.map(inCommas).join(",")).join("\n") + "\n";
}
function showBest() {
  if (!summary.best.length) return hide("best");
  const front = summary.front ? new Set(summary.front.ids) : null;
  if (front) { // best in the first objective first; the others as they are ranked
    const sign = objectives[0].maximize ? -1 : 1, [on, off] = [true, false].map((wanted) => summary.best.filter((row) => front.has(row.id) === wanted));
    summary.best = on.sort((a, b) => sign * (Number(a.objective) - Number(b.objective))).concat(off);
  }
  const state = {form: 0, rows: 8}, controls = $("#best .controls"), others = objectives.slice(1).map((o) => o.place);
  const body = fillHead($("#best table"), ["", "evaluation", ...(front ? ["front"] : []), about.objective, ...others.map((k) => labelled(summary.constraints[k])), ...summary.labels,
    ...summary.variables.map(labelled), ...constraints.map((k) => labelled(summary.constraints[k]))]);
  const mark = () => [...body.rows].forEach((line) => line.classList.toggle("chosen", chosen !== null && chosen.id === Number(line.dataset.id)));
  const fill = () => {
    body.replaceChildren();
    summary.best.slice(0, state.rows).forEach((row) => {
      const line = element("tr"), cell = element("td"), button = element("button", "copy", {type: "button"});
      button.setAttribute("aria-label", `copy evaluation ${row.id}`);
      button.addEventListener("click", () => copy(forms[state.form][1](row), button));
      cell.append(button);
      line.dataset.id = row.id;
      const show = element("button", "show", {type: "button"});
      show.setAttribute("aria-label", `show evaluation ${row.id}`);
      show.addEventListener("click", () => { chooseId(row.id); $("#design").scrollIntoView({block: "nearest"}); });
      cell.append(" ", show);
      const place = element("td");
      if (row.runs) place.append(row.evaluations); else place.append(folderLink(row.id));
      if (row.like) place.append(element("span", ` ${row.like} run${row.like > 1 ? "s" : ""} like it`, {className: "like", title: `evaluation${row.like > 1 ? "s" : ""} ${row.alike.join(", ")}${row.like > row.alike.length ? ", …" : ""}: no variable differs by more than 1 % of its range`}));
      line.append(cell, place, ...(front ? [element("td", row.id === summary.front.knee ? "knee" : front.has(row.id) ? "yes" : "no")] : []), element("td", objectiveOf(row) + (row.feasible ? "" : " (not feasible)"), {className: row.feasible ? "" : "bad"}));
      others.forEach((k) => line.append(element("td", number(row.c[k], 8))));
      row.labels.forEach((text) => line.append(element("td", text)));
      row.x.forEach((text, k) => line.append(element("td", isInactive(text, k) ? "-" : ["real", "integer"].includes(summary.variables[k].type) ? valueText(summary.variables[k], Number(text)) : text, {title: text})));
      constraints.forEach((k) => line.append(element("td", number(row.c[k]))));
      body.append(line);
    });
    mark();
  };
  listeners.push(mark);
  fill();
  chooser(controls, "copy as", forms.map(([name]) => name), 0, (k) => { state.form = k; });
  const all = element("button", "copy the table", {type: "button"});
  all.addEventListener("click", () => copy(tableText(summary.best.slice(0, state.rows)), all));
  controls.append(all, " ");
  about.bounds.forEach((text) => $("#bounds").append(element("li", text)));
  $("#bounds").hidden = !about.bounds.length;
  if (summary.best.length > 8) toggle(controls, several ? `all ${summary.best.length}` : `the best ${summary.best.length}`, (on) => { state.rows = on ? summary.best.length : 8; fill(); });
}

// Ranks of feasible designs spread the colours out whatever the values are; others are hollow and grey.
const infeasible = indices.filter((i) => columns.status[i] === DONE && !columns.feasible[i]);
// Of several objectives one gives the colours.
let colored = 0, ordered, rank;
function rankBy(m) {
  const sign = objectives[m].maximize ? -1 : 1, value = (i) => sign * valueOf(m, i);
  colored = m;
  ordered = indices.filter((i) => columns.status[i] === DONE && columns.feasible[i]).sort((a, b) => value(a) - value(b));
  rank = new Float64Array(count).fill(NaN);
  ordered.forEach((i, place) => { rank[i] = ordered.length > 1 ? place / (ordered.length - 1) : 0; });
}
rankBy(0);
const colorBoxes = [];
function colorChooser(parent, entry) {
  if (!several) return;
  chooser(parent, "colours by", objectives.map((o) => o.name), colored, (m) => {
    rankBy(m);
    colorBoxes.forEach(([box, other]) => { box.value = m; draw(other); });
  });
  colorBoxes.push([parent.querySelector("label:last-of-type select"), entry]);
}
function rankScale(more) {
  return Object.assign({min: 0, max: 1, dimension: 0, calculable: true, orient: "horizontal", left: "center", bottom: 0, itemHeight: 140,
    text: ["worst", "best"], textStyle: {color: colors.soft}, inRange: {color: colors.scale}, formatter: (v) => `${Math.round(100 * v)} %`}, more || {});
}

const LETTER = 7; // width of a letter of the usual size, in pixels

// Axes of the parallel coordinates: variables, constraints, objectives. value: of an evaluation, as the axis takes it.
function parallelAxes() {
  const text = (v, value) => v.type === "real" || v.type === "integer" ? value : value === null ? null : valueText(v, value);
  const plain = (about, range, write, value) => {
    const pad = range.high > range.low ? 0 : Math.abs(range.low) || 1, digits = fineness(range.low, range.high); // an axis needs a length
    const customValues = pad || digits > 2 ? undefined : ticksOf(range.low, range.high, 6);
    return {name: labelled(about), value, axis: {scale: true, min: range.low - pad, max: range.high + pad, ...(customValues ? {axisTick: {customValues}} : {})}, write};
  };
  const variables = searched().slice(0, 30).map((k, at, all, v = summary.variables[k]) => ({name: labelled(v), value: (i) => text(v, columns.x[k][i]), axis: variableAxis(v),
    write: (x) => number(x, 3 + fineness(v.lower, v.upper))}));
  const bounded = constraints.slice(0, 12).map((k) => {
    const values = indices.map((i) => columns.c[k][i]).filter((v) => v !== null);
    const range = {low: values.reduce((a, b) => Math.min(a, b), Infinity), high: values.reduce((a, b) => Math.max(a, b), -Infinity)};
    return values.length && plain(summary.constraints[k], range, (x) => number(x, 3 + fineness(range.low, range.high)), (i) => columns.c[k][i]);
  }).filter(Boolean);
  const end = (i) => columns.status[i] === DONE ? columns.feasible[i] ? "feasible" : "not feasible" : columns.status[i] === CANNOT_RUN ? "cannot run" : "failed";
  const ends = ["failed", "cannot run", "not feasible", "feasible"].filter((word) => indices.some((i) => end(i) === word)); // others would only take room
  const result = infeasible.length + lost.length ? [{name: "result", value: end, axis: {type: "category", data: ends}}] : [];
  return [...variables, ...bounded, ...result, ...objectives.map((o, m) => plain(several ? o : {name: about.objective}, rangeOf(m), (x) => objectiveText(m, x, 3), (i) => valueOf(m, i)))];
}
// Texts of at most so many letters each. Long ones lose their end; where two would then be alike, all lose their middle, or their beginning, or at last are numbered.
function shortened(texts, letters) {
  const cuts = [(text, most) => text.slice(0, most - 1) + "…", (text, most) => text.slice(0, Math.ceil(most / 2) - 1) + "…" + text.slice(text.length - Math.floor(most / 2)),
    (text, most) => "…" + text.slice(text.length - most + 1)];
  const all = cuts.map((cut) => texts.map((text, k) => text.length > letters[k] ? cut(text, letters[k]) : text));
  const distinct = all.find((some) => new Set(some).size === new Set(texts).size);
  if (distinct) return distinct;
  const earlier = all[1].map((text, k) => all[1].slice(0, k).filter((other) => other === text).length);
  return all[1].map((text, k) => earlier[k] ? text.slice(0, letters[k] - 1 - `${earlier[k] + 1}`.length) + `…${earlier[k] + 1}` : text);
}
function showParallel() {
  if (!ordered.length && !infeasible.length) return hide("parallel");
  const note = $("#parallel .note"), last = objectives.length - 1;
  if (several) note.textContent = note.textContent.replace("narrows the objective.", "narrows the objective that gives the colours. Click a line to choose its design.");
  const others = () => shownInfeasible().filter((i, place) => place % Math.ceil(infeasible.length / 500) === 0);
  const failures = () => shownLost().filter((i, place) => place % Math.ceil(lost.length / 300) === 0);
  if (infeasible.length) note.textContent += " Grey: not feasible.";
  if (lost.length) note.textContent += ` Red: ${lostName}.`;
  const choice = () => ordered.length > 1500 ? ordered.filter((i, place) => place < 150 || place % Math.ceil(ordered.length / 1000) === 0) : ordered;
  if (choice().length < ordered.length) note.textContent += ` Shown: the best 150 and a regular choice of ${choice().length - 150} others.`;
  if (constraints.length > 12) note.textContent += ` The first 12 of ${constraints.length} constraints.`;
  const axes = parallelAxes(), line = (i) => [rank[i], ...axes.map((one) => one.value(i)), i];
  const label = () => ({color: colors.ink, textBorderColor: colors.paper, textBorderWidth: 3, fontSize: 11});
  // On a narrow screen the axes lie below each other.
  const isNarrow = () => $("#parallel .chart").clientWidth < 560 && axes.length > 4;
  const gap = () => Math.max(($("#parallel .chart").clientWidth - 120) / Math.max(axes.length - 1, 1) - 6, 24);
  // Long names stand in two rows, which gives each twice the width; the first and the last end at the edges of the page.
  const staggers = () => !isNarrow() && axes.some((one) => one.name.length * LETTER > gap());
  const nameWidth = (place) => isNarrow() ? 82 : staggers() ? Math.min(place === 0 ? 96 : place === axes.length - 1 ? 136 : 180, 2 * gap()) : Math.min(90, gap());
  const names = () => shortened(axes.map((one) => one.name), axes.map((one, place) => Math.floor(nameWidth(place) / LETTER)));
  // Words end before the labels of the next axis begin; the whole word is shown where the pointer rests.
  const labelWidth = (one) => isNarrow() ? Math.min(90, ($("#parallel .chart").clientWidth - 134) / (one.axis.data || [0]).length - 4) : Math.max(Math.min(90, gap()) - 12, 18);
  const marked = () => chosen !== null && chosen.i !== undefined ? [[0, ...line(chosen.i).slice(1)]] : [];
  if (isNarrow()) $("#parallel .chart").style.height = `${130 + 52 * axes.length}px`;
  const entry = chart($("#parallel .chart"), () => ({
    parallel: isNarrow() ? {layout: "vertical", left: 100, right: 34, top: 34, bottom: 96} : {left: 50, right: 70 + (lifts(last) ? room(summary.range.best, summary.range.worst, true) : room(rangeOf(last).low, rangeOf(last).high)), top: 54, bottom: 70, axisExpandable: axes.length > 13, axisExpandWidth: 80, axisExpandCount: 10},
    parallelAxis: axes.map((one, place) => Object.assign({dim: place + 1, name: names()[place], nameLocation: isNarrow() ? "start" : "end", nameGap: staggers() && (axes.length - place) % 2 === 0 ? 31 : 15, nameTruncate: {maxWidth: nameWidth(place) + 8}, nameTextStyle: {color: colors.ink}, axisLine: {lineStyle: {color: colors.soft}}, triggerEvent: true},
      one.axis, {axisLabel: Object.assign(label(), {width: labelWidth(one), overflow: "truncate", hideOverlap: true, interval: isNarrow() && one.axis.data && one.axis.data.length < 6 ? 0 : "auto", customValues: one.axis.axisTick && one.axis.axisTick.customValues, formatter: one.axis.type === "log" && one.axis.axisLabel ? one.axis.axisLabel.formatter : (x) => typeof x === "number" ? one.write(x) : x})})),
    visualMap: ordered.length ? rankScale({seriesIndex: 2}) : undefined,
    series: [{type: "parallel", name: "not feasible", lineStyle: {width: 1, color: colors.soft, opacity: 0.25}, inactiveOpacity: 0.02, activeOpacity: 0.5, data: others().map((i) => [0, ...line(i).slice(1)])},
      {type: "parallel", name: lostName, lineStyle: {width: 1, color: colors.bad, opacity: 0.4}, inactiveOpacity: 0.02, activeOpacity: 0.6, data: failures().map((i) => [0, ...line(i).slice(1)])},
      {type: "parallel", name: "feasible", lineStyle: {width: 1, opacity: ordered.length > 500 ? 0.3 : 0.5}, inactiveOpacity: 0.03, activeOpacity: 0.8, data: choice().slice().reverse().map(line)},
      {type: "parallel", id: "chosen", name: "chosen", silent: true, z: 5, lineStyle: {width: 3, color: colors.bad, opacity: 1}, data: marked()}]
  }), (p) => evaluationOf(p.value[p.value.length - 1]));
  listeners.push(() => entry.instance.setOption({series: [{id: "chosen", data: marked()}]}));
  colorChooser($("#parallel .controls"), entry);
}

function showProjection() {
  const kept = searched();
  if (kept.length < 2) return hide("projection");
  const byWeight = kept.slice().sort((a, b) => model.importance && model.importance.length ? model.importance[b] - model.importance[a] : a - b);
  const axes = [byWeight[0], byWeight[1]];
  const first = summary.best.length && summary.best[0].feasible ? indices.filter((i) => columns.id[i] === summary.best[0].id) : [];
  const best = () => !several ? first : chosen !== null && chosen.i !== undefined ? [chosen.i] : [];
  const at = (i) => [columns.x[axes[0]][i], columns.x[axes[1]][i]];
  const point = (i, value) => ({value: [...at(i), value, i], symbolOffset: jitter(i, axes)});
  const upRoom = () => room(summary.variables[axes[1]].lower, summary.variables[axes[1]].upper);
  const entry = chart($("#projection .chart"), () => ({
    grid: grid({left: 70 + upRoom(), bottom: 100}), tooltip: tooltip((p) => designText(p.value[3])), visualMap: ordered.length ? rankScale({dimension: 2, seriesIndex: 0}) : undefined,
    xAxis: axis(labelled(summary.variables[axes[0]]), roomyAxis(summary.variables[axes[0]])),
    yAxis: upright(labelled(summary.variables[axes[1]]), Object.assign({nameGap: 52 + upRoom()}, roomyAxis(summary.variables[axes[1]], 42))),
    series: [
      {name: "designs", type: "scatter", symbolSize: count > 3000 ? 4 : 8, itemStyle: {opacity: 0.8}, data: ordered.slice().reverse().map((i) => point(i, rank[i]))},
      {name: "not feasible", type: "scatter", z: 1, symbol: "circle", symbolSize: count > 3000 ? 4 : 8, itemStyle: hollow(), data: shownInfeasible().map((i) => point(i, 0))},
      {name: lostName, type: "scatter", symbol: "path://M0,0 L10,10 M0,10 L10,0", symbolSize: 8, itemStyle: {color: "none", borderColor: colors.bad, borderWidth: 2}, data: shownLost().map((i) => point(i, 0))},
      {name: several ? "chosen" : "best", id: "best", type: "scatter", symbol: "diamond", symbolSize: 17, silent: true, itemStyle: {color: "none", borderColor: colors.bad, borderWidth: 3}, data: best().map((i) => [...at(i), 0, i])}]
  }), (p) => evaluationOf(p.value[3]));
  if (several) listeners.push(() => entry.instance.setOption({series: [{id: "best", data: best().map((i) => [...at(i), 0, i])}]}));
  const names = kept.map((k) => summary.variables[k].name);
  [0, 1].forEach((side) => chooser($("#projection .controls"), side ? "up:" : "across:", names, kept.indexOf(axes[side]), (k) => { axes[side] = kept[k]; draw(entry); }));
  $("#projection .controls").append(infeasible.length ? "Hollow and grey: not feasible. " : "", lost.length ? `Crosses: ${lostName}. ` : "", several ? "Diamond: the design that is chosen. " : first.length ? "Diamond: the best design of the table." : "");
  colorChooser($("#projection .controls"), entry);
}

function showConstraints() {
  if (!constraints.length || !(ordered.length + infeasible.length)) return hide("constraints");
  summary.constraints.forEach((c, k) => {
    if (c.objective) return;
    const bad = (v) => (c.upper !== null && v > c.upper) || (c.lower !== null && v < c.lower);
    const shown = indices.filter((i) => columns.c[k][i] !== null);
    const part = (wanted) => shown.filter((i) => bad(columns.c[k][i]) === wanted).map((i) => [columns.id[i] + 1, columns.c[k][i], i]);
    const values = shown.map((i) => columns.c[k][i]).concat([c.lower, c.upper].filter((v) => v !== null));
    const [low, high] = values.length ? [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))] : [0, 1];
    const digits = fineness(low, high), more = room(low, high);
    const title = `${labelled(c)}: satisfied by ${percent(c.kept || 0)} of the results`;
    chart(holderIn($("#constraints .grid"), title), () => Object.assign(small(title), {
      grid: {left: 58 + more, right: 48 + more, top: 34, bottom: 42}, tooltip: tooltip((p) => designText(p.value[2])), xAxis: axis("evaluations", {nameGap: 24, type: "value", min: 0, max: about.proposed, minInterval: 1, axisLabel: {color: colors.soft, hideOverlap: true, showMaxLabel: false}}), yAxis: axis("", {finer: digits}),
      series: [["satisfied", false, "circle", "accent"], ["violated", true, "triangle", "soft"]].map(([name, wanted, symbol, color]) => ({
        name, type: "scatter", symbol, symbolSize: 4, large: count > 5000, data: part(wanted), itemStyle: Object.assign(wanted ? hollow() : {color: colors[color]}, {opacity: 0.6}),
        markLine: wanted ? undefined : {symbol: "none", silent: true, precision: -1, label: {color: colors.soft, formatter: (p) => number(p.value, 4 + digits)}, lineStyle: {color: colors.bad},
          data: [c.lower, c.upper].filter((v) => v !== null).map((v) => ({yAxis: v}))}}))
    }));
  });
}
