// A file: its lines, what it defines, who imports it and what it imports, and the uses of a name.

import { ago, bytes, count, el, facts, plural, section, visible } from "./dom.js";

export const file = {
  name: "file",
  title: "File",
  about: "Read a file with what it defines, what it imports and what imports it.",
  action: "Open",
  invitation: "Give the path of a file, or choose one in the tree.",
  parameters: ["path", "start", "symbol"],
  fields: [{ name: "path", label: "Path", required: true, class: "wide" }],
  summary: (data) =>
    `${data.path}: ${data.total_lines === undefined ? "no text" : plural(data.total_lines, "line")}, ${plural(data.tokens, "token")}`,
  draw,
};

function draw(data, parameters, { link }) {
  const marked = Number(parameters.line);
  const here = (more) => link("file", { path: data.path, ...more });
  return [
    el("p", { class: "crumbs" }, crumbs(data.path, link)),
    facts([
      ["Language", data.language || "unknown"], ["Role", data.role], ["Size", bytes(data.bytes)],
      ["Tokens", count(data.tokens)], ["Modified", ago(data.modified)],
      ["Index", data.indexed ? "" : "only the name is known so far"],
    ]),
    el("div", { class: "file" },
      el("div", { class: "beside" },
        symbols(data, here),
        company(data, link),
        data.uses ? uses(data.uses, link) : ""),
      code(data, marked, here)),
  ];
}

function crumbs(path, link) {
  const parts = path.split("/");
  return [
    el("a", { href: link("tree") }, "/"), " ",
    ...parts.slice(0, -1).map((part, at) => [el("a", { href: link("tree", { path: parts.slice(0, at + 1).join("/") }) }, part), " / "]),
    el("strong", {}, parts.at(-1)),
  ];
}

function symbols(data, here) {
  if (!data.symbols.length) return section("Symbols", el("p", { class: "empty" }, "No definition is known here."));
  const rows = data.symbols.map((symbol) => {
    const depth = symbol.container ? Math.min(3, symbol.container.split(".").length) : 0;
    const href = here({ symbol: symbol.name, line: symbol.line, start: startOf(symbol.line, data) });
    return el("li", { class: `depth-${depth}` },
      el("a", { href, title: `Uses of ${symbol.name}` }, symbol.name),
      el("span", { class: "aside" }, ` ${symbol.kind}, line ${symbol.line}`));
  });
  const more = data.symbols_total - data.symbols.length;
  return section("Symbols", el("ul", { class: "plain symbols", tabindex: "0", "aria-label": "Symbols" }, rows),
    more > 0 ? el("p", { class: "aside" }, `and ${count(more)} more`) : "");
}

/** Keep the window of lines where it is as long as a line lies within it. */
function startOf(line, data) {
  const inside = data.start <= line && line < data.start + (data.lines?.length ?? 0);
  const start = inside ? data.start : Math.max(1, line - 20);
  return start > 1 ? start : "";
}

function company(data, link) {
  const row = (edge, other) => el("li", {},
    other ? el("a", { class: "path", href: link("file", { path: other }) }, other) : el("span", { class: "path" }, edge.module),
    el("span", { class: "aside" }, ` line ${edge.line}${edge.names?.length ? `: ${edge.names.join(", ")}` : ""}${other ? "" : ", outside the tree or unknown"}`));
  const list = (edges, total, pick, empty) => (edges.length
    ? [el("ul", { class: "plain" }, edges.map((edge) => row(edge, pick(edge)))),
      total > edges.length ? el("p", { class: "aside" }, `and ${count(total - edges.length)} more`) : ""]
    : el("p", { class: "empty" }, empty));
  return [
    section(`Imported by ${data.importers_total}`, list(data.importers, data.importers_total, (edge) => edge.path, "No file imports this one.")),
    section(`Imports ${data.imports_total}`, list(data.imports, data.imports_total, (edge) => edge.target, "It imports nothing.")),
  ];
}

function uses(found, link) {
  return section(`Uses of ${found.symbol}`,
    found.of.length ? el("ul", { class: "plain uses" }, found.of.map((use) => el("li", {},
      el("a", { class: "path", href: link("file", { path: use.path, line: use.line, symbol: found.symbol, start: use.line > 30 ? use.line - 20 : "" }) }, `${use.path}:${use.line}`),
      el("span", { class: "tag" }, use.kind), el("code", {}, use.text.trim().slice(0, 160)))))
      : el("p", { class: "empty" }, "No use is known."),
    found.total > found.of.length ? el("p", { class: "aside" }, `and ${count(found.total - found.of.length)} more`) : "");
}

function code(data, marked, here) {
  if (data.lines === undefined) return el("p", { class: "empty" }, "This file has no text.");
  const cut = new Set(data.cut_lines);
  const rows = data.lines.map((text, at) => {
    const number = data.start + at;
    return el("tr", { class: number === marked ? "marked" : null, id: `L${number}` },
      el("td", { class: "line", "data-line": number }),
      el("td", {}, visible(text, { tabs: true }), cut.has(number) ? el("span", { class: "tag" }, "cut") : ""));
  });
  const end = data.start + data.lines.length - 1;
  const body = el("div", { class: "code", tabindex: "0", role: "region", "aria-label": `Lines ${data.start} to ${end} of ${data.path}` },
    el("table", { role: "presentation" }, el("tbody", {}, rows)));
  requestAnimationFrame(() => {
    const row = document.getElementById(`L${marked}`);
    if (row) body.scrollTop = row.offsetTop - body.clientHeight / 3;
  });
  return el("div", { class: "text" }, body, el("p", { class: "pages" },
    data.start > 1 ? el("a", { href: here({ start: Math.max(1, data.start - 1000) }) }, "Earlier lines") : "",
    el("span", { class: "aside" }, data.lines.length ? `Lines ${count(data.start)} to ${count(end)} of ${count(data.total_lines)}` : "Empty"),
    end < data.total_lines ? el("a", { href: here({ start: end + 1 }) }, "Later lines") : ""));
}
