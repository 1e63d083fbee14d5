// A failed path: the answer that an agent gets, its candidates, and what speaks for each of them.

import { contributions, meter } from "./charts.js";
import { el, facts, plural, section, table } from "./dom.js";

export const path = {
  name: "path",
  title: "Path",
  about: "Give a path that failed, and see what was weighed and how sure the answer is.",
  action: "Resolve",
  invitation: "Give a path that does not exist, such as “src/session.py”, and what it was for.",
  parameters: ["path", "intent", "op", "cwd"],
  fields: [
    { name: "path", label: "Failed path", required: true, class: "wide" },
    { name: "intent", label: "What it was for", class: "wide", placeholder: "in words" },
    { name: "op", label: "Operation", choices: ["read", "list", "stat", "search", "write"], default: "read" },
    { name: "cwd", label: "Working directory", placeholder: "the root" },
  ],
  summary: (data) =>
    data.status === "resolved" ? `Resolved to ${data.path}`
      : data.status === "ambiguous" ? `Ambiguous: ${plural(data.candidates.length, "candidate")}`
        : `Absent${data.reason ? `: ${data.reason}` : ""}`,
  draw,
};

function draw(data, parameters, { link }) {
  const open = (candidate) =>
    el("a", { class: "path", href: link(candidate.kind === "dir" ? "tree" : "file", { path: candidate.path }) }, candidate.path);
  return [
    verdict(data, open),
    data.candidates.length ? section("Candidates", candidates(data, open)) : "",
    section("How the path was read", readAs(data)),
    section("Time", facts(Object.entries(data.milliseconds).map(([stage, ms]) => [stage.replace("_", " "), `${ms.toFixed(2)} ms`]))),
  ];
}

function verdict(data, open) {
  const found = data.candidates.find((candidate) => candidate.path === data.path) ?? { path: data.path, kind: "file" };
  return el("div", { class: `verdict ${data.status}` },
    el("p", { class: "word" }, data.status),
    el("p", { class: "asked" }, el("span", { class: "path struck" }, data.requested),
      data.path ? [el("span", { "aria-hidden": "true" }, " → "), open(found), data.line ? `:${data.line}` : ""] : ""),
    data.reason ? el("p", { class: "reason" }, data.reason) : "",
    data.next_question ? el("p", { class: "reason" }, data.next_question) : "",
    data.maybe_exts?.length ? el("p", { class: "reason" }, `Endings that exist there: ${data.maybe_exts.join(", ")}`) : "",
    el("p", { class: "confidence" }, "Confidence ", el("strong", {}, `${(data.confidence * 100).toFixed(1)}%`), meter(data.confidence)));
}

function candidates(data, open) {
  const changes = typeof data.limits.changed === "object" ? data.limits.changed : {};
  const limited = (row) => {
    const [before, after] = (changes[row.path] ?? "").split(/ -> |, /);
    return before === after ? "" : el("span", { class: "why" }, `limited by the evidence: ${changes[row.path]}`);
  };
  const columns = [
    { title: "#", number: true, cell: (row, index) => String(index + 1) },
    { title: "Path", header: true, cell: (row) => el("span", { class: "place" }, open(row)) },
    { title: "Confidence", class: "score", cell: (row) => [el("span", { class: "number" }, row.score.toFixed(4)), meter(row.score)] },
    { title: "Reason", cell: (row) => [row.reason ?? "", limited(row)] },
    {
      title: "Features",
      cell: (row, index) => (Object.keys(row.because).length
        ? el("details", { class: "why", open: index < 2 },
          el("summary", {}, "what weighs", el("span", { class: "visually-hidden" }, ` for ${row.path}`)), contributions(row.because))
        : el("span", { class: "none" }, "not weighed")),
    },
  ];
  const none = data.none_of_them;
  return [
    table("Candidates with what speaks for and against them", columns, data.candidates),
    none === null || none === undefined ? "" : el("p", { class: "aside" }, `“None of them” weighs ${none.toFixed(2)} beside these sums.`),
  ];
}

function readAs(data) {
  const text = (value) => (Array.isArray(value) ? value.join(", ") : value === true ? "yes" : String(value));
  const pairs = [...Object.entries(data.read_as), ...Object.entries(data.sources)];
  return facts(pairs.map(([name, value]) => [name, text(value) || "none"]));
}
