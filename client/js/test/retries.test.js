import assert from 'node:assert/strict';
import test from 'node:test';

import * as counterflow from 'counterflow-client';
import * as server from './misbehaving-server.js';

const { answers, problem, resets, breaksOff, stalls, isSilent, misbehavingServer } = server;

const REQUEST = { context: { features: {} }, actions: [{ id: 'a' }] };
const FAST = { firstPause: 1 };
const OPTIONS = { retries: FAST, rankRetries: FAST };

function clientOf({ url }, options = {}) {
  return new counterflow.CounterflowClient(url, { ...OPTIONS, ...options });
}

function bodies(requests) {
  return requests.map(({ body }) => JSON.parse(body));
}

/** The problems after which a call is repeated. */
const PASSING = {
  'a connection that is closed without an answer': resets,
  'an answer that breaks off': breaksOff,
  429: problem(429, 'too-many-requests'),
  503: problem(503, 'not-logged'),
};

for (const [name, failure] of Object.entries(PASSING)) {
  test(`a decision is asked for again with the same event id after ${name}`, async (t) => {
    const it = await misbehavingServer(t, failure, answers(200, server.DECISION));
    const answer = await clientOf(it).rank('home', REQUEST);
    assert.equal(answer.actionId, 'a');
    const [first, second, ...more] = bodies(it.requests);
    assert.match(first.eventId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.deepEqual(second, first);
    assert.equal(more.length, 0);
  });

  test(`a reward is sent again with the same reward id after ${name}`, async (t) => {
    const it = await misbehavingServer(t, failure, failure, failure, answers(202));
    const rewardId = await clientOf(it).reward('home', 'e', 1);
    assert.deepEqual(bodies(it.requests), Array(4).fill({ value: 1, rewardId }));
  });
}

test('slots are asked for again with the same event id of the page', async (t) => {
  const it = await misbehavingServer(t, resets, answers(200, { eventId: 'p', slots: [] }));
  await clientOf(it).rankSlots('home', { ...REQUEST, slots: [{ id: 'top' }] });
  const [first, second] = bodies(it.requests);
  assert.deepEqual(second, first);
  assert.ok(first.eventId);
});

test('a decision is asked for twice at most', async (t) => {
  const it = await misbehavingServer(t, problem(503, 'not-logged'));
  await assert.rejects(clientOf(it).rank('home', { ...REQUEST, eventId: 'mine' }), {
    name: 'ProblemResponseError',
    status: 503,
    eventId: 'mine',
    isTemporary: true,
  });
  assert.equal(it.requests.length, 2);
});

test('a decision that does not arrive in time is not asked for again', async (t) => {
  for (const behaviour of [isSilent, stalls]) {
    const it = await misbehavingServer(t, behaviour);
    await assert.rejects(clientOf(it).rank('home', REQUEST, { timeout: 50 }), {
      name: 'RequestTimeoutError',
      message: `POST ${it.url}/v1/loops/home/rank: no reply within 50 ms`,
    });
    assert.equal(it.requests.length, 1);
  }
});

test('a reward that is not answered in time is sent again', async (t) => {
  const it = await misbehavingServer(t, isSilent, stalls, answers(202));
  await clientOf(it).reward('home', 'e', 1, { timeout: 100 });
  assert.equal(it.requests.length, 3);
  assert.equal(new Set(it.requests.map(({ body }) => body)).size, 1);
});

test('the client tries five times, and the error has the ids to go on with', async (t) => {
  const it = await misbehavingServer(t, problem(503, 'not-logged'));
  const reward = clientOf(it).reward('home', 'e', { value: 1, rewardId: 'r' });
  await assert.rejects(reward, { name: 'ProblemResponseError', eventId: 'e', rewardId: 'r' });
  await assert.rejects(clientOf(it).activate('home', 'e'), { eventId: 'e' });
  const pause = { action: 'pause', reason: 'test', commandId: 'c' };
  await assert.rejects(clientOf(it).rollout('home', pause), { commandId: 'c' });
  assert.equal(it.requests.length, 15);
});

test('what the server will never take is sent once', async (t) => {
  for (const status of [400, 401, 403, 404, 409, 413, 500, 502, 302]) {
    const it = await misbehavingServer(t, problem(status, 'some-problem', { location: '/' }));
    await assert.rejects(clientOf(it).reward('home', 'e', 1), { status, isTemporary: false });
    assert.equal(it.requests.length, 1);
  }
});

test('the server says how long to wait', async (t) => {
  const busy = problem(429, 'too-many-requests', { 'retry-after': '1' });
  const it = await misbehavingServer(t, busy, answers(202));
  const start = performance.now();
  await clientOf(it).activate('home', 'e');
  assert.ok(performance.now() - start > 990);
  assert.equal(it.requests.length, 2);
});

test('a call fails at once if it has to wait longer than it may', async (t) => {
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  for (const retryAfter of ['3600', date]) {
    const it = await misbehavingServer(t, problem(503, 'not-ready', { 'retry-after': retryAfter }));
    await assert.rejects(clientOf(it).reward('home', 'e', 1), (error) => {
      assert.ok(error.retryAfter > 3_500 && error.retryAfter <= 3_600);
      return true;
    });
    assert.equal(it.requests.length, 1);
  }
});

test('a header that says nothing about the time to wait is ignored', async (t) => {
  for (const retryAfter of ['', 'soon', '-1']) {
    const refused = problem(503, 'not-ready', { 'retry-after': retryAfter });
    const it = await misbehavingServer(t, refused, answers(202));
    await clientOf(it).activate('home', 'e');
    assert.equal(it.requests.length, 2);
  }
});

test('reading loops is repeated, changing them is not', async (t) => {
  const reading = await misbehavingServer(t, resets, answers(200, { spec: {} }));
  await clientOf(reading).getLoop('home');
  const listing = await misbehavingServer(t, resets, answers(200, { loops: [] }));
  await clientOf(listing).listLoops();
  assert.equal(reading.requests.length + listing.requests.length, 4);

  const changing = await misbehavingServer(t, problem(503, 'not-ready'));
  await assert.rejects(clientOf(changing).putLoop('home', { bits: 8 }), { status: 503 });
  await assert.rejects(clientOf(changing).deleteLoop('home'), { status: 503 });
  assert.equal(changing.requests.length, 2);
});

test('the number of attempts can be set', async (t) => {
  const it = await misbehavingServer(t, resets);
  const client = clientOf(it, { retries: { attempts: 1 }, rankRetries: { attempts: 1 } });
  await assert.rejects(client.rank('home', REQUEST), { name: 'ConnectionFailedError' });
  await assert.rejects(client.reward('home', 'e', 1), { name: 'ConnectionFailedError' });
  assert.equal(it.requests.length, 2);
});

test('a server that is away is a failed connection in the end', async (t) => {
  const it = await misbehavingServer(t, resets);
  await new Promise((resolve) => it.server.close(resolve));
  await assert.rejects(clientOf(it).reward('home', 'e', 1), (error) => {
    assert.ok(error instanceof counterflow.ConnectionFailedError);
    assert.ok(error instanceof counterflow.CounterflowError);
    assert.match(error.message, /ECONNREFUSED/);
    assert.ok(error.rewardId);
    return true;
  });
});

test('the caller can end a call, also between two attempts', async (t) => {
  const silent = await misbehavingServer(t, isSilent);
  const during = AbortSignal.timeout(20);
  await assert.rejects(clientOf(silent).reward('home', 'e', 1, { signal: during }), {
    name: 'TimeoutError',
  });
  const refusing = await misbehavingServer(t, problem(503, 'not-logged'));
  const slow = clientOf(refusing, { retries: { firstPause: 10_000 } });
  const between = AbortSignal.timeout(100);
  await assert.rejects(slow.activate('home', 'e', { signal: between }), { name: 'TimeoutError' });
  await assert.rejects(slow.activate('home', 'e', { signal: AbortSignal.abort() }), {
    name: 'AbortError',
  });
  assert.equal(silent.requests.length, 1);
  assert.equal(refusing.requests.length, 1);
});

test('a call that has ended leaves no timer, which would keep the process from ending', async (t) => {
  const it = await misbehavingServer(t, answers(202));
  const timers = () => process.getActiveResourcesInfo().filter((it) => it === 'Timeout').length;
  await clientOf(it).activate('home', 'e');
  const before = timers();
  for (let i = 0; i < 5; i++) {
    await clientOf(it).activate('home', 'e');
  }
  assert.ok(timers() <= before, `${timers()} timers, ${before} before`);
});
