// The frame of the page: which view is shown, the theme, keys, and what a screen reader is told.
//
// A view is a module in views/ that exports an object of its own name:
//
//     export const derivation = {
//       name: "derivation",                 // as in the address: #derivation?…
//       mount(container, context) {},       // fills the empty container; may be async
//       unmount() {},                       // stops timers and requests, lets go of listeners outside of the container
//       update(params) {},                  // optional: the address has changed while the view was shown
//     };
//
// The context:
//
//     params            URLSearchParams of what follows `?` in the address (#derivation?text=…)
//     setParams(params) writes the address anew; neither history nor view change
//     go(name, params)  shows another view
//     announce(text)    tells a screen reader
//     keys(list)        what the view shows when `?` is pressed: [["←", "the step before"], …]
//     signal            aborted when the view is left: for addEventListener and fetch
//
// Texts of users are set with textContent, never as markup. A view may bring stylesheets of its own: `styles` below.

import { askForTokenWith, setToken } from "./api.js";

const hasProject = "project" in document.documentElement.dataset; // the service says so in the page

const VIEWS = [
  ...(hasProject ? [{ name: "annotate", title: "Annotate", styles: ["views/parse.css", "views/annotate.css"], load: () => import("./views/annotate.js") }] : []),
  { name: "parse", title: "Parse", styles: "views/parse.css", load: () => import("./views/parse.js") },
  { name: "derivation", title: "Derivation", styles: "views/derivation.css", load: () => import("./views/derivation.js") },
];
const THEMES = ["auto", "light", "dark"];
const COMMON_KEYS = [["?", "show these keys"], ["Esc", "close what is open"]];

const element = (id) => document.getElementById(id);
let shown = null; // {view, entry, abort}

export function announce(text) {
  const live = element("live");
  live.textContent = "";
  // A text that is the same as before is read again only if it comes later.
  requestAnimationFrame(() => { live.textContent = text; });
}

function address() {
  const [name, query] = location.hash.slice(1).split(/\?(.*)/s);
  return { name, params: new URLSearchParams(query ?? "") };
}

function hashOf(name, params) {
  const query = params?.toString();
  return query ? `#${name}?${query}` : `#${name}`;
}

export function go(name, params) {
  location.hash = hashOf(name, params);
}

function addStyles(href) {
  if (!href || document.querySelector(`link[href="${href}"]`)) return Promise.resolve();
  return new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    link.onload = link.onerror = resolve;
    document.head.append(link);
  });
}

async function show() {
  const { name, params } = address();
  if (params.has("token")) { // a link that brings it: it does not stay in the address
    setToken(params.get("token"));
    params.delete("token");
    history.replaceState(null, "", hashOf(name, params));
  }
  if (name === "view") return; // "To the content"
  const entry = VIEWS.find((one) => one.name === name) ?? VIEWS[0];
  if (shown?.entry === entry && shown.view) {
    shown.view.update?.(params);
    return;
  }
  shown?.abort.abort();
  shown?.view?.unmount?.();
  const mine = { entry, abort: new AbortController(), view: null, keys: [] };
  shown = mine;
  for (const link of element("views").querySelectorAll("a")) {
    if (link.dataset.view === entry.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${entry.title} · arcwise`;
  const container = element("view");
  container.className = `view-${entry.name}`;
  try {
    const [module] = await Promise.all([entry.load(), ...[entry.styles].flat().map(addStyles)]);
    if (shown !== mine) return;
    container.replaceChildren();
    mine.view = module[entry.name];
    await mine.view.mount(container, {
      params,
      setParams: (own) => history.replaceState(null, "", hashOf(entry.name, own)),
      go,
      announce,
      keys: (list) => { mine.keys = list; },
      signal: mine.abort.signal,
    });
  } catch (error) {
    if (shown !== mine) return;
    console.error(error);
    const notice = document.createElement("p");
    notice.className = "notice";
    notice.setAttribute("role", "alert");
    notice.textContent = `This view could not be opened (${error.message}). Load the page again.`;
    container.replaceChildren(notice);
  }
}

function showKeys() {
  const list = document.createElement("dl");
  list.className = "keys";
  for (const [key, what] of [...(shown?.keys ?? []), ...COMMON_KEYS]) {
    const term = document.createElement("dt");
    for (const part of key.split(" ")) {
      const kbd = document.createElement("kbd");
      kbd.textContent = part;
      term.append(kbd, " ");
    }
    const told = document.createElement("dd");
    told.textContent = what;
    list.append(term, told);
  }
  element("keys-list").replaceChildren(list);
  element("keys").showModal();
}

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const name = theme === "auto" ? "system" : theme;
  const wide = document.createElement("span");
  wide.className = "wide";
  wide.textContent = "Theme: ";
  element("theme").replaceChildren(wide, name);
  element("theme").setAttribute("aria-label", `Theme: ${name}`);
  element("theme").dataset.theme = theme;
}

function remembered(key, value) {
  try { // storage may be forbidden
    if (value === undefined) return localStorage.getItem(key);
    localStorage.setItem(key, value);
  } catch { /* then the theme lasts as long as the page */ }
  return null;
}

function askForToken() {
  const dialog = element("token");
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const field = element("token-field");
      resolve(dialog.returnValue === "give" ? field.value.trim() : null);
      field.value = "";
    }, { once: true });
  });
}

function start() {
  askForTokenWith(askForToken);
  element("views").append(...VIEWS.map(({ name, title }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `#${name}`;
    link.dataset.view = name;
    link.textContent = title;
    item.append(link);
    return item;
  }));
  const theme = remembered("arcwise-theme");
  setTheme(THEMES.includes(theme) ? theme : "auto");
  element("theme").addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(element("theme").dataset.theme) + 1) % THEMES.length];
    setTheme(next);
    remembered("arcwise-theme", next);
    announce(element("theme").ariaLabel);
  });
  element("show-keys").addEventListener("click", showKeys);
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address is that of the view
    element("view").focus();
  });
  addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
    if (event.key === "?" && !typing && !event.ctrlKey && !event.metaKey && !element("keys").open) {
      event.preventDefault();
      showKeys();
    }
  });
  addEventListener("hashchange", show);
  show();
}

start();
