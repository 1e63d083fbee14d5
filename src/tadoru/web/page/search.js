// A question, and the way of its answer: first each candidate's way through all stages, then every
// stage on its own.

import { contributions, meter, stacked } from "./charts.js";
import { count, el, facts, plural, section, table } from "./dom.js";

const ABOUT = {
  lexical: "Chunks by their words (BM25F over path, breadcrumb, signature, comment and body).",
  dense: "Chunks by the nearness of their vector to that of the question.",
  symbol: "Definitions of names that the question may mean.",
  path: "Files that the question names.",
  "words in path": "Files whose path speaks of the question.",
  scan: "Files whose text is not in the index yet.",
  fused: "All channels in one order: by score, with ranks for near-ties.",
  ranked: "Signals of chunk and file weighed by a small model; the score is comparable between questions.",
  "cut-off": "What is worth reading, by the score of each and that of the best.",
  expanded: "What lies around what was kept: neighbours, siblings, imports, call sites.",
  packed: "What is shown within the budget, best first.",
};

export const search = {
  name: "search",
  title: "Search",
  about: "Ask as an agent would, and see what each stage found, kept and cut.",
  action: "Ask",
  invitation: "Ask a question in words, names, or both: “where is the session cookie signed”.",
  parameters: ["q", "mode", "budget", "under", "tests"],
  fields: [
    { name: "q", label: "Question", required: true, class: "wide" },
    { name: "under", label: "Below directory", placeholder: "everywhere" },
    { name: "mode", label: "Mode", choices: ["quick", "balanced", "deep"], default: "balanced" },
    { name: "tests", label: "Tests", choices: ["include", "exclude", "only"], default: "include" },
    { name: "budget", label: "Budget in tokens", type: "number", min: 50, max: 100000, placeholder: "default" },
  ],
  summary: (data) => {
    const kept = data.stages.find((each) => each.stage === "cut-off")?.kept ?? 0;
    return data.total
      ? `${plural(data.total, "candidate")} ranked, ${count(kept)} worth reading, ${count(data.tokens)} of ${count(data.budget)} tokens`
      : "Nothing found";
  },
  draw,
};

function draw(data, parameters, { link }) {
  const stages = Object.fromEntries(data.stages.map((each) => [each.stage, each]));
  const place = (row) => where(row, link);
  return [
    ...data.warnings.map((warning) => el("p", { class: "note" }, warning)),
    rail(data.stages),
    stages.ranked?.found ? section("The way of each candidate", ways(data, stages, place)) : el("p", { class: "empty" }, "No chunk speaks of it. Other words, or none of the filters, may."),
    stages.packed?.found ? section("Token budget", budget(data, stages.packed, place)) : "",
    section("Stage by stage", data.stages.map((stage) => details(stage, place))),
    section("The question, as understood", understood(data)),
    data.text ? section("What a model reads", el("pre", { class: "packed", tabindex: "0" }, lines(data.text))) : "",
  ];
}

/** Text of several lines, each on its own; controls within a line are shown. */
const lines = (text) => text.split("\n").flatMap((line) => [el("span", {}, line), document.createTextNode("\n")]);

function where(row, link) {
  const href = link("file", { path: row.path, start: row.line > 30 ? row.line - 20 : "", line: row.line });
  return el("span", { class: "place" },
    el("a", { class: "path", href }, row.path), el("span", { class: "lines" }, `:${row.line}–${row.end}`),
    row.breadcrumb ? el("span", { class: "crumb" }, row.breadcrumb) : "");
}

/** Draw the stages in a row, each with how many candidates it let through. */
function rail(stages) {
  const figure = (stage) => (stage.kept === undefined ? stage.found : stage.kept);
  return el("nav", { "aria-label": "Stages" }, el("ol", { class: "rail" },
    stages.filter((stage) => stage.found || ["lexical", "dense"].includes(stage.stage) || stage.kind !== "recall").map((stage) =>
      el("li", { class: stage.kind === "recall" ? "recall" : "" },
        el("button", { type: "button", on: { click: () => openStage(stage.stage) } },
          el("span", { class: "figure" }, count(figure(stage))),
          el("span", { class: "stage" }, stage.stage))))));
}

function openStage(name) {
  const part = document.getElementById(`stage-${name}`);
  part.open = true;
  part.scrollIntoView({ block: "start" });
  part.querySelector("summary").focus();
}

function ways(data, stages, place) {
  const decided = new Map((stages["cut-off"]?.rows ?? []).map((row) => [`${row.path}:${row.line}`, row]));
  const packed = stages.packed?.rows ?? [];
  const rank = (value) => (value ? el("span", {}, String(value)) : el("span", { class: "none" }, "–"));
  const reranked = stages.ranked.rows.some((row, index) => row["rank before"] && row["rank before"] !== index + 1);
  const columns = [
    { title: "#", number: true, cell: (row) => String(row.rank) },
    { title: "Chunk", header: true, cell: place },
    { title: "Lexical", number: true, cell: (row) => rank(row.ranks.lexical) },
    { title: "Dense", number: true, cell: (row) => rank(row.ranks.dense) },
    { title: "Fused", number: true, cell: (row) => rank(row["fused rank"]) },
    ...(reranked ? [{ title: "Before rerank", number: true, cell: (row) => rank(row["rank before"]) }] : []),
    { title: "Score", class: "score", cell: (row) => [el("span", { class: "number" }, row.score.toFixed(3)), meter(row.score)] },
    { title: "Outcome", class: "outcome", cell: (row) => outcome(decided.get(`${row.path}:${row.line}`), shownAs(row, packed)) },
    { title: "Signals", cell: (row) => el("details", { class: "why" }, el("summary", {}, "why", el("span", { class: "visually-hidden" }, ` ${row.path}:${row.line}`)), contributions(row.signals)) },
  ];
  return table("The way of each candidate through the stages", columns, stages.ranked.rows, {
    rowClass: (row) => (decided.get(`${row.path}:${row.line}`)?.kept ? "kept" : "cut"),
  });
}

