import { CounterflowError } from './errors.js';
import { Requests, requirePositive } from './requests.js';

export * from './errors.js';

/** A server gives up a reward after 10 seconds. */
const TIMEOUT = 12_000;

const RETRIES = { attempts: 5, firstPause: 250, maxPause: 30_000 };

/** Somebody waits for a decision. */
const RANK_RETRIES = { attempts: 2, firstPause: 50, maxPause: 1_000 };

const MAX_ID_LENGTH = 512;

/**
 * Calls a server for decisions, and sends rewards, activations and rollout commands. One client is
 * enough for a program.
 *
 * Calls that fail because of the connection, or with 429 or 503, are repeated with the same id,
 * which counts once. A decision is repeated once, because somebody waits for it. Changes of loops
 * are sent once.
 */
export class CounterflowClient {
  #requests;
  #retries;
  #rankRetries;

  /**
   * @param {string | URL} server its address, such as https://decisions.example.org
   * @param {object} [options] `token`, `timeout`, `retries`, `rankRetries` and `fetch`
   */
  constructor(server, options = {}) {
    const { token, timeout = TIMEOUT, retries, rankRetries, fetch = globalThis.fetch } = options;
    if (token != null && !/^[\x21-\x7e]+$/.test(token)) {
      throw new TypeError('token must have visible ASCII characters only, and at least one');
    }
    requirePositive('timeout', timeout);
    this.#retries = checkedRetries('retries', { ...RETRIES, ...retries });
    this.#rankRetries = checkedRetries('rankRetries', { ...RANK_RETRIES, ...rankRetries });
    this.#requests = new Requests(address(server), token, timeout, fetch);
  }

  /** Requests a decision. Without an `eventId`, it gets a new one. */
  async rank(loop, request, options) {
    const decided = (answer) => typeof answer.actionId === 'string';
    return this.#decide(loop, '/rank', request, options, decided);
  }

  /** Requests a decision for each slot of a page, no action twice. */
  async rankSlots(loop, request, options) {
    const decided = (answer) => Array.isArray(answer.slots);
    return this.#decide(loop, '/rank-slots', request, options, decided);
  }

  async #decide(loop, path, request, options, decided) {
    const eventId = request.eventId ?? randomId();
    requireId('eventId', eventId);
    const call = {
      method: 'POST',
      path: loopPath(loop) + path,
      body: json({ ...request, eventId }),
      expected: [200],
      retries: this.#rankRetries,
      repeatTimeouts: false,
    };
    return naming({ eventId }, async () => {
      const answer = read(await this.#requests.send(call, options));
      return expect(answer, decided(answer), 'decision');
    });
  }

  /**
   * Sends a reward, and waits until Kafka has acknowledged it.
   *
   * @param {number | object} reward a number, or `value`, `rewardId`, `time` and `metric`
   * @returns {Promise<string>} the id of the reward
   */
  async reward(loop, eventId, reward, options) {
    const given = typeof reward === 'object' && reward !== null ? reward : { value: reward };
    if (!Number.isFinite(given.value)) {
      throw new RangeError(`value must be a finite number, got ${given.value}`);
    }
    const rewardId = given.rewardId ?? randomId();
    requireId('rewardId', rewardId);
    const body = json({ ...given, rewardId });
    await this.#persist(eventPath(loop, eventId) + '/reward', body, { eventId, rewardId }, options);
    return rewardId;
  }

  /** Activates a deferred event, and waits until Kafka has acknowledged it. */
  async activate(loop, eventId, options) {
    await this.#persist(eventPath(loop, eventId) + '/activate', undefined, { eventId }, options);
  }

  /**
   * Sends a rollout command, and waits until Kafka has acknowledged it. The job executes or refuses
   * it later.
   *
   * @returns {Promise<string>} the id of the command, which the change of the rollout contains
   */
  async rollout(loop, command, options) {
    const commandId = command.commandId ?? randomId();
    requireId('commandId', commandId);
    const body = json({ ...command, commandId });
    await this.#persist(loopPath(loop) + '/rollout', body, { commandId }, options);
    return commandId;
  }

  async #persist(path, body, ids, options) {
    const retries = this.#retries;
    const call = { method: 'POST', path, body, expected: [202], retries, keepalive: true };
    await naming(ids, () => this.#requests.send(call, options));
  }

