// Sorting, links, plots and names of a page of qcc explain: node check_explain_page.js MODE PAGE
"use strict";
const assert = require("assert"), {open, rows, head, column} = require("./page_dom.js");
const [mode, file] = process.argv.slice(2);
const {page, data, html, go, window} = open(file);
const tables = page.tags("table"), table = tables[tables.length - 1];
const numbers = title => column(table, title).filter(Boolean).map(text => parseFloat(text.replace("<", "")));
const isSorted = list => list.every((number, i) => !i || list[i - 1] >= number);
const click = title => head(table, title).tags("button")[0].dispatch("click");
const kernels = data.report.kernels;

// Every link leads to an element of the page, and every id is there once.
const ids = page.all(node => node.getAttribute("id")).map(node => node.getAttribute("id"));
assert.strictEqual(new Set(ids).size, ids.length);
for (const link of page.tags("a"))
  assert(ids.includes(link.getAttribute("href").slice(1)), link.getAttribute("href"));
for (let i = 0; i < kernels.length; ++i) {
  assert.strictEqual(page.id("node-" + i).getAttribute("href"), "#step-" + i);
  assert.strictEqual(page.id("step-" + i).tags("a")[0].getAttribute("href"), "#node-" + i);
}
console.log("each step has a point and a row, which lead to each other");

// Every head of every table sorts, both ways.
for (const each of tables)
  for (const cell of each.tags("th")) {
    const button = cell.tags("button")[0], states = new Set();
    for (let i = 0; i < 2; ++i) {
      button.dispatch("click");
      states.add(cell.getAttribute("aria-sort"));
    }
    assert.deepStrictEqual([...states].sort(), ["ascending", "descending"]);
    assert.strictEqual(each.tags("th").filter(other => other.getAttribute("aria-sort") !== "none").length, 1);
  }
console.log("each column sorts");
click("#");
assert.deepStrictEqual(column(table, "#").map(Number), kernels.map((_, i) => i));

// A click on a row shows its details, and an address opens the row, though a filter hides it.
const row = page.id("step-0"), more = table.css("more").find(line => table.tags("tbody")[0].children.indexOf(line) ===
                                                                    table.tags("tbody")[0].children.indexOf(row) + 1);
assert(more.hidden && more.children.length === 0);
row.dispatch("click");
assert(!more.hidden && more.textContent.includes(kernels[0].step));
row.tags("button")[0].dispatch("click");
assert(more.hidden && row.tags("button")[0].getAttribute("aria-expanded") === "false");
const search = page.tags("input").find(input => input.getAttribute("type") === "search");
search.value = "nothing has this text";
search.dispatch("input");
assert.strictEqual(rows(table).length, 0);
go("#step-0");
assert(rows(table).length === 1 && !more.hidden && row.scrolled === 1);
search.value = "";
search.dispatch("input");
console.log("rows open by click and by address");

