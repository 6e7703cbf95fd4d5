// The best trees of a sentence side by side, with their probabilities.

import { call, isAbort } from "../../api.js";
import { make, percent } from "../../dom.js";
import { draw } from "../../drawing.js";
import { wordsOnly } from "./conllu.js";

const BEST = 5;
const [LEAST_WIDTH, FRAME, GAP] = [320, 26, 16]; // pixels of a tree, around it, and between two

/** Opens or closes the other trees of an item. */
export async function toggleNBest(item, { request, drawing, width, announce, signal }) {
  if (item.nbest) {
    item.nbest.remove();
    item.nbest = null;
    return false;
  }
  const box = make("div.nbest", { role: "group", "aria-label": "The best trees" }, make("p.muted", {}, "…"));
  item.nbest = box;
  item.element.append(box);
  try {
    const natural = (item.drawing?.width ?? 500) + FRAME;
    const across = Math.max(width >= 2 * LEAST_WIDTH ? 2 : 1, Math.min(3, Math.floor(width / natural)));
    const own = Math.floor((width - GAP * (across - 1)) / across) - FRAME;
    const body = { ...request, conllu: wordsOnly(item.sentence), best: BEST, drawing: { ...drawing, width: own, probabilities: false, marks: false } };
    const trees = treesOf(await call("nbest", body, { signal }));
    if (item.nbest !== box) return true;
    const first = trees[0]?.sentence;
    const figures = trees.map(({ sentence, drawing: picture, prob }, index) => {
      const svg = draw(picture, { label: `Tree ${index + 1}` });
      const differs = sentence.tokens.filter((token, at) => token.head !== first.tokens[at].head || token.deprel !== first.tokens[at].deprel);
      for (const { id } of differs) svg.querySelectorAll(`.arc[data-word="${id}"]`).forEach((arc) => arc.classList.add("differs"));
      const told = index === 0 ? "the best" : `${differs.length} ${differs.length === 1 ? "arc differs" : "arcs differ"}`;
      return make("figure.nbest-tree", {},
        make("figcaption", {}, make("b", {}, `${index + 1}. `), prob === undefined ? "" : make("span.nbest-prob", {}, percent(prob)), make("span.muted", {}, ` ${told}`)),
        make("div.tree-box", { dir: picture.direction, role: "region", tabindex: "0", "aria-label": `Tree ${index + 1}` }, svg));
    });
    box.style.setProperty("--across", across);
    box.replaceChildren(...figures);
    announce(`${trees.length} trees, the best ${percent(trees[0]?.prob ?? 0)}.`);
  } catch (error) {
    if (!isAbort(error)) box.replaceChildren(make("p.notice.problem", { role: "alert" }, error.message));
  }
  return true;
}

/** The trees of the one sentence that was asked about. */
const treesOf = (answer) => answer.sentences[0].trees.map((sentence, index) => ({ sentence, drawing: answer.drawings[0][index], prob: sentence.prob }));
