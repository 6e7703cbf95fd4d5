// The model learns from what was checked; what it then does better and worse is shown; the one before can be taken back.

import { isAbort } from "../../api.js";
import { button, counted, make } from "../../dom.js";

const EVERY = 500; // milliseconds
const FIGURES = [["uas", "UAS"], ["las", "LAS"], ["upos", "UPOS"], ["xpos", "XPOS"], ["feats", "Features"], ["lemma", "Lemmas"]];

export class Teach {
  #timer = null;
  #state = null;

  /** `open(file, key)` shows a sentence. */
  constructor({ project, context, problem, open }) {
    Object.assign(this, { project, context, problem, open_: open });
    this.files = make("fieldset.group");
    this.test = make("select", { id: "teach-test" });
    this.replay = make("select", { id: "teach-replay" });
    this.model = make("select", { id: "teach-model", onchange: () => this.#use(this.model.value) });
    this.start = button("Learn from what is checked", () => this.#start(), { class: "primary" });
    this.cancel = button("Stop", () => this.#cancel(), { hidden: true });
    this.bar = make("progress", { max: 1, value: 0, "aria-label": "Progress of learning", hidden: true });
    this.phase = make("p.muted", { role: "status" });
    this.result = make("div.teach-result");
    this.element = make("section.teach", { hidden: true, "aria-label": "Teach" },
      make("div.card.teach-card", {},
        make("h2", {}, "Teach the model"),
        make("p", {}, "The model learns from the sentences that you have marked as checked. Some of them are held out, so that you see what it does better afterwards, and what worse. The model before is kept."),
        this.files,
        make("div.group", {}, make("label.muted", { for: "teach-test" }, "Compared on"), this.test),
        make("div.group", {}, make("label.muted", { for: "teach-replay" }, "Learnt before, to be remembered"), this.replay),
        make("div.group", {}, make("label.muted", { for: "teach-model" }, "Model in use"), this.model),
        make("div.group", {}, this.start, this.cancel), this.bar, this.phase),
      this.result);
  }

  leave() { clearTimeout(this.#timer); }

  async open() {
    const { files, model } = this.project.about;
    const chosen = new Set([...this.files.querySelectorAll("input:not(:checked)")].map(({ value }) => value));
    const taught = files.filter((one) => one.checked > 0);
    this.files.replaceChildren(make("legend", {}, taught.length ? "From" : "Nothing is checked yet."), ...taught.map(({ file, checked }) => make("label.check", {},
      make("input", { type: "checkbox", value: file, checked: !chosen.has(file) }), `${file} `, make("span.muted", {}, `${checked.toLocaleString("en")} checked`))));
    for (const [select, none] of [[this.test, "every fifth sentence, held out"], [this.replay, "no file"]]) {
      const kept = select.value;
      select.replaceChildren(make("option", { value: "" }, none), ...files.map(({ file }) => make("option", { value: file }, file)));
      if (files.some(({ file }) => file === kept)) select.value = kept;
    }
    this.#showModels(model);
    await this.#look();
  }

  #showModels(model) {
    this.model.replaceChildren(...(model?.models ?? []).map((name) => make("option", { value: name }, name)));
    this.model.value = model?.name ?? "";
    this.model.disabled = (model?.models ?? []).length < 2;
    this.start.disabled = !model;
  }

  async #look() {
    clearTimeout(this.#timer);
    try {
      const before = this.#state?.state;
      this.#state = await this.project.get("teach");
      this.#show();
      if (this.#state.state === "running") this.#timer = setTimeout(() => this.#look(), EVERY);
      else if (before === "running") await this.#ended();
    } catch (error) {
      if (isAbort(error)) return;
      if (error.status === 0) this.#timer = setTimeout(() => this.#look(), 2 * EVERY);
      else this.problem(error);
    }
  }

  async #ended() {
    await this.project.open();
    this.#showModels(this.project.about.model);
    this.#show();
    const { state, before, after } = this.#state;
    this.context.announce(state === "done" ? `The model has learnt. LAS ${before?.las ?? "?"} before, ${after?.las ?? "?"} after.` : this.#state.error ?? "Stopped.");
  }

  async #start() {
    const files = [...this.files.querySelectorAll("input:checked")].map(({ value }) => value);
    await this.#do("teach", { files, test: this.test.value || null, replay: this.replay.value || null });
  }

  async #cancel() { await this.#do("teach/cancel", {}); }

  async #do(path, body) {
    this.start.disabled = true;
    try {
      this.#state = await this.project.ask(path, body);
      this.#show();
      await this.#look();
    } catch (error) {
      this.start.disabled = false;
      if (!isAbort(error)) this.problem(error);
    }
  }

  async #use(name) {
    try {
      this.project.about = await this.project.ask("model", { use: name });
      this.#showModels(this.project.about.model);
      this.#show();
      this.context.announce(`The model in use is ${name}.`);
    } catch (error) {
      this.problem(error);
    }
  }

  #show() {
    const { state, phase, step, of, error } = this.#state;
    const running = state === "running";
    this.start.disabled = running;
    this.cancel.hidden = !running;
    this.bar.hidden = !running;
    if (running && of) { this.bar.max = of; this.bar.value = step; } else this.bar.removeAttribute("value");
    const told = running ? `${phase ?? "working"}…` : state === "cancelled" ? "Stopped: the model is as it was." : "";
    if (this.phase.textContent !== told) this.phase.textContent = told;
    if (state === "failed") this.result.replaceChildren(make("p.notice.problem", { role: "alert" }, error));
    else if (state === "done") this.#showResult();
    else this.result.replaceChildren();
  }

  #showResult() {
    const { before, after, worse = [], better, learnt, held_out: held, model, before_model: old, notes = [] } = this.#state;
    const inUse = this.project.about.model?.name;
    const figure = (value) => (value === null || value === undefined ? "–" : value.toFixed(1));
    const rows = FIGURES.filter(([key]) => typeof before?.[key] === "number" || typeof after?.[key] === "number").map(([key, name]) => {
      const change = (after?.[key] ?? 0) - (before?.[key] ?? 0);
      const sign = change > 0.05 ? "good" : change < -0.05 ? "bad" : "same";
      return make("tr", {}, make("th", { scope: "row" }, name), make("td.number", {}, figure(before?.[key])), make("td.number", {}, figure(after?.[key])),
        make(`td.number.${sign}`, {}, `${change > 0 ? "+" : ""}${change.toFixed(1)}`));
    });
    const choice = (name, label) => button(label, () => this.#use(name), { "aria-pressed": String(inUse === name), class: inUse === name ? "" : "primary" });
    this.result.replaceChildren(make("section.card.teach-card", { "aria-label": "Before and after" },
      make("h2", {}, "Before and after"),
      make("p", {}, `Learnt from ${counted(learnt ?? 0, "sentence")}, compared on ${counted(held ?? 0, "sentence")} that it has not seen.`),
      make("table.scores", {}, make("thead", {}, make("tr", {}, make("td"), ...["before", "after", "change"].map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, ...rows)),
      ...notes.map((text) => make("p.notice", {}, text)),
      make("div.group", {}, choice(model, inUse === model ? "The new model is in use" : "Keep the new model"), choice(old, inUse === old ? "The model before is in use" : "Go back to the model before")),
      make("h3", {}, worse.length ? `What got worse: ${counted(worse.length, "sentence")}` : "No sentence got worse."),
      better ? make("p.muted", {}, `${counted(better, "sentence")} got better.`) : null,
      make("ul.worse", {}, ...worse.slice(0, 50).map((one) => make("li", {},
        button(one.text ?? one.sent_id ?? one.key, () => this.open_(one.file, one.key), { class: "quiet", dir: "auto" }),
        make("span.muted", {}, ` ${one.before} → ${one.after} wrong`))))));
  }
}
