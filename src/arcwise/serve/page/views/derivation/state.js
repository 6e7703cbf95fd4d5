// A state: the stack and the buffer as rows of words, and the arcs so far in the picture of the whole tree.

import { make } from "../../dom.js";
import { hasList, wordOf } from "./words.js";

/** Rows of words for a state {stack, buffer}; a list alone in easy-first, whose moves have two places. */
export function rowsOf(trace, state, move) {
  if (hasList(trace)) {
    const joined = new Set(move?.at ?? []);
    return [row(trace, "List", "list", state.stack, (word) => (joined.has(word) ? "joined" : null))];
  }
  const last = state.stack.length - 1;
  return [
    row(trace, "Stack", "stack", state.stack, (_, index) => (index === last ? "top" : null)),
    row(trace, "Buffer", "buffer", state.buffer, (_, index) => (index === 0 ? "front" : null)),
  ];
}

function row(trace, title, kind, words, markOf) {
  const nodes = words.map((word, index) => {
    const mark = markOf(word, index);
    return make(`li.node${mark ? `.${mark}` : ""}${word ? "" : ".root"}`, {},
      make("span.form", { dir: "auto" }, wordOf(trace, word)),
      word ? make("span.number", { "aria-hidden": "true" }, String(word)) : null,
      mark && mark !== "joined" ? make("span.mark", {}, mark) : null);
  });
  const items = nodes.length ? make("ol.nodes", {}, ...nodes) : make("p.empty", {}, "empty");
  return make(`div.row.${kind}`, { role: "group", "aria-label": `${title}, ${words.length === 1 ? "1 node" : `${words.length} nodes`}` },
    make("p.title", { "aria-hidden": "true" }, title), make("div.scroll", { tabIndex: 0, role: "region", "aria-label": title }, items));
}

/** Which arcs of a picture are there before the move at a place, which has come last, and which comes next. */
export function markArcs(svg, trace, at) {
  const steps = trace.steps;
  const count = at < steps.length ? steps[at].arcs : trace.arcs.length;
  const before = at > 0 ? steps[at - 1].arcs : count;
  const after = at + 1 < steps.length ? steps[at + 1].arcs : trace.arcs.length;
  const looks = new Map();
  trace.arcs.forEach((arc, index) => {
    const look = index < before ? "made" : index < count ? "newest" : index < after ? "next" : "later";
    looks.set(String(arc.dependent), look);
  });
  for (const arc of svg.querySelectorAll(".arc")) arc.dataset.when = looks.get(arc.dataset.word) ?? "later";
  const state = at < steps.length ? steps[at] : trace.end;
  const places = new Map();
  for (const word of state.stack) places.set(String(word), "stack");
  for (const word of state.buffer) places.set(String(word), "buffer");
  if (!hasList(trace)) {
    if (state.stack.length) places.set(String(state.stack.at(-1)), "top");
    if (state.buffer.length) places.set(String(state.buffer[0]), "front");
  }
  for (const word of svg.querySelectorAll(".word")) word.dataset.place = places.get(word.dataset.word) ?? "done";
}