if (mode === "plain") {
  assert(!head(table, "time") && page.tags("h3").every(title => title.textContent !== "Roofline"));
  console.log("no times without a profile");
}
if (mode === "timed" || mode === "compared") {
  // Time first, in one unit.
  const fresh = open(file).page, first = fresh.tags("table")[fresh.tags("table").length - 1];
  const by = mode === "timed" ? "time" : "saved";
  assert.strictEqual(head(first, by).getAttribute("aria-sort"), "descending");
  assert(isSorted(column(first, by).map(text => parseFloat(text.replace("<", "")))));
  assert(/^time, (s|ms|µs)/.test(head(table, "time").textContent) && column(table, "time").every(text => /^[<\d.]+$/.test(text)));
  // A point of the roofline for each step with operations, bytes and a time.
  const figure = page.css("figure").find(node => node.getAttribute("aria-label") === "Roofline");
  const shown = data.profile.steps.filter(step => step.operations > 0 && step.bytes > 0 && step.seconds > 0);
  assert.strictEqual(figure.tags("circle").length, shown.length);
  const at = name => +figure.tags("a").find(link => link.getAttribute("href") === "#step-" + kernels.findIndex(kernel => kernel.step === name))
    .tags("circle")[0].getAttribute("cx");
  const intensity = step => step.operations / step.bytes;
  for (const a of shown)
    for (const b of shown)
      assert(intensity(a) <= intensity(b) || at(a.name) >= at(b.name));
  const text = figure.textContent;
  assert(data.peaks ? text.includes(data.peaks.integer.name) : text.includes("the fastest "));
  assert(head(table, data.peaks ? "of peak" : "of fastest"));
  console.log(`${shown.length} points of the roofline`, data.peaks ? "below measured peaks" : "below the fastest step");
  if (data.peaks) {
    const step = data.profile.steps.find(timed => kernels.some(kernel => kernel.step === timed.name && kernel.atom));
    const share = 100 * step.operations / step.seconds / data.peaks.integer.rate;
    const index = column(table, "#").indexOf(String(kernels.findIndex(kernel => kernel.step === step.name)));
    assert.strictEqual(column(table, "of peak")[index], share.toFixed(1) + " %");
  }
  // Figures follow the width of the page.
  page.clientWidth = 390;
  window.dispatch("resize");
  assert.strictEqual(figure.tags("svg")[0].getAttribute("width"), "372");
}
if (mode === "timed") {
  // A report with expected times has a column of them, and hundreds of steps do not make the page slow.
  const many = report => ({...report, kernels: [].concat(...Array.from({length: 10}, (_, copy) => report.kernels.map(kernel => (
    {...kernel, step: kernel.step + (copy || ""), reads: kernel.reads.map(name => name + (copy || "")), expected_seconds: 0.002}))))});
  const start = Date.now(), large = open(file, all => ({...all, report: many(all.report)})).page, steps = large.tags("table").pop();
  assert.strictEqual(rows(steps).length, 10 * kernels.length);
  assert(head(steps, "expected").textContent === "expected, ms" && column(steps, "expected").every(text => text === "2.000"));
  assert(Date.now() - start < 30000, `${Date.now() - start} ms`);
  // The steps of a reason have the share of a run that is above the table, where a run is longer than its steps.
  const total = data.profile.steps.reduce((sum, step) => sum + step.seconds, 0);
  const reason = {reason: "why", remedy: "", names: kernels.map(kernel => kernel.step), steps: kernels.length, seconds: total,
                  operations: 1, bytes: 1, cost_seconds: null};
  const longer = open(file, all => ({...all,
    profile: {...all.profile, steps: all.profile.steps.map(step => ({...step, share: step.seconds / total / 2}))},
    report: {...all.report, entries: all.report.entries.map(entry => (
      {...entry, summary: {...entry.summary, seconds: total, reasons: [reason]}}))}})).page;
  assert.deepStrictEqual(column(longer.tags("table")[0], "of time"), ["50.0 %"]);
  const legend = longer.css("legend")[0].textContent, shares = legend.match(/[\d.]+(?= % of the time)/g).map(Number);
  assert(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 50) < 0.3, legend);
}
if (mode === "compared") {
  const before = new Map(data.baseline.steps.map(step => [step.name, step.seconds]));
  for (const step of data.profile.steps) {
    const index = column(table, "#").indexOf(String(kernels.findIndex(kernel => kernel.step === step.name)));
    assert.strictEqual(column(table, "ratio")[index], (before.get(step.name) / step.seconds).toFixed(2));
  }
  click("ratio");
  assert(isSorted(numbers("ratio")));
  console.log("steps of two profiles, sorted by gain");
}
if (mode === "hostile") {
  assert(page.textContent.includes("<script>alert(1)</script>"));
  assert(!html.includes("<script>alert"));
  assert.strictEqual(page.tags("script").length + page.tags("img").length, 0);
  console.log("names are text");
}
