// The legal moves of a step as a table, and what the oracle says of the state.

import { make } from "../../dom.js";
import { arcText, costText, number, textOf } from "./words.js";

/** `take(move)` if moves can be taken here; `all()` asks for those that are not listed. */
export function movesTable(trace, step, { guide, take, all }) {
  const known = (name) => trace.steps.some((one) => one.moves.some((move) => move[name] !== null));
  const columns = [["prob", "Probability"], ["score", "Score"], ["cost", "Cost"]].filter(([name]) => known(name));
  const cheapest = Math.min(...step.moves.map((move) => move.cost ?? Infinity));
  const rows = step.moves.map((move, index) => {
    const taken = index === step.chosen;
    const marks = [
      taken ? (step.by_hand ? ["hand", "by hand"] : ["taken", "taken"]) : null,
      step.by_hand && index === step.own ? ["own", `${guide}’s choice`] : null,
    ].filter(Boolean);
    const label = [
      make("span.action", {}, move.move),
      move.label === null ? null : make("span.label", { dir: "auto" }, move.label),
      move.between === null ? null : make("span.between", { dir: "auto" }, `${move.between[0]} · ${move.between[1]}`),
    ];
    const name = take
      ? make("button.move", { type: "button", tabIndex: taken ? 0 : -1, "aria-current": taken ? "true" : null, "aria-label": `Take ${textOf(move)}`, onclick: () => take(move) }, ...label)
      : make("span.move", {}, ...label);
    const cells = columns.map(([key]) => make(`td.${key}`, {}, ...valueOf(key, move, cheapest)));
    return make(`tr${taken ? ".is-taken" : ""}`, {},
      make("th", { scope: "row" }, name, ...marks.map(([kind, text]) => make(`span.tag.${kind}`, {}, text))), ...cells);
  });
  const missing = step.legal - step.moves.length;
  return make("div.moves", {},
    make("table", {},
      make("caption.hidden", {}, "Legal moves"),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Move"), ...columns.map(([key, title]) => make(`th.${key}`, { scope: "col" }, title)))),
      make("tbody", {}, ...rows)),
    missing > 0
      ? (all ? make("button.quiet", { type: "button", onclick: all }, `Show all ${step.legal} moves`) : make("p.quiet-text", {}, `… and ${missing} more legal moves.`))
      : null);
}

function valueOf(key, move, cheapest) {
  const value = move[key];
  if (value === null) return [make("span.unknown", { title: "not known" }, "–")];
  if (key === "prob") {
    const bar = make("span.track", { "aria-hidden": "true" }, make("span.share"));
    bar.firstChild.style.inlineSize = `${(100 * value).toFixed(1)}%`;
    return [bar, make("span.value", {}, value.toFixed(3))];
  }
  if (key === "score") return [value.toFixed(2)];
  const free = value === 0;
  const best = value === cheapest;
  return [make(`span.cost${free ? ".free" : ".loss"}${best ? ".best" : ""}`, {}, best ? make("span.check", { "aria-hidden": "true" }, "✓") : null,
    number(value), best ? make("span.hidden", {}, ", the least") : null)];
}

/** Up and down go through the moves; Enter takes one, as on any button. */
export function rove(table, event) {
  const buttons = [...table.querySelectorAll("button.move")];
  const at = buttons.indexOf(document.activeElement);
  if (!buttons.length || !["ArrowDown", "ArrowUp"].includes(event.key)) return false;
  const next = at < 0 ? 0 : (at + (event.key === "ArrowDown" ? 1 : buttons.length - 1)) % buttons.length;
  for (const one of buttons) one.tabIndex = -1;
  buttons[next].tabIndex = 0;
  buttons[next].focus();
  return true;
}

/** What is known of costs in a state: of what is over, and of the moves that come. */
export function oracleSays(trace, at) {
  if (trace.oracle === null) {
    return make("p.muted", {}, "There is no gold tree, so nothing is known of costs. Give CoNLL-U with trees, or compare with the model’s own tree, to see what each move loses.");
  }
  const atEnd = at === trace.steps.length;
  const cost = atEnd ? trace.cost : trace.steps[at].cost;
  if (cost === null) {
    return make("p.muted", {}, `${trace.system} has a static oracle and no dynamic one: off the oracle’s own path nothing is known of costs.`);
  }
  const lost = atEnd ? trace.end.lost : trace.steps[at].lost;
  const parts = [
    make(`p.total${cost ? ".loss" : ".free"}`, {}, make("b", {}, number(cost)), cost === 1 ? " gold arc lost so far" : " gold arcs lost so far"),
  ];
  if (lost.length) {
    parts.push(make("p.muted", {}, atEnd ? "The tree lacks:" : "The best tree that can still be built lacks:"),
      make("ul.lost", {}, ...lost.slice(0, 12).map((arc) => make("li", { dir: "auto" }, arcText(trace, arc)))));
    if (lost.length > 12) parts.push(make("p.muted", {}, `… and ${lost.length - 12} more.`));
  }
  if (!atEnd) {
    const step = trace.steps[at];
    const costs = step.moves.map((move) => move.cost).filter((one) => one !== null);
    const least = Math.min(...costs);
    const best = step.moves.filter((move) => move.cost === least);
    const taken = step.moves[step.chosen];
    if (costs.length) {
      const names = best.slice(0, 4).map(textOf).join(", ") + (best.length > 4 ? ", …" : "");
      parts.push(make("p", {}, least === 0 ? make("span.good", {}, "Costs nothing now: ") : make("span.bad", {}, `No move is free; ${number(least)} is the least: `), names));
    }
    if (taken.cost) parts.push(make("p", {}, make("span.bad", {}, `${textOf(taken)} ${costText(taken.cost)}.`)));
  }
  return make("div", {}, ...parts);
}
