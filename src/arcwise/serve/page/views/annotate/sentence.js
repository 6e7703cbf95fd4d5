// One sentence: its tree, the word where the person is, what the grammar says, its comments.

import { button, counted, debounced, make } from "../../dom.js";
import { Fields } from "./fields.js";
import { followed, prepared } from "./project.js";
import { Structure } from "./structure.js";
import { TreeEditor } from "./tree.js";

const THRESHOLD = 0.8; // arcs that are less probable are marked
const COLUMNS = [["upos", "UPOS"], ["xpos", "XPOS"], ["lemma", "Lemma"], ["feats", "Features"]];
const SHOWN = "arcwise-annotate-columns";

export class SentenceView {
  state = null;
  follow = null; // what the person chose: null as the file says, false never, true for this sentence

  /**
   * `project`; `context` of the view; `went(answer)`: a change was made; `step(by)` to another sentence;
   * `conflict(error, sent)`, `problem(error)`; `nextOf(state)` the sentence after it in the file.
   */
  constructor({ project, context, went, step, conflict, problem, nextOf }) {
    Object.assign(this, { project, context, went, step, conflict, problem, nextOf });
    this.columns = storedColumns();
    const { announce, signal } = context;
    this.tree = new TreeEditor({
      setHead: (word, head) => this.setHead(word, head),
      edit: (field, word) => { this.fields.show(this.state, word); this.fields.focus(field); },
      chosen: (word) => this.fields.show(this.state, word),
      floor: () => (getComputedStyle(this.fields.element).position === "sticky" ? this.fields.element.getBoundingClientRect().top : innerHeight),
      announce, signal,
    });
    this.fields = new Fields({
      complete: async (word, field) => {
        const body = { file: this.state.file, key: this.state.key, word, field };
        if (field === "deprel") body.head = this.state.sentence.tokens[word - 1].head;
        return (await this.project.ask("complete", body)).values;
      },
      change: (word, field, value) => this.changeField(word, field, value),
      fix: (word) => this.act({ op: "fix", word }),
      free: (word) => this.act({ op: "free", word }),
      leave: () => this.tree.focus(),
    });
    this.structure = new Structure({ act: (operation) => this.act(operation), joinSentence: () => this.joinSentence(), after: () => this.tree.focus() });
    this.#build();
    const resized = debounced(120, () => { if (this.state && this.width !== this.drawnWidth) this.reload(); });
    this.resize = new ResizeObserver(resized);
    this.resize.observe(this.element);
    signal.addEventListener("abort", () => { this.resize.disconnect(); resized.cancel(); });
  }

