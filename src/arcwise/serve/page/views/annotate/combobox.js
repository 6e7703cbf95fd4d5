// A field with a list of proposals: typing narrows it, arrow keys walk through it, Enter takes what is marked.

import { make, percent } from "../../dom.js";

const MOST_SHOWN = 60;
let made = 0;

export class Combobox {
  #proposals = [];
  #shown = [];
  #active = -1;
  #before = "";
  #asked = 0;

  /**
   * `proposals()` gives [{value, prob}], best first, or a promise of it. `commit(value)` takes what was chosen.
   * `closed`: values come from an inventory, so that the best match is marked while one types.
   */
  constructor({ label, key, proposals, commit, closed = false, dir = null }) {
    Object.assign(this, { proposals, commit, closed });
    made += 1;
    const id = `choice-${made}`;
    this.input = make("input", {
      id, type: "text", role: "combobox", autocomplete: "off", spellcheck: "false", dir, "data-field": key,
      "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-list`,
    });
    this.list = make("ul.proposals.card", { id: `${id}-list`, role: "listbox", "aria-label": `Proposals: ${label}`, hidden: true });
    this.label = make("label", { for: id }, label);
    this.element = make("div.choice", { "data-choice": key }, this.label, make("div.choice-box", {}, this.input, this.list));
    this.input.addEventListener("focus", () => { this.#before = this.input.value; this.input.select(); });
    this.input.addEventListener("input", () => this.#open(true));
    this.input.addEventListener("click", () => this.#open(false));
    this.input.addEventListener("keydown", (event) => this.#key(event));
    this.input.addEventListener("blur", () => this.#choose(this.#chosen()));
    this.list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.#choose(option.dataset.value);
    });
  }

  get value() { return this.input.value; }

  /** What stands in the field, unless the person is typing there. */
  set(value) {
    if (document.activeElement === this.input && this.input.value !== this.#before) return;
    this.input.value = value;
    this.#before = value;
    if (document.activeElement === this.input) this.input.select();
  }

  /** Marks what a person has fixed. */
  setFixed(fixed) { this.element.classList.toggle("fixed", fixed); }

  reset() { this.#before = this.input.value; this.#proposals = []; this.#asked += 1; this.#close(); }

  async #open(typed) {
    const mine = (this.#asked += 1);
    if (!this.#proposals.length) {
      try { this.#proposals = await this.proposals(); } catch { this.#proposals = []; }
      if (mine !== this.#asked || document.activeElement !== this.input) return;
    }
    this.#show(typed);
  }

  #show(typed) {
    const wanted = typed ? this.input.value.trim().toLowerCase() : "";
    const starts = this.#proposals.filter(({ value }) => value.toLowerCase().startsWith(wanted));
    const exact = starts.findIndex(({ value }) => value.toLowerCase() === wanted);
    if (exact > 0) starts.unshift(...starts.splice(exact, 1));
    const holds = wanted ? this.#proposals.filter(({ value }) => value.toLowerCase().includes(wanted) && !starts.some((one) => one.value === value)) : [];
    this.#shown = [...starts, ...holds].slice(0, MOST_SHOWN);
    this.list.replaceChildren(...this.#shown.map(({ value, prob, note }, index) => make("li", {
      id: `${this.list.id}-${index}`, role: "option", "data-value": value, "aria-selected": "false",
    }, make("span.value", { dir: "auto" }, value), note ? make("span.muted.of", { dir: "auto" }, note) : null,
    prob === undefined || prob === null ? null : make("span.share", {}, percent(prob)))));
    const open = this.#shown.length > 0;
    this.list.hidden = !open;
    this.input.setAttribute("aria-expanded", String(open));
    const at = this.input.getBoundingClientRect();
    this.list.classList.toggle("above", at.bottom + this.list.offsetHeight + 8 > innerHeight && at.top > this.list.offsetHeight + 60);
    this.#mark(open && typed && wanted && this.closed ? 0 : -1);
  }

  #mark(index) {
    this.#active = index;
    [...this.list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
    const option = this.list.children[index];
    if (option) {
      this.input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else this.input.removeAttribute("aria-activedescendant");
  }

  #close() {
    this.list.hidden = true;
    this.#active = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const open = !this.list.hidden;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      if (!open) this.#open(false);
      else this.#mark((this.#active + step + this.#shown.length) % this.#shown.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.#choose(this.#chosen());
      this.entered?.();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (open && this.input.value !== this.#before) this.#close();
      else {
        this.input.value = this.#before;
        this.#close();
        this.left?.();
      }
    }
  }

  /** What is marked, or what was typed. */
  #chosen() { return !this.list.hidden && this.#active >= 0 ? this.#shown[this.#active].value : this.input.value; }

  #choose(value) {
    this.input.value = value;
    this.#close();
    this.#take(value);
  }

  #take(value) {
    if (value === this.#before) return;
    this.#before = value;
    this.#proposals = [];
    this.commit(value);
  }
}
