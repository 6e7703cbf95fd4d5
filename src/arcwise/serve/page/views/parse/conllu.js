// Sentences as the service's JSON has them (docs/formats.md), as the columns of CoNLL-U.

export const COLUMNS = ["ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"];

/** FEATS and MISC, which are objects in JSON, as they stand in the column; what is empty is "". */
export function listed(object) {
  const items = [];
  for (const [name, value] of Object.entries(object ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) items.push(one === null ? name : `${name}=${one}`);
  }
  return items.join("|");
}

const idOf = (id) => (Array.isArray(id) ? id.join("-") : String(id));

/** The ten columns of a word, a multiword token or an empty node. */
export function columnsOf(token) {
  const { raw = {} } = token;
  return [
    idOf(token.id), token.form, token.lemma ?? "_", token.upos ?? "_", token.xpos ?? "_",
    raw.feats ?? (listed(token.feats) || "_"), raw.head ?? (token.head === undefined ? "_" : String(token.head)),
    token.deprel ?? "_", token.deps ?? "_", raw.misc ?? (listed(token.misc) || "_"),
  ];
}

/** Words, multiword tokens and empty nodes in the order of CoNLL-U. */
export function lines(sentence) {
  const first = new Map((sentence.multiword_tokens ?? []).map((token) => [token.id[0], token]));
  const empty = new Map();
  for (const node of sentence.empty_nodes ?? []) {
    const after = Number(String(node.id).split(".")[0]);
    empty.set(after, [...(empty.get(after) ?? []), node]);
  }
  return [
    ...(empty.get(0) ?? []),
    ...sentence.tokens.flatMap((token) => [
      ...(first.has(token.id) ? [first.get(token.id)] : []), token, ...(empty.get(token.id) ?? []),
    ]),
  ];
}

/** A sentence's words alone, so that the service tags and parses them again. */
export function wordsOnly(sentence) {
  const rest = "\t_".repeat(8);
  const rows = lines(sentence).filter((token) => typeof token.id !== "string");
  return `${rows.map((token) => `${idOf(token.id)}\t${token.form}${rest}\n`).join("")}\n`;
}

export const isConllu = (text) => /^\uFEFF?(?:#.*\r?\n|\s*\r?\n)*1(?:-\d+)?\t[^\t\n]*\t/.test(text);

/** The sentences of a CoNLL-U text, each with the blank line that ends it. */
export function blocks(text) {
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n").split(/\n[^\S\n]*\n+/)
    .filter((block) => block.trim()).map((block) => `${block.replace(/^\n+|\n+$/g, "")}\n\n`);
}