  #build() {
    this.place = make("span.place");
    this.text = make("h2.sentence-text", { lang: "", dir: "auto" });
    this.doubts = make("span.doubts");
    this.notes = make("div.notes");
    this.undoButton = button("Undo", () => this.history("undo"), { "aria-keyshortcuts": "Control+Z" });
    this.redoButton = button("Redo", () => this.history("redo"), { "aria-keyshortcuts": "Control+Y" });
    this.checkButton = button("Checked", () => this.check(), { class: "primary", "aria-keyshortcuts": "c" });
    this.followBox = make("input", { type: "checkbox", id: "follow", onchange: () => this.setFollow(this.followBox.checked) });
    this.problemList = make("ul.grammar");
    this.comments = make("textarea.comments", { rows: "3", spellcheck: "false", dir: "auto", "aria-label": "Comments of the sentence" });
    this.commentsBox = make("details.comments-box", {}, make("summary", {}, "Comments"), this.comments,
      make("div.group", {}, button("Save the comments", () => this.saveComments()), button("As they were", () => this.#showComments(), { class: "quiet" })));
    this.raw = make("textarea.raw", { rows: "10", spellcheck: "false", "aria-label": "The lines of the sentence" });
    this.rawBox = make("section.card.raw-box", { hidden: true }, this.rawTold = make("p"), this.raw,
      button("Put this in its place", () => this.act({ op: "replace", conllu: this.raw.value })));
    const columns = make("details.columns", {}, make("summary", {}, "Below the words"), make("div.group", {}, ...COLUMNS.map(([name, title]) =>
      make("label.check", {}, make("input", { type: "checkbox", checked: this.columns.includes(name), onchange: (event) => this.#setColumn(name, event.target.checked) }), title))));
    this.card = make("section.work-card.card", { "aria-label": "Sentence" },
      make("div.work-head", {},
        make("div.work-title", {}, this.place, this.doubts),
        make("div.group", {},
          button("‹", () => this.step(-1), { "aria-label": "Previous sentence", "aria-keyshortcuts": "k" }),
          button("›", () => this.step(1), { "aria-label": "Next sentence", "aria-keyshortcuts": "j" }),
          this.undoButton, this.redoButton, this.checkButton)),
      this.text, this.tree.element, this.rawBox,
      make("div.work-foot", {},
        make("label.check", { for: "follow" }, this.followBox, "The rest follows each correction"),
        button("Words and sentences…", () => this.structure.open(this.state, this.tree.word), { class: "quiet", "aria-haspopup": "dialog", "aria-keyshortcuts": "t" }),
        columns));
    this.problemCard = make("section.grammar-card.card", { "aria-label": "Grammar", hidden: true }, make("h3", {}, "The grammar objects"), this.problemList);
    this.element = make("div.sentence-view", {}, this.card, this.notes, this.fields.element, this.problemCard, this.commentsBox, this.structure.dialog);
    this.element.hidden = true;
  }

  get width() { return Math.max(280, Math.floor(this.element.parentElement?.clientWidth ?? 900) - 34); }

  get drawing() { return { width: this.width, columns: this.columns, marks: true, probabilities: false }; }

  /** What every request about a sentence says of its picture. */
  get wanted() { return { drawing: this.drawing, probabilities: true }; }

  async open(file, key, { word = null, focus = false } = {}) {
    const mine = (this.opening = {});
    const { sentences: [state] } = await this.project.read("read", { file, keys: [key], ...this.wanted });
    if (mine !== this.opening) return false;
    if (!state || state.gone) return false;
    if (this.follow === true) this.follow = null;
    if (word) { this.tree.key = key; this.tree.word = word; }
    this.show(state);
    if (focus) this.tree.focus();
    return true;
  }

  async reload() { if (this.state) await this.open(this.state.file, this.state.key).catch((error) => this.problem(error)); }

  /** Draws a state; words whose arcs changed with it light up for a moment. */
  show(given, { changed } = {}) {
    const state = prepared(given);
    this.state = state;
    this.project.setVersion(state.key, state.version);
    this.drawnWidth = this.width;
    this.element.hidden = false;
    const broken = state.error || !state.sentence;
    this.rawBox.hidden = !broken;
    this.tree.element.hidden = Boolean(broken);
    this.fields.element.hidden = Boolean(broken);
    this.commentsBox.hidden = Boolean(broken);
    this.text.textContent = state.text ?? "";
    this.#showPlace();
    this.#showNotes();
    if (broken) {
      this.rawTold.textContent = state.error;
      this.raw.value = state.conllu ?? "";
      this.problemCard.hidden = true;
      return;
    }
    this.text.dir = state.drawing?.direction ?? "auto";
    this.tree.show(state, { threshold: THRESHOLD, changed });
    this.fields.show(state, this.tree.word);
    this.#showProblems();
    this.#showComments();
    const unsure = this.tree.svg.querySelectorAll(".word.doubted").length;
    this.doubts.textContent = unsure ? `? ${unsure} unsure` : "";
    this.followBox.checked = this.follows;
    this.tree.settle();
  }

  get follows() { return this.follow ?? this.state?.follows ?? true; }

  setFollow(on) {
    this.follow = on === this.state.follows ? null : on;
    this.followBox.checked = this.follows;
    this.context.announce(this.follows ? "The rest of the tree follows each correction." : "The rest of the tree stays as it is.");
  }

  #showPlace() {
    const { state } = this;
    const file = this.project.file(state.file);
    this.place.replaceChildren(make("b", {}, `${state.index + 1}`), ` of ${(file?.sentences ?? 0).toLocaleString("en")}`, state.sent_id ? make("span.muted.sent-id", {}, ` ${state.sent_id}`) : "");
    this.checkButton.textContent = state.checked ? "Checked ✓" : "Checked, next";
    this.checkButton.setAttribute("aria-pressed", String(Boolean(state.checked)));
    this.showHistory();
  }

  showHistory() {
    const file = this.project.file(this.state.file);
    for (const [one, name, step] of [[this.undoButton, "Undo", file?.undo], [this.redoButton, "Redo", file?.redo]]) {
      one.disabled = !step;
      one.setAttribute("aria-label", step?.what ? `${name}: ${step.what}` : name);
      one.title = step?.what ? `${name}: ${step.what}` : "";
    }
  }

  #showNotes() {
    const { state } = this;
    const told = [...state.notes];
    if (state.left_by_hand?.length) {
      const forms = state.left_by_hand.map((word) => state.sentence?.tokens[word - 1]?.form ?? word).join(", ");
      told.push(`The parser cannot build all arcs that you drew: those of ${forms} were put in after the rest was parsed.`);
    }
    if (state.proposed && !told.length) told.push("The file has no tree for this sentence yet: this one is the model’s, and is written with your first change.");
    this.notes.replaceChildren(...told.map((text) => make("p.notice", { dir: "auto" }, text)));
  }

  #showProblems() {
    const { problems } = this.state;
    this.problemCard.hidden = problems.length === 0;
    this.problemList.replaceChildren(...problems.map(({ words, message }) => make("li", {}, button(message, () => this.tree.focus(words?.[0] ?? 1), { class: "quiet" }))));
  }

  #showComments() {
    if (document.activeElement === this.comments) return;
    this.comments.value = commentsOf(this.state);
  }

  #setColumn(name, on) {
    const chosen = new Set(this.columns);
    if (on) chosen.add(name); else chosen.delete(name);
    this.columns = COLUMNS.map(([one]) => one).filter((one) => chosen.has(one));
    try { localStorage.setItem(SHOWN, this.columns.join(" ")); } catch { /* then it lasts as long as the page */ }
    this.reload();
  }

  // Changes

  setHead(word, head) {
    const token = this.state.sentence.tokens[word - 1];
    if (token.head === head && this.state.fixed.get(word)?.has("head")) return;
    this.act({ op: "head", word, head });
  }

  changeField(word, field, value) {
    if (field !== "head") { this.act({ op: "set", word, field, value: value === "" || (value === "_" && field !== "form" && field !== "lemma") ? null : value }); return; }
    const { tokens } = this.state.sentence;
    const head = /^\d+$/.test(value) ? Number(value) : (tokens.find(({ form }) => form === value)?.id ?? (value.toUpperCase() === "ROOT" ? 0 : null));
    if (head === null || head > tokens.length) {
      this.problem(new Error(`There is no word “${value}” to be the head. Give its number, from 0 for ROOT to ${tokens.length}.`));
      this.fields.show(this.state, word);
    } else this.setHead(word, head);
  }

  /** Sends a change of this sentence. Its version is the newest when its turn comes. */
  act(operation, { more = {}, then = null } = {}) {
    const { file, key } = this.state;
    const reparse = this.follow;
    const { version, index } = this.state;
    performance.mark("arcwise-corrected");
    this.project.change("edit", () => ({ file, key, version: this.project.versionOf(key) ?? version, operation, reparse, ...more, ...this.wanted }), {
      kept: { file, key, version, index, operation, reparse, ...more },
      done: (answer) => { this.answered(answer, operation); then?.(answer); },
      failed: (error, sent) => this.#refused(error, sent, operation),
    });
  }

  answered(answer, operation = null) {
    const before = this.state;
    this.clearProblem?.();
    for (const { key, version } of answer.sentences) this.project.setVersion(key, version);
    const isHere = !operation || answer.removed?.includes(before.key);
    const own = answer.sentences.find(({ key }) => key === before.key) ?? (isHere ? answer.sentences[0] : null);
    if (own) {
      const changed = followed(before, own);
      this.show(own, { changed });
      requestAnimationFrame(() => {
        performance.mark("arcwise-seen");
        if (operation) performance.measure("arcwise-correction", "arcwise-corrected", "arcwise-seen");
      });
      if (operation) this.#tell(operation, own, changed);
    }
    this.went(answer);
  }

  #tell(operation, state, changed) {
    const { tokens } = state.sentence ?? {};
    if (!tokens) return;
    const token = tokens[operation.word - 1];
    const others = [...changed].filter((word) => word !== operation.word).length;
    const follow = others ? ` ${counted(others, "other arc")} followed.` : "";
    const what = operation.op === "head" && token ? `${token.form}: ${token.deprel ?? "no label"} of ${tokens[token.head - 1]?.form ?? "ROOT"}.`
      : operation.op === "set" && token ? `${token.form}: ${operation.field} is ${operation.value ?? "empty"}.` : "Done.";
    this.context.announce([what + follow, ...(state.notes ?? [])].join(" "));
  }

  #refused(error, sent, operation) {
    const answer = error.answer ?? {};
    if (answer.kind === "conflict" || answer.kind === "file_changed") { this.conflict(error, sent); return; }
    const offer = answer.offer ? button(answer.offer.swap ? "Swap them" : "Do that", () => { this.clearProblem?.(); this.act(answer.offer); }) : null;
    this.problem(error, offer);
    this.fields.show(this.state, this.tree.word);
    if (operation.op === "comments") this.comments.focus();
  }

  check() {
    const checked = !this.state.checked;
    this.act({ op: "check", checked }, { then: () => { if (checked) this.step(1); } });
  }

  history(name) {
    const { file } = this.state;
    this.project.change(name, () => ({ file, change: this.project.file(file)?.[name]?.change, ...this.wanted }), {
      done: (answer) => {
        this.answered(answer);
        this.context.announce(name === "undo" ? "Undone." : "Done again.");
      },
      failed: (error) => this.#refused(error, null, {}),
    });
  }

  async joinSentence() {
    try {
      const next = await this.nextOf(this.state);
      if (!next) { this.problem(new Error("This is the last sentence of the file: there is none to join it with.")); return; }
      this.act({ op: "join_sentence" }, { more: { next } });
    } catch (error) {
      this.problem(error);
    }
  }

  saveComments() {
    const lines = this.comments.value.split(/\r?\n/).filter((line) => line.trim()).map((line) => (line.startsWith("#") ? line : `# ${line}`));
    this.comments.blur();
    this.act({ op: "comments", lines });
  }

  // Keys. What is typed in fields never comes here.

  key(event) {
    if (!this.state?.sentence) return false;
    const run = {
      l: () => this.fields.focus("deprel"), u: () => this.fields.focus("upos"), x: () => this.fields.focus("xpos"),
      m: () => this.fields.focus("lemma"), f: () => this.fields.focus("feats"), w: () => this.fields.focus("form"), h: () => this.fields.focus("head"),
      r: () => this.setHead(this.tree.word, 0),
      o: () => this.act({ op: this.state.fixed.get(this.tree.word)?.size ? "free" : "fix", word: this.tree.word }),
      n: () => this.#doubt(1), p: () => this.#doubt(-1), a: () => this.setFollow(!this.follows), c: () => this.check(),
      t: () => this.structure.open(this.state, this.tree.word), z: () => this.history("undo"), y: () => this.history("redo"),
      e: () => { this.commentsBox.open = true; this.comments.focus(); },
    }[event.key];
    if (!run) return false;
    run();
    return true;
  }

  #doubt(step) { if (!this.tree.nextDoubt(step)) this.context.announce("The model is sure of all arcs of this sentence."); }
}

function commentsOf(state) {
  const lines = [];
  for (const line of (state.conllu ?? "").split("\n")) {
    if (!line.startsWith("#")) break;
    lines.push(line);
  }
  return lines.join("\n");
}

function storedColumns() {
  let kept = null;
  try { kept = localStorage.getItem(SHOWN); } catch { /* the usual ones */ }
  if (kept === null) return ["upos"];
  return COLUMNS.map(([name]) => name).filter((name) => kept.split(" ").includes(name));
}
