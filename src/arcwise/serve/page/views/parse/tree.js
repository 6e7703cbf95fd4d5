// A tree that can be walked through: by arrow keys, by the pointer, by touch.

import { percent } from "../../dom.js";
import { draw, shape } from "../../drawing.js";

const MARK = "? ";

/** Draws a picture for reading and walking: each word is a stop of the keyboard's way through the tree. */
export function drawTree(picture, sentence) {
  const svg = draw(picture);
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-roledescription", "tree");
  const forms = new Map(sentence.tokens.map((token) => [token.id, token]));
  svg.querySelectorAll(".word").forEach((word, index) => {
    word.setAttribute("role", "button");
    word.setAttribute("tabindex", index ? "-1" : "0");
    word.setAttribute("aria-label", inWords(forms.get(Number(word.dataset.word)), forms));
    const form = word.querySelector(".form");
    const [x, y] = [Number(form.getAttribute("x")), Number(form.getAttribute("y"))];
    const half = Math.max(14, form.textContent.length * 4.5);
    word.prepend(shape("rect", { class: "hit", x: x - half, y: y - 17, width: 2 * half, height: 24, rx: 4 }));
  });
  svg.querySelectorAll(".arc, .bracket").forEach((arc) => arc.setAttribute("aria-hidden", "true"));
  return svg;
}

function inWords(token, forms) {
  if (!token) return "";
  const parts = [token.form];
  if (token.upos) parts.push(token.upos);
  if (token.head === 0) parts.push(`${token.deprel ?? "no label"}, the root`);
  else if (token.head !== undefined) parts.push(`${token.deprel ?? "no label"} of ${forms.get(token.head)?.form ?? token.head}`);
  else parts.push("no head");
  if (token.deprel_prob !== undefined) parts.push(percent(token.deprel_prob));
  return parts.join(", ");
}

/** Marks arcs that are less probable than the threshold; nothing is asked for. Returns how many words have one. */
export function mark(svg, threshold) {
  const unsure = new Set();
  for (const arc of svg.querySelectorAll(".arc[data-prob]")) {
    const label = arc.querySelector(".label");
    const below = Number(arc.dataset.prob) < threshold;
    const marked = label.textContent.startsWith(MARK);
    arc.classList.toggle("unsure", below);
    arc.classList.toggle("plain", !below);
    if (below) unsure.add(arc.dataset.word);
    if (below !== marked) label.textContent = below ? MARK + label.textContent : label.textContent.slice(MARK.length);
  }
  for (const word of svg.querySelectorAll(".word")) word.classList.toggle("doubted", unsure.has(word.dataset.word));
  return unsure.size;
}

const wordOf = (svg, number) => svg.querySelector(`.word[data-word="${number}"]`);

/** Shows which arcs a word has. */
export function highlight(svg, word) {
  for (const one of svg.querySelectorAll(".own, .near, .current")) one.classList.remove("own", "near", "current");
  svg.classList.toggle("has-current", Boolean(word));
  if (!word) return;
  const number = word.dataset.word;
  word.classList.add("current");
  for (const arc of svg.querySelectorAll(".arc")) {
    if (arc.dataset.word === number) {
      arc.classList.add("own");
      wordOf(svg, arc.dataset.head)?.classList.add("near");
    } else if (arc.dataset.head === number) {
      arc.classList.add("near");
    }
  }
}

/** Where an arrow key leads from a word: left and right in the sentence, up to the head, down to a dependent. */
export function neighbour(svg, word, key, rtl) {
  const words = [...svg.querySelectorAll(".word")];
  const at = words.indexOf(word);
  const number = word.dataset.word;
  const arc = svg.querySelector(`.arc[data-word="${number}"]`);
  const siblings = () => {
    const same = [...svg.querySelectorAll(`.arc[data-head="${arc?.dataset.head}"]`)].map((one) => Number(one.dataset.word));
    return [...new Set(same)].sort((a, b) => a - b);
  };
  switch (key) {
    case "ArrowLeft": return words[rtl ? at + 1 : at - 1];
    case "ArrowRight": return words[rtl ? at - 1 : at + 1];
    case "Home": return words[0];
    case "End": return words.at(-1);
    case "ArrowUp": return arc && wordOf(svg, arc.dataset.head);
    case "ArrowDown": {
      const under = [...svg.querySelectorAll(`.arc[data-head="${number}"]`)].map((one) => Number(one.dataset.word));
      return under.length ? wordOf(svg, Math.min(...under)) : undefined;
    }
    case "[": return wordOf(svg, siblings().filter((one) => one < Number(number)).at(-1));
    case "]": return wordOf(svg, siblings().find((one) => one > Number(number)));
    default: return undefined;
  }
}

/** Arcs that the tree might have had, as light curves above the words of a row. */
export function ghosts(svg, word, heads) {
  clearGhosts(svg);
  const row = word.closest(".row");
  const place = (one) => {
    const form = one.querySelector(".form");
    return [Number(form.getAttribute("x")), Number(form.getAttribute("y")) - 18];
  };
  const [x, y] = place(word);
  for (const { head, prob } of heads) {
    const other = wordOf(svg, head);
    if (!other || other.closest(".row") !== row) continue;
    const [from] = place(other);
    const rise = Math.min(y - 8, 18 + Math.abs(from - x) * 0.35, 70);
    const path = `M${from},${y}C${from},${y - rise} ${x},${y - rise} ${x},${y}`;
    const ghost = shape("path", { class: "ghost", d: path, "aria-hidden": "true" });
    ghost.style.setProperty("--p", Math.max(0.15, prob).toFixed(2));
    row.prepend(ghost);
  }
}

export function clearGhosts(svg) {
  for (const ghost of svg.querySelectorAll(".ghost")) ghost.remove();
}
