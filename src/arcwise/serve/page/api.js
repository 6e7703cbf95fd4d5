// Calls of the service. What it refuses becomes an ApiError whose message is a sentence for people.

export class ApiError extends Error {
  constructor(message, status, retryAfter, answer = null) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
    this.answer = answer; // what else the service says of it
  }
}

const UNREACHABLE = "The service does not answer. Is “arcwise serve” still running? What you typed is still here.";

// Beyond this machine the service wants a token. It is kept as long as the tab is open.
const TOKEN = "arcwise-token";
let token = null;
let asking = null; // one question for all calls that wait
let ask = null;

function stored(value) {
  try { // storage may be forbidden
    if (value === undefined) return sessionStorage.getItem(TOKEN);
    sessionStorage.setItem(TOKEN, value);
  } catch { /* then it lasts as long as the page */ }
  return null;
}

/** `question(told)` resolves to the token that a person gives, or to null. */
export function askForTokenWith(question) { ask = question; }

export function setToken(given) {
  token = given;
  stored(given);
}

async function askForToken(told) {
  asking ??= ask(told).finally(() => { asking = null; });
  const given = await asking;
  if (given) setToken(given);
  return Boolean(given);
}

/** POSTs `body` to /api/v1/`name` and gives the answer's JSON, or `{text}`; without a body it is a GET. */
export async function call(name, body, { signal, headers = {}, text = false } = {}) {
  token ??= stored();
  const sent = token;
  let response;
  try {
    response = await fetch(`api/v1/${name}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      credentials: "same-origin",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(UNREACHABLE, 0);
  }
  let answer = null;
  try {
    answer = text && response.ok ? { text: await response.text() } : await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (error instanceof TypeError) throw new ApiError(UNREACHABLE, 0); // it broke off
  }
  if (response.status === 401 && ask && (token !== sent || await askForToken(answer?.error))) return call(name, body, { signal, headers, text });
  if (!response.ok || answer === null) {
    const told = answer?.error ?? `The service answered with the error ${response.status}. Try again.`;
    throw new ApiError(told, response.status, Number(response.headers.get("Retry-After")) || null, answer);
  }
  return answer;
}

/** The same for what a slow answer must not overtake: a new call aborts the one before it. */
export class Latest {
  #abort = null;

  cancel() {
    this.#abort?.abort();
    this.#abort = null;
  }

  async call(name, body) {
    this.cancel();
    const abort = new AbortController();
    this.#abort = abort;
    const answer = await call(name, body, { signal: abort.signal });
    if (abort.signal.aborted) throw new DOMException("superseded", "AbortError");
    return answer;
  }
}

export const isAbort = (error) => error?.name === "AbortError";
