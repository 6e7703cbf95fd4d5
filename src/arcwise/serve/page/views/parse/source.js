// What is parsed: parts of the text that stand for themselves, and the sentences that the service found in each.
//
// Parts are paragraphs of a text, or sentences of a CoNLL-U file. When the text changes, only the parts between the
// first and the last one that changed are asked for again.

import { call } from "../../api.js";
import { blocks } from "./conllu.js";

const BATCH = 12_000; // characters of a request
const DRAWN_AT_ONCE = 800; // characters: short texts come with their pictures

export const paragraphs = (text) => text.split(/(?<=\n[^\S\n]*\n)(?=\S)/).filter((part) => part.trim());

const lengthInCodePoints = (text) => { let count = 0; for (const _ of text) count += 1; return count; };

const withoutPlaces = (key, value) => (key === "start" || key === "end" || key === "sent_id" || key === "comments" ? undefined : value);

/** What two sentences have in common that look the same. */
export const fingerprint = (sentence) => JSON.stringify(sentence, withoutPlaces);

export class Source {
  parts = []; // {text, items}
  #how = null; // what the parts were parsed with
  #abort = null;

  get items() { return this.parts.flatMap((part) => part.items); }

  cancel() { this.#abort?.abort(); }

  /**
   * Brings parts up to date. `request` has what goes into the body besides the text, `path` is what is called,
   * `kind` is "text" or "conllu". After each answer `changed(items)` is called. Resolves when all is there.
   */
  async update({ kind, text, path, request, drawing, changed }) {
    this.cancel();
    const abort = new AbortController();
    this.#abort = abort;
    const texts = kind === "text" ? paragraphs(text) : blocks(text);
    const how = JSON.stringify([kind, path, request]);
    const old = how === this.#how ? this.parts : [];
    let before = 0;
    while (before < old.length && before < texts.length && old[before].text === texts[before]) before += 1;
    let after = 0;
    while (after < Math.min(old.length, texts.length) - before && old.at(-1 - after).text === texts.at(-1 - after)) after += 1;
    const middle = texts.slice(before, texts.length - after);
    const spare = new Map(); // items whose sentence may come again
    for (const part of this.parts.slice(how === this.#how ? before : 0, this.parts.length - after)) {
      for (const item of part.items) {
        const key = fingerprint(item.sentence);
        spare.set(key, [...(spare.get(key) ?? []), item]);
      }
    }
    const head = old.slice(0, before);
    const tail = after ? old.slice(-after) : [];
    const fresh = [];
    for (const batch of batches(middle)) {
      const answer = await this.#ask({ kind, batch, path, request, drawing }, abort.signal);
      fresh.push(...assigned(kind, batch, answer, spare));
      if (abort.signal.aborted) throw new DOMException("superseded", "AbortError");
      this.parts = [...head, ...fresh, ...tail];
      this.#how = how;
      changed(this.items);
    }
    this.parts = [...head, ...fresh, ...tail];
    this.#how = how;
    changed(this.items);
  }

  async #ask({ kind, batch, path, request, drawing }, signal) {
    const text = batch.join("");
    const short = text.length <= (kind === "text" ? DRAWN_AT_ONCE : DRAWN_AT_ONCE * 4);
    const answer = await call(path, { [kind]: text, ...request, ...(short ? { drawing } : {}) }, { signal });
    const same = short && answer.drawings?.length === answer.sentences.length;
    return answer.sentences.map((sentence, index) => ({ sentence, drawing: same ? answer.drawings[index] : null }));
  }
}

function* batches(texts) {
  let batch = [];
  let size = 0;
  for (const text of texts) {
    if (batch.length && size + text.length > BATCH) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(text);
    size += text.length;
  }
  if (batch.length) yield batch;
}

/** Parts with their sentences; those that look as one before keep its item. */
function assigned(kind, texts, answered, spare) {
  const parts = texts.map((text) => ({ text, items: [] }));
  let part = 0;
  let end = lengthInCodePoints(texts[0]);
  answered.forEach(({ sentence, drawing }, index) => {
    const start = sentence.tokens[0]?.start;
    if (kind === "conllu") part = Math.min(index, parts.length - 1);
    else while (start !== undefined && start >= end && part < parts.length - 1) end += lengthInCodePoints(texts[part += 1]);
    const known = spare.get(fingerprint(sentence))?.shift();
    if (known) known.sentence = sentence;
    parts[part].items.push(known ?? { sentence, drawing, element: null });
  });
  return parts;
}
