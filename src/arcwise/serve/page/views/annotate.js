// Trees of a project are corrected, sentence by sentence; two annotators are compared; the model is taught.

import { isAbort } from "../api.js";
import { button, counted, debounced, make, saveFile } from "../dom.js";
import { fileConflict, leftOver, sentenceConflict } from "./annotate/conflict.js";
import { Differences } from "./annotate/differences.js";
import { SentenceList } from "./annotate/list.js";
import { Project } from "./annotate/project.js";
import { SentenceView } from "./annotate/sentence.js";
import { Teach } from "./annotate/teach.js";

const ORDERS = [["file", "as in the file"], ["suggest", "what the model doubts first"], ["rarest", "rarest construction first"]];
const STILL = 1500; // milliseconds until scores that are being made are asked for again
const KEYS = [
  ["← →", "the word before, the word after"],
  ["↑ ↓", "along an arc: to the head, to the first dependent"],
  ["Enter", "pick the word up; then the arrows go to its head, and Enter takes it"],
  ["r", "the word is the root"],
  ["h l", "type the head, the label"],
  ["u x", "type UPOS, XPOS"],
  ["m f w", "type the lemma, the features, the form"],
  ["o", "the word is right as it is; again: let the model decide"],
  ["n p", "the next and the previous word that the model is not sure of"],
  ["a", "the rest of the tree follows each correction, or stays"],
  ["t", "split and join words and sentences"],
  ["e", "the comments"],
  ["z y", "undo, redo (also Ctrl+Z and Ctrl+Y)"],
  ["c", "checked, and on to the next sentence"],
  ["j k", "the next and the previous sentence"],
  ["/", "search"],
  ["1 2", "differences: take the left or the right one"],
];

let unmount = () => {};

export const annotate = {
  name: "annotate",
  async mount(container, context) {
    const view = new AnnotateView(container, context);
    unmount = () => view.leave();
    this.update = (params) => view.goTo(params);
    await view.start(context.params);
  },
  unmount() { unmount(); },
};

