// Runs a page of qcc in node, on the part of the DOM that pages use: elements, attributes, events, the address.
"use strict";
const fs = require("fs"), vm = require("vm");

class Text {
  constructor(text) { this.text = String(text); }
  get textContent() { return this.text; }
}

class Element {
  constructor(tag) {
    Object.assign(this, {tag, attributes: {}, children: [], listeners: {}, parent: null, hidden: false, value: "", checked: false, clientWidth: 0, scrolled: 0});
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (name === "hidden")
      this.hidden = true;
  }
  getAttribute(name) { return name in this.attributes ? this.attributes[name] : null; }
  remove(child) { this.children = this.children.filter(other => other !== child); }
  adopt(nodes) {
    return nodes.map(node => {
      const child = node instanceof Element || node instanceof Text ? node : new Text(node);
      if (child.parent)
        child.parent.remove(child);
      child.parent = this;
      return child;
    });
  }
  append(...nodes) {
    const added = this.adopt(nodes);
    this.children.push(...added);
  }
  prepend(...nodes) {
    const added = this.adopt(nodes);
    this.children.unshift(...added);
  }
  replaceChildren(...nodes) {
    this.children = [];
    this.append(...nodes);
  }
  get textContent() { return this.children.map(child => child.textContent).join(""); }
  set textContent(text) { this.children = [new Text(text)]; }
  addEventListener(type, listener) { (this.listeners[type] = this.listeners[type] || []).push(listener); }
  /** As a browser does: a click on a child is one on the parents, too. */
  dispatch(type, target = this, state = {stopped: false}) {
    const event = {type, target, stopPropagation() { state.stopped = true; }, preventDefault() {}};
    (this.listeners[type] || []).forEach(listener => listener(event));
    if (this.parent && !state.stopped)
      this.parent.dispatch(type, target, state);
  }
  closest(tag) { return this.tag === tag ? this : this.parent ? this.parent.closest(tag) : null; }
  scrollIntoView() { ++this.scrolled; }
  all(test) { return this.children.filter(child => child instanceof Element).flatMap(child => [...(test(child) ? [child] : []), ...child.all(test)]); }
  tags(tag) { return this.all(node => node.tag === tag); }
  css(name) { return this.all(node => (node.getAttribute("class") || "").split(" ").includes(name)); }
  id(id) { return this.all(node => node.getAttribute("id") === id)[0]; }
}

/** Runs the scripts of a file as a browser does that opens it, after `change` of its data. */
exports.open = (file, change = data => data) => {
  const html = fs.readFileSync(file, "utf8");
  const [, original] = html.match(/<script type="application\/json" id="data">([^]*?)<\/script>/);
  const text = JSON.stringify(change(JSON.parse(original)));
  const [, script] = html.match(/<script>([^]*?)<\/script>/);
  const page = new Element("main"), source = new Element("script"), window = new Element("window");
  page.clientWidth = 900;
  source.textContent = text;
  const location = {hash: ""};
  const document = {title: "", getElementById: id => ({page, data: source})[id] || null,
                    createElement: tag => new Element(tag), createElementNS: (_, tag) => new Element(tag)};
  vm.runInNewContext(script, {document, window, location}, {filename: file});
  const go = hash => {
    location.hash = hash;
    window.dispatch("hashchange");
  };
  return {page, window, document, go, data: JSON.parse(text), html};
};

/** The rows of a table that are shown, without details, each as the texts of its cells. */
exports.rows = table => table.tags("tbody")[0].children.filter(row => !row.hidden && row.getAttribute("class") !== "more")
  .map(row => row.children.map(cell => cell.textContent));
/** The head of a column of a table. */
exports.head = (table, title) => table.tags("th").find(cell => cell.textContent.split(",")[0] === title);
/** The texts of a column, without the arrow of the head. */
exports.column = (table, title) => {
  const index = table.tags("th").indexOf(exports.head(table, title));
  return exports.rows(table).map(row => row[index]);
};