const shownAs = (row, packed) =>
  packed.find((each) => each.path === row.path && each.line <= row.end && row.line <= each.end)?.shown;

function outcome(decision, shown) {
  const word = decision?.kept ? el("span", { class: "tag kept" }, "kept") : el("span", { class: "tag cut" }, "cut");
  const why = decision ? decision.why : "beyond what the cut-off looks at";
  const then = decision?.kept ? ` shown: ${shown}` : ` back as surroundings: ${shown}`;
  return [word, shown ? el("span", { class: "aside" }, then) : "", decision?.kept ? "" : el("span", { class: "why" }, why)];
}

function budget(data, packed, place) {
  const overhead = Math.max(0, data.tokens - packed["tokens of text"]);
  const parts = packed.rows.map((row) => ({ value: row.tokens, kind: row.shown.replace(" ", "-") }));
  parts.push({ value: overhead, kind: "overhead" });
  const left = Math.max(0, data.budget - data.tokens);
  const columns = [
    { title: "Segment", header: true, cell: place },
    { title: "Shown", cell: (row) => row.shown },
    { title: "Tokens", number: true, cell: (row) => count(row.tokens) },
  ];
  const out = packed["left out"];
  return [
    stacked(parts, Math.max(data.budget, data.tokens), `${count(data.tokens)} of ${count(data.budget)} tokens are used`),
    el("ul", { class: "legend" },
      [["whole", "whole chunks"], ["a-part", "parts"], ["one-line", "one line each"], ["overhead", `headings and fences ${count(overhead)}`], ["track", `unused ${count(left)}`]]
        .map(([kind, text]) => el("li", {}, el("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), text))),
    el("details", {}, el("summary", {}, plural(packed.found, "segment")), table("Packed segments", columns, packed.rows)),
    out.found ? el("details", {}, el("summary", {}, `${count(out.found)} left out`),
      table("Left out", [{ title: "Chunk", header: true, cell: place }, { title: "Why", cell: (row) => row.why }], out.rows), more(out)) : "",
  ];
}

const more = (stage) => (stage.found > stage.rows.length
  ? el("p", { class: "aside" }, `and ${count(stage.found - stage.rows.length)} more`) : "");

function details(stage, place) {
  return el("details", { class: "stage", id: `stage-${stage.stage}` },
    el("summary", {}, el("span", { class: "stage" }, stage.stage), el("span", { class: "aside" }, told(stage))),
    el("p", { class: "about" }, ABOUT[stage.stage] ?? ""),
    stage.note ? el("p", { class: "note" }, stage.note) : "",
    stage.rows.length ? table(`Stage ${stage.stage}`, columnsOf(stage, place), stage.rows, {
      rowClass: (row) => (row.kept === false ? "cut" : ""),
    }) : el("p", { class: "empty" }, "nothing"),
    more(stage));
}

function told(stage) {
  if (stage.stage === "cut-off") return `${count(stage.kept)} of ${count(stage.found)} kept; floor ${stage.floor}, needed ${stage.needed}, at most ${stage.most}`;
  if (stage.stage === "fused") return `${count(stage.found)}; ${count(stage.considered)} weighed by heading and file, ${count(stage.read)} read`;
  return count(stage.found);
}

function columnsOf(stage, place) {
  const has = (key) => stage.rows.some((row) => row[key] !== undefined);
  const column = (key, title, cell, number = false) => (has(key) ? [{ title, number, cell }] : []);
  return [
    ...column("rank", "#", (row) => String(row.rank), true),
    { title: "Chunk", header: true, cell: place },
    ...column("score", "Score", (row) => row.score.toFixed(4), true),
    ...column("ranks", "Rank in", (row) => Object.entries(row.ranks).map(([name, at]) => `${name} ${at}`).join(", ")),
    ...column("sources", "Brought by", (row) => row.sources.join(", ")),
    ...column("because", "Because", (row) => row.because),
    ...column("tokens", "Tokens", (row) => count(row.tokens), true),
    ...column("shown", "Shown", (row) => row.shown),
    ...column("kept", "Outcome", (row) => (row.kept ? "kept" : row.why)),
  ];
}

function understood(data) {
  const { kind, concepts = {}, names = [], paths = [], variants = [] } = data.understood;
  const most = Math.max(...Object.values(concepts), 1e-9);
  return [
    facts([["Kind", kind], ["Recall", data.recall], ["Names tried", names.join(", ")], ["Paths named", paths.join(", ")], ["Also asked", variants.join("; ")]]),
    Object.keys(concepts).length ? table("Concepts and how rare they are here", [
      { title: "Concept", header: true, cell: ([name]) => name },
      { title: "Weight", class: "score", cell: ([, weight]) => [el("span", { class: "number" }, weight.toFixed(2)), meter(weight / most)] },
    ], Object.entries(concepts)) : "",
    data.duplicates.length ? el("p", { class: "aside" }, `Copies folded: ${data.duplicates.join(", ")}`) : "",
  ];
}