  /** Lists loops by name, a page at a time: `search`, `offset` and `limit`. */
  async listLoops(page = {}, options) {
    const query = new URLSearchParams();
    for (const name of ['search', 'offset', 'limit']) {
      if (page[name] !== undefined) {
        query.set(name, page[name]);
      }
    }
    const path = '/v1/loops' + (`${query}` === '' ? '' : `?${query}`);
    const answer = read(await this.#get(path, options));
    return expect(answer, Array.isArray(answer.loops), 'loops');
  }

  /** Returns a loop with its spec, and the `etag` of the spec. */
  async getLoop(loop, options) {
    const response = await this.#get(loopPath(loop), options);
    const answer = read(response);
    return { ...expect(answer, typeof answer.spec === 'object', 'spec'), etag: response.etag };
  }

  #get(path, options) {
    const call = { method: 'GET', path, expected: [200], retries: this.#retries };
    return this.#requests.send(call, options);
  }

  /**
   * Creates a loop, or changes its spec. The same spec changes nothing.
   *
   * @param {object} spec all settings; those that are absent get their defaults
   * @param {object} [options] `ifMatch`: the etag of the spec to replace. `ifNoneMatch: '*'`: only
   *     create the loop
   * @returns what the change means, and the `etag` of the new spec
   */
  async putLoop(loop, spec, options = {}) {
    if (typeof spec?.seed === 'number' && !Number.isSafeInteger(spec.seed)) {
      throw new RangeError(`seed must be a whole number of at most 53 bits, got ${spec.seed}`);
    }
    const headers = conditions(options);
    const call = { method: 'PUT', path: loopPath(loop), headers, body: json(spec) };
    const response = await this.#requests.send({ ...call, expected: [200, 201] }, options);
    const answer = read(response);
    return { ...expect(answer, typeof answer.change === 'string', 'change'), etag: response.etag };
  }

  /** Deletes a loop with everything that it has learned. Takes `ifMatch`, as `putLoop`. */
  async deleteLoop(loop, options = {}) {
    const headers = conditions(options);
    const call = { method: 'DELETE', path: loopPath(loop), headers, expected: [204] };
    await this.#requests.send(call, options);
  }
}

function conditions({ ifMatch, ifNoneMatch }) {
  return {
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
  };
}

/** Gives an error the ids of the call that has failed. */
async function naming(ids, call) {
  try {
    return await call();
  } catch (error) {
    throw error instanceof CounterflowError ? Object.assign(error, ids) : error;
  }
}

function read({ text }) {
  let answer;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw new CounterflowError('the reply is not JSON', { cause });
  }
  return expect(answer, typeof answer === 'object' && answer !== null, 'object');
}

function expect(answer, holds, what) {
  if (!holds) {
    throw new CounterflowError(`the reply is not one of a Counterflow server: it has no ${what}`);
  }
  return answer;
}

/** JSON.stringify would turn a number that is not finite into null. */
function json(value) {
  return JSON.stringify(value, (name, it) => {
    if (typeof it === 'number' && !Number.isFinite(it)) {
      throw new RangeError(`${name} must be a finite number, got ${it}`);
    }
    return it;
  });
}

function address(server) {
  const url = new URL(server);
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError('server must be like http://host:port, without user, query and fragment');
  }
  return url.href.replace(/\/+$/, '');
}

function checkedRetries(name, retries) {
  const { attempts, firstPause, maxPause } = retries;
  if (!Number.isInteger(attempts) || attempts < 1) {
    throw new RangeError(`${name}.attempts must be at least 1, got ${attempts}`);
  }
  for (const [field, pause] of Object.entries({ firstPause, maxPause })) {
    if (!(pause >= 0 && pause <= 2 ** 31 - 1)) {
      throw new RangeError(`${name}.${field} must not be negative, got ${pause}`);
    }
  }
  return retries;
}

function loopPath(loop) {
  return '/v1/loops/' + segment('loop', loop);
}

function eventPath(loop, eventId) {
  return `${loopPath(loop)}/events/${segment('eventId', eventId)}`;
}

/** A part of a path. URLs cannot contain "." and ".." as parts of their path. */
function segment(name, value) {
  requireId(name, value);
  if (value === '.' || value === '..') {
    throw new RangeError(`${name} must not be "${value}"`);
  }
  return encodeURIComponent(value);
}

function requireId(name, value) {
  if (typeof value !== 'string' || value.length < 1 || value.length > MAX_ID_LENGTH) {
    throw new RangeError(`${name} must be a string with 1 to ${MAX_ID_LENGTH} characters`);
  }
}

/** A random id that cannot be guessed: a UUID. Browsers have randomUUID on secure pages only. */
function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
