// Plot, links and table of a page of qcc quantize: node check_quantize_page.js PAGE
"use strict";
const assert = require("assert"), {open, head, column, rows} = require("./page_dom.js");
const {page, data} = open(process.argv[2]);
const table = page.tags("table")[0], points = page.css("figure")[0].tags("a");

assert.strictEqual(points.length, data.choices.length);
data.choices.forEach((choice, i) => {
  const layer = data.layers.findIndex(layer => layer.name === choice.layer);
  assert.strictEqual(points[i].getAttribute("href"), layer < 0 ? "#page" : "#layer-" + layer);
  assert(points[i].getAttribute("aria-label").startsWith(`${choice.floats} of ${data.choices.length - 1} layers in float32`));
});
// The larger the error, the higher the point; the longer the time, the further right.
const place = (i, name) => +points[i].tags("circle")[0].getAttribute(name);
data.choices.forEach((one, i) => data.choices.forEach((other, j) => {
  assert(one.relative_error <= other.relative_error || place(i, "cy") <= place(j, "cy"));
  assert(one.microseconds <= other.microseconds || place(i, "cx") >= place(j, "cx"));
}));
points[0].dispatch("focus");
assert.strictEqual(page.css("readout")[0].textContent, points[0].getAttribute("aria-label"));

assert.strictEqual(rows(table).length, data.layers.length);
head(table, "alone").tags("button")[0].dispatch("click");
const sorted = column(table, "alone").filter(Boolean).map(Number);
assert(sorted.every((error, i) => !i || sorted[i - 1] >= error));
const box = page.tags("input")[0];
box.checked = true;
box.dispatch("change");
assert.strictEqual(rows(table).length, data.layers.filter(layer => layer.products).length);
console.log(`${points.length} points, ${data.layers.length} nodes${page.css("alarm").length ? ", random data" : ""}`);
