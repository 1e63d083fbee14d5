// How the index is, how quickly tools answered, and what caches saved.

import { axis, decades, latency, meter, stacked } from "./charts.js";
import { ago, bytes, count, el, facts, plural, section, table } from "./dom.js";

const PARTS = 6; // kinds of a stacked bar, as many as have a colour

export const health = {
  name: "health",
  title: "Health",
  about: "The state of the index, the latency of each tool, and what caches saved, as this asker sees them.",
  action: "",
  invitation: "",
  parameters: [],
  fields: [],
  summary: (data) => `Index ${data.index.status}, ${plural(data.files, "file")}, ${plural(data.symbols, "symbol")}`,
  draw,
};

function draw(data) {
  return [
    ...data.warnings.map((warning) => el("p", { class: "note" }, warning)),
    figures(data),
    section("Latency by tool", tools(data.search.tools)),
    section("Where a search spends its time", stages(data.search.mean_stage_ms)),
    section("Caches and tokens", caches(data.search)),
    section("What the tree holds", holds(data)),
    section("Index", index(data)),
  ];
}

function figures(data) {
  const figure = (value, name) => el("li", {}, el("span", { class: "figure" }, value), el("span", { class: "stage" }, name));
  return el("ul", { class: "figures" },
    figure(count(data.files), "files"), figure(count(data.symbols), "symbols"), figure(bytes(data.bytes), "of text and data"),
    figure(count(data.search.queries), "searches"), figure(`${(data.search.cache_hit_rate * 100).toFixed(0)}%`, "from the cache"),
    figure(count(data.search.tokens_saved), "tokens saved"));
}

function tools(found) {
  const rows = Object.entries(found).filter(([, row]) => row.calls).sort(([, a], [, b]) => b.p95_ms - a.p95_ms);
  if (!rows.length) return el("p", { class: "empty" }, "No tool was called yet.");
  const scale = decades(rows.flatMap(([, row]) => [row.p50_ms, row.p99_ms]));
  const ms = (value) => (value < 10 ? value.toFixed(2) : value < 1000 ? value.toFixed(0) : count(Math.round(value)));
  return [
    table("Latency of each tool in milliseconds", [
      { title: "Tool", header: true, cell: ([name]) => name },
      { title: "Calls", number: true, cell: ([, row]) => count(row.calls) },
      { title: "Failed", number: true, cell: ([, row]) => count(row.failed) },
      { title: "p50 ms", number: true, cell: ([, row]) => ms(row.p50_ms) },
      { title: "p95 ms", number: true, cell: ([, row]) => ms(row.p95_ms) },
      { title: "p99 ms", number: true, cell: ([, row]) => ms(row.p99_ms) },
      { title: [el("span", { class: "visually-hidden" }, "Spread"), axis(scale)], class: "spread", cell: ([, row]) => latency(row, scale) },
    ], rows),
    el("ul", { class: "legend" },
      [["p50", "median"], ["p95", "95 of 100 are faster"], ["p99", "99 of 100 are faster"]].map(([kind, name]) =>
        el("li", {}, el("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), name))),
  ];
}

function parts(rows, whole, label, value) {
  const shown = rows.slice(0, PARTS - 1);
  const rest = rows.slice(PARTS - 1).reduce((sum, [, amount]) => sum + amount, 0);
  if (rest) shown.push(["others", rest]);
  return [
    stacked(shown.map(([, amount], at) => ({ value: amount, kind: `part-${at}` })), whole, label),
    el("ul", { class: "legend" }, shown.map(([name, amount], at) =>
      el("li", {}, el("span", { class: `swatch part-${at}`, "aria-hidden": "true" }), `${name} ${value(amount)}`))),
  ];
}

function stages(means) {
  const rows = Object.entries(means);
  if (!rows.length) return el("p", { class: "empty" }, "Nothing was searched yet.");
  const whole = rows.reduce((sum, [, ms]) => sum + ms, 0);
  const ms = (value) => `${value.toFixed(1)} ms`;
  return parts(rows, whole, `Mean time of a search by stage, ${ms(whole)} in all`, ms);
}

function caches(search) {
  const asked = search.cache_hits + search.computed;
  const saved = search.tokens_of_whole_files ? search.tokens_saved / search.tokens_of_whole_files : 0;
  const row = (name, share, told) => [name, share, told];
  return table("Rates", [
    { title: "Rate", header: true, cell: ([name]) => name },
    { title: "Share", class: "score", cell: ([, share]) => [el("span", { class: "number" }, `${(share * 100).toFixed(1)}%`), meter(share)] },
    { title: "Counts", cell: ([, , told]) => told },
  ], [
    row("Searches answered from the cache", search.cache_hit_rate, `${count(search.cache_hits)} of ${count(asked)}`),
    row("Tokens saved beside whole files", saved, `${count(search.tokens_sent)} sent instead of ${count(search.tokens_of_whole_files)}`),
  ]);
}

function holds(data) {
  const group = (title, counts) => {
    const rows = Object.entries(counts);
    const whole = rows.reduce((sum, [, number]) => sum + number, 0);
    return el("div", { class: "group" }, el("h3", {}, title), parts(rows, whole, `Files by ${title.toLowerCase()}`, count));
  };
  if (!data.files) return el("p", { class: "empty" }, "There is no file that this asker may see.");
  return [group("Languages", data.languages), group("Roles", data.roles)];
}

function index(data) {
  const stores = Object.entries(data.health ?? {});
  return [
    facts([
      ["State", `${data.index.status}${data.index.detail ? `: ${data.index.detail}` : ""}`],
      ["Files waiting", count(data.not_indexed)], ["Version", count(data.index.generation ?? 0)],
      ["Recall", data.semantic.recall], ["Model", data.semantic.model ?? "none"],
      ["Mounts", data.mounts.join(", ")],
      ["Last run", data.indexing.last_run ? ago(Date.parse(data.indexing.last_run) / 1000) : "not asked for"],
    ]),
    stores.length ? table("Stores", [
      { title: "Store of", header: true, cell: ([place]) => place },
      { title: "Index", number: true, cell: ([, row]) => bytes(row.index_bytes) },
      { title: "Looked at", cell: ([, row]) => ago(Date.now() / 1000 - row.seconds_since_scan) },
    ], stores) : "",
  ];
}
