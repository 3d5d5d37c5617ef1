// Plot, links and sorting of a page of qcc diff: node check_diff_page.js PAGE
"use strict";
const assert = require("assert"), {open, head, column} = require("./page_dom.js");
const {page, data, html} = open(process.argv[2]);
const table = page.tags("table")[0], figure = page.css("figure")[0], points = figure.tags("a");

assert.strictEqual(points.length, data.values.length);
data.values.forEach((value, i) => {
  assert.strictEqual(page.id("point-" + i).getAttribute("href"), "#value-" + i);
  assert.strictEqual(page.id("value-" + i).tags("a")[0].getAttribute("href"), "#point-" + i);
  assert(page.id("point-" + i).textContent.startsWith(value.name + ": "));
});
// The larger the error, the higher the point; on a logarithmic axis a factor of ten is the same distance everywhere.
const y = i => +points[i].tags("circle")[0].getAttribute("cy"), errors = data.values.map(value => value.comparable ? value.relative_error : null);
const known = errors.map((error, i) => i).filter(i => errors[i] > 0).sort((a, b) => errors[a] - errors[b]);
known.forEach((i, n) => assert(!n || y(known[n - 1]) >= y(i)));
if (known.length >= 3) {
  const [a, b, c] = [known[0], known[1], known[known.length - 1]];
  const slope = (i, j) => (y(i) - y(j)) / Math.log10(errors[j] / errors[i]);
  assert(Math.abs(slope(a, c) - slope(b, c)) < 0.05 * slope(a, c));
}
console.log(`${points.length} points, ${known.length} with an error`);
// What a point says is shown when it is reached by mouse or keyboard.
for (const event of ["mouseenter", "focus"]) {
  points[0].dispatch(event);
  assert.strictEqual(page.css("readout")[0].textContent, points[0].getAttribute("aria-label"));
}
head(table, "relative error").tags("button")[0].dispatch("click");
const sorted = column(table, "relative error").filter(Boolean).map(text => text === "infinite" ? Infinity : Number(text));
assert(sorted.every((error, i) => !i || sorted[i - 1] >= error));
assert(!html.includes("<script>alert"));
console.log("first difference: " + data.first_difference);
