import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import test from 'node:test';

import { CounterflowClient } from 'counterflow-client';
import { DECISION, answers, misbehavingServer, problem } from './misbehaving-server.js';

const REQUEST = { context: { dense: [0.5] } };
const TOKEN = 'a-secret-token';

test('a request has the token and the caller’s fields', async (t) => {
  const it = await misbehavingServer(t, answers(200, DECISION));
  const client = new CounterflowClient(`${it.url}/behind/a/proxy/`, { token: TOKEN });
  const answer = await client.rank('home', { ...REQUEST, eventId: 'mine', deferActivation: true });
  assert.deepEqual(answer, DECISION);
  const [{ method, url, headers, body }] = it.requests;
  assert.equal(`${method} ${url}`, 'POST /behind/a/proxy/v1/loops/home/rank');
  assert.equal(headers.authorization, `Bearer ${TOKEN}`);
  assert.equal(headers['content-type'], 'application/json');
  assert.deepEqual(JSON.parse(body), { ...REQUEST, eventId: 'mine', deferActivation: true });
});

test('a reward has the time and the metric that the caller gives', async (t) => {
  const it = await misbehavingServer(t, answers(202));
  const client = new CounterflowClient(it.url);
  const time = new Date('2026-01-01T00:00:00Z');
  const reward = { value: 0, rewardId: 'r', time, metric: 'guardrail' };
  assert.equal(await client.reward('home', 'a/b c', reward), 'r');
  const [{ url, headers, body }] = it.requests;
  assert.equal(url, '/v1/loops/home/events/a%2Fb%20c/reward');
  assert.equal(headers.authorization, undefined);
  assert.deepEqual(JSON.parse(body), { ...reward, time: '2026-01-01T00:00:00.000Z' });
});

test('each decision, reward and command has a new id', async (t) => {
  const it = await misbehavingServer(t, answers(202));
  const client = new CounterflowClient(it.url);
  const ids = new Set([
    await client.reward('home', 'e', 1),
    await client.reward('home', 'e', 1),
    await client.rollout('home', { action: 'pause', reason: 'test' }),
  ]);
  assert.equal(ids.size, 3);
});

test('changes of loops are conditional if the caller wants it', async (t) => {
  const it = await misbehavingServer(
    t,
    answers(200, { spec: { bits: 8 } }, { etag: '"one"' }),
    answers(200, { change: 'immediate' }, { etag: '"two"' }),
    answers(201, { change: 'created' }, { etag: '"new"' }),
    answers(204, ''),
  );
  const client = new CounterflowClient(it.url);
  const { spec, etag } = await client.getLoop('home');
  const change = await client.putLoop('home', { ...spec, bits: 9 }, { ifMatch: etag });
  assert.deepEqual(change, { change: 'immediate', etag: '"two"' });
  await client.putLoop('home', spec, { ifNoneMatch: '*' });
  assert.equal(await client.deleteLoop('home', { ifMatch: '"new"' }), undefined);
  const sent = it.requests.map(({ method, headers }) => [
    method,
    headers['if-match'],
    headers['if-none-match'],
  ]);
  assert.deepEqual(sent, [
    ['GET', undefined, undefined],
    ['PUT', '"one"', undefined],
    ['PUT', undefined, '*'],
    ['DELETE', '"new"', undefined],
  ]);
});

test('loops are listed by name, in pages', async (t) => {
  const it = await misbehavingServer(t, answers(200, { matches: 0, offset: 0, loops: [] }));
  const client = new CounterflowClient(it.url);
  await client.listLoops();
  await client.listLoops({ search: 'a&b', offset: 0, limit: 10 });
  assert.deepEqual(
    it.requests.map(({ url }) => url),
    ['/v1/loops', '/v1/loops?search=a%26b&offset=0&limit=10'],
  );
});

test('an error has the problem of the server', async (t) => {
  const it = await misbehavingServer(t, problem(404, 'unknown-loop'));
  await assert.rejects(new CounterflowClient(it.url).getLoop('home'), {
    message: '404 urn:counterflow:problem:unknown-loop: a detail (urn:i)',
    status: 404,
    type: 'urn:counterflow:problem:unknown-loop',
    title: 'unknown-loop',
    detail: 'a detail',
    instance: 'urn:i',
    retryAfter: undefined,
  });
});

test('an error of a proxy is an error without a problem', async (t) => {
  for (const body of ['<html>Bad gateway</html>', '', '[]', 'null', '"text"', '{"type":1}']) {
    const it = await misbehavingServer(t, answers(502, body));
    await assert.rejects(new CounterflowClient(it.url).getLoop('home'), {
      message: '502 about:blank: the reply has no problem document (unknown request)',
    });
  }
});

test('an answer of something else is an error', async (t) => {
  for (const body of ['<html>', '', 'null', '7', '{}', '{"actionId":1}']) {
    const it = await misbehavingServer(t, answers(200, body));
    const client = new CounterflowClient(it.url);
    const failure = { name: 'CounterflowError', message: /^the reply is not / };
    await assert.rejects(client.rank('home', REQUEST), failure);
    await assert.rejects(client.rankSlots('home', REQUEST), failure);
    await assert.rejects(client.getLoop('home'), failure);
    await assert.rejects(client.listLoops(), failure);
    await assert.rejects(client.putLoop('home', {}), failure);
    assert.equal(it.requests.length, 5);
  }
});

test('a call that cannot succeed is not sent', async (t) => {
  const it = await misbehavingServer(t, answers(500));
  const client = new CounterflowClient(it.url);
  for (const id of ['', undefined, 7, 'x'.repeat(513), '.', '..']) {
    await assert.rejects(client.reward('home', id, 1), RangeError);
    await assert.rejects(client.deleteLoop(id), RangeError);
  }
  for (const value of [NaN, Infinity, undefined, null, '1', {}]) {
    await assert.rejects(client.reward('home', 'e', value), /value must be a finite number/);
  }
  await assert.rejects(client.rank('home', { context: { dense: [NaN] } }), /finite number/);
  await assert.rejects(client.rank('home', { ...REQUEST, eventId: '' }), RangeError);
  await assert.rejects(client.putLoop('home', { seed: 2 ** 60 }), /seed must be/);
  await assert.rejects(client.rank('home', REQUEST, { timeout: 0 }), /timeout must be/);
  assert.equal(it.requests.length, 0);
});

test('wrong settings are refused, without showing the token', () => {
  const url = 'http://localhost:8080';
  for (const server of ['', 'localhost:8080', 'ftp://host', 'http://user:secret@host', `${url}?a`]) {
    assert.throws(() => new CounterflowClient(server), TypeError);
  }
  for (const token of ['', 'secret\n', 'two secrets', 'sécret']) {
    const failure = (error) => error instanceof TypeError && !/s.cret/.test(error.message);
    assert.throws(() => new CounterflowClient(url, { token }), failure);
  }
  for (const options of [
    { timeout: 0 },
    { timeout: '5' },
    { retries: { attempts: 0 } },
    { retries: { attempts: 1.5 } },
    { rankRetries: { firstPause: -1 } },
    { retries: { maxPause: NaN } },
  ]) {
    assert.throws(() => new CounterflowClient(url, options), RangeError);
  }
  assert.ok(new CounterflowClient(url, { token: null }));
});

test('the token is not part of what a client prints', () => {
  const client = new CounterflowClient('http://localhost:8080', { token: TOKEN });
  assert.doesNotMatch(inspect(client, { depth: 9, showHidden: true }), /secret/);
  assert.equal(JSON.stringify(client), '{}');
});
