// Derivations step by step: of a model on a text, of an oracle on a gold tree, and with moves taken by hand.

import { isAbort, call, Latest } from "../api.js";
import { button, debounced, make } from "../dom.js";
import { KEYS, Player } from "./derivation/player.js";
import { nameOf, number, textOf } from "./derivation/words.js";

const EXAMPLE = "The old man saw a dog with a telescope in the park.";
const SYSTEMS = ["arc-eager", "arc-standard", "arc-hybrid", "easy-first", "arc-hybrid-swap", "covington"];
const LONGEST_LINK = 6000;

const isConllu = (text) => /^(?:#.*\n|\s*\n)*\d+(?:[-.]\d+)?\t/.test(text);

/** What is asked for: the text, who moves, and the moves by hand with who goes on after them. */
class Wish {
  constructor(params) {
    this.text = params.get("conllu") ?? params.get("text") ?? EXAMPLE;
    this.model = params.get("model");
    this.system = params.get("system");
    this.sentence = Math.max(1, Number(params.get("sentence")) || 1);
    this.step = Math.max(1, Number(params.get("step")) || 1);
    this.gold = params.get("gold"); // "yes", "no", or as it suits the text
    this.moves = new Map(params.getAll("take").map(pair).filter(Boolean));
    this.follow = new Map(params.getAll("follow").map(pair).filter(Boolean));
  }

  /** Whether a model's moves are held against a tree: that of the CoNLL-U, or its own. */
  get compares() {
    return this.gold ? this.gold === "yes" : isConllu(this.text);
  }

  params() {
    const params = new URLSearchParams();
    if (this.text.length <= LONGEST_LINK) params.set(isConllu(this.text) ? "conllu" : "text", this.text);
    if (this.system) params.set("system", this.system);
    if (this.model) params.set("model", this.model);
    if (this.sentence > 1) params.set("sentence", this.sentence);
    if (this.gold) params.set("gold", this.gold);
    for (const [step, move] of this.moves) params.append("take", `${step}:${move}`);
    for (const [step, who] of this.follow) params.append("follow", `${step}:${who}`);
    if (this.step > 1) params.set("step", this.step);
    return params;
  }

  body(width) {
    const conllu = isConllu(this.text);
    const body = { [conllu ? "conllu" : "text"]: this.text, sentence: this.sentence, drawing: { width } };
    if (this.system) body.system = this.system;
    // An oracle builds the tree in the CoNLL-U, or the model's of a text.
    if (this.model && !(this.system && conllu)) body.model = this.model;
    if (!this.system && this.compares) body.gold = conllu ? true : "own";
    if (this.moves.size) body.moves = Object.fromEntries(this.moves);
    if (!this.system && this.follow.size) body.follow = Object.fromEntries(this.follow);
    return body;
  }

  /** The moves by hand one by one, as if they had just been taken. */
  past() {
    const steps = [...this.moves.keys()].sort((a, b) => a - b);
    return steps.map((step) => ({ ...this.before(step), at: step - 1 }));
  }

  /** As it was, but with nothing chosen by hand from a step on. */
  before(step) {
    const earlier = (map) => new Map([...map].filter(([at]) => at < step));
    return { moves: earlier(this.moves), follow: earlier(this.follow) };
  }
}

function pair(text) {
  const [, step, what] = text.match(/^(\d+):(.+)$/s) ?? [];
  return step ? [Number(step), what] : null;
}

/** Who chooses at a step. */
function guideIn(follow, step) {
  const begun = [...follow.keys()].filter((from) => from <= step);
  return begun.length ? follow.get(Math.max(...begun)) : "model";
}

class View {
  constructor(container, context) {
    this.container = container;
    this.context = context;
    this.requests = new Latest();
    this.wish = new Wish(context.params);
    this.past = this.wish.past(); // for undo: what was chosen by hand before
    this.player = new Player({
      announce: context.announce,
      take: (step, move) => this.takeMove(step, move),
      all: (step) => this.load({ at: step - 1, all: step }),
      moved: (at) => this.moved(at),
    });
    this.typed = debounced(500, () => this.begin());
  }

  async mount() {
    const { signal } = this.context;
    this.#build();
    this.context.keys([...KEYS, ["Enter", "take the move"], ["U", "undo what was taken by hand"]]);
    addEventListener("keydown", (event) => this.key(event), { signal });
    this.resized = debounced(200, () => this.fit());
    addEventListener("resize", this.resized, { signal });
    try {
      const known = await call("models", undefined, { signal });
      this.#choices(known);
    } catch (error) {
      if (isAbort(error)) return;
      this.problem(error.message);
      return;
    }
    await this.load({ at: this.wish.step - 1, quiet: true });
  }

  unmount() {
    this.player.pause();
    this.requests.cancel();
    this.typed.cancel();
    this.resized.cancel();
  }

  update(params) {
    this.wish = new Wish(params);
    this.past = this.wish.past();
    this.write(this.wish.text);
    this.load({ at: this.wish.step - 1 });
  }

  #build() {
    this.text = make("textarea", {
      id: "derivation-text", rows: 3, spellcheck: "false",
      "aria-describedby": "derivation-hint", oninput: () => this.typed(),
    });
    this.write(this.wish.text);
    this.who = make("select", { id: "derivation-who", onchange: () => this.begin() });
    this.compare = make("input", { type: "checkbox", onchange: () => { this.wish.gold = this.compare.checked ? "yes" : "no"; this.restart(); } });
    this.compareWith = make("span");
    this.compareLabel = make("label.check", { hidden: true }, this.compare, this.compareWith);
    this.which = make("select", { "aria-label": "Sentence", onchange: () => { this.wish.sentence = Number(this.which.value); this.restart(); } });
    this.whichBox = make("div.which", { hidden: true }, this.which);
    this.file = make("input", { type: "file", id: "derivation-file", accept: ".conllu,.conll,.txt,text/plain", class: "hidden", onchange: () => this.open(this.file.files[0]) });
    this.notice = make("p.notice.problem", { role: "alert", hidden: true });
    this.hand = make("div.by-hand", { role: "group", "aria-label": "By hand", hidden: true });
    this.goes = make("fieldset.goes", { hidden: true });
    const form = make("section.card.source", { "aria-label": "Text" },
      make("label.title", { for: "derivation-text" }, "A text, or gold trees in CoNLL-U"), this.text,
      make("p.muted", { id: "derivation-hint" }, "Type, paste, or drop a file."),
      make("div.choices", {},
        make("label", { for: "derivation-who" }, "Moves by"), this.who, this.compareLabel, this.whichBox,
        make("label.button.open", { for: "derivation-file" }, "Open a file …"), this.file));
    this.container.classList.add("derivation");
    this.container.append(make("h1.hidden", {}, "Derivation"), form, this.notice, this.hand, this.player.element);
    this.waiting(true);
    this.player.element.querySelector(".legal h2").after(this.goes);
    this.#dropping();
  }

  #dropping() {
    const { signal } = this.context;
    const over = (on) => this.container.classList.toggle("dropping", on);
    this.container.addEventListener("dragover", (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      over(true);
    }, { signal });
    this.container.addEventListener("dragleave", (event) => { if (!this.container.contains(event.relatedTarget)) over(false); }, { signal });
    this.container.addEventListener("drop", (event) => {
      over(false);
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      this.open(event.dataTransfer.files[0]);
    }, { signal });
  }

  async open(file) {
    if (!file) return;
    if (file.size > 2_000_000) return this.problem("The file has more than 2 MB: open a part of it.");
    this.write(await file.text());
    this.begin();
  }

  write(text) {
    this.text.value = text;
    this.text.dir = isConllu(text) ? "ltr" : "auto";
  }

  #choices(known) {
    const option = (value, text) => make("option", { value }, text);
    const models = known.models.filter((one) => one.system);
    this.defaultModel = known.default;
    if (models.length) {
      this.who.append(make("optgroup", { label: "A model" },
        ...models.map((one) => option(`model:${one.name}`, `${one.name} (${one.system})`))));
    }
    const systems = known.systems ?? SYSTEMS;
    this.who.append(make("optgroup", { label: "An oracle, without a model" }, ...systems.map((name) => option(`system:${name}`, name))));
    const wanted = this.wish.system ? `system:${this.wish.system}` : `model:${this.wish.model ?? known.default}`;
    if ([...this.who.options].some((one) => one.value === wanted)) this.who.value = wanted;
    this.#chosen();
  }

  #chosen() {
    const [kind, ...name] = this.who.value.split(":");
    this.wish.system = kind === "system" ? name.join(":") : null;
    this.wish.model = kind === "model" ? name.join(":") : this.defaultModel;
  }

  /** The text or who moves has changed: from the first step of the first sentence. */
  begin() {
    this.typed.cancel();
    this.text.dir = isConllu(this.text.value) ? "ltr" : "auto";
    if (isConllu(this.text.value) !== isConllu(this.wish.text)) this.wish.gold = null;
    this.wish.text = this.text.value;
    this.wish.sentence = 1;
    this.#chosen();
    this.restart();
  }

  restart() {
    this.wish.moves = new Map();
    this.wish.follow = new Map();
    this.past = [];
    this.player.pause();
    return this.load({ at: 0 });
  }

  get width() {
    return Math.max(300, this.player.tree.clientWidth);
  }

  /** Asks for the trace of what is wished for, and goes to a place in it. */
  async load({ at, all = 0, quiet = false }) {
    if (!this.wish.text.trim()) {
      this.requests.cancel();
      this.waiting(true);
      this.problem(null);
      return false;
    }
    this.asked = this.width;
    const body = this.wish.body(this.asked);
    if (all) body.all_moves_of = all;
    this.container.setAttribute("aria-busy", "true");
    try {
      const trace = await this.requests.call("trace", body);
      this.problem(null);
      this.trace = trace;
      this.waiting(false);
      this.#sentences();
      this.#byHand();
      this.player.show(trace, at, { quiet });
      return true;
    } catch (error) {
      if (!isAbort(error)) this.problem(error.message);
      return false;
    } finally {
      this.container.removeAttribute("aria-busy");
    }
  }

  /** The same trace for another width. */
  async fit() {
    if (!this.trace || Math.abs(this.width - this.asked) <= 4) return;
    await this.load({ quiet: true });
  }

  /** Nothing to show yet; what there will be has its place all the same, so that its width is known. */
  waiting(on) {
    this.player.element.classList.toggle("waiting", on);
    if (on) this.trace = null;
  }

  problem(text) {
    this.notice.hidden = text === null;
    this.notice.textContent = text ?? "";
  }

  #sentences() {
    const { sentences, sentence, count, oracle } = this.trace;
    this.whichBox.hidden = count < 2;
    this.which.replaceChildren(...sentences.map((text, index) =>
      make("option", { value: String(index + 1), selected: index + 1 === sentence }, `${index + 1}. ${text}`)));
    this.compareLabel.hidden = Boolean(this.wish.system);
    this.compare.checked = this.wish.compares;
    this.compareWith.textContent = isConllu(this.wish.text) ? "Compare with the tree in the text" : "Compare with the model’s own tree";
    const both = oracle !== null && !this.wish.system;
    this.goes.hidden = !both;
    if (both && !this.goes.firstChild) {
      const choice = (who, text) => make("label.check", {},
        make("input", { type: "radio", name: "derivation-goes", value: who, onchange: () => this.guide(who) }), text);
      this.goes.append(make("legend", {}, "From this step on"), choice("model", "the model goes on"), choice("oracle", "the oracle goes on"));
    }
  }

  moved(at) {
    this.wish.step = at + 1;
    this.context.setParams(this.wish.params());
    const who = guideIn(this.wish.follow, at + 1);
    for (const choice of this.goes.querySelectorAll("input")) choice.checked = choice.value === who;
  }

  /** Changes what is chosen by hand; if that cannot be, all stays as it was. */
  async #change({ moves, follow }, at, message) {
    const { moves: oldMoves, follow: oldFollow } = this.wish;
    const place = this.player.at;
    Object.assign(this.wish, { moves, follow });
    this.player.pause();
    if (await this.load({ at, quiet: true })) {
      this.past.push({ moves: oldMoves, follow: oldFollow, at: place });
      this.#byHand();
      this.context.announce(message());
    } else {
      Object.assign(this.wish, { moves: oldMoves, follow: oldFollow });
    }
  }

  takeMove(step, move) {
    const chosen = this.trace.steps[step - 1];
    if (chosen.moves[chosen.chosen] === move) return this.player.go(step); // it is taken anyway
    const next = this.wish.before(step);
    next.moves.set(step, nameOf(move));
    const who = guideIn(this.wish.follow, step);
    if (who !== guideIn(next.follow, step)) next.follow.set(step, who);
    this.#change(next, step, () => this.#consequence(step, move));
  }

  guide(who) {
    const step = this.player.at + 1;
    const next = this.wish.before(step);
    next.follow.set(step, who);
    this.#change(next, step - 1, () => `From step ${step} on the ${who} goes on.`);
  }

  #consequence(step, move) {
    const cost = move.cost === null ? "" : move.cost === 0 ? " It costs nothing." : ` It costs ${number(move.cost)}.`;
    return `${textOf(move)} is taken by hand at step ${step}.${cost}`;
  }

  undo() {
    const last = this.past.pop();
    if (!last) return;
    Object.assign(this.wish, { moves: last.moves, follow: last.follow });
    this.load({ at: last.at, quiet: true }).then(() => this.context.announce(`Undone. Step ${last.at + 1}.`));
  }

  #byHand() {
    const { moves } = this.wish;
    this.hand.hidden = !moves.size && !this.past.length;
    const chips = [...moves].map(([step, name]) => {
      const taken = this.trace.steps[step - 1];
      const move = taken.moves[taken.chosen];
      const cost = move.cost === null ? null : make(`span.cost${move.cost ? ".loss" : ".free"}`, {}, move.cost ? `−${number(move.cost)}` : "0");
      return make("li", {}, button(`${step}: ${move.at === null ? name : textOf(move)}`, () => this.player.go(step - 1), { class: "chip" }), cost);
    });
    this.hand.replaceChildren(
      make("span.title", {}, "By hand"), make("ul", {}, ...chips),
      button("Undo", () => this.undo(), { disabled: !this.past.length, "aria-keyshortcuts": "U" }),
      button("Start over", () => {
        const past = [...this.past, { moves: this.wish.moves, follow: this.wish.follow, at: this.player.at }];
        this.restart().then(() => { this.past = past; this.#byHand(); });
      }, { disabled: !moves.size }));
  }

  key(event) {
    const typing = event.target.closest?.("textarea, select, input:not([type=range]), [contenteditable], dialog");
    if (event.key.toLowerCase() === "u" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      this.undo();
    } else if (this.trace) this.player.key(event);
  }
}

let view = null;

export const derivation = {
  name: "derivation",
  async mount(container, context) {
    view = new View(container, context);
    await view.mount();
  },
  unmount() { view?.unmount(); view = null; },
  update(params) { view?.update(params); },
};
