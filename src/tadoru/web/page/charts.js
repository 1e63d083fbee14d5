// Small pictures as SVG. Each stands beside the numbers that it draws, so it is hidden from readers
// that do not see it.

import { el, svg } from "./dom.js";

/** Draw a share of 0..1 as a bar. */
export function meter(share, kind = "") {
  const width = Math.max(0, Math.min(1, share)) * 100;
  return svg("svg", { class: `meter ${kind}`, viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "track", width: 100, height: 8 }),
    svg("rect", { class: "value", width, height: 8 }));
}

/** Draw named parts of a sum on both sides of zero, the heaviest first. */
export function contributions(parts) {
  const rows = Object.entries(parts);
  const most = Math.max(...rows.map(([, value]) => Math.abs(value)), 1e-9);
  return el("ul", { class: "contributions" }, rows.map(([name, value]) => {
    const width = (Math.abs(value) / most) * 50;
    const sign = value < 0 ? "against" : "for";
    return el("li", {},
      el("span", { class: "term" }, name.replaceAll("_", " ")),
      svg("svg", { class: "diverging", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: sign, x: value < 0 ? 50 - width : 50, width, height: 8 }),
        svg("rect", { class: "zero", x: 49.75, width: 0.5, height: 8 })),
      el("span", { class: "number" }, `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`));
  }));
}

/** Draw parts of a whole on one line. `parts`: {value, kind}; what is left stays empty. */
export function stacked(parts, whole, label) {
  let x = 0;
  const rects = parts.map(({ value, kind }) => {
    const width = whole ? (value / whole) * 1000 : 0;
    const rect = svg("rect", { class: kind, x: x + 0.5, width: Math.max(0, width - 1), height: 20 });
    x += width;
    return rect;
  });
  return svg("svg", { class: "stacked", viewBox: "0 0 1000 20", preserveAspectRatio: "none", role: "img", "aria-label": label },
    svg("rect", { class: "track", width: 1000, height: 20 }), rects);
}

/** Return a scale of milliseconds by powers of ten, and the powers themselves. */
export function decades(values) {
  const positive = values.filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...positive, 1)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...positive, 1))));
  const ticks = Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step));
  const at = (value) => ((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) * 96 + 2;
  return { at, ticks };
}

/** Draw the median of a tool, and how far its slow calls lie from it, on such a scale. */
export function latency(row, { at, ticks }) {
  const [middle, slow, slowest] = [row.p50_ms, row.p95_ms, row.p99_ms].map(at);
  const mark = (x, kind) => svg("line", { class: kind, x1: x, x2: x, y1: 4, y2: 16 });
  return svg("svg", { class: "latency", viewBox: "0 0 100 20", preserveAspectRatio: "none", "aria-hidden": "true" },
    ticks.map((tick) => svg("line", { class: "tick", x1: at(tick), x2: at(tick), y1: 0, y2: 20 })),
    svg("line", { class: "tail", x1: slow, x2: slowest, y1: 10, y2: 10 }),
    svg("line", { class: "range", x1: middle, x2: slow, y1: 10, y2: 10 }),
    mark(slowest, "p99"), mark(slow, "p95"), mark(middle, "p50"));
}

/** Name the powers of such a scale, each where it lies. */
export function axis({ at, ticks }) {
  return el("div", { class: "axis", "aria-hidden": "true" }, ticks.map((tick) => {
    const name = el("span", {}, tick < 1000 ? `${tick} ms` : `${tick / 1000} s`);
    name.style.left = `${at(tick)}%`;
    return name;
  }));
}
