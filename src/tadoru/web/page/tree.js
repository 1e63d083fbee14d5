// The tree as a picture: area is tokens, colour is language or age. Beside it a table with the same,
// for readers and for sorting by eye.

import { ago, bytes, count, el, plural, section, svg, table } from "./dom.js";
import { neighbour, squarify } from "./treemap.js";

const LANGUAGES = 10; // colours; what comes after is "other"
const HEIGHT_SHARE = 0.56;
const GAP = 2;
const LABEL = 16; // pixels of a directory's name above its content
const SMALLEST = 9; // square pixels; less is not drawn
const colours = new Map(); // language -> number of its colour
const AGES = [["last day", 86400], ["last week", 604800], ["last month", 2629800], ["last year", 31557600], ["older", Infinity]];

export const tree = {
  name: "tree",
  title: "Tree",
  about: "What every directory and file would cost to read. Choose one to go deeper.",
  action: "Go there",
  invitation: "",
  parameters: ["path"],
  fields: [
    { name: "path", label: "Directory", class: "wide", placeholder: "the root" },
    { name: "colour", label: "Colour", choices: ["language", "age"], default: "language" },
  ],
  summary: ({ tree: root }) => `${root.path || "/"}: about ${plural(root.tokens, "token")} in ${plural(root.files, "file")}`,
  draw,
};

function draw(data, parameters, context) {
  const colour = parameters.colour ?? "language";
  const root = data.tree;
  if (!root.files) return el("p", { class: "empty" }, "There is no file here.");
  if (root.kind === "file") {
    return el("p", { class: "empty" }, el("a", { href: context.link("file", { path: root.path }) }, `${root.path} is a file: open it`));
  }
  const paint = painter(data, colour);
  const directory = (path) => context.link("tree", { path, colour: parameters.colour ?? "" });
  const href = (node) => (node.kind === "directory" ? directory(node.path)
    : node.kind === "file" ? context.link("file", { path: node.path }) : null);
  const up = root.path ? directory(root.path.split("/").slice(0, -1).join("/")) : "";
  return [
    el("p", { class: "crumbs" }, crumbs(root, href)),
    picture(root, paint, href, up),
    legend(paint),
    el("p", { class: "aside" }, `Tokens are estimated: one for ${data.bytes_per_token} bytes of text; files without text have none. Arrow keys move, Enter opens, Escape goes up.`),
    section("The same as a table", listing(root, href)),
  ];
}

function crumbs(root, href) {
  const parts = root.path ? root.path.split("/") : [];
  const at = (end) => href({ kind: "directory", path: parts.slice(0, end).join("/") });
  const last = parts.length - 1;
  return [
    parts.length ? el("a", { href: at(0) }, "/") : el("strong", {}, "/"),
    ...parts.map((part, index) => [" ", index === last ? el("strong", {}, part) : el("a", { href: at(index + 1) }, part), index === last ? "" : " /"]),
  ];
}

/** Return what gives a node its class, and the legend of those. */
function painter(data, colour) {
  if (colour === "age") {
    const age = (node) => {
      if (!node.modified) return "unknown";
      const passed = Date.now() / 1000 - node.modified;
      return `age-${AGES.findIndex(([, most]) => passed < most)}`;
    };
    return { of: age, legend: [...AGES.map(([name], index) => [`age-${index}`, name]), ["unknown", "unknown"]] };
  }
  const names = data.languages.filter(({ language }) => language !== "other").slice(0, LANGUAGES).map(({ language }) => language);
  colourise(names);
  const kind = (name) => (names.includes(name) ? `lang-${colours.get(name)}` : "unknown");
  return { of: (node) => kind(node.language), legend: [...names.map((name) => [kind(name), name]), ["unknown", "other"]] };
}

/** Give each language a colour; who had one keeps it from directory to directory. */
function colourise(names) {
  const taken = new Set();
  const without = names.filter((name) => {
    const colour = colours.get(name);
    if (colour === undefined || taken.has(colour)) return true;
    taken.add(colour);
    return false;
  });
  for (const name of without) {
    let colour = 0;
    while (taken.has(colour)) colour += 1;
    taken.add(colour);
    colours.set(name, colour);
  }
}

