// Elements from plain values. All text of files and people goes through `visible`, and so through
// text nodes alone: nothing on this page parses markup at run time.

const SVG = "http://www.w3.org/2000/svg";

/** Controls, separators of lines, marks that turn text around, invisible letters. */
const CONTROLS =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** Return text as nodes in which a control character is shown by its number. */
export function visible(text, { tabs = false } = {}) {
  const whole = String(text);
  const nodes = document.createDocumentFragment();
  let end = 0;
  for (const match of whole.matchAll(CONTROLS)) {
    if (tabs && match[0] === "\t") continue;
    if (match.index > end) nodes.append(whole.slice(end, match.index));
    const code = match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    const mark = document.createElement("span");
    mark.className = "control";
    mark.textContent = `U+${code}`;
    nodes.append(mark);
    end = match.index + match[0].length;
  }
  nodes.append(whole.slice(end));
  return nodes;
}

/** Make an HTML element. Attributes with null, undefined or false are left out; `on` has listeners. */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** Make an SVG element, in the same way. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false || child === "") continue;
    if (Array.isArray(child)) append(node, child);
    else node.append(child instanceof Node ? child : visible(child));
  }
}

/** Make a table with headers. `columns`: {title, cell(row), number, wide}; `rows` in order. */
export function table(caption, columns, rows, { rowClass, hideCaption = true } = {}) {
  const head = columns.map((column) =>
    el("th", { scope: "col", class: column.number ? "number" : null }, column.title));
  const body = rows.map((row, index) => {
    const cells = columns.map((column) => {
      const attributes = { class: [column.number && "number", column.class].filter(Boolean).join(" ") || null };
      if (column.header) return el("th", { scope: "row", ...attributes }, column.cell(row, index));
      return el("td", attributes, column.cell(row, index));
    });
    return el("tr", { class: rowClass?.(row) || null }, cells);
  });
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {},
      el("caption", { class: hideCaption ? "visually-hidden" : null }, caption),
      el("thead", {}, el("tr", {}, head)),
      el("tbody", {}, body)));
}

/** Make a titled part of an answer. */
export function section(title, ...children) {
  const id = `part-${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
  return el("section", { class: "part", "aria-labelledby": id }, el("h2", { id }, title), children);
}

/** Make a list of terms with what they mean; empty values are left out. */
export function facts(pairs) {
  const rows = pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return el("dl", { class: "facts" },
    rows.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))));
}

const NUMBERS = new Intl.NumberFormat("en");

export const count = (value) => NUMBERS.format(value);

export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

export function bytes(value) {
  for (const [unit, name] of [[1024 ** 3, "GiB"], [1024 ** 2, "MiB"], [1024, "KiB"]]) {
    if (value >= unit) return `${(value / unit).toFixed(1)} ${name}`;
  }
  return `${count(value)} B`;
}

/** Return how long ago a moment (seconds since 1970) was, in words; 0 is unknown. */
export function ago(seconds, now = Date.now() / 1000) {
  if (!seconds) return "unknown";
  const passed = Math.max(0, now - seconds);
  const steps = [[31557600, "year"], [2629800, "month"], [86400, "day"], [3600, "hour"], [60, "minute"]];
  for (const [length, name] of steps) {
    if (passed >= length) return `${plural(Math.floor(passed / length), name)} ago`;
  }
  return "just now";
}
