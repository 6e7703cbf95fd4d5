// The sentences as tables, with the columns of CoNLL-U.

import { make, percent } from "../../dom.js";
import { COLUMNS, columnsOf, lines } from "./conllu.js";

const MOST = 200; // sentences in one go
const NARROW = new Set(["ID", "HEAD"]);

export function tables(items, threshold, { from = 0 } = {}) {
  const shown = items.slice(from, from + MOST);
  const parts = shown.map(({ sentence }, index) => table(sentence, from + index + 1, threshold));
  return { parts, next: from + MOST < items.length ? from + MOST : null };
}

function table(sentence, number, threshold) {
  const hasProbabilities = sentence.tokens.some((token) => token.deprel_prob !== undefined);
  const head = [...COLUMNS, ...(hasProbabilities ? ["PROBABILITY"] : [])];
  const rows = lines(sentence).map((token) => {
    const cells = columnsOf(token).map((value, column) => make(column === 0 ? "th" : "td",
      column === 0 ? { scope: "row" } : { dir: column < 3 ? "auto" : null, class: NARROW.has(COLUMNS[column]) ? "number" : null }, value));
    if (hasProbabilities) cells.push(probability(token.deprel_prob));
    const row = make("tr", {}, ...cells);
    if (token.deprel_prob !== undefined) row.dataset.prob = token.deprel_prob;
    return row;
  });
  const made = make("div.table-box.card", { role: "region", tabindex: "0", "aria-label": `Table of sentence ${number}` }, make("table.conllu", {},
    make("caption", {}, make("span.sentence-number", {}, `${number}`), make("span", { dir: "auto", lang: "" }, sentence.text ?? "")),
    make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows)));
  markRows(made, threshold);
  return made;
}

function probability(value) {
  if (value === undefined) return make("td", {}, "");
  const bar = make("span.probability-bar", { "aria-hidden": "true" });
  bar.style.setProperty("--p", value);
  return make("td.probability", {}, make("span.probability-value", {}, percent(value)), bar);
}

export function markRows(root, threshold) {
  for (const row of root.querySelectorAll("tr[data-prob]")) {
    const below = Number(row.dataset.prob) < threshold;
    row.classList.toggle("doubted", below);
    const value = row.querySelector(".probability-value");
    const bare = value.textContent.replace(/^\? /, "");
    value.textContent = below ? `? ${bare}` : bare;
  }
}
