// The page of qcc explain: steps, what computes them, and how long they take.

const report = data.report, profile = data.profile, baseline = data.baseline, peaks = data.peaks;
const KINDS = {
  contract: {css: "contract", text: "integer kernel", color: "var(--fast)"},
  float: {css: "float", text: "float kernel", color: "var(--float)"},
  pack: {css: "pack", text: "packing", color: "var(--pack)"},
  loop: {css: "loop", text: "generic loops", color: "var(--loop)"},
};
const steps = report.kernels.map((step, index) => ({...step, index}));
const isTimed = entry => Boolean(profile) && profile.entry === entry.name;
const timesOf = measured => new Map(measured ? measured.steps.map(step => [measured.entry + " " + step.name, step]) : []);
const times = timesOf(profile), earlier = timesOf(baseline);
const timeOf = step => times.get(step.entry + " " + step.step);
const earlierOf = step => earlier.get(step.entry + " " + step.step);

function kindOf(step) {
  if (step.atom)
    return KINDS[step.work === "float contraction" ? "float" : "contract"];
  return KINDS[step.kind === "pack" ? "pack" : "loop"];
}
function titleOf(step) {
  return [step.model_op, step.layer].filter(Boolean).join(" ") || step.fused[step.fused.length - 1] || step.kind;
}
const rowId = step => "step-" + step.index;
const nodeId = step => "node-" + step.index;
/** A number, or NaN where a formula such as "2097152*d0 + 960" depends on sizes. */
const numberOf = formula => /^\d+$/.test(formula) ? Number(formula) : NaN;
const operationsOf = step => (timeOf(step) || {operations: numberOf(step.operations)}).operations;
const bytesOf = step => (timeOf(step) || {bytes: numberOf(step.bytes)}).bytes;
const secondsOf = step => (timeOf(step) || {}).seconds;
const earlierSecondsOf = step => (earlierOf(step) || {}).seconds;
const perSecond = (amount, time) => amount > 0 && time > 0 ? amount / time : null;
const rateOf = step => perSecond(operationsOf(step), secondsOf(step));
const savedOf = step => isKnown(secondsOf(step)) && isKnown(earlierSecondsOf(step)) ? earlierSecondsOf(step) - secondsOf(step) : null;

// Peaks

/** The rate that contractions are compared with: of the machine, or else of the fastest of these steps. */
function peakFor(own, isFloat) {
  if (peaks)
    return peaks[isFloat ? "float" : "integer"];
  const rates = own.filter(step => step.atom && kindOf(step) === KINDS[isFloat ? "float" : "contract"]).map(rateOf);
  const rate = largestOf(rates);
  return rate ? {rate, name: "the fastest " + (isFloat ? "float" : "integer") + " step"} : null;
}
function bandwidthFor(own) {
  if (peaks)
    return peaks.bandwidth;
  const rate = largestOf(own.map(step => perSecond(bytesOf(step), secondsOf(step))));
  return rate ? {rate, name: "the step that moves most bytes per second"} : null;
}
/** Gives the share of the peak that a step reached. Only contractions have one. */
function sharesOfPeak(own) {
  const integer = peakFor(own, false), float = peakFor(own, true);
  return step => {
    const peak = kindOf(step) === KINDS.float ? float : integer, rate = rateOf(step);
    return step.atom && peak && rate ? rate / peak.rate : null;
  };
}

// The figure of steps

/** A lane for the value of each step, from the step that writes it to the last that reads it. */
function assignLanes(own) {
  const position = new Map(own.map((step, i) => [step.step, i]));
  const last = own.map((_, i) => i);
  own.forEach((step, i) => step.reads.forEach(name => {
    if (position.has(name))
      last[position.get(name)] = i;
  }));
  const busyUntil = [], lanes = [];
  own.forEach((step, i) => {
    let lane = busyUntil.findIndex(until => until <= i);
    if (lane < 0)
      lane = busyUntil.length;
    busyUntil[lane] = last[i];
    lanes.push(lane);
  });
  return {position, lanes, count: busyUntil.length};
}

