// What stands in the columns of one word, to be changed by typing.

import { button, make } from "../../dom.js";
import { listed } from "../parse/conllu.js";
import { Combobox } from "./combobox.js";

const FIELDS = [
  ["head", "Head"], ["deprel", "Label"], ["upos", "UPOS"], ["xpos", "XPOS"],
  ["lemma", "Lemma"], ["feats", "Features"], ["form", "Form"], ["misc", "Misc"],
];
const CLOSED = new Set(["deprel", "upos", "xpos", "feats"]);
const OFFERED = new Set(["head", "deprel", "upos", "xpos", "feats", "lemma"]);

export class Fields {
  #boxes = new Map();
  #word = null;

  /** `complete(word, field)` gives proposals; `change(word, field, value)`, `fix(word)`, `free(word)`; `leave()` goes back to the tree. */
  constructor({ complete, change, fix, free, leave }) {
    this.title = make("h3.word-title", {});
    this.fixedNote = make("p.muted.fixed-note", {});
    this.fixButton = button("Right as it is", () => fix(this.#word), { "data-act": "fix" });
    this.freeButton = button("Let the model decide", () => free(this.#word), { "data-act": "free" });
    for (const [field, label] of FIELDS) {
      const box = new Combobox({
        label, key: field, closed: CLOSED.has(field), dir: "auto",
        proposals: async () => (OFFERED.has(field) ? this.#offered(await complete(this.#word, field), field) : []),
        commit: (value) => change(box.word, field, value.trim()),
      });
      box.entered = leave;
      box.left = leave;
      this.#boxes.set(field, box);
    }
    this.element = make("section.word-part.card", { "aria-label": "Word" },
      make("div.word-head", {}, this.title, this.fixedNote, make("div.group", {}, this.fixButton, this.freeButton)),
      make("div.fields", {}, ...[...this.#boxes.values()].map((box) => box.element)));
  }

  #offered(values, field) {
    return values.map(({ value, prob }) => ({
      value: String(value ?? "_"), prob,
      note: field === "head" ? (this.sentence.tokens[Number(value) - 1]?.form ?? "ROOT") : undefined,
    }));
  }

  show(state, word) {
    const token = state.sentence.tokens[word - 1];
    if (!token) return;
    const same = this.#word === word && this.key === state.key;
    this.#word = word;
    this.key = state.key;
    this.sentence = state.sentence;
    const fixed = state.fixed.get(word) ?? new Set();
    const head = state.sentence.tokens[token.head - 1]?.form;
    this.title.replaceChildren(make("span.muted", {}, `${word} `), make("span", { dir: "auto", lang: "" }, token.form));
    this.fixedNote.textContent = fixed.size ? `Fixed by hand: ${[...fixed].join(", ")}.` : "Nothing fixed by hand.";
    this.freeButton.disabled = fixed.size === 0;
    for (const [field, box] of this.#boxes) {
      if (!same && document.activeElement === box.input) box.input.blur();
      box.word = word;
      box.reset();
      box.set(valueOf(token, field));
      box.setFixed(fixed.has(field));
      box.input.setAttribute("aria-description", fixed.has(field) ? "fixed by hand" : "");
    }
    const headBox = this.#boxes.get("head");
    headBox.label.replaceChildren("Head", make("span.head-form", { dir: "auto" }, token.head === 0 ? "ROOT" : head ?? ""));
  }

  focus(field) {
    const box = this.#boxes.get(field);
    if (!box) return;
    box.input.focus({ preventScroll: true });
    const { top, bottom } = box.input.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) box.input.scrollIntoView({ block: "center" });
  }

  get isTyping() { return this.element.contains(document.activeElement) && document.activeElement.matches("input"); }
}

export function valueOf(token, field) {
  if (field === "feats" || field === "misc") return token.raw?.[field] ?? listed(token[field]);
  if (field === "head") return token.head === undefined ? "" : String(token.head);
  return token[field] ?? "";
}
