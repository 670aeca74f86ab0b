// Calls of the API of this process, and its event stream.

const TOKEN = "counterflow.token";

export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  set: value => value ? sessionStorage.setItem(TOKEN, value) : sessionStorage.removeItem(TOKEN),
};

/** An error response, with the detail from the server. */
export class Refusal extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

function headers(more = {}) {
  const value = token.get();
  return value ? {...more, authorization: `Bearer ${value}`} : more;
}

async function refusal(response) {
  let detail = `the server returned status ${response.status}`;
  try {
    detail = (await response.json()).detail ?? detail;
  } catch {
    // not a problem document: use the status
  }
  return new Refusal(response.status, detail);
}

export async function get(path) {
  const response = await fetch(path, {headers: headers(), cache: "no-store"});
  if (!response.ok) throw await refusal(response);
  return response.json();
}

export async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: headers({"content-type": "application/json"}),
    body: JSON.stringify(body),
  });
  if (!response.ok) throw await refusal(response);
  return response.json();
}

export const loopPath = (loop, rest = "") => `/v1/loops/${encodeURIComponent(loop)}${rest}`;

const SILENCE_MS = 10_000; // an event arrives every two seconds

/**
 * Reads server-sent events with fetch, because an EventSource cannot send a token. Ends when the
 * connection ends, or when no event arrives for a while.
 */
export async function readEvents(path, signal, onEvent) {
  const stop = new AbortController();
  signal.addEventListener("abort", () => stop.abort(), {once: true});
  let timer = setTimeout(() => stop.abort(), SILENCE_MS);
  try {
    const response = await fetch(path, {headers: headers(), signal: stop.signal, cache: "no-store"});
    if (!response.ok) throw await refusal(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const {value, done} = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(), SILENCE_MS);
      text += value;
      let end;
      while ((end = text.indexOf("\n\n")) >= 0) {
        dispatch(text.slice(0, end), onEvent);
        text = text.slice(end + 2);
      }
    }
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

function dispatch(block, onEvent) {
  let name = "message";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data += line.slice(6);
  }
  if (data) onEvent(name, JSON.parse(data));
}
