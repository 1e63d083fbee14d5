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
        data.uses ? uses(data.uses, link) : "",
        company(data, link)),
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

/** Join the edges that lead to one file: the file, the lines, the names. */
function joined(edges, other) {
  const found = new Map();
  for (const edge of edges) {
    const row = found.get(edge[other]) ?? { path: edge[other], lines: [], names: [] };
    row.lines.push(edge.line);
    row.names.push(...(edge.names ?? []));
    found.set(edge[other], row);
  }
  return [...found.values()];
}

function company(data, link) {
  const known = (edges, other) => {
    const rows = joined(edges.filter((edge) => edge[other]), other);
    return rows.length ? el("ul", { class: "plain" }, rows.map((row) => el("li", {},
      el("a", { class: "path", href: link("file", { path: row.path }) }, row.path),
      el("span", { class: "aside" }, ` ${row.names.join(", ")}${row.names.length ? ", " : ""}line ${row.lines.join(", ")}`)))) : "";
  };
  const outside = [...new Set(data.imports.filter((edge) => !edge.target).map((edge) => edge.module))];
  const more = (total, edges) => (total > edges.length ? el("p", { class: "aside" }, `and ${count(total - edges.length)} more`) : "");
  return [
    section("Imported by", data.importers.length ? known(data.importers, "path") : el("p", { class: "empty" }, "No file of the tree."), more(data.importers_total, data.importers)),
    section("Imports", known(data.imports, "target"),
      outside.length ? el("p", { class: "aside" }, "From outside the tree, or unknown: ", el("span", { class: "path" }, outside.join(", "))) : "",
      data.imports.length ? "" : el("p", { class: "empty" }, "Nothing."), more(data.imports_total, data.imports)),
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