function drawFlow(own, room, readout) {
  const graph = assignLanes(own), gap = Math.max(4, Math.min(20, 260 / graph.count));
  const apart = Math.max(18, Math.min(40, (room - 32) / Math.max(1, own.length - 1)));
  const x = i => 16 + apart * i, y = i => 16 + gap * graph.lanes[i];
  const width = 32 + apart * (own.length - 1), height = 32 + gap * (graph.count - 1);
  const svg = draw("svg", {width, height, viewBox: `0 0 ${width} ${height}`});
  own.forEach((step, i) => {
    for (const name of step.reads.filter(name => graph.position.get(name) < i)) {
      const from = graph.position.get(name), bend = Math.min(20, x(i) - x(from));
      svg.append(draw("path", {fill: "none", stroke: "var(--soft)", "stroke-width": 1.3,
        d: `M${x(from)} ${y(from)} H${x(i) - bend} C${x(i) - bend / 2} ${y(from)} ${x(i) - bend / 2} ${y(i)} ${x(i)} ${y(i)}`}));
    }
  });
  const weight = step => (timeOf(step) ? secondsOf(step) : operationsOf(step)) || 0, most = largestOf(own.map(weight));
  own.forEach((step, i) => svg.append(drawPoint(
    {cx: x(i), cy: y(i), r: (3 + 5 * Math.sqrt(most ? weight(step) / most : 0)).toFixed(1), fill: kindOf(step).color},
    "#" + i + " " + titleOf(step) + (timeOf(step) ? ", " + seconds(secondsOf(step)) : ""), {href: "#" + rowId(step), id: nodeId(step)}, readout)));
  return svg;
}

function addFlow(entry, own) {
  const readout = make("p", {class: "small readout", "aria-live": "polite"},
                       "A point is a step, in the order of the program, the larger the more " +
                       (isTimed(entry) ? "time" : "operations") + " it takes. It leads to its row.");
  page.append(make("h3", {}, "Steps and what they read"),
              makeFigure("Steps and what they read", width => drawFlow(own, width, readout)), readout);
}

// Roofline

/** "20 G" for 2e10. */
function tickText(value) {
  const unit = COUNTS.find(unit => value >= unit.size) || COUNTS[COUNTS.length - 1];
  return String(Number((value / unit.size).toPrecision(2))) + " " + unit.name;
}

function drawRoofline(own, width, readout) {
  const points = own.map(step => ({step, x: operationsOf(step) / bytesOf(step), y: rateOf(step)})).filter(point => point.x > 0 && point.y > 0);
  const hasFloats = own.some(step => kindOf(step) === KINDS.float);
  const ceilings = [peakFor(own, false), hasFloats ? peakFor(own, true) : null].filter(Boolean).sort((a, b) => b.rate - a.rate), slope = bandwidthFor(own);
  const height = Math.round(Math.min(420, width * 0.6)), box = {left: 62, right: width - 14, top: 20, bottom: height - 42};
  const rates = points.map(point => point.y).concat(ceilings.map(ceiling => ceiling.rate)), top = Math.max(...rates);
  const xs = points.map(point => point.x);
  const x = logAxis(Math.min(...xs), Math.max(...xs), box.left, box.right);
  const y = logAxis(Math.max(Math.min(...points.map(point => point.y)), top / 1e6), top, box.bottom, box.top);
  const svg = draw("svg", {width, height, viewBox: `0 0 ${width} ${height}`});
  drawAxes(svg, x, y, box, {x: value => value >= 1 ? String(value) : value.toPrecision(1), y: tickText});
  svg.append(draw("text", {x: (box.left + box.right) / 2, y: height - 8, "text-anchor": "middle"}, "operations per byte"),
             draw("text", {x: box.left, y: 12}, "op/s"));
  const clip = value => Math.min(Math.max(value, y.low), y.high), dashed = peaks ? null : "5 4";
  for (const [i, ceiling] of ceilings.entries()) {
    const ridge = slope ? Math.min(Math.max(ceiling.rate / slope.rate, x.low), x.high) : x.low;
    svg.append(draw("line", {x1: x.at(ridge), x2: box.right, y1: y.at(ceiling.rate), y2: y.at(ceiling.rate), stroke: "var(--text)", "stroke-dasharray": dashed}),
               draw("text", {x: box.left + 4, y: y.at(ceiling.rate) + (i ? 13 : -5)}, ceiling.name + ", " + withUnit(ceiling.rate, COUNTS, "op/s")));
  }
  if (slope) {
    const from = Math.max(x.low, y.low / slope.rate), to = Math.min(x.high, (ceilings.length ? largestOf(ceilings.map(ceiling => ceiling.rate)) : y.high) / slope.rate);
    if (to > from)
      svg.append(draw("line", {x1: x.at(from), x2: x.at(to), y1: y.at(clip(from * slope.rate)), y2: y.at(clip(to * slope.rate)), stroke: "var(--text)", "stroke-dasharray": dashed}));
  }
  const most = largestOf(points.map(point => secondsOf(point.step)));
  for (const {step, x: intensity, y: rate} of points)
    svg.append(drawPoint({cx: x.at(intensity).toFixed(1), cy: y.at(clip(rate)).toFixed(1), r: (3 + 6 * Math.sqrt(secondsOf(step) / most)).toFixed(1),
                          fill: kindOf(step).color, "fill-opacity": 0.8},
      `${titleOf(step)}: ${withUnit(rate, COUNTS, "op/s")}, ${intensity.toPrecision(3)} operations per byte, ${seconds(secondsOf(step))}`,
      {href: "#" + rowId(step), id: null}, readout));
  return svg;
}

