// Pictures of trees: the shapes that Python has laid out (arcwise.picture), as SVG elements.
//
//     const svg = draw(picture)        // picture: Picture.to_json()
//
// Groups have classes and data-word, data-head (numbers from 1; ROOT is 0): g.arc, g.word. Nothing is measured or
// placed here: where things are is Python's to say.

const NAMESPACE = "http://www.w3.org/2000/svg";

export function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const text = ({ x, y, text: written }, kind) => shape("text", { x, y, class: kind }, written);

/** An <svg> of a picture. `title: false` leaves out the title that browsers show under the pointer. */
export function draw(picture, { label } = {}) {
  const { width, height } = picture;
  const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "tree", direction: "ltr", role: "img" });
  svg.setAttribute("aria-label", label ?? picture.title);
  if (picture.description) svg.append(shape("desc", {}, picture.description));
  for (const row of picture.rows) {
    const group = shape("g", { class: "row" });
    for (const bracket of row.brackets) {
      group.append(shape("g", { class: "bracket", "data-first": bracket.first, "data-last": bracket.last },
        shape("path", { class: "line", d: bracket.path }), text(bracket, "label")));
    }
    for (const arc of row.arcs) group.append(drawArc(arc));
    const below = new Map();
    row.below.forEach((column, index) => {
      for (const item of column) below.set(item.word, [...(below.get(item.word) ?? []), text(item, `below ${picture.columns[index]}`)]);
    });
    for (const word of row.words) {
      group.append(shape("g", { class: "word", "data-word": word.word }, text(word, "form"),
        ...(below.get(word.word) ?? [])));
    }
    svg.append(group);
  }
  return svg;
}

function drawArc(arc) {
  const group = shape("g", { class: `arc ${arc.look}`, "data-word": arc.word, "data-head": arc.head, "data-deprel": arc.deprel });
  if (arc.deprel_prob !== undefined) {
    group.dataset.prob = arc.deprel_prob;
    group.style.setProperty("--p", arc.deprel_prob.toFixed(3));
  }
  group.append(
    shape("path", { class: "hit", d: arc.path }),
    shape("path", { class: "line", d: arc.path }),
    ...(arc.arrow ? [shape("path", { class: "arrow", d: arc.arrow })] : []),
    shape("text", { x: arc.x, y: arc.y, class: "label" }, arc.label),
  );
  return group;
}
