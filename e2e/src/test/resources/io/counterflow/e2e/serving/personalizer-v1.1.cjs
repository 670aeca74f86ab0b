// What code that was written for Azure Personalizer does, with its SDK of the preview version.
'use strict';

const assert = require('node:assert/strict');
const { default: createClient, isUnexpected } = require('@azure-rest/ai-personalizer');

const [endpoint, key] = process.argv.slice(2);
const client = createClient(endpoint, { key }, { allowInsecureConnection: true });

const actions = [
  { id: 'pasta', features: [{ taste: 'salty' }] },
  { id: 'salad', features: [{ taste: 'fresh' }] },
  { id: 'soup', features: [] },
];

async function succeeds(call, status) {
  const response = await call;
  assert.equal(response.status, status, JSON.stringify(response.body));
  return response.body;
}

async function decisions() {
  const response = await client.path('/rank').post({
    body: {
      contextFeatures: [{ timeOfDay: 'morning' }],
      actions,
      eventId: 'preview-1',
      deferActivation: true,
    },
  });
  assert.ok(!isUnexpected(response), JSON.stringify(response.body));
  assert.equal(response.body.eventId, 'preview-1');
  assert.equal(response.body.ranking[0].id, response.body.rewardActionId);
  await succeeds(client.path('/events/{eventId}/activate', 'preview-1').post(), '204');
  await succeeds(
    client.path('/events/{eventId}/reward', 'preview-1').post({ body: { value: 0.5 } }),
    '204',
  );
}

async function slots() {
  const response = await client.path('/multislot/rank').post({
    body: {
      contextFeatures: [{ timeOfDay: 'morning' }],
      actions,
      slots: [
        {
          id: 'main',
          features: [{ size: 'large' }, { position: 'left' }],
          excludedActions: ['soup'],
          baselineAction: 'salad',
        },
        { id: 'side', features: [{ size: 'small' }], baselineAction: 'pasta' },
      ],
      eventId: 'preview-2',
      deferActivation: true,
    },
  });
  assert.ok(!isUnexpected(response), JSON.stringify(response.body));
  const { body } = response;
  assert.equal(body.eventId, 'preview-2');
  assert.deepEqual(body.slots.map((slot) => slot.id), ['main', 'side']);
  const chosen = body.slots.map((slot) => slot.rewardActionId);
  assert.ok(['pasta', 'salad'].includes(chosen[0]));
  assert.notEqual(chosen[0], chosen[1]);
  await succeeds(client.path('/multislot/events/{eventId}/activate', 'preview-2').post(), '204');
  await succeeds(
    client.path('/multislot/events/{eventId}/reward', 'preview-2').post({
      body: {
        reward: [
          { slotId: 'main', value: 1 },
          { slotId: 'side', value: -1 },
        ],
      },
    }),
    '204',
  );
}

async function configuration() {
  const service = client.path('/configurations/service');
  const before = await succeeds(service.get(), '200');
  assert.equal(before.learningMode, 'Online');
  assert.equal(before.rewardAggregation, 'earliest');
  const changed = { ...before, rewardWaitTime: 'PT5M', explorationPercentage: 0.25 };
  const answered = await service.put({ body: changed });
  assert.ok(!isUnexpected(answered), JSON.stringify(answered.body));
  const after = await succeeds(service.get(), '200');
  assert.deepEqual(after, { ...changed, lastConfigurationEditDate: after.lastConfigurationEditDate });
  const policy = await succeeds(client.path('/configurations/policy').get(), '200');
  assert.match(policy.arguments, /--explorationFloor 0.25/);
  const model = await succeeds(client.path('/model/properties').get(), '200');
  assert.ok(Date.parse(model.creationTime) <= Date.parse(model.lastModifiedTime));
  return after;
}

async function apprentice(before) {
  const service = client.path('/configurations/service');
  await succeeds(service.put({ body: { ...before, learningMode: 'Apprentice' } }), '200');
  assert.equal((await succeeds(service.get(), '200')).learningMode, 'Apprentice');
  const ranked = await succeeds(
    client.path('/rank').post({
      body: { actions, excludedActions: ['pasta'], eventId: 'preview-3' },
    }),
    '201',
  );
  assert.equal(ranked.rewardActionId, 'salad');
  assert.deepEqual(ranked.ranking[0], { id: 'salad', probability: 1 });
  const page = await succeeds(
    client.path('/multislot/rank').post({
      body: {
        actions,
        slots: [
          { id: 'main', baselineAction: 'soup' },
          { id: 'side', baselineAction: 'pasta' },
        ],
        eventId: 'preview-4',
      },
    }),
    '201',
  );
  assert.deepEqual(page.slots, [
    { id: 'main', rewardActionId: 'soup' },
    { id: 'side', rewardActionId: 'pasta' },
  ]);
  await succeeds(service.put({ body: before }), '200');
}

async function errors() {
  const response = await client.path('/rank').post({ body: { actions: [] } });
  assert.ok(isUnexpected(response));
  assert.equal(response.status, '400');
  assert.equal(response.body.error.code, 'BadRequest');
  assert.match(response.body.error.message, /actions must be at least 1/);
  assert.equal(response.body.error.innerError.code, 'bad-request');
  const wrong = await client
    .path('/configurations/service')
    .put({ body: { learningMode: 'LoggingOnly' } });
  assert.ok(isUnexpected(wrong));
  assert.match(wrong.body.error.message, /learningMode must be Online or Apprentice/);
  const unknown = await client.path('/multislot/events/{eventId}/activate', 'never').post();
  assert.equal(unknown.status, '404');
  assert.equal(unknown.body.error.code, 'ResourceNotFound');
}

async function main() {
  await decisions();
  await slots();
  await apprentice(await configuration());
  await errors();
}

main();