function addRoofline(entry, own) {
  const shown = own.filter(step => rateOf(step) && bytesOf(step) > 0);
  if (!isTimed(entry) || !shown.length)
    return;
  const slope = bandwidthFor(own);
  const readout = make("p", {class: "small readout", "aria-live": "polite"}, "A point is a step, the larger the more time it takes. It leads to its row." +
                       (shown.length < own.length ? ` ${own.length - shown.length} steps without operations have no point.` : ""));
  page.append(make("h3", {}, "Roofline"), makeFigure("Roofline", width => drawRoofline(own, width, readout)), readout,
    make("p", {class: "small"}, peaks
      ? `Lines: what this machine reached with ${peaks.threads} ${peaks.threads === 1 ? "thread" : "threads"}, as qcc-bench measured it` +
        (slope ? "; the slope is reading memory at " + withUnit(slope.rate, COUNTS, "B/s") : "") + ". Steps that read caches may be above the slope."
      : "Dashed lines: the most that a step of this profile reached" + (slope ? ` (${withUnit(slope.rate, COUNTS, "B/s")} for the slope)` : "") +
        ", not what the machine can do. --peaks gives that."));
}

// Rows

function computedBy(step) {
  const kind = kindOf(step);
  return [make("span", {class: "badge " + kind.css}, step.atom || kind.text),
          step.atom ? make("div", {class: "small"}, step.config + ", " + step.config_source) : null,
          step.refused ? make("div", {class: step.atom ? "small" : "why"}, step.refused) : null];
}
/** "64x3x7x7 i8, 64 scales from 0.0012 to 0.034 along dimension 0, zero point 0". */
function weightText(weight) {
  const range = (values, name) => {
    if (!values)
      return weight.type === "f32" ? "" : ", " + name + "s known only at run time";
    const short = value => String(Number(value.toPrecision(4)));
    const along = values.count > 1 && isKnown(weight.axis) ? " along dimension " + weight.axis : "";
    const several = values.count > 1 ? `, ${values.count} ${name}s` : `, ${name}`;
    return several + (values.min === values.max ? (values.count > 1 ? ", all " : " ") + short(values.min) : ` from ${short(values.min)} to ${short(values.max)}`) + along;
  };
  return (weight.shape.join("x") + " " + weight.type).trim() + range(weight.scales, "scale") + range(weight.zero_points, "zero point");
}
/** The steps that a step reads, as links to their rows. */
function readsOf(step) {
  const own = new Map(steps.filter(other => other.entry === step.entry).map(other => [other.step, other]));
  const links = step.reads.map(name => own.has(name) ? make("a", {href: "#" + rowId(own.get(name))}, name) : name);
  return links.flatMap((link, i) => i ? [", ", link] : [link]);
}
function details(step) {
  const list = make("dl");
  const add = (term, content, css) => {
    const all = (Array.isArray(content) ? content : [content]).filter(isKnown);
    if (all.length)
      list.append(make("dt", {}, term), make("dd", css ? {class: css} : {}, ...all));
  };
  add("step", step.step, "mono");
  add("place", step.location, "mono");
  add("computes", step.work);
  add("made of", step.fused.join(", "));
  add("reads", readsOf(step), "mono");
  add("writes", step.outputs.concat(step.results.map(name => "(" + name + ")")).join(" "), "mono");
  add("weight", step.weight ? weightText(step.weight) : "");
  add("operations", step.operations, "mono");
  add("bytes", step.bytes, "mono");
  if (step.atom)
    add("expected", (100 * step.expected_share_of_peak).toFixed(0) + " % of the peak of " + step.atom);
  if (step.kernel)
    add("kernel", step.kernel.name + ": blocks of " + step.kernel.threads + " threads, " + step.kernel.shared_bytes + " bytes of shared memory" +
        (isKnown(step.kernel.registers) ? `, ${step.kernel.registers} registers (${step.kernel.registers_by})` : ""));
  if (rateOf(step))
    add("reached", withUnit(rateOf(step), COUNTS, "op/s") + ", " + withUnit(perSecond(bytesOf(step), secondsOf(step)), COUNTS, "B/s"));
  add(step.atom ? "note" : "why no kernel", step.refused, step.atom ? "" : "why");
  if (step.kind === "pack")
    add("why packed", "the operand is not a constant of the program, so it is packed at every call");
  add("not tuned", step.not_tuned);
  for (const refusal of step.atoms_refused || [])
    add("not " + refusal.split(": ")[0], refusal.slice(refusal.indexOf(": ") + 2));
  return list;
}

