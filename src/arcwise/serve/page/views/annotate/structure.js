// Words and sentences taken apart and put together: a dialog about the word where the person is.

import { button, make } from "../../dom.js";

export class Structure {
  /** `act(operation)` sends it; `joinSentence()` needs the next sentence; `after()` when the dialog is closed. */
  constructor({ act, joinSentence, after }) {
    Object.assign(this, { act, joinSentence });
    this.body = make("div.structure");
    this.title = make("h2", { id: "structure-title" });
    this.dialog = make("dialog.structure-dialog", { "aria-labelledby": "structure-title" }, this.title, this.body,
      make("p.dialog-actions", {}, button("Close", () => this.dialog.close())));
    this.dialog.addEventListener("close", after);
  }

  open(state, number) {
    const { tokens, multiword_tokens: ranges = [] } = state.sentence;
    const token = tokens[number - 1];
    if (!token) return;
    const next = tokens[number];
    const range = ranges.find(({ id }) => id[0] <= number && number <= id[1]);
    this.title.replaceChildren("Word ", make("span", { dir: "auto", lang: "" }, token.form));
    this.body.replaceChildren(...[
      this.#form("Split the word", "Write a space where it is split.", token.form, "Split", (written) => {
        const forms = written.split(/\s+/).filter(Boolean);
        const characters = [...token.form];
        return forms.join("") === characters.join("") && forms.length === 2
          ? { op: "split_token", word: number, at: [...forms[0]].length }
          : { op: "split_token", word: number, forms };
      }),
      next ? this.#form(`Join with “${next.form}”`, "The form of the joined word.", token.form + next.form, "Join", (form) => ({ op: "join_tokens", first: number, last: number + 1, form })) : null,
      range ? this.#row(`“${range.form}” stands for the words ${range.id[0]} to ${range.id[1]}`,
        button("Unmake the multiword token", () => this.#send({ op: "unmake_multiword", first: range.id[0] })))
        : next ? this.#multiword(number, tokens) : null,
      this.#row("Sentences",
        number > 1 ? button(`A sentence begins with “${token.form}”`, () => this.#send({ op: "split_sentence", word: number })) : null,
        button("Join with the next sentence", () => { this.dialog.close(); this.joinSentence(); })),
      this.#row("Tree", button("Parse all that is not fixed again", () => this.#send({ op: "reparse" }))),
    ].filter(Boolean));
    this.dialog.showModal();
  }

  #send(operation) {
    this.dialog.close();
    this.act(operation);
  }

  #row(title, ...controls) {
    return make("div.structure-row", {}, make("h3", { dir: "auto" }, title), make("div.group", {}, ...controls));
  }

  #form(title, told, value, name, operation) {
    const field = make("input", { type: "text", value, dir: "auto", spellcheck: "false", "aria-label": `${title}. ${told}` });
    const form = make("form.structure-row", { method: "dialog", onsubmit: (event) => { event.preventDefault(); this.#send(operation(field.value)); } },
      make("h3", { dir: "auto" }, title), make("p.muted", {}, told), make("div.group", {}, field, make("button", { type: "submit" }, name)));
    return form;
  }

  #multiword(first, tokens) {
    const until = make("select", { "aria-label": "The last word" }, ...tokens.slice(first, first + 5).map(({ id, form }) => make("option", { value: `${id}` }, `${id} ${form}`)));
    const written = () => tokens.slice(first - 1, Number(until.value)).map(({ form }) => form).join("");
    const field = make("input", { type: "text", value: written(), dir: "auto", spellcheck: "false", "aria-label": "The form of the multiword token" });
    until.addEventListener("change", () => { field.value = written(); });
    return make("form.structure-row", { method: "dialog", onsubmit: (event) => { event.preventDefault(); this.#send({ op: "make_multiword", first, last: Number(until.value), form: field.value }); } },
      make("h3", {}, "Make a multiword token"), make("p.muted", {}, "Up to which word, and what stands in the text."),
      make("div.group", {}, until, field, make("button", { type: "submit" }, "Make it")));
  }
}
