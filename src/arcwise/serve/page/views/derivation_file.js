// The view in a file of its own (`Trace.to_html`): the trace lies in the page, and nobody is asked for moves.

import { KEYS, Player } from "./derivation/player.js";
import { make } from "../dom.js";

const { pictures, ...trace } = JSON.parse(document.getElementById("trace").textContent);
const live = make("div.hidden", { role: "status", "aria-live": "polite" });
const player = new Player({ announce: (text) => { live.textContent = text; } });
const place = document.getElementById("derivation");
place.append(player.element, live,
  make("p.muted.keys-told", {}, KEYS.slice(0, 3).map(([key, what]) => `${key}: ${what}`).join(" · "),
    make("br"), "A file shows what every move would cost, but takes none of them: for that there is “arcwise serve”, or “moves=” in Python."));
document.getElementById("table").open = false;

/** The widest layout that fits, or the narrowest. */
const fitting = () => pictures.filter((one) => one.width <= player.tree.clientWidth).at(-1) ?? pictures[0];
trace.picture = fitting();
player.show(trace, 0, { quiet: true });
addEventListener("resize", () => {
  if (fitting() !== trace.picture) player.picture(trace.picture = fitting());
});
addEventListener("keydown", (event) => player.key(event));
addEventListener("beforeprint", () => { document.getElementById("table").open = true; });