/** The columns of times, which only steps with a profile have. */
function timeColumns(own) {
  const share = step => (timeOf(step) || {}).share;
  const columns = [
    numberColumn("time", own, secondsOf, TIMES),
    {title: "of time", value: share, isNumber: true, cell: step => isKnown(share(step))
      ? [percent(share(step), 1), make("div", {class: "meter"}, make("div", {style: "width:" + Math.min(100, 100 * share(step)) + "%"}))] : ""}];
  if (own.some(step => isKnown(step.expected_seconds)))
    columns.push({...numberColumn("expected", own, step => step.expected_seconds, TIMES), hint: "time that the cost model expects"});
  if (own.some(earlierOf)) {
    const ratio = step => perSecond(earlierSecondsOf(step), secondsOf(step));
    const saved = numberColumn("saved", own, savedOf, TIMES);
    columns.push(numberColumn("before", own, earlierSecondsOf, TIMES),
      {...saved, hint: "time of the baseline less time now; below 0 where the step became slower",
       cell: step => make("span", {class: savedOf(step) > 0 ? "gain" : savedOf(step) < 0 ? "loss" : ""}, saved.cell(step))},
      {title: "ratio", hint: "time of the baseline over time now; above 1 where the step became faster", value: ratio, isNumber: true,
       cell: step => isKnown(ratio(step)) ? ratio(step).toFixed(2) : ""});
  }
  const shareOfPeak = sharesOfPeak(own);
  columns.push({...numberColumn("rate", own, rateOf, COUNTS, "op/s"), css: own.some(earlierOf) ? "wide" : ""},
    {title: peaks ? "of peak" : "of fastest", value: shareOfPeak, isNumber: true,
     hint: peaks ? "share of the peak that qcc-bench measured" : "share of the rate of the fastest step of its kind, since --peaks gives no peak",
     cell: step => percent(shareOfPeak(step), 1)});
  return columns;
}

function stepTable(entry, own) {
  const number = new Map(own.map((step, i) => [step, i]));
  const work = [numberColumn("operations", own, operationsOf, COUNTS, "op"), numberColumn("bytes", own, bytesOf, BYTES)];
  const formulas = ["operations", "bytes"];
  const columns = [
    {title: "#", css: "lead index", value: step => number.get(step), cell: step => make("a", {href: "#" + nodeId(step), title: "show in the figure"},
      make("span", {class: "dot", style: "background:" + kindOf(step).color}), String(number.get(step)))},
    {title: "layer, output", css: "lead name", value: titleOf, opens: titleOf, cell: step => [make("div", {class: "small mono"}, step.outputs.join(", ")),
      step.results.length ? make("div", {class: "small"}, step.results.join(", ")) : null]},
    {title: "made of", css: "wide small", value: step => step.fused.join(", "), cell: step => step.fused.join(", ")},
    {title: "computed by", css: "lead how", value: step => step.atom || kindOf(step).text, cell: computedBy},
    ...(isTimed(entry) ? timeColumns(own) : []),
    ...work.map((column, i) => ({...column, css: isTimed(entry) ? "wide" : "", cell: step => column.cell(step) || step[formulas[i]]}))];
  const isCompared = own.some(earlierOf);
  return makeTable(columns, own, {sortBy: isCompared ? "saved" : isTimed(entry) ? "time" : "#", ascends: !isTimed(entry), more: details, id: rowId});
}

// The page

