// The list of sentences. All rows have one height, and only those in the window are there: a page of entries is asked
// for when it is first seen, and pages that were not seen for long are let go.

import { isAbort } from "../../api.js";
import { make } from "../../dom.js";

const ROW = 52; // pixels, as the stylesheet has it
const PAGE = 100; // entries of a request
const MOST_PAGES = 20; // that are kept
const BEYOND = 6; // rows above and below the window

export class SentenceList {
  #pages = new Map(); // number → entries, or a promise of them; the last one used is last
  #rows = new Map(); // index → element
  #generation = 0;
  #active = 0;
  total = 0;

  /** `load(from, count)` gives {total, entries}; `open(entry, index)` is called for what is chosen. */
  constructor({ load, open, report, signal }) {
    Object.assign(this, { load, open, report });
    this.inner = make("div.rows", { role: "presentation" });
    this.element = make("div.list", { role: "listbox", tabindex: "0", "aria-label": "Sentences", id: "sentences" }, this.inner);
    this.element.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("focus", () => this.#mark(this.#active));
    this.inner.addEventListener("click", (event) => {
      const row = event.target.closest(".entry");
      if (row) this.choose(Number(row.dataset.index));
    });
    this.resize = new ResizeObserver(() => this.#draw());
    this.resize.observe(this.element);
    signal.addEventListener("abort", () => this.resize.disconnect());
  }

  /** Asks again for all that is seen: another order, another search, another file, or changed sentences. */
  async reload({ top = false } = {}) {
    this.#generation += 1;
    this.#pages.clear();
    if (top) {
      this.element.scrollTop = 0;
      this.#active = 0;
      this.current = undefined; // the next sentence is the first one, if the present one is not among them
    }
    await this.#page(Math.floor(this.element.scrollTop / ROW / PAGE));
    this.#draw();
  }

  /** No sentences: a file that cannot be read. */
  clear() {
    this.#generation += 1;
    this.#pages.clear();
    this.total = 0;
    this.current = this.key = undefined;
    this.inner.style.height = "0";
    this.#draw();
  }

  /** The entry at an index, once it is there. */
  async entry(index) {
    if (index < 0 || (this.total && index >= this.total)) return null;
    const entries = await this.#page(Math.floor(index / PAGE));
    return entries[index % PAGE] ?? null;
  }

  async choose(index) {
    const entry = await this.entry(index);
    if (!entry) return false;
    this.setCurrent(index, entry.key);
    this.open(entry, index);
    return true;
  }

  /** What is now known of a sentence; `matches(entry)` finds its row among those that are kept. */
  update(matches, change) {
    for (const entries of this.#pages.values()) {
      if (!Array.isArray(entries)) continue;
      const own = entries.find(matches);
      if (own) Object.assign(own, change);
    }
    for (const [index, row] of this.#rows) {
      const entries = this.#pages.get(Math.floor(index / PAGE));
      if (Array.isArray(entries) && matches(entries[index % PAGE] ?? {})) this.#fill(row, entries[index % PAGE], index);
    }
  }

  /** The row of a sentence that is shown. Its key finds it again when the order changes. */
  setCurrent(index, key) {
    this.current = index;
    this.key = key;
    this.#mark(index);
    this.#show(index);
  }

  async #page(number) {
    const known = this.#pages.get(number);
    if (known) {
      this.#pages.delete(number);
      this.#pages.set(number, known);
      return known;
    }
    const generation = this.#generation;
    const promise = this.load(number * PAGE, PAGE).then((answer) => {
      if (generation !== this.#generation) return answer.entries;
      this.total = answer.total;
      this.inner.style.height = `${answer.total * ROW}px`;
      this.#pages.set(number, answer.entries);
      for (const old of this.#pages.keys()) {
        if (this.#pages.size <= MOST_PAGES) break;
        this.#pages.delete(old);
      }
      return answer.entries;
    });
    this.#pages.set(number, promise);
    promise.catch(() => { if (this.#pages.get(number) === promise) this.#pages.delete(number); });
    return promise;
  }

  #draw() {
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW) - BEYOND);
    const last = Math.min(this.total, Math.ceil((this.element.scrollTop + this.element.clientHeight) / ROW) + BEYOND);
    for (const [index, row] of this.#rows) {
      if (index < first || index >= last) { row.remove(); this.#rows.delete(index); }
    }
    for (let index = first; index < last; index += 1) {
      let row = this.#rows.get(index);
      if (!row) {
        row = make("div.entry", { role: "option", id: `entry-${index}`, "data-index": `${index}`, "aria-setsize": `${this.total}`, "aria-posinset": `${index + 1}`, "aria-selected": "false" });
        row.style.top = `${index * ROW}px`;
        this.#rows.set(index, row);
        this.inner.append(row);
      }
      this.#wait(row, index);
    }
  }

  #wait(row, index) {
    const number = Math.floor(index / PAGE);
    const entries = this.#pages.get(number);
    if (Array.isArray(entries)) { this.#fill(row, entries[index % PAGE], index); return; }
    if (row.dataset.waits === String(number)) return;
    row.dataset.waits = String(number);
    this.#page(number).then(() => this.#draw(), (error) => { delete row.dataset.waits; if (!isAbort(error)) this.report(error); });
  }

  #fill(row, entry, index) {
    delete row.dataset.waits;
    if (!entry) { row.replaceChildren(); return; }
    const current = entry.key === this.key;
    if (current) this.current = index;
    row.classList.toggle("current", current);
    row.classList.toggle("checked", Boolean(entry.checked));
    row.setAttribute("aria-selected", String(current));
    row.setAttribute("aria-setsize", String(this.total));
    row.replaceChildren(
      make("span.entry-number", {}, `${entry.number}`),
      make("span.entry-text", { dir: "auto", lang: "" }, entry.text),
      make("span.entry-mark", {}, ...markOf(entry)));
  }

  #mark(index) {
    this.#active = index;
    this.element.setAttribute("aria-activedescendant", `entry-${index}`);
    for (const [at, row] of this.#rows) {
      const current = at === this.current;
      row.classList.toggle("active", at === index);
      row.classList.toggle("current", current);
      row.setAttribute("aria-selected", String(current));
    }
  }

  #show(index) {
    const [top, height] = [index * ROW, this.element.clientHeight];
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top + ROW > this.element.scrollTop + height) this.element.scrollTop = top + ROW - height;
    this.#draw();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 1);
    const to = { ArrowDown: this.#active + 1, ArrowUp: this.#active - 1, PageDown: this.#active + rows, PageUp: this.#active - rows, Home: 0, End: this.total - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      const index = Math.max(0, Math.min(this.total - 1, to));
      this.#show(index);
      this.#mark(index);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      this.choose(this.#active);
    }
  }
}

function markOf(entry) {
  if (entry.checked) return [make("span.tick", { "aria-hidden": "true" }, "✓"), make("span.hidden", {}, ", checked")];
  if (entry.note) return [make("span.entry-note", {}, entry.note)];
  return [];
}
