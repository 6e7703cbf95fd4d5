// A derivation in words: how moves, arcs and steps are called.

export const ROOT = "ROOT";

/** Easy-first has a list of nodes, and moves join neighbours in it; other systems have a stack and a buffer. */
export const hasList = (trace) => trace.steps.length > 0 && trace.steps[0].moves[0].at !== null;

export const wordOf = (trace, number) => (number ? trace.words[number - 1] : ROOT);

/** LEFT(nsubj), as the service takes it; in easy-first with the numbers of the neighbours. */
export function nameOf(move) {
  const name = move.label === null ? move.move : `${move.move}(${move.label})`;
  return move.at === null ? name : `${name} ${move.at[0]} · ${move.at[1]}`;
}

/** The same for people. */
export function textOf(move) {
  const name = move.label === null ? move.move : `${move.move}(${move.label})`;
  return move.between === null ? name : `${name} ${move.between[0]} · ${move.between[1]}`;
}

export const arcText = (trace, arc) => `${wordOf(trace, arc.dependent)} ← ${arc.label} – ${wordOf(trace, arc.head)}`;

export const number = (value) => String(Math.round(value * 100) / 100);

export const costText = (cost) => (cost === 0 ? "costs nothing" : `costs ${number(cost)}`);

/** What a screen reader is told of a place in a derivation. */
export function told(trace, at) {
  const steps = trace.steps.length;
  if (at === steps) {
    const cost = trace.cost === null ? "" : ` All moves together ${trace.cost === 0 ? "cost nothing" : `cost ${number(trace.cost)}`}.`;
    return `The end after ${steps} moves: ${trace.arcs.length} arcs.${cost}`;
  }
  const step = trace.steps[at];
  const move = step.moves[step.chosen];
  const top = step.stack.length ? wordOf(trace, step.stack.at(-1)) : "nothing";
  const front = step.buffer.length ? wordOf(trace, step.buffer[0]) : "nothing";
  const state = move.at === null ? `Top of the stack: ${top}. Front of the buffer: ${front}. ` : "";
  const prob = move.prob === null ? "" : `, probability ${move.prob.toFixed(2)}`;
  const cost = move.cost === null ? "" : `, ${costText(move.cost)}`;
  return `Step ${at + 1} of ${steps}. ${state}Move${step.by_hand ? " by hand" : ""}: ${textOf(move)}${prob}${cost}.`;
}
