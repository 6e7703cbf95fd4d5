// Small helpers to build the page's elements. Texts are text nodes, never markup.

/** make("button.quiet", {type: "button", onclick}, "text", child, …) */
export function make(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key in made && typeof value !== "string") made[key] = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const button = (text, onclick, attributes = {}) => make("button", { type: "button", onclick, ...attributes }, text);

/** Where it matters, close to 0 and 1, with a digit after the point. */
export const percent = (value) => (value > 0 && value < 0.0005 ? "< 0.1 %" : `${(100 * value).toFixed(value >= 0.985 && value < 0.9995 || value > 0 && value < 0.1 ? 1 : 0)} %`);

export const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

export function debounced(wait, run) {
  let timer = null;
  const start = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => { timer = null; run(...given); }, wait);
  };
  start.cancel = () => { clearTimeout(timer); timer = null; };
  return start;
}

/** Gives a text to the browser as a file to keep. */
export function saveFile(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
