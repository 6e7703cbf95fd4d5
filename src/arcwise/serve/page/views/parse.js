// Text in, trees out, as one types.

import { call, isAbort } from "../api.js";
import { button, counted, debounced, make, percent, saveFile } from "../dom.js";
import { Cards, itemOfElement } from "./parse/cards.js";
import { blocks, isConllu } from "./parse/conllu.js";
import { LONGEST, decode, encode } from "./parse/link.js";
import { toggleNBest } from "./parse/nbest.js";
import { Popover } from "./parse/popover.js";
import { Source } from "./parse/source.js";
import { markRows, tables } from "./parse/table.js";
import { neighbour } from "./parse/tree.js";

const DEBOUNCE = 150;
const DRAFT = "arcwise-draft";
const LONGEST_DRAFT = 500_000;
const LARGEST_FILE = 20_000_000;
const EXAMPLES = [
  "She saw the man with the telescope.",
  "The old man the boat while the gardener waters his roses.",
  "Time flies like an arrow, but fruit flies don't.",
];
const BELOW = [["lemma", "Lemma"], ["upos", "UPOS"], ["xpos", "XPOS"], ["feats", "Features"]];
const SEARCHES = [["1", "Greedy"], ["4", "Beam of 4"], ["8", "Beam of 8"], ["16", "Beam of 16"]];
const DEFAULTS = { model: "", beam: 1, columns: ["upos"], numbers: false, threshold: 0.8, view: "trees" };
const KEYS = [
  ["← →", "the word before, the word after"],
  ["↑ ↓", "along an arc: to the head, to the first dependent"],
  ["[ ]", "other words under the same head"],
  ["Home End", "the first word, the last word"],
  ["Enter", "other heads and labels of the word"],
  ["n p", "the next and the previous word that the parser is not sure of"],
  ["t", "trees or table"],
  ["b", "the best trees of the sentence, side by side"],
  ["/", "to the text"],
];

let unmount = () => {};

export const parse = {
  name: "parse",
  async mount(container, context) {
    const view = new ParseView(container, context);
    unmount = () => view.leave();
    this.update = (params) => view.open(params);
    await view.start(context.params);
  },
  unmount() { unmount(); },
};

