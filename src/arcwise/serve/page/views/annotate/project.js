// The project's files, over the service. Changes go one after the other; what the service has not answered is kept,
// in this tab and over a reload of it, and sent again when the service is back.

import { call } from "../../api.js";

const RETRY = 1000; // milliseconds between attempts
const MOST_VERSIONS = 500;
const WAITING = "arcwise-changes";

export class Project {
  #token = null;
  #queue = [];
  #running = false;
  #versions = new Map(); // of the sentences that were seen last

  /** `gone(isGone, message)` is called with true when the service is gone and with false when it is back. */
  constructor({ gone, signal }) { Object.assign(this, { gone, signal }); }

  async open() {
    this.about = await call("project", undefined, { signal: this.signal });
    this.#token = this.about.token;
    return this.about;
  }

  file(name) { return this.about.files.find(({ file }) => file === name); }

  /** A call of the project. A server that was started anew has another token. */
  async ask(path, body, { signal = this.signal, text = false } = {}) {
    const post = () => call(`project/${path}`, body, { signal, text, headers: { "X-Arcwise-Token": this.#token } });
    let answer;
    try {
      answer = await post();
    } catch (error) {
      if (error.answer?.kind !== "token") throw error;
      await this.open();
      this.restarted = (this.restarted ?? 0) + 1;
      answer = await post();
    }
    this.#learn(answer);
    return answer;
  }

  async get(path) { return call(`project/${path}`, undefined, { signal: this.signal }); }

  /** A file's text. */
  async text(path, body) {
    return (await this.ask(path, body, { text: true })).text;
  }

  /** The same for what only reads: it waits until the service is there. */
  async read(path, body, { signal = this.signal } = {}) {
    return this.#untilThere(() => this.ask(path, body, { signal }), signal);
  }

  /**
   * A change. `body()` is made when its turn comes, so that it has the newest version; `done(answer)` or
   * `failed(error, body)` is called in order. `kept` is what a new page needs to send it again.
   */
  change(path, body, { done, failed, kept = null }) {
    this.#queue.push({ path, body, done, failed, kept });
    this.#keep();
    this.#run();
  }

  get isBusy() { return this.#queue.length > 0; }

  /** Resolves when all changes were answered. */
  async idle() {
    while (this.#queue.length) await new Promise((resolve) => { setTimeout(resolve, 5); });
  }

  async #run() {
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#queue.length && !this.signal.aborted) {
        const { path, body, done, failed } = this.#queue[0];
        let sent = null;
        let answer = null;
        let problem = null;
        try {
          sent = await body();
          answer = await this.#untilThere(() => this.ask(path, sent), this.signal);
        } catch (error) {
          problem = error;
        }
        if (this.signal.aborted) return; // it stays kept
        this.#queue.shift();
        this.#keep();
        if (problem) await failed(problem, sent); else await done(answer, sent);
      }
    } finally {
      this.#running = false;
    }
  }

  async #untilThere(run, signal) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const answer = await run();
        if (attempt) this.gone(false);
        return answer;
      } catch (error) {
        // 0: nobody answers; 503: too much to do, or it is being stopped.
        if (error.status !== 0 && error.status !== 503) { if (attempt) this.gone(false); throw error; }
        this.gone(true, error.message);
        await new Promise((resolve) => { setTimeout(resolve, RETRY); });
        if (signal.aborted) throw new DOMException("left", "AbortError");
      }
    }
  }

  /** The newest that is known of a file; an answer has it within, or is it. */
  #learn(answer) {
    const own = typeof answer.file === "object" ? answer.file : typeof answer.sentences === "number" ? answer : null;
    if (!own?.file) return;
    const at = this.about.files.findIndex(({ file }) => file === own.file);
    if (at >= 0) this.about.files[at] = own;
    else this.about.files.push(own);
  }

  versionOf(key) { return this.#versions.get(key); }

  setVersion(key, version) {
    this.#versions.delete(key);
    this.#versions.set(key, version);
    if (this.#versions.size > MOST_VERSIONS) this.#versions.delete(this.#versions.keys().next().value);
  }

  // What a reload of the page must not lose

  #keep() {
    try {
      const kept = this.#queue.map((one) => one.kept).filter(Boolean);
      if (kept.length) sessionStorage.setItem(WAITING, JSON.stringify(kept));
      else sessionStorage.removeItem(WAITING);
    } catch { /* storage may be forbidden: then it lasts as long as the page */ }
  }

  /** What was not answered when the page was left. */
  waiting() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(WAITING)) ?? [];
      return Array.isArray(kept) ? kept : [];
    } catch {
      return [];
    }
  }
}

/** A state with what the page needs of it: what is fixed by word, the lines of multiword tokens. */
export function prepared(state) {
  const fixed = new Map(Object.entries(state.fixed ?? {}).map(([word, fields]) => [Number(word), new Set(fields)]));
  return { ...state, fixed, problems: state.problems ?? [], notes: state.notes ?? [] };
}

/** The words whose head or label differ between two states of a sentence with the same words. */
export function followed(before, after) {
  const changed = new Set();
  const [old, now] = [before?.sentence?.tokens, after?.sentence?.tokens];
  if (!old || !now || before.key !== after.key || old.length !== now.length) return changed;
  now.forEach((token, index) => {
    if (token.head !== old[index].head || token.deprel !== old[index].deprel) changed.add(token.id);
  });
  return changed;
}
