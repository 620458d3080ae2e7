"use strict";
// The data of one campaign, and how its values are written.
const {columns, course, model, summary} = data;
const about = summary.campaign;
const PENDING = 0, DONE = 1, CANNOT_RUN = 2;
const count = columns.id.length;
const indices = Array.from({length: count}, (unused, i) => i);
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
const clock = clockOf(about.seconds); // in which times of the whole campaign read well

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
