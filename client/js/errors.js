/**
 * A call has failed. If the call had ids, the error has them too: `eventId`, `rewardId` or
 * `commandId`. Send the request again with the same id, and it counts once.
 */
export class CounterflowError extends Error {
  name = 'CounterflowError';
}

/** The server has replied with an error, usually a problem document (RFC 9457). */
export class ProblemResponseError extends CounterflowError {
  name = 'ProblemResponseError';

  /**
   * @param {number} status the status of the response; 0 for a redirect in a browser
   * @param {string} body
   * @param {number | undefined} retryAfter seconds after which the server can be asked again
   */
  constructor(status, body, retryAfter) {
    const problem = problemIn(body);
    const type = text(problem.type, 'about:blank');
    const detail = text(problem.detail, 'the reply has no problem document');
    const instance = text(problem.instance, 'unknown request');
    super(`${status} ${type}: ${detail} (${instance})`);
    this.status = status;
    this.type = type;
    this.title = text(problem.title, '');
    this.detail = detail;
    this.instance = instance;
    this.retryAfter = retryAfter;
    this.problem = problem;
  }

  /** Whether the same request may succeed later. */
  get isTemporary() {
    return this.status === 503 || this.status === 429;
  }
}

/** No connection, or it broke before the reply was complete. */
export class ConnectionFailedError extends CounterflowError {
  name = 'ConnectionFailedError';
}

/** The reply did not arrive in time. */
export class RequestTimeoutError extends CounterflowError {
  name = 'RequestTimeoutError';
}

/** The problem document in a body; a proxy may reply in another format. */
function problemIn(body) {
  try {
    const problem = JSON.parse(body);
    return typeof problem === 'object' && problem !== null ? problem : {};
  } catch {
    return {};
  }
}

function text(value, otherwise) {
  return typeof value === 'string' ? value : otherwise;
}
