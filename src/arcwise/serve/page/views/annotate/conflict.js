// Two versions of something: both are shown, and the person chooses.

import { button, counted, make } from "../../dom.js";
import { drawTree } from "../parse/tree.js";

/** A sentence that was changed elsewhere: `take("yours" | "current")` is called with the choice. */
export function sentenceConflict({ current, yours, error }, take) {
  return panel("This sentence was changed elsewhere", error,
    make("div.versions", {},
      version("Yours", yours, "Keep yours", () => take("yours")),
      version("In the file now", current, "Take this one", () => take("current"))));
}

/** A file that another program has changed: `take("mine" | "disk" | "merge")`. */
export function fileConflict({ differences = [], error }, take) {
  return panel("The file was changed by another program", error,
    make("div.group", {}, button("Put both together", () => take("merge"), { class: "primary" }), button("Keep mine", () => take("mine")), button("Take the file’s", () => take("disk"))),
    make("p.muted", {}, `Put both together: what only you changed is yours, what both changed is the file’s. ${counted(differences.length, "sentence")} differ${differences.length === 1 ? "s" : ""}.`),
    ...differences.slice(0, 20).map((one) => make("div.versions", {}, text("Yours", one.mine), text("In the file", one.disk))));
}

/** Sentences that both had changed: what was put aside. */
export function leftOver(left, close) {
  return panel("Both had changed these sentences", "The file’s version is kept. Copy what you need from yours.",
    ...left.slice(0, 20).map((one) => make("div.versions", {}, text("Yours", one.mine), text("In the file", one.disk))),
    button("Close", close));
}

function panel(title, told, ...content) {
  return make("section.conflict.card", { role: "alertdialog", "aria-label": title, tabindex: "-1" }, make("h2", {}, title), make("p", {}, told), ...content);
}

function version(title, state, name, take) {
  const shown = make("div.version", {}, make("h3", {}, title));
  if (!state) shown.append(make("p.muted", {}, title === "Yours" ? "What you changed is no longer known." : "It is no longer in the file."));
  else if (state.drawing) {
    const box = make("div.tree-box", { dir: state.drawing.direction, tabindex: "0", role: "group", "aria-label": title }, drawTree(state.drawing, state.sentence));
    for (const word of box.querySelectorAll(".word")) { word.removeAttribute("tabindex"); word.setAttribute("role", "img"); }
    shown.append(box);
  } else shown.append(make("pre.conllu-text", { tabindex: "0" }, state.conllu ?? ""));
  if (state || title !== "Yours") shown.append(button(name, take));
  return shown;
}

const text = (title, conllu) => make("div.version", {}, make("h3", {}, title),
  conllu === null || conllu === undefined ? make("p.muted", {}, "Not there.") : make("pre.conllu-text", { tabindex: "0", "aria-label": title }, conllu));