function addFacts(entry, own) {
  const count = kind => own.filter(step => kindOf(step) === KINDS[kind]).length;
  page.append(make("div", {class: "facts"},
    fact(own.length, "steps"), fact(count("contract"), "integer kernels"),
    count("float") ? fact(count("float"), "float kernels") : null, fact(count("loop"), "in generic loops"),
    count("pack") ? fact(count("pack"), "packed at every call") : null,
    fact(bytes(entry.arena_bytes), "of temporaries"), fact(bytes(entry.scratch_bytes), "scratch of each thread")));
}
function measurement(measured) {
  return [`${measured.runs} runs: median `, make("b", {}, seconds(measured.median_seconds)),
          `, ${withUnit(measured.operations_per_second, COUNTS, "op/s")}, ${measured.threads} ${measured.threads === 1 ? "thread" : "threads"}, ` +
          `on ${measured.device || measured.target}`];
}
function addTimes(entry, own) {
  if (!isTimed(entry))
    return;
  page.append(make("p", {}, ...measurement(profile)));
  if (baseline)
    page.append(make("p", {}, "Baseline: ", ...measurement(baseline),
      `. The entry is ${(baseline.median_seconds / profile.median_seconds).toFixed(2)} times as fast as before.`));
  const split = make("div", {class: "split"}), legend = make("p", {class: "small legend"});
  for (const kind of Object.values(KINDS)) {
    const part = own.filter(step => kindOf(step) === kind).reduce((sum, step) => sum + (timeOf(step) || {share: 0}).share, 0);
    if (!part)
      continue;
    split.append(make("div", {style: `width:${100 * part}%;background:${kind.color}`, title: kind.text}));
    legend.append(make("span", {}, make("span", {class: "badge " + kind.css}, kind.text), " " + (100 * part).toFixed(1) + " % of the time"));
  }
  page.append(split, legend);
}
/** Why steps are not faster, the most expensive reasons first. */
function addReasons(entry, own) {
  const {summary} = entry, byName = new Map(own.map(step => [step.step, step]));
  const rows = summary.reasons.map(reason => ({reason, steps: reason.names.map(name => byName.get(name))}));
  if (!rows.length)
    return;
  const share = (title, value) => ({title, value, isNumber: true, cell: row => percent(value(row), 1)});
  const part = key => row => summary[key] ? row.reason[key] / summary[key] : null;
  // Of a run, as the shares of steps and of kinds are: it may be longer than its steps.
  const ofTime = row => row.steps.reduce((sum, step) => sum + (timeOf(step) || {share: 0}).share, 0);
  const columns = [
    {title: "why not faster", css: "lead", value: row => row.reason.reason, cell: row => [row.reason.reason,
      row.reason.remedy ? make("div", {class: "small"}, "remedy: " + row.reason.remedy) : null,
      make("div", {class: "small"}, "in ", ...row.steps.slice(0, 12).flatMap(step => [make("a", {href: "#" + rowId(step)}, "#" + own.indexOf(step)), " "]),
           row.steps.length > 12 ? "and others" : null)]},
    {title: "steps", value: row => row.reason.steps, isNumber: true, cell: row => String(row.reason.steps)},
    ...(isTimed(entry) ? [numberColumn("time", rows, row => row.reason.seconds, TIMES), share("of time", ofTime)] : []),
    ...(rows.some(row => isKnown(row.reason.cost_seconds))
      ? [{...numberColumn("costs", rows, row => row.reason.cost_seconds, TIMES), hint: "time that the remedy is expected to save"}] : []),
    share("of operations", part("operations")), share("of bytes", part("bytes"))];
  page.append(make("h3", {}, "Why steps are not faster"), makeTable(columns, rows, {sortBy: isTimed(entry) ? "time" : ""}).node);
}
function addEntry(entry) {
  const own = steps.filter(step => step.entry === entry.name);
  if (report.entries.length > 1)
    page.append(make("h2", {}, "Entry " + entry.name));
  addFacts(entry, own);
  if (!own.length)
    return null;
  addTimes(entry, own);
  addReasons(entry, own);
  addFlow(entry, own);
  addRoofline(entry, own);
  const search = make("input", {type: "search", placeholder: "layer, op, instruction", "aria-label": "Filter"});
  const only = make("input", {type: "checkbox"});
  const table = stepTable(entry, own);
  const texts = new Map(own.map(step => [step, [step.step, step.model_op, step.layer, step.work, step.fused.join(" "), step.atom, step.refused,
                                                step.location].join(" ").toLowerCase()]));
  const filter = () => table.show(step => texts.get(step).includes(search.value.toLowerCase()) && (!only.checked || kindOf(step) === KINDS.loop));
  search.addEventListener("input", filter);
  only.addEventListener("change", filter);
  page.append(make("h3", {}, "All steps"), make("div", {class: "tools"}, search, make("label", {}, only, " only what has no kernel"),
    make("span", {class: "soft"}, "A click on a step shows all that is known of it; a click on the head of a column sorts.")), table.node);
  return table;
}

document.title = data.program + " - qcc explain";
page.append(make("h1", {}, data.program),
  make("p", {class: "soft"}, "compiled for ", make("b", {}, report.target), ": artifact of " + bytes(report.artifact_bytes) +
       ", " + report.distinct_kernels + " distinct kernels"));
followAddress(report.entries.map(addEntry).filter(Boolean));
