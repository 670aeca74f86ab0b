import http from 'node:http';

/**
 * Starts a server on a free port of this machine that answers each request as a script says, and
 * records it. An answer is a function of the response, see below.
 */
export async function misbehavingServer(t, ...script) {
  const requests = [];
  const server = http.createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) {
      parts.push(part);
    }
    const { method, url, headers } = request;
    requests.push({ method, url, headers, body: Buffer.concat(parts).toString() });
    script[Math.min(requests.length, script.length) - 1](response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections?.();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, requests, server };
}

export const DECISION = {
  eventId: 'e',
  loop: 'home',
  policyVersion: 0,
  action: 0,
  actionId: 'a',
  propensity: 0.5,
  propensityKind: 'exact',
  logged: true,
  ranking: [{ id: 'a', probability: 0.5 }],
};

export function answers(status, body = {}, headers = {}) {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

export function problem(status, name, headers = {}) {
  const type = `urn:counterflow:problem:${name}`;
  const document = { type, title: name, status, detail: 'a detail', instance: 'urn:i' };
  return answers(status, document, { 'content-type': 'application/problem+json', ...headers });
}

/** Closes the connection without an answer. */
export function resets(response) {
  response.socket.destroy();
}

/** Closes the connection in the middle of the body. */
export function breaksOff(response) {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"eventId":');
  setImmediate(() => response.socket.destroy());
}

/** Sends a part of the body and then nothing. */
export function stalls(response) {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"eventId":');
}

export function isSilent() {}
