// A derivation that one steps through. It asks nobody for anything: what it shows is a trace as Python's
// arcwise.trace_output.to_view gives it, on the page of `arcwise serve` and in the file of `Trace.to_html` alike.

import { draw, shape } from "../../drawing.js";
import { button, make } from "../../dom.js";
import { markArcs, rowsOf } from "./state.js";
import { movesTable, oracleSays, rove } from "./moves.js";
import { hasList, textOf, told } from "./words.js";

const ICONS = {
  first: "M5 4h3v16H5zM20 4v16L9 12z",
  back: "M15.4 4L17 5.6 10.6 12l6.4 6.4-1.6 1.6-8-8z",
  play: "M7 4l12 8-12 8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  forth: "M8.6 4L7 5.6l6.4 6.4L7 18.4 8.6 20l8-8z",
  last: "M16 4h3v16h-3zM4 4l11 8-11 8z",
};
const icon = (name) => shape("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, shape("path", { d: ICONS[name] }));
const SPEEDS = [["Slow", 2400], ["Normal", 1200], ["Fast", 400]];

export const KEYS = [
  ["← →", "the step before, the next step"],
  ["Home End", "the first step, the end"],
  ["Space", "play or pause"],
  ["↑ ↓", "through the moves"],
];

export class Player {
  /**
   * announce(text)   tells a screen reader
   * take(step, move) moves can be taken by hand; step counts from 1
   * all(step)        asks for all moves of a step
   * moved(at)        the reader has gone elsewhere
   */
  constructor({ announce, take = null, all = null, moved = () => {} }) {
    Object.assign(this, { announce, take, all, moved });
    this.trace = null;
    this.at = 0;
    this.timer = null;
    this.speed = SPEEDS[1][1];
    this.#build();
  }

  #build() {
    const control = (label, name, run, keys) => button(icon(name), run, { "aria-label": label, title: label, "aria-keyshortcuts": keys, class: "control" });
    this.first = control("First step", "first", () => this.go(0), "Home");
    this.back = control("Step back", "back", () => this.go(this.at - 1), "ArrowLeft");
    this.playing = control("Play", "play", () => this.toggle(), "Space");
    this.playing.classList.add("primary");
    this.forth = control("Step forward", "forth", () => this.go(this.at + 1), "ArrowRight");
    this.last = control("To the end", "last", () => this.go(Infinity), "End");
    this.scrubber = make("input", { type: "range", min: "0", step: "1", "aria-label": "Step", oninput: () => this.go(Number(this.scrubber.value)) });
    this.where = make("output.where");
    this.rate = make("select", { "aria-label": "Speed", onchange: () => { this.speed = Number(this.rate.value); } },
      ...SPEEDS.map(([name, value]) => make("option", { value: String(value), selected: value === this.speed }, name)));
    this.tree = make("div.canvas", { tabIndex: 0, role: "region", "aria-label": "Arcs so far" });
    this.state = make("div.state");
    this.moves = make("div");
    this.oracle = make("div.oracle");
    this.steps = make("ol.steps");
    this.note = make("p.result", { hidden: true });
    this.element = make("div.player", {},
      make("section.card.picture", { "aria-label": "Tree" }, this.tree),
      make("section.card.now", { "aria-label": "State" }, this.state),
      make("div.card.controls", { role: "toolbar", "aria-label": "Steps" },
        make("div.buttons", {}, this.first, this.back, this.playing, this.forth, this.last),
        make("div.slide", {}, this.scrubber, this.where), this.rate),
      make("div.columns", {},
        make("section.card.legal", { "aria-label": "Legal moves" }, make("h2", {}, "Legal moves"), this.note, this.moves),
        make("section.card.says", { "aria-label": "Oracle" }, make("h2", {}, "Oracle"), this.oracle),
        make("section.card.all-steps", { "aria-label": "All steps" }, make("h2", {}, "Steps"), make("div.scroll", { tabIndex: 0, role: "region", "aria-label": "List of steps" }, this.steps))));
  }

  /** Shows a trace at a place, or where the reader is; `quiet`: a screen reader has been told already. */
  show(trace, at = this.at, { quiet = false } = {}) {
    this.trace = trace;
    this.state.dir = trace.picture.direction; // words run as in the picture; all else is English
    this.guide = trace.model === null || trace.model === undefined ? "oracle" : "model";
    this.scrubber.max = String(trace.steps.length);
    this.picture(trace.picture);
    this.steps.replaceChildren(...trace.steps.map((step, index) => this.#stepItem(step, index)),
      make("li", {}, button("the end", () => this.go(Infinity), { class: "step" })));
    this.#render(Math.min(at, trace.steps.length), quiet);
  }

  /** Another layout of the same tree. */
  picture(picture) {
    this.svg = draw(picture, { label: picture.title });
    this.tree.replaceChildren(this.svg);
    if (this.trace) markArcs(this.svg, this.trace, this.at);
  }

  #stepItem(step, index) {
    const move = step.moves[step.chosen];
    return make("li", {}, make("button.step", { type: "button", onclick: () => this.go(index) },
      make("span.count", {}, String(index + 1)), make("span.name", { dir: "auto" }, textOf(move)),
      step.by_hand ? make("span.tag.hand", {}, "by hand") : null,
      move.cost ? make("span.tag.loss", {}, `−${move.cost}`, make("span.hidden", {}, " gold arcs")) : null));
  }

  /** To a place: steps from 0, and their number is the end. */
  go(at) {
    if (!this.trace) return;
    const place = Math.max(0, Math.min(at, this.trace.steps.length));
    if (place !== this.at) this.#render(place, false);
  }

  #render(at, quiet) {
    const { trace } = this;
    const steps = trace.steps.length;
    const focused = this.moves.contains(document.activeElement);
    this.at = at;
    const step = trace.steps[at];
    const end = at === steps;
    markArcs(this.svg, trace, at);
    const move = step?.moves[step.chosen];
    this.state.replaceChildren(...rowsOf(trace, step ?? trace.end, move));
    this.state.classList.toggle("one", hasList(trace));
    const stack = this.state.querySelector(".stack .scroll");
    if (stack) stack.scrollLeft = (trace.picture.direction === "rtl" ? -1 : 1) * stack.scrollWidth;
    this.moves.replaceChildren(end
      ? make("p.muted", {}, `No move is left: every word has a head after ${steps === 1 ? "1 move" : `${steps} moves`}.`)
      : movesTable(trace, step, {
        guide: this.guide,
        take: this.take && ((chosen) => this.take(at + 1, chosen)),
        all: this.all && (() => this.all(at + 1)),
      }));
    if (focused) (this.moves.querySelector("button.move[tabindex='0']") ?? this.scrubber).focus();
    this.oracle.replaceChildren(oracleSays(trace, at));
    this.scrubber.value = String(at);
    this.scrubber.setAttribute("aria-valuetext", end ? "the end" : `step ${at + 1}, ${textOf(move)}`);
    this.where.textContent = end ? `end, ${steps} moves` : `${at + 1} of ${steps}`;
    this.back.disabled = this.first.disabled = at === 0;
    this.forth.disabled = this.last.disabled = end;
    const items = [...this.steps.querySelectorAll("button.step")];
    items.forEach((item, index) => (index === at ? item.setAttribute("aria-current", "step") : item.removeAttribute("aria-current")));
    const list = this.steps.parentElement;
    const item = items[at];
    list.scrollTop = item.offsetTop - list.clientHeight / 2 + item.offsetHeight / 2;
    if (!quiet) this.announce(told(trace, at));
    this.moved(at);
  }

  toggle() {
    if (this.timer !== null) return this.pause();
    if (this.at === this.trace.steps.length) this.go(0);
    this.#showPlaying("pause", "Pause");
    const next = () => {
      this.timer = setTimeout(() => {
        this.go(this.at + 1);
        if (this.at < this.trace.steps.length) next();
        else this.pause();
      }, this.speed);
    };
    next();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.#showPlaying("play", "Play");
  }

  #showPlaying(name, label) {
    this.playing.replaceChildren(icon(name));
    this.playing.setAttribute("aria-label", label);
    this.playing.title = label;
  }

  /** Keys of the page, unless someone is typing. Says whether it was one of them. */
  key(event) {
    if (!this.trace || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { target } = event;
    if (target.closest?.("dialog, textarea, select, [contenteditable], input:not([type=range])")) return;
    const scrolls = target.closest?.(".canvas, .scroll");
    if (target === this.scrubber && event.key !== " ") return; // it knows its keys
    if (event.key === " ") {
      if (target.closest?.("button, summary, a")) return;
      this.toggle();
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      if (scrolls && scrolls.scrollWidth > scrolls.clientWidth) return;
      this.go(this.at + (event.key === "ArrowRight" ? 1 : -1));
    } else if (event.key === "Home") this.go(0);
    else if (event.key === "End") this.go(Infinity);
    else if (scrolls || !rove(this.moves, event)) return;
    event.preventDefault();
  }
}
