// The page of qcc quantize: what each node loses and saves, and which layers to leave in float32.

const layers = data.layers.map((layer, index) => ({...layer, index}));
const choices = data.choices.map((choice, index) => ({...choice, index}));
const rowId = layer => "layer-" + layer.index;
const isInteger = layer => layer.products === "int8";
const microseconds = time => isKnown(time) ? seconds(time * 1e-6) : "";

/** Error over time; errors on a logarithmic axis. A line joins the choices that no other is better than. */
function drawChoices(width, readout) {
  const height = Math.round(Math.min(400, width * 0.5)), box = {left: 62, right: width - 24, top: 22, bottom: height - 42};
  const errors = choices.map(choice => choice.relative_error).filter(error => error > 0), times = choices.map(choice => choice.microseconds * 1e-6);
  const least = Math.min(...errors, 1), x = linearAxis(Math.min(...times), Math.max(...times), box.left + 14, box.right);
  const y = logAxis(least, Math.max(...errors, least), box.bottom - 20, box.top);
  const heightOf = choice => choice.relative_error > 0 ? y.at(choice.relative_error) : box.bottom - 8;
  const at = choice => [x.at(choice.microseconds * 1e-6).toFixed(1), heightOf(choice).toFixed(1)];
  const svg = draw("svg", {width, height, viewBox: `0 0 ${width} ${height}`});
  drawAxes(svg, x, y, box, {x: seconds, y: value => value >= 1e-3 ? String(Number(value.toPrecision(1))) : value.toExponential(0)});
  svg.append(draw("text", {x: box.left, y: 12}, "relative error (L2)"),
             draw("text", {x: (box.left + box.right) / 2, y: height - 8, "text-anchor": "middle"}, "time of a run"));
  const front = choices.filter(choice => choice.on_front).sort((a, b) => a.microseconds - b.microseconds);
  svg.append(draw("polyline", {points: front.map(choice => at(choice).join(",")).join(" "), fill: "none", stroke: "var(--bar)"}));
  for (const choice of choices) {
    const [cx, cy] = at(choice), layer = layers.find(layer => layer.name === choice.layer);
    svg.append(drawPoint(
      {cx, cy, r: choice.on_front ? 5 : 3.5, fill: choice.on_front ? "var(--bar)" : "var(--soft)"},
      `${choice.floats} of ${choices.length - 1} layers in float32${choice.layer ? ", last " + choice.layer : ""}: ${microseconds(choice.microseconds)}, error ${short(choice.relative_error)}`,
      {href: "#" + (layer ? rowId(layer) : "page"), id: "choice-" + choice.index}, readout));
  }
  return svg;
}

function layerTable() {
  const time = (title, value, hint) => ({title, unit: "µs", hint, isNumber: true, value, cell: row => isKnown(value(row)) ? value(row).toFixed(1) : ""});
  const reasons = layer => [layer.reason, layer.generic ? "generic loops: " + layer.generic : ""].filter(Boolean).join("; ");
  const columns = [
    {title: "#", css: "lead index", value: row => row.index, cell: row => String(row.index)},
    {title: "layer", css: "lead name", value: row => row.name, cell: row => [make("b", {}, row.name), reasons(row) ? make("div", {class: "why"}, reasons(row)) : null].filter(Boolean)},
    {title: "op", value: row => row.op, cell: row => row.op},
    {title: "products", value: row => row.products, cell: row => row.products ? make("span", {class: "badge " + (isInteger(row) ? "contract" : "float")}, row.products) : ""},
    {title: "relative error", hint: "of the value of the layer, after all layers before it", isNumber: true, value: row => row.relative_error, cell: row => short(row.relative_error)},
    {title: "signal/noise", unit: "dB", isNumber: true, value: row => row.signal_to_noise_db, cell: row => isKnown(row.signal_to_noise_db) ? row.signal_to_noise_db.toFixed(1) : ""},
    {title: "alone", hint: "relative error of the outputs if only this layer is quantized", isNumber: true, value: row => row.relative_error_alone, cell: row => short(row.relative_error_alone)},
    time("before", row => row.microseconds_float32), time("after", row => row.microseconds),
    time("saved", row => row.microseconds_saved, "which orders the layers that go back to float32"),
    {title: "saved is", css: "wide small", value: row => sourceOf(row), cell: row => sourceOf(row)}];
  return makeTable(columns, layers, {sortBy: "#", ascends: true, id: rowId});
}
const sourceOf = layer => !isKnown(layer.microseconds_saved) ? "" : layer.saved_is_expected ? "expected" : "measured";

document.title = data.model + " - qcc quantize";
const contractions = layers.filter(layer => layer.products), outputs = Object.entries(data.outputs);
const table = layerTable(), readout = make("p", {class: "small readout", "aria-live": "polite"}, "A point is a choice of layers; it leads to the row of the last one.");
const onlyContractions = make("input", {type: "checkbox"});
onlyContractions.addEventListener("change", () => table.show(layer => !onlyContractions.checked || Boolean(layer.products)));
page.append(make("h1", {}, `${data.model} quantized by ${data.engine}`),
  ...(data.random_data ? [make("p", {class: "alarm"}, "Calibrated on random data: the accuracy of this model is worthless.")] : []),
  make("p", {class: "soft"}, `Calibrated on ${data.data}, ${data.samples} samples.`),
  make("div", {class: "facts"}, fact(`${contractions.filter(isInteger).length} of ${contractions.length}`, "contractions multiply int8"),
    fact(microseconds(data.microseconds_float32), "in float32, on one thread"), fact(microseconds(data.microseconds), "quantized"),
    fact(bytes(data.bytes_float32), "in float32"), fact(bytes(data.bytes), "quantized"),
    ...outputs.map(([name, distance]) => fact(short(distance.relative_error), "relative error of " + name)),
    data.search ? fact(short(data.search.accuracy), `accuracy; ${short(data.search.accuracy_float32)} in float32`) : null));
if (choices.length > 1)
  page.append(make("h3", {}, "Error and time"),
    make("p", {}, "Each point has one more layer in float32 than the one before it, in the order of error per microsecond saved. Points on the line are on the Pareto front. Errors are added as if they were independent."),
    makeFigure("Error over time", width => drawChoices(width, readout)), readout);
page.append(make("h3", {}, "Nodes"), make("div", {class: "tools"}, make("label", {}, onlyContractions, " only contractions")), table.node);
followAddress([table]);
