// A word's other heads and labels, beside it: on hover, on focus, on tap. They are asked for when first wanted.

import { call, isAbort } from "../../api.js";
import { make, percent } from "../../dom.js";
import { wordsOnly } from "./conllu.js";
import { clearGhosts, ghosts, highlight } from "./tree.js";

const BEST = 5; // arcs of a word
const DRAWN = 200; // trees
const LEAST = 0.005; // others are too improbable to tell
const HOVER = 140; // milliseconds that the pointer rests on a word

export class Popover {
  #box = make("div.popover.card", { id: "other-heads", role: "tooltip", hidden: true });
  #word = null;
  #timer = null;

  /** `request()` gives what a call needs besides the sentence; `itemOf(element)` the item of a tree. */
  constructor({ root, itemOf, request, announce, signal }) {
    Object.assign(this, { itemOf, request, announce, signal });
    root.append(this.#box);
    const on = (name, run, target = root) => target.addEventListener(name, run, { signal });
    on("pointerover", (event) => {
      if (event.pointerType === "touch") return;
      const word = wordAt(event.target);
      if (this.#box.contains(event.target) || (word && word === this.#word)) clearTimeout(this.#timer);
      else if (word) this.#soon(() => this.show(word));
      else if (this.#word && !this.#word.matches(":focus")) this.#soon(() => this.hide());
    }, document);
    on("focusin", (event) => {
      const word = event.target.closest?.(".tree .word");
      if (word) this.show(word, { tell: word.matches(":focus-visible") });
      else this.hide();
    });
    on("focusout", (event) => { if (event.target === this.#word && !event.relatedTarget) this.hide(); });
    on("click", (event) => {
      const word = wordAt(event.target);
      if (word) { word.focus({ preventScroll: true }); this.show(word); }
      else if (!this.#box.contains(event.target)) this.hide();
    });
    on("keydown", (event) => { if (event.key === "Escape" && !this.#box.hidden) { this.hide(); event.stopPropagation(); } }, document);
  }

  hide() {
    clearTimeout(this.#timer);
    const svg = this.#word?.closest("svg");
    if (svg) { clearGhosts(svg); highlight(svg, null); }
    this.#word?.removeAttribute("aria-describedby");
    this.#word = null;
    this.#box.hidden = true;
  }

  async show(word, { tell = false } = {}) {
    clearTimeout(this.#timer);
    if (this.#word !== word) this.hide();
    this.#word = word;
    highlight(word.closest("svg"), word);
    const item = this.itemOf(word);
    if (!item || !this.request()) return;
    this.#fill(item, word, item.others?.get(this.#key()) instanceof Array ? item.others.get(this.#key()) : null);
    let others;
    try {
      others = await this.#othersOf(item);
    } catch (error) {
      if (!isAbort(error) && this.#word === word) this.#say(word, error.message);
      return;
    }
    if (this.#word !== word) return;
    const own = this.#fill(item, word, others);
    if (tell) this.announce(own);
  }

  #soon(run) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(run, HOVER);
  }

  #key() { return JSON.stringify(this.request()); }

  /** The arcs of all words of a sentence; one request serves all who wait for it. */
  async #othersOf(item) {
    item.others ??= new Map();
    const key = this.#key();
    if (!item.others.has(key)) {
      const body = { ...this.request(), conllu: wordsOnly(item.sentence), best: BEST, samples: DRAWN };
      item.others.set(key, call("marginals", body, { signal: this.signal }).then(
        (answer) => { item.others.set(key, arcsOf(answer)); return item.others.get(key); },
        (error) => { item.others.delete(key); throw error; },
      ));
    }
    return item.others.get(key);
  }

  #fill(item, word, others) {
    const number = Number(word.dataset.word);
    const tokens = item.sentence.tokens;
    const token = tokens.find((one) => one.id === number);
    const formOf = (head) => (head === 0 ? "ROOT" : tokens.find((one) => one.id === head)?.form ?? String(head));
    const title = make("p.popover-title", {}, make("b", { dir: "auto" }, token.form), token.upos ? ` ${token.upos}` : "");
    if (others === null) {
      this.#box.replaceChildren(title, make("p.muted", {}, "…"));
      this.#place(word);
      return "";
    }
    const isOwn = (arc) => arc.head === token.head && arc.deprel === token.deprel;
    const arcs = (others[number - 1] ?? []).filter((arc) => arc.prob >= LEAST || isOwn(arc));
    const rows = arcs.map((arc) => {
      const bar = make("span.probability-bar", { "aria-hidden": "true" });
      bar.style.setProperty("--p", arc.prob);
      return make(isOwn(arc) ? "tr.chosen" : "tr", {},
        make("td", { dir: "auto" }, formOf(arc.head)), make("td", {}, arc.deprel), make("td.number", {}, percent(arc.prob)), make("td", {}, bar));
    });
    const table = make("table", {},
      make("thead", {}, make("tr", {}, ...["head", "label", "share", ""].map((name) => (name ? make("th", { scope: "col" }, name) : make("td"))))),
      make("tbody", {}, ...rows));
    const alone = arcs.every(isOwn);
    this.#box.replaceChildren(title, table, make("p.muted", {}, alone ? `No other head among ${DRAWN} trees that were drawn.` : `Shares of ${DRAWN} trees that were drawn.`));
    this.#place(word);
    const rest = arcs.filter((arc) => !isOwn(arc));
    ghosts(word.closest("svg"), word, rest.filter((arc) => arc.head !== token.head));
    word.setAttribute("aria-describedby", this.#box.id);
    return alone ? "No other head." : `Others: ${rest.map((arc) => `${arc.deprel} of ${formOf(arc.head)}, ${percent(arc.prob)}`).join("; ")}`;
  }

  #say(word, text) {
    this.#box.replaceChildren(make("p", {}, text));
    this.#place(word);
  }

  /** Below the word and what stands under it, or above its arcs where there is no room. */
  #place(word) {
    const box = this.#box;
    box.hidden = false;
    const at = word.getBoundingClientRect();
    const frame = box.offsetParent?.getBoundingClientRect() ?? { left: 0, top: 0 };
    const left = Math.min(Math.max(8, at.left + at.width / 2 - box.offsetWidth / 2), document.documentElement.clientWidth - box.offsetWidth - 8);
    const below = at.bottom + 6;
    const top = below + box.offsetHeight > innerHeight && at.top > box.offsetHeight + 80 ? at.top - box.offsetHeight - 60 : below;
    box.style.left = `${left - frame.left}px`;
    box.style.top = `${top - frame.top}px`;
  }
}

function wordAt(target) {
  const own = target.closest?.(".tree .word");
  if (own) return own;
  const arc = target.closest?.(".tree .arc");
  return arc?.closest("svg").querySelector(`.word[data-word="${arc.dataset.word}"]`) ?? null;
}

/** The arcs of each word of the one sentence that was asked about. */
const arcsOf = (answer) => answer.sentences[0].words;
