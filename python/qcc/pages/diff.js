// The page of qcc diff: how far the values of two programs are apart, layer by layer.

const values = data.values.map((value, index) => ({...value, index}));
/** The relative error; infinite, which JSON does not have, where only zeros are expected; null where it is not known. */
const errorOf = value => !value.comparable ? null : value.relative_error === null ? Infinity : value.relative_error;
const differs = value => value.differs === undefined ? value.differing > 0 : value.differs;
const rowId = value => "value-" + value.index;
const pointId = value => "point-" + value.index;
const isFirst = value => value.name === data.first_difference;
const colorOf = value => !differs(value) ? "var(--fast)" : "var(--why)";
function stateOf(value) {
  return !value.comparable ? value.obstacle : !value.elements ? "empty" : `${value.differing} of ${value.elements} differ`;
}

/** The error of each value on a logarithmic axis, in the order of the program. Values without an error are at its foot. */
function drawErrors(width, readout) {
  const errors = values.map(errorOf).filter(error => error > 0 && error < Infinity);
  const span = Math.max(width, 90 + 14 * values.length), height = 340, box = {left: 62, right: span - 14, top: 22, bottom: height - 30};
  const y = logAxis(Math.min(...errors, 1), Math.max(...errors, 1e-9), box.bottom - 34, box.top);
  const x = index => values.length > 1 ? box.left + 14 + (box.right - box.left - 28) * index / (values.length - 1) : (box.left + box.right) / 2;
  const heightOf = value => errorOf(value) === Infinity ? box.top : errorOf(value) > 0 ? y.at(errorOf(value)) : box.bottom - 10;
  const svg = draw("svg", {width: span, height, viewBox: `0 0 ${span} ${height}`});
  drawAxes(svg, null, y, box, {y: value => value >= 1e-3 && value < 1e4 ? String(Number(value.toPrecision(1))) : value.toExponential(0)});
  svg.append(draw("text", {x: box.left, y: 12}, "relative error (L2)"), draw("text", {x: box.left - 6, y: box.bottom - 6, "text-anchor": "end"}, "none"),
             draw("text", {x: box.left, y: height - 8}, "in the order of the program"));
  const line = values.filter(value => errorOf(value) > 0).map(value => x(value.index).toFixed(1) + "," + heightOf(value).toFixed(1));
  svg.append(draw("polyline", {points: line.join(" "), fill: "none", stroke: "var(--soft)", "stroke-width": 1}));
  for (const value of values)
    svg.append(drawPoint(
      {cx: x(value.index).toFixed(1), cy: heightOf(value).toFixed(1), r: isFirst(value) ? 7 : 4.5, fill: value.comparable ? colorOf(value) : "var(--line)"},
      `${value.name}: ` + (value.comparable ? `relative error ${short(errorOf(value))}, largest ${short(value.largest_error)}, ` : "not compared, ") +
      stateOf(value), {href: "#" + rowId(value), id: pointId(value)}, readout));
  return svg;
}

function valueTable() {
  const number = (title, value, hint) => ({title, value, hint, isNumber: true, cell: row => short(value(row))});
  const typeOf = place => !place ? "" : place.dtype + (place.quantization ? ", " + quantizationText(place.quantization) : "");
  const hasTypes = values.some(value => value.a), hasOps = values.some(value => value.op);
  const columns = [
    {title: "#", css: "lead index", value: row => row.index, cell: row => make("a", {href: "#" + pointId(row), title: "show in the plot"},
      make("span", {class: "dot", style: "background:" + (row.comparable ? colorOf(row) : "var(--line)")}), String(row.index))},
    {title: data.matched_by, css: "lead name", value: row => row.name, cell: row => [make("b", {}, row.name), isFirst(row) ? make("div", {class: "why"}, "first difference") : null]},
    ...(hasOps ? [{title: "node", css: "wide small", value: row => row.node, cell: row => row.node}, {title: "op", value: row => row.op, cell: row => row.op}] : []),
    number("relative error", errorOf, "L2 norm of the error over the L2 norm of the expected value"),
    number("largest error", row => row.largest_error),
    ...(values.some(value => isKnown(value.mean_error)) ? [number("mean error", row => row.mean_error)] : []),
    {title: "signal/noise", unit: "dB", isNumber: true, value: row => row.signal_to_noise_db, cell: row => isKnown(row.signal_to_noise_db) ? row.signal_to_noise_db.toFixed(1) : ""},
    {title: "differ", isNumber: true, value: row => row.differing, cell: row => row.comparable ? String(row.differing) : make("span", {class: "why"}, row.obstacle)},
    {title: "elements", isNumber: true, value: row => row.elements, cell: row => isKnown(row.elements) ? String(row.elements) : ""},
    ...(hasTypes ? [{title: "in A", css: "wide small", value: row => typeOf(row.a), cell: row => typeOf(row.a)},
                    {title: "in B", css: "wide small", value: row => typeOf(row.b), cell: row => typeOf(row.b)}] : [])];
  return makeTable(columns, values, {sortBy: "#", ascends: true, id: rowId});
}
/** "scale 0.045, zero point 3", or the number of scales. */
function quantizationText({scales, zero_points: zeros}) {
  return scales.length > 1 ? scales.length + " scales" : "scale " + short(scales[0]) + (zeros[0] ? ", zero point " + zeros[0] : "");
}
function unmatched(side, layers) {
  return layers && layers.length ? make("p", {class: "small"}, `Only in ${side}: ` + layers.map(layer => layer.layer + " (" + layer.step +
    (layer.inside_of ? "; inside of " + layer.inside_of : "") + ")").join(", ")) : null;
}

document.title = "A and B - qcc diff";
const compared = values.filter(value => value.comparable), worst = compared.reduce((most, value) => errorOf(value) > errorOf(most) ? value : most, compared[0]);
const readout = make("p", {class: "small readout", "aria-live": "polite"}, "A point is a value; it leads to its row. Red points differ.");
page.append(make("h1", {}, "Values of two programs"),
  make("p", {}, make("b", {}, "A, expected: "), data.a), make("p", {}, make("b", {}, "B: "), data.b),
  make("div", {class: "facts"}, fact(compared.length, "values compared"), fact(values.filter(differs).length, "differ"),
    compared.length < values.length ? fact(values.length - compared.length, "not comparable") : null,
    worst ? fact(short(errorOf(worst)), "largest relative error, of " + worst.name) : null,
    isKnown(data.tolerance) ? fact(short(data.tolerance), "tolerance") : null));
const table = valueTable();
page.append(make("h3", {}, "Error of each value"), makeFigure("Error of each value", width => drawErrors(width, readout)), readout,
  make("h3", {}, "All values"), table.node, ...[unmatched("A", data.only_a), unmatched("B", data.only_b)].filter(Boolean));
followAddress([table]);
