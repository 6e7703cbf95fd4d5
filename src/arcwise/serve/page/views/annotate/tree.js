// A tree that can be changed: a word is dragged to its head, or clicked and then its head, or picked up by a key.
//
// What is asked for goes to `setHead(word, head)`; the tree itself changes only when the service has answered.

import { shape } from "../../drawing.js";
import { button, make } from "../../dom.js";
import { drawTree, highlight, mark, neighbour } from "../parse/tree.js";

const DRAG = 6; // pixels after which a press is a drag
const FOLLOWED = 1200; // milliseconds that arcs are marked which followed a correction

export class TreeEditor {
  word = 1; // where the person is
  #picked = null; // the dependent whose head is chosen
  #target = null; // the head that the keys have come to
  #press = null;
  #line = null;
  #redrawn = false;
  #focused = false;

  /**
   * `setHead(word, head)`, `edit(field, word)`: open a field; `chosen(word)`: another word is looked at; `floor()`:
   * where on the screen the tree may be hidden from.
   */
  constructor({ setHead, edit, chosen, floor, announce, signal }) {
    Object.assign(this, { setHead, edit, chosen, floor, announce });
    this.box = make("div.tree-box", { id: "tree" });
    this.hint = make("p.hint");
    this.element = make("div.tree-part", {}, this.hint, this.box);
    this.#hint();
    this.box.addEventListener("pointerdown", (event) => this.#down(event));
    this.box.addEventListener("focusin", (event) => {
      const word = event.target.closest(".word");
      if (word && !this.#redrawn) this.#look(Number(word.dataset.word));
    });
    this.box.addEventListener("keydown", (event) => this.#key(event));
    this.box.addEventListener("click", (event) => { if (!event.detail) this.#clicked(event.target); }); // of assistive technology
    document.addEventListener("pointermove", (event) => this.#move(event), { signal });
    document.addEventListener("pointerup", (event) => this.#up(event), { signal });
    document.addEventListener("pointercancel", () => this.#drop(), { signal });
  }

  get picked() { return this.#picked; }
  get svg() { return this.box.querySelector("svg"); }

  /** Draws a state. What has changed since the picture before is shown for a moment. `settle()` comes after it. */
  show({ sentence, drawing, fixed, problems, key }, { threshold, changed = new Set() }) {
    this.#focused = this.box.contains(document.activeElement);
    const scroll = this.box.scrollLeft;
    const svg = drawTree(drawing, sentence);
    mark(svg, threshold);
    for (const arc of svg.querySelectorAll(".arc")) {
      const own = fixed.get(Number(arc.dataset.word));
      if (own?.has("head")) arc.classList.add("fixed-head");
      if (own?.has("deprel")) arc.classList.add("fixed-label");
      if (changed.has(Number(arc.dataset.word))) arc.classList.add("followed");
    }
    for (const word of svg.querySelectorAll(".word")) this.#dress(word, drawing.columns, fixed, problems);
    // Who has already picked up the next word goes on with it.
    const picked = key === this.key && this.count === sentence.tokens.length ? this.#picked : null;
    this.sentence = sentence;
    this.count = sentence.tokens.length;
    this.word = key === this.key ? Math.min(this.word, this.count) : 1;
    this.key = key;
    this.box.dir = drawing.direction;
    this.#redrawn = true;
    this.box.replaceChildren(svg);
    if (scroll) this.box.scrollLeft = scroll;
    this.letGo();
    this.#stop();
    highlight(svg, this.#at(this.word));
    if (picked !== null) this.#take(picked);
    this.#redrawn = false;
    if (changed.size) setTimeout(() => { for (const one of svg.querySelectorAll(".followed")) one.classList.remove("followed"); }, FOLLOWED);
  }

  /** Once all else is on the page too: the focus, for which the browser lays it out. */
  settle() {
    if (!this.#focused) return;
    this.#redrawn = true;
    this.focus();
    this.#redrawn = false;
  }

  #dress(word, columns, fixed, problems) {
    const number = Number(word.dataset.word);
    const own = fixed.get(number);
    if (problems.some(({ words }) => words?.includes(number))) word.classList.add("has-problem");
    const named = [];
    if (own?.size) {
      for (const field of ["head", "deprel", ...columns]) if (own.has(field)) named.push(field);
      if (own.has("form")) word.classList.add("fixed-form");
    }
    for (const field of columns) if (own?.has(field)) word.classList.add(`fixed-${field}`);
    if (named.length) word.setAttribute("aria-label", `${word.getAttribute("aria-label")}, fixed: ${named.join(", ")}`);
  }

  #at(number) { return this.svg?.querySelector(`.word[data-word="${number}"]`); }

  #form(number) { return this.sentence?.tokens[number - 1]?.form ?? "ROOT"; }

  focus(number = this.word) {
    this.word = number;
    this.#stop();
    const word = this.#at(number);
    word?.focus({ preventScroll: true });
    this.#reveal(word);
  }

  #reveal(word) {
    if (!word) return;
    word.scrollIntoView({ block: "nearest", inline: "nearest" });
    const hidden = word.getBoundingClientRect().bottom - this.floor();
    if (hidden > 0) scrollBy(0, hidden + 8);
  }

  /** The one stop of the tabulator's way in this tree. */
  #stop() {
    for (const one of this.svg?.querySelectorAll(".word") ?? []) one.setAttribute("tabindex", one.dataset.word === String(this.word) ? "0" : "-1");
  }

  #look(number) {
    this.word = number;
    this.#stop();
    if (this.#picked === null) highlight(this.svg, this.#at(number));
    this.chosen(number);
  }

  // Picking up and putting down

  #take(number) {
    this.#picked = number;
    this.#target = null;
    this.svg.classList.add("picking");
    this.#at(number)?.classList.add("picked");
    this.#hint();
  }

  pickUp(number = this.word) {
    this.#take(number);
    this.announce(`${this.#form(number)} is picked up. Choose its head with the arrow keys and press Enter, R for the root, Escape to let go.`);
  }

  letGo() {
    if (this.svg) {
      this.svg.classList.remove("picking");
      for (const one of this.svg.querySelectorAll(".picked, .target")) one.classList.remove("picked", "target");
    }
    this.#line?.remove();
    [this.#picked, this.#target, this.#line] = [null, null, null];
    this.#hint();
  }

  #put(head) {
    const word = this.#picked;
    this.letGo();
    if (word === null || head === word) return;
    this.word = word;
    this.#stop();
    this.setHead(word, head);
  }

  #hint() {
    if (this.#picked === null) {
      this.hint.replaceChildren(make("span.hint-text", {}, "Click a word, then its head; or drag."));
      return;
    }
    this.hint.replaceChildren(
      make("b", { dir: "auto" }, this.#form(this.#picked)), make("span.hint-text", {}, " – now its head."),
      button("ROOT", () => this.#put(0), { class: "root-target", "aria-label": "Make it the root" }),
      button("Let go", () => { this.letGo(); this.focus(); }, { class: "quiet" }));
  }

  #aim(number) {
    for (const one of this.svg.querySelectorAll(".target")) one.classList.remove("target");
    this.#target = number;
    const word = this.#at(number);
    if (number !== null && number !== this.#picked) word?.classList.add("target");
    return word;
  }

  // The pointer

  #down(event) {
    if (event.button !== 0) return;
    const word = wordOf(event.target);
    this.#press = { word, target: event.target, x: event.clientX, y: event.clientY, dragged: false, kind: event.pointerType };
  }

  #move(event) {
    const press = this.#press;
    // A finger that moves scrolls the tree: on touch screens two taps do the same.
    if (!press?.word || press.kind === "touch") return;
    if (!press.dragged) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < DRAG) return;
      press.dragged = true;
      this.letGo();
      this.#look(press.word);
      this.pickUp(press.word);
    }
    if (!this.#line?.isConnected) {
      this.#line = shape("path", { class: "pull", "aria-hidden": "true" });
      this.svg.append(this.#line);
    }
    event.preventDefault();
    const over = wordOf(event.target, ".word");
    this.#aim(over && over !== press.word ? over : null);
    this.#pull(event);
    this.hint.querySelector(".root-target")?.classList.toggle("over", Boolean(event.target.closest?.(".root-target")));
  }

  #pull(event) {
    const form = this.#at(this.#picked)?.querySelector(".form");
    if (!form || !this.#line) return;
    const frame = this.svg.getBoundingClientRect();
    const [x1, y1] = [Number(form.getAttribute("x")), Number(form.getAttribute("y")) - 16];
    const [x2, y2] = [event.clientX - frame.left, event.clientY - frame.top];
    const rise = Math.min(Math.abs(x2 - x1) * 0.4, 70);
    this.#line.setAttribute("d", `M${x1},${y1}C${x1},${y1 - rise} ${x2},${Math.min(y1, y2) - rise} ${x2},${y2}`);
  }

  #up(event) {
    const press = this.#press;
    this.#press = null;
    if (!press) return;
    if (press.dragged) {
      if (event.target.closest?.(".root-target")) this.#put(0);
      else if (this.#target !== null) this.#put(this.#target);
      else { this.letGo(); highlight(this.svg, this.#at(this.word)); }
      return;
    }
    if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < DRAG) this.#clicked(press.target);
  }

  #drop() {
    if (this.#press?.dragged) this.letGo();
    this.#press = null;
  }

  #clicked(target) {
    const number = wordOf(target);
    const isArc = Boolean(target.closest?.(".arc"));
    if (number === null) { this.letGo(); return; }
    if (this.#picked !== null && this.#picked !== number && !isArc) { this.#put(number); return; }
    const again = this.#picked === number;
    this.letGo();
    this.focus(number);
    this.#look(number);
    if (isArc) this.edit("deprel", number);
    else if (!again) this.pickUp(number);
  }

  // Keys

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.svg) return;
    const rtl = this.box.dir === "rtl";
    if (this.#picked !== null) {
      const from = this.#at(this.#target ?? this.#picked);
      const next = neighbour(this.svg, from, event.key, rtl);
      if (event.key === "Enter" || event.key === " ") {
        if (this.#target !== null) this.#put(this.#target); else this.letGo();
      } else if (event.key.toLowerCase() === "r") this.#put(0);
      else if (event.key === "Escape") { this.letGo(); this.announce("Let go."); }
      else if (next || event.key.startsWith("Arrow")) {
        if (next) {
          this.#reveal(this.#aim(Number(next.dataset.word)));
          this.announce(this.#target === this.#picked ? `${this.#form(this.#picked)}, itself` : `Head: ${this.#form(this.#target)}`);
        }
      } else return;
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const word = event.target.closest?.(".word");
    if (!word) return;
    if (event.key === "Enter" || event.key === " ") this.pickUp(Number(word.dataset.word));
    else {
      const next = neighbour(this.svg, word, event.key, rtl);
      if (next) this.focus(Number(next.dataset.word));
      else if (!event.key.startsWith("Arrow")) return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** To the next word that the model is not sure of. */
  nextDoubt(step) {
    const doubts = [...(this.svg?.querySelectorAll(".word.doubted") ?? [])].map((one) => Number(one.dataset.word));
    if (!doubts.length) return false;
    const ordered = step > 0 ? doubts : doubts.reverse();
    this.focus(ordered.find((one) => (one - this.word) * step > 0) ?? ordered[0]);
    return true;
  }
}

/** The number of the word that something belongs to; arcs belong to their dependents. */
function wordOf(target, kinds = ".word, .arc") {
  const own = target.closest?.(kinds);
  return own ? Number(own.dataset.word) : null;
}