class AnnotateView {
  constructor(container, context) {
    this.context = context;
    this.file = "";
    this.mode = "correct";
    this.settings = { order: "file", search: "", checked: null };
    this.project = new Project({ gone: (isGone, message) => this.#gone(isGone, message), signal: context.signal });
    this.sentence = new SentenceView({
      project: this.project, context,
      went: (answer) => this.#went(answer),
      step: (by) => this.step(by),
      conflict: (error, sent) => this.#conflict(error, sent),
      problem: (error, ...controls) => this.problem(error, ...controls),
      nextOf: (state) => this.#nextOf(state),
    });
    this.sentence.clearProblem = () => this.problems.replaceChildren();
    this.list = new SentenceList({
      load: (from, count) => this.#load(from, count),
      open: (entry) => this.#open(entry.key),
      report: (error) => this.problem(error),
      signal: context.signal,
    });
    this.differences = new Differences({ project: this.project, context, problem: (error) => this.problem(error), files: () => this.#showFiles() });
    this.teach = new Teach({ project: this.project, context, problem: (error) => this.problem(error), open: (file, key) => this.#show({ file, key, mode: "correct" }) });
    this.#build(container);
    context.keys(KEYS);
  }

  leave() {
    clearTimeout(this.timer);
    this.teach.leave();
  }

  #build(container) {
    const { signal } = this.context;
    this.fileSelect = make("select", { id: "project-file", onchange: () => this.#show({ file: this.fileSelect.value, key: null, mode: this.mode }) });
    this.modeButtons = [["correct", "Correct"], ["differences", "Two annotators"], ["teach", "Teach"]].map(([mode, name]) =>
      button(name, () => this.#show({ mode }), { "aria-pressed": "false", "data-mode": mode }));
    this.progress = make("progress", { max: 1, value: 0, "aria-label": "Sentences that are checked" });
    this.progressText = make("span.muted.progress-text");
    this.saved = make("span.muted.saved", { role: "status" });
    this.fileMenu = make("details.file-menu", {}, make("summary", {}, "File"), make("div.menu.card", {},
      button("Download without marks", () => this.#download()),
      button("Close: keep it, forget the journal…", () => this.#askClose("now")),
      button("Close: as it was at first…", () => this.#askClose("first"))));
    this.banner = make("div.banner", { role: "alert" });
    this.problems = make("div.problems", { role: "alert" });
    this.conflicts = make("div.conflicts");
    this.search = make("input", { id: "search", type: "search", spellcheck: "false", autocomplete: "off", placeholder: "dog  upos=VERB  >nsubj form=dog", "aria-describedby": "found" });
    this.search.addEventListener("input", debounced(250, () => this.#searched()));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") { event.preventDefault(); this.list.choose(0); }
      else if (event.key === "Escape" && this.search.value) { event.stopPropagation(); this.search.value = ""; this.#searched(); }
    });
    this.found = make("p.found", { id: "found", role: "status" });
    this.orderSelect = make("select", { id: "order", onchange: () => { this.settings.order = this.orderSelect.value; this.#reload(); } },
      ...ORDERS.map(([value, name]) => make("option", { value }, name)));
    this.uncheckedBox = make("input", { type: "checkbox", id: "unchecked", onchange: () => { this.settings.checked = this.uncheckedBox.checked ? false : null; this.#reload(); } });
    this.side = make("details.side", { open: matchMedia("(min-width: 60.01rem)").matches }, make("summary", {}, "Sentences"),
      make("div.side-inner", {},
        make("label.hidden", { for: "search" }, "Search"), this.search, this.found,
        make("div.group", {}, make("label.muted", { for: "order" }, "Order"), this.orderSelect),
        make("label.check", { for: "unchecked" }, this.uncheckedBox, "only what is not checked"),
        this.list.element));
    this.empty = make("p.muted.empty", { hidden: true });
    this.work = make("div.work", {}, this.empty, this.sentence.element);
    this.correct = make("div.correct", {}, this.side, this.work);
    container.append(
      make("h1.hidden", {}, "Annotate"),
      make("div.project-bar", {},
        make("div.group", {}, make("label.hidden", { for: "project-file" }, "File"), this.fileSelect, this.fileMenu),
        make("div.group.segments", { role: "group", "aria-label": "What to do" }, ...this.modeButtons),
        make("div.group.progress-box", {}, this.progress, this.progressText, this.saved)),
      this.banner, this.problems, this.conflicts, this.correct, this.differences.element, this.teach.element);
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    document.addEventListener("click", (event) => { if (!this.fileMenu.contains(event.target)) this.fileMenu.open = false; }, { signal });
    addEventListener("beforeunload", (event) => { if (this.project.isBusy) event.preventDefault(); }, { signal });
  }

  async start(params) {
    try {
      await this.project.open();
    } catch (error) {
      if (!isAbort(error)) this.problem(error, button("Try again", () => this.start(params)));
      return;
    }
    await this.goTo(params);
    for (const kept of this.project.waiting()) await this.#sendAgain(kept);
  }

  /** What the address says: `file`, `key` or `index`, `mode`. */
  async goTo(params) {
    const files = this.project.about.files.map(({ file }) => file);
    const file = files.includes(params.get("file")) ? params.get("file") : this.file || files[0];
    const mode = ["correct", "differences", "teach"].includes(params.get("mode")) ? params.get("mode") : "correct";
    if (!file) { this.#showFiles(); this.#nothing("There are no .conllu or .conll files in this project. Put some into its folder and load the page again."); return; }
    await this.#show({ file, index: params.has("sentence") ? Number(params.get("sentence")) - 1 : 0, mode });
  }

  async #show({ file = this.file, key, index = 0, mode = this.mode }) {
    const isOther = file !== this.file || key !== undefined;
    this.mode = mode;
    this.correct.hidden = mode !== "correct";
    this.differences.element.hidden = mode !== "differences";
    this.teach.element.hidden = mode !== "teach";
    for (const one of this.modeButtons) one.setAttribute("aria-pressed", String(one.dataset.mode === mode));
    this.problems.replaceChildren();
    if (isOther) {
      this.file = file;
      this.conflicts.replaceChildren();
    }
    this.#showFiles();
    const { error } = this.project.file(this.file) ?? {};
    if (error && mode === "correct") { this.list.clear(); this.#nothing(error); return; }
    if (mode === "differences") { await this.differences.open(file); this.#address(); return; }
    if (mode === "teach") { await this.teach.open(); this.#address(); return; }
    if (!isOther && this.sentence.state?.file === file) { await this.sentence.reload(); this.#reload({ top: false }); this.#address(); return; }
    await this.#reload();
    if (key) { await this.#open(key); return; }
    const first = Math.max(0, Math.min(this.list.total - 1, index || 0));
    const chosen = await this.list.choose(first).catch((error) => { this.problem(error); return true; });
    if (!chosen) this.#nothing("This file has no sentences.");
  }

  #nothing(text) {
    this.empty.hidden = !text;
    this.empty.textContent = text;
    if (text) this.sentence.element.hidden = true;
  }

  #address() {
    const params = new URLSearchParams({ file: this.file });
    if (this.mode !== "correct") params.set("mode", this.mode);
    else if (this.sentence.state) params.set("sentence", String(this.sentence.state.index + 1));
    if (`${params}` !== this.shownAddress) this.context.setParams(params);
    this.shownAddress = `${params}`;
  }

  #showFiles() {
    const { files } = this.project.about;
    const names = files.map(({ file }) => file);
    if ([...this.fileSelect.options].map(({ value }) => value).join("\n") !== names.join("\n")) {
      this.fileSelect.replaceChildren(...names.map((value) => make("option", { value }, value)));
    }
    this.fileSelect.value = this.file;
    const file = this.project.file(this.file);
    if (!file || file.error) { this.progressText.textContent = ""; return; }
    this.progress.max = Math.max(1, file.sentences);
    this.progress.value = file.checked;
    this.progressText.textContent = `${file.checked.toLocaleString("en")} of ${file.sentences.toLocaleString("en")} checked`;
    const saved = file.readonly ? "read only" : file.saved ? "saved" : "saving…";
    if (this.saved.textContent !== saved) this.saved.textContent = saved;
    if (file.conflict && !this.conflicts.childElementCount) {
      this.#fileChanged({ message: file.conflict, answer: {} });
    }
  }

  // The list

  async #load(from, count) {
    const { order, search, checked } = this.settings;
    const answer = await this.project.read("list", { file: this.file, order, search, checked, from, count });
    const now = this.settings; // an answer that comes late says nothing of what is asked by now
    if (order === now.order && search === now.search && checked === now.checked) this.#showFound(answer);
    return { total: answer.total, entries: answer.sentences.map((one) => ({ ...one, number: one.index + 1, note: note(order, one.score) })) };
  }

  #showFound(answer) {
    const { search, checked } = this.settings;
    this.search.setAttribute("aria-invalid", "false");
    const parts = [];
    if (search || checked === false) parts.push(`${counted(answer.total, "sentence")}`);
    if (!answer.ready) parts.push(answer.progress ? `looked at ${answer.progress.step} of ${answer.progress.of}` : "being put in order…");
    this.found.textContent = parts.join(" · ");
    this.#showFiles();
    clearTimeout(this.timer);
    if (!answer.ready) this.timer = setTimeout(() => this.#reload({ top: false }), STILL);
  }

  async #reload({ top = true } = {}) {
    try {
      await this.list.reload({ top });
      this.#nothing("");
      if (this.sentence.state) this.sentence.element.hidden = false;
    } catch (error) {
      if (isAbort(error)) return;
      if (error.answer?.kind === "pattern") {
        this.search.setAttribute("aria-invalid", "true");
        this.found.textContent = error.message;
      } else this.problem(error);
    }
  }

  #searched() {
    const search = this.search.value.trim();
    if (search === this.settings.search) return;
    this.settings = { ...this.settings, search };
    this.#reload();
  }

  async #open(key) {
    try {
      const known = this.list.current !== undefined ? await this.list.entry(this.list.current) : null;
      const word = known?.key === key ? known.matches?.[0] : null;
      const inList = this.list.element.contains(document.activeElement);
      if (!(await this.sentence.open(this.file, key, { word }))) { await this.#reload({ top: false }); return; }
      this.#nothing("");
      if (!inList && this.focusNext) this.sentence.tree.focus();
      this.focusNext = false;
      this.#address();
      const { state } = this.sentence;
      this.context.announce(`Sentence ${state.index + 1}: ${state.text ?? ""}`);
    } catch (error) {
      if (!isAbort(error)) this.problem(error);
    }
  }

  async step(by) {
    this.focusNext = this.work.contains(document.activeElement) || document.activeElement === document.body;
    const moved = await this.list.choose((this.list.current ?? -1) + by).catch((error) => { this.problem(error); return true; });
    if (!moved) this.context.announce(by > 0 ? "This is the last sentence." : "This is the first sentence.");
  }

  /** The key and the version of the sentence that follows in the file, whatever the list shows. */
  async #nextOf(state) {
    const { sentences: [entry] } = await this.project.ask("list", { file: state.file, order: "file", from: state.index + 1, count: 1 });
    if (!entry) return null;
    const { sentences: [next] } = await this.project.ask("read", { file: state.file, keys: [entry.key], drawing: null, probabilities: false });
    return { key: next.key, version: next.version };
  }

  /** After a change: the row, the progress, undo. */
  #went(answer) {
    this.#showFiles();
    this.sentence.showHistory();
    for (const { key, checked, text } of answer.sentences) this.list.update((entry) => entry.key === key, { checked, text });
    const { state } = this.sentence;
    const isInOrder = this.settings.order === "file" && !this.settings.search && this.settings.checked === null;
    const follow = () => { if (isInOrder && state.key !== this.list.key) this.list.setCurrent(state.index, state.key); };
    if (answer.added?.length || answer.removed?.length || answer.moved?.length) this.#reload({ top: false }).then(follow);
    else follow();
    this.#address();
    if (!this.project.file(this.file)?.saved) this.#savedSoon();
  }

  #savedSoon() {
    clearTimeout(this.savedTimer);
    this.savedTimer = setTimeout(() => {
      if (this.context.signal.aborted) return;
      this.project.read("list", { file: this.file, from: 0, count: 1 }).then(() => { this.#showFiles(); if (!this.project.file(this.file)?.saved) this.#savedSoon(); }, () => {});
    }, 1000);
  }

  // Conflicts, and a service that is gone

  #conflict(error, sent) {
    if (error.answer.kind === "file_changed") { this.#fileChanged(error, sent); return; }
    const { current, yours } = error.answer;
    if (current && yours && current.conllu === yours.conllu) { this.sentence.show(current); return; } // the answer was lost, not the change
    const shown = sentenceConflict({ current, yours, error: error.message }, (side) => {
      this.conflicts.replaceChildren();
      if (current) this.sentence.show(current);
      if (!current) this.#reload({ top: false });
      else if (side === "yours" && yours) this.sentence.act({ op: "replace", conllu: yours.conllu });
      this.sentence.tree.focus();
    });
    this.conflicts.replaceChildren(shown);
    shown.focus();
  }

  #fileChanged(error, sent = null) {
    const shown = fileConflict({ error: error.message, differences: error.answer?.differences }, async (take) => {
      try {
        const { left } = await this.project.ask("resolve", { file: this.file, take });
        this.conflicts.replaceChildren(...(left?.length ? [leftOver(left, () => this.conflicts.replaceChildren())] : []));
        await this.#reload({ top: false });
        if (!(await this.sentence.open(this.file, this.sentence.state.key))) await this.list.choose(0);
        // The change that was refused is made now, if its sentence is still what it was made for.
        else if (sent?.operation && sent.key === this.sentence.state.key && sent.version === this.sentence.state.version) this.sentence.act(sent.operation);
      } catch (problem) {
        this.problem(problem);
      }
    });
    this.conflicts.replaceChildren(shown);
    shown.focus();
  }

  #gone(isGone, message) {
    if (!isGone) {
      this.banner.replaceChildren(make("p.notice", {}, "The service is back. What you changed was sent."));
      setTimeout(() => this.banner.replaceChildren(), 4000);
    } else if (!this.banner.querySelector(".problem")) {
      this.banner.replaceChildren(make("p.notice.problem", {}, this.project.isBusy ? "The service does not answer. Your changes are kept in this tab, and are sent as soon as it is back." : message));
    }
  }

  /** A change that was not answered before the page was loaded again. */
  async #sendAgain({ file, key, version, index, operation, reparse, next }) {
    if (typeof file !== "string" || !this.project.file(file)) return;
    const { sentences: [entry] } = await this.project.read("list", { file, order: "file", from: index, count: 1 });
    const own = entry?.key ?? key;
    this.project.change("edit", () => ({ file, key: own, version, operation, reparse, ...(next ? { next } : {}), ...this.sentence.wanted }), {
      done: (answer) => {
        if (file === this.file) this.sentence.answered(answer);
        this.banner.replaceChildren(make("p.notice", {}, "A change that was not saved when the page was left was made now."));
      },
      failed: (error) => { if (["conflict", "file_changed"].includes(error.answer?.kind)) this.#conflict(error); else this.problem(error); },
    });
  }

  problem(error, ...controls) {
    if (isAbort(error)) return;
    this.problems.replaceChildren(make("div.notice.problem", {}, make("p", { dir: "auto" }, error.message), ...controls.filter(Boolean),
      button("Close", () => { this.problems.replaceChildren(); }, { class: "quiet" })));
  }

  // The file

  async #download() {
    this.fileMenu.open = false;
    try {
      const text = await this.project.text("export", { file: this.file, marks: false });
      saveFile(this.file.split("/").at(-1), "text/plain", text);
    } catch (error) {
      this.problem(error);
    }
  }

  #askClose(to) {
    this.fileMenu.open = false;
    const [title, told, does] = to === "first"
      ? ["As it was at first?", `All corrections of ${this.file} since it was opened first are taken back, to the byte. They cannot be redone.`, "Take all back"]
      : ["Keep it and forget the journal?", `${this.file} stays as it is. What was done to it can no longer be undone.`, "Keep it"];
    const dialog = make("dialog", { "aria-labelledby": "close-title" },
      make("h2", { id: "close-title" }, title), make("p", {}, told),
      make("p.dialog-actions", {}, button(does, () => { dialog.close(); this.#close(to); }), " ", button("Cancel", () => dialog.close())));
    dialog.addEventListener("close", () => dialog.remove());
    this.work.append(dialog);
    dialog.showModal();
  }

  async #close(to) {
    try {
      await this.project.ask("close", { file: this.file, to });
      await this.project.open();
      await this.#show({ file: this.file, key: null });
    } catch (error) {
      this.problem(error);
    }
  }

  // Keys

  #key(event) {
    if (document.querySelector("dialog[open]")) return;
    const typing = event.target.matches?.("textarea, select, input:not([type=checkbox]):not([type=radio])");
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !typing && this.mode === "correct") {
      const key = event.key.toLowerCase();
      const step = key === "z" && !event.shiftKey ? "undo" : key === "y" || (key === "z" && event.shiftKey) ? "redo" : null;
      if (step && this.sentence.state) { event.preventDefault(); this.sentence.history(step); }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
    if (this.mode === "differences") { if (this.differences.key(event)) event.preventDefault(); return; }
    if (this.mode !== "correct") return;
    const run = {
      j: () => this.step(1), k: () => this.step(-1),
      "/": () => { this.side.open = true; this.search.focus(); this.search.select(); },
    }[event.key];
    if (run) { event.preventDefault(); run(); }
    else if (this.sentence.key(event)) event.preventDefault();
  }
}

function note(order, score) {
  if (score === null || score === undefined) return "";
  if (order === "suggest") return score < 0 ? "no tree" : `≈ ${Math.round(100 * score)} % wrong`;
  return score.toFixed(1);
}