const legend = (paint) => el("ul", { class: "legend" }, paint.legend.map(([kind, name]) =>
  el("li", {}, el("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), name)));

function picture(root, paint, href, up) {
  const frame = el("div", { class: "treemap" });
  const told = el("p", { class: "told", "aria-hidden": "true" }, "\u00a0");
  const redraw = () => {
    const width = Math.floor(frame.clientWidth);
    if (width < 40 || width === frame.drawn) return;
    frame.drawn = width;
    const held = frame.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    frame.replaceChildren(canvas(root, width, paint, href, up, told));
    if (held) [...frame.querySelectorAll("a")].find((cell) => cell.getAttribute("href") === held)?.focus();
  };
  new ResizeObserver(() => requestAnimationFrame(redraw)).observe(frame);
  return [frame, told];
}

function canvas(root, width, paint, href, up, told) {
  const height = Math.round(Math.max(320, Math.min(640, width * HEIGHT_SHARE)));
  const weighed = (nodes) => nodes.map((node) => ({ node, weight: node.tokens }));
  const cells = squarify(weighed(root.children), { x: 0, y: 0, width, height });
  const shown = cells.map((cell) => {
    const inside = [];
    nest(cell.item.node, cell, paint, weighed, inside, 0);
    const { node } = cell.item;
    const target = href(node);
    return svg(target ? "a" : "g", {
      class: "cell", href: target, tabindex: target ? -1 : null, "aria-label": target ? describe(node) : null,
    }, inside);
  });
  const links = cells.map((cell, at) => ({ ...cell, link: shown[at] })).filter((cell) => cell.link.localName === "a");
  links[0]?.link.setAttribute("tabindex", "0");
  return svg("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, role: "group",
    "aria-label": `${root.path || "The tree"} by tokens; arrow keys move between ${links.length} parts`,
    on: {
      keydown: (event) => move(event, links, up),
      focusin: (event) => { told.replaceChildren(event.target.getAttribute("aria-label") ?? ""); },
      pointerover: (event) => { told.replaceChildren(event.target.dataset?.told ?? "\u00a0"); },
    },
  }, shown);
}

/** Draw a node, and within it what lies below, as long as that can be seen. */
function nest(node, { x, y, width, height }, paint, weighed, into, depth) {
  if (width * height < SMALLEST) return;
  const gap = Math.min(GAP, width / 6, height / 6);
  const box = { x: x + gap / 2, y: y + gap / 2, width: width - gap, height: height - gap };
  const open = node.children?.length && box.width > 24 && box.height > 24;
  const rect = svg("rect", {
    class: open ? `box depth-${Math.min(depth, 3)}` : `leaf ${paint.of(node)}`,
    x: fine(box.x), y: fine(box.y), width: fine(box.width), height: fine(box.height), rx: open ? 3 : 1.5,
    "data-told": describe(node),
  });
  into.push(rect);
  const label = fitted(node.name, box.width - 8, open ? 7.2 : 6.5);
  if (open) {
    const head = label && box.height > 40 ? LABEL : 2;
    if (head === LABEL) into.push(svg("text", { class: "name", x: fine(box.x + 5), y: fine(box.y + 12) }, label));
    const inner = { x: box.x + 2, y: box.y + head, width: box.width - 4, height: box.height - head - 2 };
    for (const cell of squarify(weighed(node.children), inner)) nest(cell.item.node, cell, paint, weighed, into, depth + 1);
  } else if (label && box.height > 18) {
    into.push(svg("text", { class: "leaf-name", x: fine(box.x + 4), y: fine(box.y + 13) }, label));
  }
}

const fine = (value) => Math.max(0, Math.round(value * 10) / 10);

/** Return as much of a name as fits; nothing where less than three letters do. `letter`: pixels. */
function fitted(name, width, letter) {
  const most = Math.floor(width / letter);
  if (name.length <= most) return name;
  return most > 3 ? `${name.slice(0, most - 1)}…` : "";
}

function describe(node) {
  const kind = node.kind === "directory" ? `directory, ${plural(node.files, "file")}` : node.kind === "file" ? "file" : plural(node.files, "file");
  return `${node.path || node.name}: ${kind}, about ${plural(node.tokens, "token")}, ${node.language}, modified ${ago(node.modified)}`;
}

function move(event, links, up) {
  const from = links.find((cell) => cell.link === event.target.closest?.("a"));
  if (event.key === "Escape" || event.key === "Backspace") {
    if (!up) return;
    event.preventDefault();
    location.hash = up;
    return;
  }
  const target = event.key === "Home" ? links[0] : event.key === "End" ? links.at(-1)
    : from && event.key.startsWith("Arrow") ? neighbour(links, from, event.key) : undefined;
  if (!target) return;
  event.preventDefault();
  for (const cell of links) cell.link.setAttribute("tabindex", cell === target ? "0" : "-1");
  target.link.focus();
}

function listing(root, href) {
  const share = (node) => (root.tokens ? `${((node.tokens / root.tokens) * 100).toFixed(1)}%` : "–");
  const columns = [
    { title: "Name", header: true, cell: (node) => (href(node) ? el("a", { class: "path", href: href(node) }, node.name + (node.kind === "directory" ? "/" : "")) : node.name) },
    { title: "Tokens", number: true, cell: (node) => count(node.tokens) },
    { title: "Share", number: true, cell: share },
    { title: "Files", number: true, cell: (node) => count(node.files) },
    { title: "Size", number: true, cell: (node) => bytes(node.bytes) },
    { title: "Language", cell: (node) => node.language },
    { title: "Modified", cell: (node) => ago(node.modified) },
  ];
  return table(`What lies in ${root.path || "/"}`, columns, root.children);
}
