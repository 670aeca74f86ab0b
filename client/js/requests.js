import { ConnectionFailedError, ProblemResponseError, RequestTimeoutError } from './errors.js';

/**
 * Sends requests, and sends them again as their retries say.
 *
 * A request has `method`, `path`, `headers`, `body`, `expected` (statuses), `retries` (absent: the
 * request is sent once) and `repeatTimeouts` (whether a request that was not answered in time is
 * sent again).
 */
export class Requests {
  #base;
  #token;
  #timeout;
  #fetch;

  constructor(base, token, timeout, fetch) {
    this.#base = base;
    this.#token = token;
    this.#timeout = timeout;
    this.#fetch = fetch;
  }

  async send(request, { signal, timeout = this.#timeout } = {}) {
    requirePositive('timeout', timeout);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(request, timeout, signal);
      } catch (error) {
        const pause = pauseAfter(attempt, error, request);
        if (pause === undefined) {
          throw error;
        }
        await sleep(pause, signal);
      }
    }
  }

  async #attempt(request, timeout, signal) {
    signal?.throwIfAborted();
    const { method, path, headers, body, keepalive } = request;
    const controller = new AbortController();
    const stop = () => controller.abort();
    const timer = setTimeout(stop, timeout);
    signal?.addEventListener('abort', stop);
    const fetch = this.#fetch; // browsers refuse to call it as a method
    let response;
    let text;
    try {
      response = await fetch(this.#base + path, {
        method,
        body,
        headers: this.#headers(headers, body),
        signal: controller.signal,
        cache: 'no-store',
        redirect: 'manual', // fetch would repeat a POST as a GET
        keepalive, // in a browser, the request outlives the page
      });
      text = await response.text();
    } catch (cause) {
      signal?.throwIfAborted();
      const call = `${method} ${this.#base}${path}`;
      if (controller.signal.aborted) {
        throw new RequestTimeoutError(`${call}: no reply within ${timeout} ms`);
      }
      const reason = cause?.cause?.message || cause?.message;
      throw new ConnectionFailedError(`${call}: the connection failed: ${reason}`, { cause });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
    if (!request.expected.includes(response.status)) {
      const seconds = retryAfter(response.headers.get('retry-after'));
      throw new ProblemResponseError(response.status, text, seconds);
    }
    return { text, etag: response.headers.get('etag') };
  }

  #headers(more, body) {
    return {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(this.#token == null ? {} : { authorization: `Bearer ${this.#token}` }),
      ...more,
    };
  }
}

/** The pause before the next attempt, or undefined if there is none. */
function pauseAfter(attempt, error, { retries, repeatTimeouts = true }) {
  if (retries === undefined || attempt >= retries.attempts) {
    return undefined;
  }
  const pause = Math.min(retries.firstPause * 2 ** (attempt - 1), retries.maxPause);
  if (error instanceof ProblemResponseError && error.isTemporary) {
    const asked = (error.retryAfter ?? 0) * 1_000;
    return asked <= retries.maxPause ? Math.max(pause, asked) : undefined;
  }
  const again =
    error instanceof ConnectionFailedError ||
    (error instanceof RequestTimeoutError && repeatTimeouts);
  return again ? pause : undefined;
}

/** The seconds of a Retry-After header, which is a number or a date. */
function retryAfter(header) {
  if (header === null || header.trim() === '') {
    return undefined;
  }
  const seconds = /^\s*\d+\s*$/.test(header)
    ? Number(header)
    : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

export function requirePositive(name, value) {
  if (!(typeof value === 'number' && value > 0 && value <= 2 ** 31 - 1)) {
    throw new RangeError(`${name} must be a number of milliseconds above 0, got ${value}`);
  }
}
