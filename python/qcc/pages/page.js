"use strict";
// What all pages of qcc share: elements, numbers in one unit, tables that sort, plots.

const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined)
      node.setAttribute(name, value);
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}
function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}
function draw(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

// Numbers

const TIMES = [{size: 1, name: "s"}, {size: 1e-3, name: "ms"}, {size: 1e-6, name: "µs"}];
const BYTES = [{size: 2 ** 30, name: "GiB"}, {size: 2 ** 20, name: "MiB"}, {size: 2 ** 10, name: "KiB"}, {size: 1, name: "bytes"}];
const COUNTS = [{size: 1e12, name: "T"}, {size: 1e9, name: "G"}, {size: 1e6, name: "M"}, {size: 1e3, name: "K"}, {size: 1, name: ""}];
const isKnown = value => value !== null && value !== undefined && value !== "" && !Number.isNaN(value);
const largestOf = numbers => numbers.reduce((most, number) => isKnown(number) && Math.abs(number) > most ? Math.abs(number) : most, 0);

/** The unit in which the largest of several numbers is shown, and how all of them are written in it. */
function unitFor(numbers, units, suffix = "") {
  const largest = largestOf(numbers), unit = units.find(unit => largest >= unit.size) || units[units.length - 1];
  const most = largest / unit.size, digits = unit.size === 1 && Number.isInteger(most) && unit.name !== "s" ? 0 : most >= 100 ? 1 : most >= 10 ? 2 : 3;
  const text = value => {
    if (!isKnown(value))
      return "";
    const shown = (value / unit.size).toFixed(digits);
    return value && !Number(shown) ? (value < 0 ? "-" : "") + "<" + (10 ** -digits).toFixed(digits) : shown;
  };
  return {name: unit.name + suffix, text};
}
function withUnit(value, units, suffix) {
  const unit = unitFor([value], units, suffix);
  return (unit.text(value) + " " + unit.name).trim();
}
function bytes(count) {
  return isKnown(count) ? withUnit(count, BYTES) : "depends on sizes";
}
const seconds = time => withUnit(time, TIMES);
const percent = (part, whole) => whole && isKnown(part) ? (100 * part / whole).toFixed(1) + " %" : "";
const short = number => !isKnown(number) ? "" : number === Infinity ? "infinite" : number === 0 ? "0" : Math.abs(number) >= 1e-3 && Math.abs(number) < 1e6
  ? String(Number(number.toPrecision(4))) : number.toExponential(2);
/** A number that a page shows first, and what it counts. */
const fact = (value, text) => make("div", {class: "fact"}, make("b", {}, String(value)), text);

// Tables

/** A column of numbers in one unit; `value` gives the number of a row. */
function numberColumn(title, rows, value, units, suffix) {
  const unit = unitFor(rows.map(value), units, suffix);
  return {title, unit: unit.name, value, isNumber: true, cell: row => unit.text(value(row))};
}

/** One row of a table, and below it what a click shows. */
function makeRow(table, row, columns, options) {
  const more = options.more ? make("tr", {class: "more", hidden: ""}) : null;
  const line = make("tr", {id: options.id ? options.id(row) : null, class: more ? "step" : null});
  const entry = {row, line, more, isOpen: false};
  entry.toggle = (isOpen = !entry.isOpen) => {
    if (isOpen && !more.children.length)
      more.append(make("td", {colspan: columns.length}, options.more(row)));
    entry.isOpen = isOpen;
    more.hidden = !isOpen;
    entry.button.setAttribute("aria-expanded", String(isOpen));
  };
  for (const column of columns) {
    const content = column.cell(row);
    const css = [column.isNumber ? "number" : "", column.css || ""].join(" ").trim();
    const cell = make("td", {class: css || null, "data-label": column.title + (column.unit ? ", " + column.unit : "")}, ...(Array.isArray(content) ? content : content === "" ? [] : [content]));
    if (column.opens && more) {
      entry.button = make("button", {type: "button", class: "toggle", "aria-expanded": "false"}, column.opens(row));
      cell.prepend(entry.button);
      entry.button.addEventListener("click", event => {
        event.stopPropagation();
        entry.toggle();
      });
    }
    line.append(cell);
  }
  if (more)
    line.addEventListener("click", event => {
      if (!(event.target.closest && event.target.closest("a")))
        entry.toggle();
    });
  table.append(line, ...(more ? [more] : []));
  return entry;
}

/**
 * A table whose heads sort it, by click, Enter or Space. A column has a title, a unit, `value(row)`, by which rows sort,
 * and `cell(row)`, which is shown. `options`: `sortBy`, the title of the column that sorts at first; `ascends`, whether
 * it does so upwards; `more(row)`, the details of a row; `id(row)`.
 */
function makeTable(columns, rows, options = {}) {
  const heads = columns.map(column => {
    const button = make("button", {type: "button", title: column.hint || null}, column.title + (column.unit ? ", " + column.unit : ""));
    return {column, button, cell: make("th", {scope: "col", class: [column.isNumber ? "number" : "", column.css || ""].join(" ").trim() || null}, button)};
  });
  const body = make("tbody"), entries = rows.map(row => makeRow(body, row, columns, options));
  let sorted = null;
  const sort = (head, ascends) => {
    const {value} = head.column, sign = ascends ? 1 : -1;
    const order = [...entries].sort((a, b) => {
      const x = value(a.row), y = value(b.row);
      if (!isKnown(x) || !isKnown(y))
        return Number(!isKnown(x)) - Number(!isKnown(y));
      return sign * (typeof x === "string" ? x.localeCompare(y, undefined, {numeric: true}) : x - y);
    });
    heads.forEach(other => other.cell.setAttribute("aria-sort", other === head ? (ascends ? "ascending" : "descending") : "none"));
    sorted = {head, ascends};
    body.append(...order.flatMap(entry => entry.more ? [entry.line, entry.more] : [entry.line]));
  };
  for (const head of heads)
    head.button.addEventListener("click", () => {
      const first = !head.column.isNumber || Boolean(head.column.ascends);
      sort(head, sorted && sorted.head === head ? !sorted.ascends : first);
    });
  const start = heads.find(head => head.column.title === options.sortBy);
  if (start)
    sort(start, Boolean(options.ascends));
  const show = isShown => entries.forEach(entry => {
    entry.line.hidden = !isShown(entry.row);
    if (entry.more)
      entry.more.hidden = entry.line.hidden || !entry.isOpen;
  });
  const node = make("div", {class: "sheet"}, make("table", {}, make("thead", {}, make("tr", {}, ...heads.map(head => head.cell))), body));
  return {node, entries, show};
}

// Plots

/** A figure that `paint(width)` draws, again when the width of the page changes. */
function makeFigure(label, paint) {
  const node = make("div", {class: "figure", role: "group", "aria-label": label});
  let width = 0;
  const update = () => {
    const room = Math.max(320, (page.clientWidth || 1000) - 18);
    if (room === width)
      return;
    width = room;
    node.replaceChildren(paint(width));
  };
  window.addEventListener("resize", update);
  update();
  return node;
}

/** Positions on a logarithmic axis from one power of ten to another. */
function logAxis(low, high, start, end) {
  const from = Math.floor(Math.log10(low)), to = Math.max(Math.ceil(Math.log10(high)), from + 1);
  const at = value => start + (end - start) * (Math.log10(value) - from) / (to - from);
  const step = Math.max(1, Math.ceil((to - from) / 8)), between = to - from > 2 ? [1] : [1, 2, 5], ticks = [];
  for (let power = from; power <= to; power += step)
    ticks.push(...between.map(factor => factor * 10 ** power).filter(tick => tick <= 10 ** to * 1.001));
  return {at, ticks, low: 10 ** from, high: 10 ** to};
}

/** Positions on a linear axis that begins and ends with a value. */
function linearAxis(low, high, start, end) {
  const at = value => high > low ? start + (end - start) * (value - low) / (high - low) : (start + end) / 2;
  return {at, ticks: high > low ? [0, 1, 2, 3, 4].map(part => low + (high - low) * part / 4) : [low], low, high};
}

/** Grid lines and numbers of two axes; `name` writes the numbers of the vertical one. */
function drawAxes(svg, x, y, box, names) {
  for (const tick of x ? x.ticks : [])
    svg.append(draw("line", {x1: x.at(tick), x2: x.at(tick), y1: box.top, y2: box.bottom, stroke: "var(--line)"}),
               draw("text", {x: x.at(tick), y: box.bottom + 15, "text-anchor": "middle"}, names.x(tick)));
  for (const tick of y.ticks)
    svg.append(draw("line", {x1: box.left, x2: box.right, y1: y.at(tick), y2: y.at(tick), stroke: "var(--line)"}),
               draw("text", {x: box.left - 6, y: y.at(tick) + 4, "text-anchor": "end"}, names.y(tick)));
}

/** A point of a plot, which says what it is, and leads to a row. */
function drawPoint(attributes, text, link, readout) {
  const point = draw("a", {href: link.href, id: link.id, "aria-label": text},
                     draw("circle", attributes, draw("title", {}, text)));
  for (const event of ["mouseenter", "focus"])
    point.addEventListener(event, () => { readout.textContent = text; });
  return point;
}

/** Opens the row that the address names, such as page.html#step-3, though a filter hides it. */
function followAddress(tables) {
  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    for (const table of tables)
      for (const entry of table.entries)
        if (id && entry.line.getAttribute("id") === id) {
          entry.line.hidden = false;
          if (entry.more)
            entry.toggle(true);
          entry.line.scrollIntoView({block: "center"});
        }
  };
  window.addEventListener("hashchange", follow);
  follow();
}
