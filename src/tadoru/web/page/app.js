// The frame: which view the address names, its form, its data, and what is said meanwhile. The
// address holds everything that a view shows, so that it can be sent to somebody else.

import { address, ask, get, hasToken, keepToken, me } from "./api.js";
import { el } from "./dom.js";
import { file } from "./file.js";
import { health } from "./health.js";
import { path } from "./path.js";
import { search } from "./search.js";
import { tree } from "./tree.js";

const VIEWS = [search, path, file, tree, health];
const PATIENCE_MS = 150; // shorter waits show nothing, so that the page does not flicker

const main = document.getElementById("main");
const status = document.getElementById("status");
let asker = { name: "", groups: [], operator: false, mounts: [] };
let running = new AbortController();
let shown = "";

/** Return the view and its parameters that the address names. */
function route() {
  const [name, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const view = VIEWS.find((each) => each.name === name) ?? VIEWS[0];
  return { view, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

/** Return the address of a view within the page; the group seen as goes along. */
export function link(name, parameters = {}) {
  const { as } = route().parameters;
  const query = new URLSearchParams(
    Object.entries({ ...parameters, as: parameters.as ?? as ?? "" }).filter(([, value]) => value !== ""));
  const text = query.toString();
  return `#/${name}${text ? `?${text}` : ""}`;
}

const go = (name, parameters) => { location.hash = link(name, parameters); };
const context = { link, go };

async function show() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const { view, parameters } = route();
  const changed = shown !== view.name;
  document.title = `${view.title} · tadoru`;
  drawFrame(view, parameters);
  const answer = el("div", { id: "answer", class: "answer" });
  main.replaceChildren(
    el("div", { class: "title" }, el("h1", { tabindex: "-1" }, view.title), el("p", {}, view.about)),
    view.fields.length ? form(view, parameters) : "",
    answer);
  if (changed && shown) main.querySelector("h1").focus({ preventScroll: true });
  if (changed) scrollTo(0, 0);
  shown = view.name;
  status.textContent = "";
  if (view.fields.some((field) => field.required && !parameters[field.name]?.trim())) {
    answer.append(el("p", { class: "empty" }, view.invitation));
    return;
  }
  const known = Object.fromEntries(
    Object.entries(parameters).filter(([name]) => view.parameters.includes(name)));
  if (asker.operator && parameters.as) known.as = parameters.as;
  await fill(answer, view, known, parameters, signal);
}

async function fill(answer, view, known, parameters, signal) {
  main.setAttribute("aria-busy", "true");
  const waiting = setTimeout(() => answer.replaceChildren(
    el("p", { class: "waiting" }, el("span", { class: "pulse", "aria-hidden": "true" }), "Working …")), PATIENCE_MS);
  try {
    const data = await ask(view.name, known, signal);
    answer.replaceChildren(bar(view, data, known), ...[view.draw(data, parameters, context)].flat(2).filter(Boolean));
    status.textContent = view.summary(data);
  } catch (error) {
    if (signal.aborted) return;
    answer.replaceChildren(failure(error, view));
    status.textContent = error.message;
  } finally {
    clearTimeout(waiting);
    if (!signal.aborted) main.removeAttribute("aria-busy");
  }
}

/** Return the line above an answer: what it is, how fresh, and its data. */
function bar(view, data, parameters) {
  const state = data.index ?? {};
  const json = el("a", { class: "json", href: address(view.name, parameters), type: "application/json" }, "JSON");
  if (hasToken()) json.addEventListener("click", (event) => openData(event, json));
  return el("div", { class: "bar" },
    el("p", { class: "summary" }, view.summary(data)),
    el("p", { class: "state" },
      el("span", { class: `dot ${state.status ?? ""}`, "aria-hidden": "true" }),
      `index ${state.status ?? "unknown"}${state.detail ? `: ${state.detail}` : ""}`),
    json);
}

/** A link carries no token: fetch what it names, and open that. */
async function openData(event, anchor) {
  event.preventDefault();
  const data = await get(anchor.getAttribute("href"));
  const blob = new Blob([JSON.stringify(data, null, 2)], { type: "application/json" });
  open(URL.createObjectURL(blob), "_blank", "noopener");
}

function failure(error, view) {
  if (error.status === 401) return signIn(error);
  const title = { not_found: "Not in the tree", bad_input: "Not understood", offline: "No answer" }[error.code] ?? "No answer";
  const guess = error.code === "not_found" && view === file
    ? el("p", {}, el("a", { href: link("path", { path: route().parameters.path }) }, "Which path was meant?"))
    : "";
  return el("div", { class: "failure" }, el("h2", {}, title), el("p", {}, error.message),
    error.hint ? el("p", { class: "hint" }, error.hint) : "", guess);
}

function signIn(error) {
  const input = el("input", { id: "token", name: "token", type: "password", autocomplete: "off", required: true });
  const submit = (event) => {
    event.preventDefault();
    keepToken(input.value.trim());
    begin();
  };
  return el("form", { class: "failure sign-in", on: { submit } },
    el("h2", {}, hasToken() ? "This token is not accepted" : "Sign in"),
    el("p", {}, hasToken() ? error.message : "The server wants an access token of your identity provider. It is kept in this tab only."),
    el("label", { for: "token" }, "Access token"), input, el("button", { type: "submit" }, "Use it"));
}

/** Return the form of a view; its fields are the parameters of the address. */
function form(view, parameters) {
  const fields = view.fields.map((field) => {
    const id = `field-${field.name}`;
    const value = parameters[field.name] ?? field.default ?? "";
    const shared = { id, name: field.name, required: field.required || null };
    const input = field.choices
      ? el("select", shared, field.choices.map((choice) =>
        el("option", { value: choice, selected: choice === value }, choice)))
      : el("input", {
        ...shared, type: field.type ?? "text", placeholder: field.placeholder, min: field.min, max: field.max,
        autocomplete: "off", spellcheck: "false", autocapitalize: "off",
      });
    if (!field.choices) input.value = value;
    return el("div", { class: `field ${field.class ?? ""}` }, el("label", { for: id }, field.label), input);
  });
  const submit = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    for (const field of view.fields) if (given[field.name] === (field.default ?? "")) delete given[field.name];
    const target = link(view.name, given);
    if (location.hash === target) show();
    else location.hash = target;
  };
  return el("form", { class: "ask", "aria-label": view.title, on: { submit } },
    fields, el("button", { type: "submit" }, view.action));
}

function drawFrame(view, parameters) {
  document.getElementById("views").replaceChildren(...VIEWS.map((each) =>
    el("li", {}, el("a", { href: link(each.name), "aria-current": each === view ? "page" : null }, each.title))));
  drawAsker(parameters);
}

/** Show who asks; whoever holds the operator group may look through other eyes. */
function drawAsker(parameters) {
  const name = asker.name || (asker.groups.length ? asker.groups.join(", ") : "everyone");
  const who = document.getElementById("who");
  const seen = document.getElementById("seen");
  who.replaceChildren(el("span", { class: "name", title: asker.groups.join(", ") || null }, name));
  seen.hidden = !(asker.operator && parameters.as);
  if (!asker.operator) return;
  const input = el("input", {
    id: "as", name: "as", placeholder: "group, group", autocomplete: "off", spellcheck: "false",
  });
  input.value = parameters.as ?? "";
  const { view } = route();
  const submit = (event) => {
    event.preventDefault();
    location.hash = link(view.name, { ...parameters, as: input.value.trim() });
  };
  who.append(el("form", { class: "as", on: { submit } },
    el("label", { for: "as" }, "See as"), input, el("button", { type: "submit" }, "Look")));
  if (!seen.hidden) {
    seen.replaceChildren(
      el("p", {}, "Seen as ", el("strong", {}, parameters.as), ": what these groups may not see is not here."),
      el("a", { href: link(view.name, { ...parameters, as: "" }) }, "Back to my own view"));
  }
}

async function begin() {
  try {
    asker = { ...asker, ...(await me()) };
  } catch {
    // the view says what is wrong, in its own place
  }
  await show();
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", show);
begin();