class ParseView {
  constructor(container, context) {
    this.context = context;
    this.settings = { ...DEFAULTS };
    this.file = null; // {name, conllu, own} in place of the text
    this.models = [];
    this.source = new Source();
    this.timer = null;
    this.#build(container);
    this.cards = new Cards({
      list: this.list,
      options: () => ({ threshold: this.threshold, drawing: this.#drawing(), table: this.settings.view === "table" }),
      actions: [
        ["Other trees", "the best trees", (item, control) => this.#otherTrees(item, control)],
        ["Derivation", "step by step", (item) => context.go("derivation", this.#derivation(item))],
      ],
      report: (error) => this.#problem(error),
      signal: context.signal,
    });
    this.popover = new Popover({
      root: container,
      itemOf: itemOfElement,
      request: () => (this.#model()?.probabilities === false ? null : { model: this.settings.model || undefined }),
      announce: context.announce,
      signal: context.signal,
    });
    this.soon = debounced(DEBOUNCE, () => this.refresh());
    this.remember = debounced(400, () => this.#keepDraft());
    context.keys(KEYS);
  }

  get threshold() { return this.settings.threshold; }

  leave() {
    this.#keepDraft();
    this.soon.cancel();
    this.remember.cancel();
    clearTimeout(this.timer);
    this.source.cancel();
  }

  // What is on the page

  #build(container) {
    const { signal } = this.context;
    this.text = make("textarea", { id: "text", rows: "3", spellcheck: "false", dir: "auto", placeholder: "Type or paste a text here, or drop a file.", "aria-describedby": "status" });
    this.fileInput = make("input.hidden", { type: "file", accept: ".txt,.conllu,.conll,.md,text/plain", tabindex: "-1", "aria-label": "A text or CoNLL-U file" });
    this.status = make("p.status", { id: "status" });
    this.problems = make("div.problems", { role: "alert" });
    this.note = make("div.note", { role: "status" });
    this.examples = make("p.examples", {}, "Try: ", ...EXAMPLES.map((text) => button(text, () => this.#setText(text), { class: "quiet example" })));
    this.fileBox = make("div.file-box.card", { hidden: true });
    this.list = make("ol.sentences", { "aria-label": "Sentences" });
    this.tableBox = make("div.tables", { hidden: true });
    this.downloads = ["CoNLL-U", "JSON", "SVG"].map((kind) => button(kind, () => this.download(kind), { "aria-label": `Download ${kind}`, disabled: true }));
    container.append(
      make("h1.hidden", {}, "Parse"),
      make("section.input", { "aria-label": "Input" },
        make("label.hidden", { for: "text" }, "Text"), this.text, this.fileBox, this.examples,
        make("div.actions", {},
          make("div.group", {}, button("Open a file…", () => this.fileInput.click()), this.fileInput, button("Copy link", () => this.copyLink())),
          make("div.group", { role: "group", "aria-label": "Download" }, make("span.muted", { "aria-hidden": "true" }, "Download"), ...this.downloads))),
      this.#buildSettings(), this.problems, this.note,
      make("section.results", { "aria-label": "Trees" }, make("h2.hidden", {}, "Trees"), this.status, this.list, this.tableBox),
      this.dropHint = make("div.drop-hint", { hidden: true, "aria-hidden": "true" }, "Drop a text or a CoNLL-U file"),
    );
    this.text.addEventListener("input", () => this.#typed());
    this.fileInput.addEventListener("change", () => { const [file] = this.fileInput.files; if (file) this.openFile(file); this.fileInput.value = ""; });
    const on = (name, run) => document.addEventListener(name, run, { signal });
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
    on("dragover", (event) => { if (hasFiles(event)) { event.preventDefault(); this.dropHint.hidden = false; } });
    on("dragleave", (event) => { if (!event.relatedTarget) this.dropHint.hidden = true; });
    on("drop", (event) => {
      this.dropHint.hidden = true;
      if (!hasFiles(event)) return;
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (file) this.openFile(file);
    });
    on("keydown", (event) => this.#key(event));
    addEventListener("pagehide", () => this.#keepDraft(), { signal });
  }

  #buildSettings() {
    const change = (run) => (event) => { run(event.target); this.#changedSettings(); };
    this.modelSelect = make("select", { id: "model", onchange: change((control) => { this.settings.model = control.value; this.#modelNotes(); }) });
    this.beamSelect = make("select", { id: "beam", onchange: change((control) => { this.settings.beam = Number(control.value); }) },
      ...SEARCHES.map(([value, name]) => make("option", { value }, name)));
    this.viewButtons = [["trees", "Trees"], ["table", "Table"]].map(([view, name]) =>
      button(name, () => this.#showView(view), { "aria-pressed": "false", "data-view": view }));
    const check = (id, name, run) => make("label.check", {}, make("input", { type: "checkbox", id, onchange: change(run) }), name);
    this.slider = make("input", { type: "range", id: "threshold", min: "0", max: "100", step: "1" });
    this.sliderValue = make("output", { for: "threshold" });
    this.slider.addEventListener("input", () => this.#setThreshold(Number(this.slider.value) / 100));
    this.modelNote = make("p.muted.model-note", { id: "model-note" });
    const settings = make("section.settings", { "aria-label": "Settings" },
      make("div.group", {}, make("label", { for: "model" }, "Model"), this.modelSelect),
      make("div.group", {}, make("label", { for: "beam" }, "Search"), this.beamSelect),
      make("div.group.segments", { role: "group", "aria-label": "Show" }, ...this.viewButtons),
      make("fieldset.group", {}, make("legend", {}, "Below words"), ...BELOW.map(([name, title]) => check(`below-${name}`, title, (control) => {
        const on = new Set(this.settings.columns);
        if (control.checked) on.add(name); else on.delete(name);
        this.settings.columns = BELOW.map(([one]) => one).filter((one) => on.has(one));
      }))),
      check("numbers", "Probabilities", (control) => { this.settings.numbers = control.checked; }),
      make("div.group.threshold", {}, make("label", { for: "threshold" }, "Mark what is below"), this.slider, this.sliderValue),
      this.modelNote);
    return make("details.settings-box", { open: matchMedia("(min-width: 34.01rem)").matches }, make("summary", {}, "Settings"), settings);
  }

  async start(params) {
    this.#showSettings();
    try {
      const answer = await call("models", undefined, { signal: this.context.signal });
      this.models = answer.models;
      this.modelSelect.replaceChildren(...this.models.map(({ name }) => make("option", { value: name }, name)));
      if (!this.models.some(({ name }) => name === this.settings.model)) this.settings.model = answer.default ?? this.models[0]?.name ?? "";
    } catch (error) {
      if (isAbort(error)) return;
      this.#problem(error);
    }
    await this.open(params);
  }

  /** What a link holds, or else what was here before. */
  async open(params) {
    const packed = params.get("d");
    if (packed) {
      try {
        this.#restore(await decode(packed));
      } catch {
        this.#say("This link is damaged: part of it may be missing. Ask for it again.");
        this.#restore(this.#draft() ?? {});
      }
    } else if (params.has("text")) {
      this.#restore({ text: params.get("text") });
    } else if (!this.text.value && !this.file) {
      this.#restore(this.#draft() ?? {});
    }
    this.cards.redraw(); // what is kept may have been drawn otherwise
    await this.refresh();
  }

  #restore({ text, file, settings }) {
    const model = this.settings.model;
    const known = Object.entries(settings ?? {}).filter(([key, value]) => key in DEFAULTS && typeof value === typeof DEFAULTS[key]);
    this.settings = { ...this.settings, ...Object.fromEntries(known) };
    this.settings.columns = BELOW.map(([name]) => name).filter((name) => Array.isArray(this.settings.columns) && this.settings.columns.includes(name));
    this.settings.threshold = Math.min(1, Math.max(0, this.settings.threshold));
    if (this.models.length && !this.models.some(({ name }) => name === this.settings.model)) this.settings.model = model;
    if (typeof text === "string") this.text.value = text;
    this.file = file && typeof file.conllu === "string" ? { name: String(file.name), conllu: file.conllu, own: file.own !== false } : null;
    this.#showSettings();
    this.#showFile();
  }

  #showSettings() {
    const { model, beam, columns, numbers, threshold, view } = this.settings;
    this.modelSelect.value = model;
    if (!SEARCHES.some(([value]) => Number(value) === beam)) this.beamSelect.append(make("option", { value: `${beam}` }, `Beam of ${beam}`));
    this.beamSelect.value = String(beam);
    for (const [name] of BELOW) document.getElementById(`below-${name}`).checked = columns.includes(name);
    document.getElementById("numbers").checked = numbers;
    this.slider.value = String(Math.round(threshold * 100));
    this.sliderValue.textContent = percent(threshold);
    for (const one of this.viewButtons) one.setAttribute("aria-pressed", String(one.dataset.view === view));
    this.list.hidden = view === "table";
    this.tableBox.hidden = view !== "table";
    this.#modelNotes();
  }

  #model() { return this.models.find(({ name }) => name === this.settings.model); }

  #modelNotes() {
    const model = this.#model();
    this.slider.disabled = model?.probabilities === false;
    this.modelNote.textContent = !model ? "" : model.probabilities === false ? "This model has no probabilities."
      : model.calibrated === false ? "The probabilities of this model are not calibrated: they are too sure of themselves." : "";
  }

  // Parsing

  #drawing() {
    const { columns, numbers } = this.settings;
    return { columns, probabilities: numbers, marks: true };
  }

  #request() {
    const { model, beam } = this.settings;
    return { model: model || undefined, beam, probabilities: this.#model()?.probabilities !== false };
  }

  #typed() {
    // The address held another text.
    if (location.hash.includes("?")) this.context.setParams(null);
    this.remember();
    this.soon();
  }

  async refresh() {
    this.soon.cancel();
    clearTimeout(this.timer);
    performance.mark("arcwise-asked");
    const file = this.file;
    const text = file ? file.conllu : this.text.value;
    this.examples.hidden = Boolean(text.trim()) || Boolean(file);
    const own = file?.own;
    let first = true;
    try {
      await this.source.update({
        kind: file ? "conllu" : "text",
        text,
        path: own ? "draw" : "parse",
        request: own ? { answer: ["sentences", "drawings"] } : this.#request(),
        drawing: this.cards.drawing,
        changed: (items) => {
          this.#show(items);
          if (first) this.#measured();
          first = false;
        },
      });
      this.problems.replaceChildren();
      this.#tell(this.source.items);
    } catch (error) {
      if (!isAbort(error)) this.#problem(error, () => this.refresh());
    }
  }

  #measured() {
    requestAnimationFrame(() => {
      performance.mark("arcwise-drawn");
      performance.measure("arcwise-picture", "arcwise-asked", "arcwise-drawn");
    });
  }

  #show(items) {
    this.popover.hide();
    if (this.settings.view === "table") this.#showTables(items);
    else this.cards.show(items);
    for (const one of this.downloads) one.disabled = items.length === 0;
    this.#showStatus(items);
  }

  #showStatus(items) {
    const words = items.reduce((sum, { sentence }) => sum + sentence.tokens.length, 0);
    const unsure = items.reduce((sum, { sentence }) => sum + sentence.tokens.filter((token) => token.deprel_prob < this.threshold).length, 0);
    const known = items.some(({ sentence }) => sentence.tokens.some((token) => token.deprel_prob !== undefined));
    this.status.textContent = items.length === 0 ? "" : [
      `${counted(items.length, "sentence")}, ${counted(words, "word")}`,
      ...(known ? [unsure ? `${counted(unsure, "arc")} below ${percent(this.threshold)}` : `no arc below ${percent(this.threshold)}`] : []),
    ].join(" · ");
  }

  #tell(items) {
    if (items.length) this.context.announce(`Parsed: ${this.status.textContent.replaceAll(" · ", ", ")}.`);
  }

  #showTables(items, from = 0) {
    const { parts, next } = tables(items, this.threshold, { from });
    if (from === 0) this.tableBox.replaceChildren();
    this.tableBox.querySelector(".more")?.remove();
    this.tableBox.append(...parts);
    if (next !== null) this.tableBox.append(button(`Show more of ${counted(items.length, "sentence")}`, () => this.#showTables(items, next), { class: "more" }));
  }

  #showView(view) {
    if (this.settings.view === view) return;
    this.settings.view = view;
    this.#showSettings();
    this.#show(this.source.items);
    this.remember();
    this.context.announce(view === "table" ? "Table" : "Trees");
  }

  #setThreshold(threshold) {
    this.settings.threshold = threshold;
    this.sliderValue.textContent = percent(threshold);
    this.cards.mark(threshold);
    markRows(this.tableBox, threshold);
    this.#showStatus(this.source.items);
    this.remember();
  }

  #changedSettings() {
    this.#showSettings();
    this.remember();
    const drawing = JSON.stringify(this.#drawing());
    if (drawing !== this.drawnAs) {
      this.drawnAs = drawing;
      this.cards.redraw();
    }
    this.refresh();
  }

  async #otherTrees(item, control) {
    control.setAttribute("aria-expanded", String(!item.nbest));
    await toggleNBest(item, {
      request: { model: this.settings.model || undefined },
      drawing: this.#drawing(),
      width: this.cards.width,
      announce: this.context.announce,
      signal: this.context.signal,
    });
  }

  #derivation({ sentence }) {
    return new URLSearchParams({ text: sentence.text ?? sentence.tokens.map((token) => token.form).join(" "), model: this.settings.model });
  }

  // Errors

  #problem(error, retry) {
    const wait = error.retryAfter;
    const told = make("div.notice.problem", {}, make("p", {}, wait && retry ? `${error.message} Trying again in ${wait} s.` : error.message));
    if (retry) told.append(button("Try again", retry));
    if (wait && retry) this.timer = setTimeout(retry, wait * 1000);
    this.problems.replaceChildren(told);
  }

  #say(text, ...controls) {
    const box = make("div.notice", {}, make("p", {}, text), ...controls, button("Close", () => this.note.replaceChildren(), { class: "quiet" }));
    this.note.replaceChildren(box);
  }

  // Files and links

  #setText(text) {
    this.text.value = text;
    this.text.focus();
    this.#typed();
    this.refresh();
  }

  async openFile(file) {
    if (file.size > LARGEST_FILE) {
      this.#problem(new Error(`${file.name} is too large for the page (${Math.round(file.size / 1e6)} MB): use “arcwise parse ${file.name}” on the command line.`));
      return;
    }
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    } catch {
      this.#problem(new Error(`${file.name} is not a text in UTF-8. Save it as UTF-8 and open it again.`));
      return;
    }
    this.problems.replaceChildren();
    if (isConllu(text)) {
      this.file = { name: file.name, conllu: text, own: true };
      this.#showFile();
    } else {
      const before = this.text.value;
      this.file = null;
      this.#showFile();
      this.text.value = text;
      this.#say(`Opened ${file.name}.`, ...(before.trim() ? [button("Put back what was there", () => { this.note.replaceChildren(); this.#setText(before); })] : []));
    }
    this.#typed();
    await this.refresh();
  }

  #showFile() {
    const { file } = this;
    this.text.hidden = Boolean(file);
    this.fileBox.hidden = !file;
    if (!file) return;
    const choose = (own, name) => make("label.check", {}, make("input", {
      type: "radio", name: "trees-of", checked: file.own === own, onchange: () => { file.own = own; this.remember(); this.refresh(); },
    }), name);
    this.fileBox.replaceChildren(
      make("p.file-name", {}, make("b", {}, file.name), make("span.muted", {}, ` ${counted(blocks(file.conllu).length, "sentence")} in CoNLL-U`)),
      make("fieldset.group", {}, make("legend", {}, "Trees"), choose(true, "as in the file"), choose(false, "parsed by the model")),
      button("Close the file", () => { this.file = null; this.#showFile(); this.#typed(); this.refresh(); this.text.focus(); }));
  }

  /** All sentences as one request gives them: numbered through, with places in the whole text. */
  async #whole() {
    const { file } = this;
    const { signal } = this.context;
    if (file?.own) return call("draw", { conllu: file.conllu, answer: ["sentences"] }, { signal });
    return call("parse", { ...(file ? { conllu: file.conllu } : { text: this.text.value }), ...this.#request() }, { signal });
  }

  async download(kind) {
    try {
      const whole = await this.#whole();
      const { sentences } = whole;
      const name = (this.file?.name ?? "parsed").replace(/\.[^.]*$/, "");
      if (kind === "JSON") {
        const { drawings: _, ...rest } = whole;
        this.#save(`${name}.json`, "application/json", `${JSON.stringify(rest, null, 1)}\n`);
        return;
      }
      const key = kind === "SVG" ? "svg" : "conllu";
      const drawing = { ...this.cards.drawing, marks: false, min_confidence: this.threshold };
      const answer = await call("draw", { sentences, drawing, answer: [key] }, { signal: this.context.signal });
      this.#save(`${name}.${key}`, key === "svg" ? "image/svg+xml" : "text/plain", answer[key]);
    } catch (error) {
      if (!isAbort(error)) this.#problem(error, () => this.download(kind));
    }
  }

  #save(name, type, content) {
    saveFile(name, type, content);
    this.context.announce(`${name} is downloaded.`);
  }

  #state() {
    return { ...(this.file ? { file: this.file } : { text: this.text.value }), settings: this.settings };
  }

  async copyLink() {
    const params = new URLSearchParams({ d: await encode(this.#state()) });
    const length = params.get("d").length;
    if (length > LONGEST) {
      this.#say(`This text is too long for a link: it would have ${length.toLocaleString("en")} characters, and ${LONGEST.toLocaleString("en")} are what most programs pass on. Download the CoNLL-U file and send that.`);
      return;
    }
    this.context.setParams(params);
    const field = make("input.link", { type: "text", readonly: true, value: location.href, "aria-label": "Link" });
    try {
      await navigator.clipboard.writeText(location.href);
      this.#say("The link is copied. It holds the text and the settings, and opens on any computer where arcwise serve runs at this address.", field);
    } catch {
      this.#say("Copy this link. It holds the text and the settings.", field);
      field.select();
    }
  }

  #draft() {
    try { return JSON.parse(sessionStorage.getItem(DRAFT)); } catch { return null; }
  }

  #keepDraft() {
    try {
      const draft = JSON.stringify(this.#state());
      if (draft.length <= LONGEST_DRAFT) sessionStorage.setItem(DRAFT, draft);
    } catch { /* storage may be full or forbidden: the page works without */ }
  }

  // Keys

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.matches?.("textarea, select, input")) return;
    const word = event.target.closest?.(".tree .word");
    const run = {
      "/": () => this.text.focus(),
      t: () => this.#showView(this.settings.view === "table" ? "trees" : "table"),
      n: () => this.#nextDoubt(1),
      p: () => this.#nextDoubt(-1),
      b: () => (event.target.closest?.("li.sentence") ?? this.list).querySelector("[data-action='the best trees']")?.click(),
    }[event.key];
    if (run) {
      event.preventDefault();
      run();
    } else if (word && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      this.popover.show(word, { tell: true });
    } else if (word) {
      const svg = word.closest("svg");
      const next = neighbour(svg, word, event.key, word.closest(".tree-box").dir === "rtl");
      if (next) { event.preventDefault(); focusWord(next); }
      else if (event.key.startsWith("Arrow") && event.key !== "ArrowDown" && event.key !== "ArrowUp") event.preventDefault();
    }
  }

  #nextDoubt(step) {
    const doubts = [...this.list.querySelectorAll(".word.doubted")];
    if (!doubts.length) { this.context.announce("No arc is below the threshold."); return; }
    const words = [...this.list.querySelectorAll(".tree-box > svg .word")];
    const at = words.indexOf(document.activeElement);
    const ordered = step > 0 ? doubts : doubts.reverse();
    const next = ordered.find((one) => at < 0 || (words.indexOf(one) - at) * step > 0) ?? ordered[0];
    focusWord(next);
  }
}

function focusWord(word) {
  for (const one of word.closest("svg").querySelectorAll(".word")) one.setAttribute("tabindex", "-1");
  word.setAttribute("tabindex", "0");
  word.focus();
  word.scrollIntoView?.({ block: "nearest", inline: "nearest" });
}
