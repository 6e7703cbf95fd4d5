// The list of sentences. Only those in the window or near it are drawn; those that leave it become empty boxes again.

import { call, isAbort } from "../../api.js";
import { button, debounced, make } from "../../dom.js";
import { drawTree, mark } from "./tree.js";

const NEAR = "700px 0px";
const FAR = 3; // windows away from where a picture is let go
const DRAWN_TOGETHER = 24;
const BORDER = 1; // of a card

export class Cards {
  #items = [];
  #near = new Set();
  #observer;
  #drawing = false;
  #layout = 0; // rises when pictures must be laid out anew
  #width = 0;

  /** `options()` gives {threshold, drawing (without its width), table}; `report(error)` tells of errors. */
  constructor({ list, options, actions, report, signal, drawn }) {
    Object.assign(this, { list, options, actions, report, signal, drawn });
    this.#observer = new IntersectionObserver((entries) => this.#moved(entries), { rootMargin: NEAR });
    const resized = debounced(100, () => this.#resized());
    this.resize = new ResizeObserver(resized);
    this.resize.observe(list.parentElement);
    signal.addEventListener("abort", () => { this.#observer.disconnect(); this.resize.disconnect(); resized.cancel(); });
    this.#width = this.width;
  }

  /** The pixels that a picture may take. */
  get width() {
    const padding = parseFloat(getComputedStyle(this.list).getPropertyValue("--tree-padding"));
    return Math.max(100, Math.floor(this.list.parentElement.clientWidth - 2 * (padding + BORDER)));
  }

  get drawing() { return { ...this.options().drawing, width: this.width }; }

  show(items) {
    const gone = new Set(this.#items);
    let before = null;
    this.#items = items;
    for (const item of items) {
      gone.delete(item);
      if (!item.element) this.#make(item);
      const place = before ? before.nextSibling : this.list.firstChild;
      if (item.element !== place) this.list.insertBefore(item.element, place);
      before = item.element;
    }
    for (const item of gone) {
      this.#observer.unobserve(item.element);
      this.#near.delete(item);
      item.element.remove();
      item.element = null;
    }
    this.#fill();
  }

  /** Pictures are asked for again; those that are shown stay until then. */
  redraw() {
    this.#layout += 1;
    for (const item of this.#items) item.drawing = null;
    for (const item of this.#items) if (!this.#near.has(item)) this.#empty(item);
    this.#fill();
  }

  /** New marks on what is drawn. */
  mark(threshold) {
    for (const item of this.#items) if (item.svg) tellDoubts(item, mark(item.svg, threshold));
  }

  #make(item) {
    item.element = make("li.sentence.card");
    item.element.style.minHeight = `${item.height ?? this.#guess(item)}px`;
    itemOf.set(item.element, item);
    this.#observer.observe(item.element);
    // Those that come with a picture are drawn at once: the observer would tell a frame later.
    if (item.drawing) { this.#near.add(item); this.#draw(item); }
  }

  #guess({ sentence }) {
    const rows = Math.ceil((sentence.tokens.length * 62) / Math.max(200, this.#width));
    return 60 + rows * (90 + 8 * Math.min(sentence.tokens.length, 12));
  }

  #moved(entries) {
    for (const { target, isIntersecting } of entries) {
      const item = itemOf.get(target);
      if (!item?.element) continue;
      if (isIntersecting) this.#near.add(item);
      else this.#near.delete(item);
    }
    // What is far away lets go of its picture: memory does not grow with the text.
    for (const item of this.#items) {
      if (!item.svg || this.#near.has(item) || item.element.contains(document.activeElement)) continue;
      const { top, bottom } = item.element.getBoundingClientRect();
      if (bottom < -FAR * innerHeight || top > (FAR + 1) * innerHeight) this.#empty(item);
    }
    this.#fill();
  }

  #resized() {
    const width = this.width;
    if (width === this.#width) return;
    this.#width = width;
    this.redraw();
  }

  async #fill() {
    if (this.options().table) return;
    for (const item of this.#near) if (item.drawing && item.shown !== item.drawing) this.#draw(item);
    if (this.#drawing) return;
    this.#drawing = true;
    try {
      for (;;) {
        const wanted = [...this.#near].filter((item) => item.element && !item.drawing).slice(0, DRAWN_TOGETHER);
        if (!wanted.length) break;
        const layout = this.#layout;
        const sentences = wanted.map((item) => item.sentence);
        const body = { sentences, drawing: this.drawing, answer: ["drawings"] };
        const { drawings } = await call("draw", body, { signal: this.signal });
        if (layout !== this.#layout) continue;
        wanted.forEach((item, index) => {
          if (item.sentence !== sentences[index]) return;
          item.drawing = drawings[index];
          if (item.element) this.#draw(item);
        });
      }
    } catch (error) {
      if (!isAbort(error)) this.report(error);
    } finally {
      this.#drawing = false;
    }
  }

  #draw(item) {
    const { sentence, drawing, element } = item;
    const focused = element.contains(document.activeElement) ? document.activeElement.closest(".word")?.dataset.word : null;
    if (!item.box) {
      item.box = make("div.tree-box");
      element.append(this.#head(item), item.box);
    }
    item.svg = drawTree(drawing, sentence);
    tellDoubts(item, mark(item.svg, this.options().threshold));
    item.shown = drawing;
    item.box.dir = drawing.direction;
    item.box.replaceChildren(item.svg);
    element.style.minHeight = "";
    item.svg.querySelector(`.word[data-word="${focused}"]`)?.focus();
    this.drawn?.(item);
  }

  #head({ sentence }) {
    const rtl = /[\u0590-\u08FF]/.test(sentence.text ?? "");
    const text = sentence.text ?? sentence.tokens.map((token) => token.form).join(" ");
    return make("div.sentence-head", {},
      make("h3.sentence-text", { dir: rtl ? "rtl" : "auto", lang: "" }, text),
      make("span.doubts"),
      make("div.sentence-actions", {}, ...this.actions.map(([name, what, run]) => button(name, (event) => {
        run(itemOf.get(event.currentTarget.closest("li")), event.currentTarget);
      }, { class: "quiet", "aria-label": `${name}: ${what}, ${text.slice(0, 60)}`, "data-action": what }))));
  }

  #empty(item) {
    if (!item.element || !item.box) return;
    if (item.element.contains(document.activeElement)) return;
    item.height = item.element.offsetHeight;
    item.element.style.minHeight = `${item.height}px`;
    item.element.replaceChildren();
    item.box = item.svg = item.shown = item.drawing = item.nbest = null;
  }
}

function tellDoubts({ element }, count) {
  element.querySelector(".doubts").textContent = count ? `? ${count} unsure` : "";
}

const itemOf = new WeakMap();
export const itemOfElement = (element) => itemOf.get(element?.closest("li.sentence"));
