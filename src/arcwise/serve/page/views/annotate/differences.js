// Two annotators of the same sentences: how far they agree, and each difference decided for one side.

import { isAbort } from "../../api.js";
import { button, counted, make } from "../../dom.js";
import { drawTree } from "../parse/tree.js";

const PAGE = 100;
const FIGURES = [
  ["uas", "UAS"], ["las", "LAS"], ["label_kappa", "κ of labels"], ["upos", "UPOS"], ["upos_kappa", "κ of UPOS"],
];
const NAMES = { head: "head", deprel: "label", upos: "UPOS", xpos: "XPOS", lemma: "lemma", feats: "features" };

export class Differences {
  #pages = new Map();
  #taken = new Map(); // difference → side
  #at = 0;
  #asked = 0;

  constructor({ project, context, problem, files }) {
    Object.assign(this, { project, context, problem, files });
    const choose = (id) => make("select", { id, onchange: () => this.#compare() });
    this.left = choose("left-file");
    this.right = choose("right-file");
    this.into = make("input", { id: "into-file", type: "text", spellcheck: "false", autocomplete: "off" });
    this.figures = make("dl.figures");
    this.told = make("p.muted", { role: "status" });
    this.place = make("h2.difference-place", { tabindex: "-1" });
    this.text = make("p.sentence-text", { dir: "auto", lang: "" });
    this.sides = make("div.versions");
    this.previous = button("‹ Previous", () => this.go(-1), { "aria-keyshortcuts": "p" });
    this.next = button("Next ›", () => this.go(1), { "aria-keyshortcuts": "n" });
    this.one = make("section.card.difference", { "aria-label": "Difference", hidden: true },
      make("div.work-head", {}, this.place, make("div.group", {}, this.previous, this.next)), this.text, this.sides);
    this.unpaired = make("details.unpaired", { hidden: true });
    const row = (label, control) => make("div.group", {}, make("label.muted", { for: control.id }, label), control);
    this.element = make("section.differences", { hidden: true, "aria-label": "Two annotators" },
      make("div.differences-bar", {}, row("Left", this.left), row("Right", this.right), row("Decided into", this.into)),
      this.figures, this.told, this.one, this.unpaired);
  }

  async open(file) {
    const names = this.project.about.files.map((one) => one.file);
    const keep = (select, other) => {
      const chosen = names.includes(select.value) ? select.value : other;
      select.replaceChildren(...names.map((value) => make("option", { value }, value)));
      select.value = chosen ?? names[0];
    };
    keep(this.left, file);
    keep(this.right, names.find((name) => name !== this.left.value));
    this.into.value ||= this.left.value;
    if (names.length < 2) {
      this.told.textContent = "Two files are needed: put the second annotator’s file beside the first, in the same folder.";
      return;
    }
    await this.#compare();
  }

  async #compare({ keepPlace = false } = {}) {
    if (this.into.dataset.left !== this.left.value) this.into.value = this.left.value;
    this.into.dataset.left = this.left.value;
    this.#pages.clear();
    if (!keepPlace) { this.#taken.clear(); this.#at = 0; }
    this.one.hidden = true;
    if (this.left.value === this.right.value) { this.figures.replaceChildren(); this.told.textContent = "Choose two different files."; return; }
    this.told.textContent = "Comparing…";
    try {
      await this.#page(Math.floor(this.#at / PAGE));
      await this.#showOne();
    } catch (error) {
      this.told.textContent = "";
      if (!isAbort(error)) this.problem(error);
    }
  }

  async #page(number) {
    if (this.#pages.has(number)) return this.#pages.get(number);
    const answer = await this.project.read("agreement", { left: this.left.value, right: this.right.value, from: number * PAGE, count: PAGE });
    if (this.#pages.size > 10) this.#pages.clear();
    this.#pages.set(number, answer.differences);
    this.total = answer.total;
    this.#showFigures(answer);
    return answer.differences;
  }

  #showFigures({ figures, unpaired, total }) {
    const cell = (name, value) => make("div", {}, make("dt", {}, name), make("dd", {}, value === null || value === undefined ? "–" : value.toFixed(name.startsWith("κ") ? 3 : 1)));
    this.figures.replaceChildren(...FIGURES.map(([key, name]) => cell(name, figures[key])));
    this.told.textContent = `${counted(figures.sentences, "sentence")}, ${counted(figures.words, "word")} in both; ${counted(total, "difference")}.`;
    this.unpaired.hidden = !unpaired?.length;
    if (unpaired?.length) {
      this.unpaired.replaceChildren(make("summary", {}, `${counted(unpaired.length, "sentence")} could not be compared`),
        make("ul", {}, ...unpaired.slice(0, 100).map(({ sent_id: id, why }) => make("li", { dir: "auto" }, `${id ?? "?"}: ${why}`))));
    }
  }

  async go(step) {
    if (!this.total) return;
    this.#at = (this.#at + step + this.total) % this.total;
    try { await this.#showOne(); } catch (error) { if (!isAbort(error)) this.problem(error); }
  }

  async #difference() {
    const entries = await this.#page(Math.floor(this.#at / PAGE));
    return entries[this.#at % PAGE] ?? null;
  }

  async #showOne() {
    const mine = (this.#asked += 1);
    if (!this.total) { this.told.textContent += " They agree in everything that is compared."; return; }
    const one = await this.#difference();
    if (!one || mine !== this.#asked) return;
    const drawing = { width: Math.max(280, this.element.clientWidth / (innerWidth > 1400 ? 2 : 1) - 70), columns: ["upos"], marks: false, probabilities: false };
    const states = await Promise.all([["left", one.left_key], ["right", one.right_key]].map(async ([side, key]) =>
      (await this.project.read("read", { file: this[side].value, keys: [key], drawing, probabilities: false })).sentences[0]));
    if (mine !== this.#asked) return;
    this.one.hidden = false;
    const differ = one.fields.map((field) => NAMES[field] ?? field).join(", ");
    this.place.replaceChildren(make("span.muted", {}, `${this.#at + 1} of ${this.total.toLocaleString("en")} · `), make("span", { dir: "auto", lang: "" }, one.form ?? `${one.word}`), make("span.muted", {}, ` · ${differ}`));
    this.text.textContent = one.text ?? "";
    const taken = this.#taken.get(this.#name(one));
    this.sides.replaceChildren(...["left", "right"].map((side, index) => this.#side(one, side, states[index], taken, index)));
    const value = (side) => one.fields.map((field) => `${NAMES[field] ?? field} ${one[side]?.[field] ?? "none"}`).join(", ");
    this.context.announce(`Difference ${this.#at + 1} of ${this.total}: ${one.form}. Left: ${value("left")}. Right: ${value("right")}.`);
  }

  #name(one) { return `${one.left_key}/${one.word}/${one.fields}`; }

  #side(one, side, state, taken, index) {
    const box = make("div.tree-box", { dir: state?.drawing?.direction ?? "ltr", tabindex: "0", role: "group", "aria-label": `Tree of ${this[side].value}` });
    if (state?.drawing) {
      const svg = drawTree(state.drawing, state.sentence);
      for (const word of svg.querySelectorAll(".word")) { word.removeAttribute("tabindex"); word.setAttribute("role", "img"); }
      svg.querySelector(`.word[data-word="${one.word}"]`)?.classList.add("current", ...one.fields.map((field) => `differs-${field}`));
      if (one.fields.includes("head") || one.fields.includes("deprel")) {
        for (const arc of svg.querySelectorAll(`.arc[data-word="${one.word}"]`)) arc.classList.add("differs");
      }
      box.append(svg);
    }
    const forms = state?.sentence?.tokens;
    const values = make("dl.values", {}, ...one.fields.flatMap((field) => {
      const value = one[side]?.[field];
      const shown = field === "head" && value ? `${value} ${forms?.[value - 1]?.form ?? ""}` : field === "head" && value === 0 ? "ROOT" : value ?? "–";
      return [make("dt", {}, NAMES[field] ?? field), make("dd", { dir: "auto" }, `${shown}`)];
    }));
    return make(`div.version${taken === side ? ".taken" : ""}`, {}, make("h3", { dir: "auto" }, this[side].value, taken === side ? make("span.tick", {}, " ✓ taken") : null), values, box,
      button(`Take this (${index + 1})`, () => this.take(side), { class: taken === side ? "" : "primary", "aria-keyshortcuts": `${index + 1}` }));
  }

  async take(side) {
    const one = await this.#difference().catch(() => null);
    if (!one) return;
    const body = { left: this.left.value, right: this.right.value, into: this.into.value.trim() || this.left.value, left_key: one.left_key, word: one.word, fields: one.fields, side, version: null, drawing: null };
    this.project.change("take", () => body, {
      done: async (answer) => {
        this.#taken.set(this.#name(one), side);
        if (!this.project.file(body.into)) await this.project.open();
        this.files();
        for (const { key, version } of answer.sentences ?? []) this.project.setVersion(key, version);
        if (body.into === body.left || body.into === body.right) {
          // A difference that is settled is no longer in the list: the next one has its place.
          const settled = (body.into === body.left) === (side === "right");
          if (settled) await this.#compareAfter();
          else await this.go(1);
        } else await this.go(1);
        this.context.announce(`Taken from the ${side}.`);
      },
      failed: (error) => this.problem(error),
    });
  }

  async #compareAfter() {
    const at = this.#at;
    this.#pages.clear();
    this.total = 0;
    this.#at = 0;
    await this.#page(0);
    if (!this.total) { this.one.hidden = true; this.told.textContent += " They agree in everything that is compared."; return; }
    this.#at = Math.min(at, this.total - 1);
    await this.#showOne();
  }

  key(event) {
    const run = { n: () => this.go(1), p: () => this.go(-1), j: () => this.go(1), k: () => this.go(-1), 1: () => this.take("left"), 2: () => this.take("right") }[event.key];
    if (!run || this.one.hidden) return false;
    run();
    return true;
  }
}
