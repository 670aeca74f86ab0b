// Calls a server with the client for JavaScript. ClientLibrariesIT runs it, and checks the output.
import {
  CounterflowClient,
  ProblemResponseError,
  type LoopSpec,
  type RankRequest,
} from 'counterflow-client';

declare const process: { argv: string[] };

const [, , server, token] = process.argv;
const client = new CounterflowClient(server, { token, retries: { attempts: 3 } });
const loop = 'javascript-home';

async function refused(call: Promise<unknown>): Promise<void> {
  try {
    await call;
    console.log('accepted');
  } catch (error) {
    if (!(error instanceof ProblemResponseError)) {
      throw error;
    }
    const { status, type, isTemporary } = error;
    console.log(status, type.replace('urn:counterflow:problem:', ''), isTemporary);
  }
}

// loops
const created = await client.putLoop(loop, { bits: 8, guardrailMargin: 0.1 }, { ifNoneMatch: '*' });
console.log(created.change, created.version);
await refused(client.putLoop(loop, { bits: 8 }, { ifNoneMatch: '*' }));
const { spec, etag, specVersion } = await client.getLoop(loop);
console.log(specVersion, etag === created.etag, spec.bits, spec.rolloutMode);
const changed: LoopSpec = { ...spec, explorationFloor: 0.25 };
const change = await client.putLoop(loop, changed, { ifMatch: etag });
console.log(change.change, change.fields[0].name, change.etag !== etag);
await refused(client.putLoop(loop, changed, { ifMatch: etag }));
const page = await client.listLoops({ search: loop, limit: 10 });
console.log(page.matches, page.loops[0].loop);
const old = await client.putLoop('javascript-old', { actions: ['a', 'b'], features: 2 });
await refused(client.deleteLoop('javascript-old', { ifMatch: etag }));
const dense = { context: { dense: [0.5, 0] } };
const sparse = { context: { sparse: { dimension: 2, indices: [0], values: [0.5] } } };
for (const request of [dense, sparse]) {
  const { propensity, ranking } = await client.rank('javascript-old', request);
  console.log(propensity, ranking.length);
}
await client.deleteLoop('javascript-old', { ifMatch: old.etag });
await refused(client.getLoop('javascript-old'));

// decisions
const request: RankRequest = {
  eventId: 'javascript-1',
  context: { features: { user: { country: 'de', age: 0.3, likes: ['sport', 'film'], new: true } } },
  actions: [{ id: 'derby', features: { topic: 'sport' } }, { id: 'budget' }, { id: 'premiere' }],
  excludedActions: ['budget'],
  deferActivation: true,
};
const decision = await client.rank(loop, request);
const { eventId, policyVersion, propensity, propensityKind, logged } = decision;
console.log(eventId, policyVersion, propensity, propensityKind, logged);
console.log((await client.rank(loop, request)).actionId === decision.actionId);
await client.activate(loop, eventId);
const time = new Date();
console.log(await client.reward(loop, eventId, { value: 0.5, rewardId: 'javascript-click', time }));
await client.reward(loop, eventId, { value: 0, metric: 'guardrail' });
const slots = await client.rankSlots(loop, {
  eventId: 'javascript-page',
  context: { features: {} },
  actions: [{ id: 'derby' }, { id: 'budget' }, { id: 'premiere' }],
  slots: [{ id: 'top' }, { id: 'side', features: { size: 'small' }, excludedActions: ['budget'] }],
});
console.log(slots.eventId, ...slots.slots.map((slot) => `${slot.id}=${slot.eventId}`));
await client.reward(loop, slots.slots[0].eventId, 1);
const command = { action: 'pause', reason: 'a test', commandId: 'javascript-pause' } as const;
console.log(await client.rollout(loop, command));

// errors
await refused(client.rank('nowhere', request));
await refused(client.reward(loop, eventId, 2));
await refused(new CounterflowClient(server, { token: 'unknown' }).listLoops());

/** What the types refuse. It is compiled and not called. */
export async function mistakes(): Promise<void> {
  // @ts-expect-error: an answer has no such field
  console.log((await client.rank(loop, request)).action_id);
  // @ts-expect-error: a request has a context
  await client.rank(loop, { actions: [] });
  // @ts-expect-error: a page has slots
  await client.rankSlots(loop, request);
  // @ts-expect-error: a date is not a feature
  await client.rank(loop, { context: { features: { date: new Date() } } });
  // @ts-expect-error: a reward is a number
  await client.reward(loop, eventId, '1');
  // @ts-expect-error: there is no such mode
  await client.putLoop(loop, { rolloutMode: 'sometimes' });
  // @ts-expect-error: a rollout command has a reason
  await client.rollout(loop, { action: 'pause' });
}
