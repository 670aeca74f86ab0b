// What code that was written for Azure Personalizer does, with its SDK of the released version.
'use strict';

const assert = require('node:assert/strict');
const { ApiKeyCredentials, RestError } = require('@azure/ms-rest-js');
const { PersonalizerClient } = require('@azure/cognitiveservices-personalizer');

const [endpoint, key] = process.argv.slice(2);
const client = new PersonalizerClient(
  new ApiKeyCredentials({ inHeader: { 'Ocp-Apim-Subscription-Key': key } }),
  endpoint,
  { noRetryPolicy: true },
);

async function main() {
  const ranked = await client.rank({
    contextFeatures: [{ timeOfDay: 'morning', _userId: 'u-7' }, { device: null }],
    actions: [
      { id: 'pasta', features: [{ taste: 'salty' }, { _sku: 12, spicy: false }] },
      { id: 'salad', features: [{ taste: 'fresh' }] },
      { id: 'soup', features: [] },
    ],
    excludedActions: ['soup'],
    eventId: 'released-1',
    deferActivation: true,
  });
  assert.equal(ranked.eventId, 'released-1');
  assert.ok(['pasta', 'salad'].includes(ranked.rewardActionId));
  assert.equal(ranked.ranking[0].id, ranked.rewardActionId);
  assert.equal(ranked.ranking.length, 3);
  assert.equal(ranked.ranking.reduce((sum, action) => sum + action.probability, 0), 1);

  const activated = await client.events.activate(ranked.eventId);
  assert.equal(activated._response.status, 204);
  const rewarded = await client.events.reward(ranked.eventId, { value: -1 });
  assert.equal(rewarded._response.status, 204);

  const error = await client.rank({ actions: [] }).then(assert.fail, (caught) => caught);
  assert.ok(error instanceof RestError, String(error));
  assert.equal(error.statusCode, 400);
  assert.equal(error.code, 'BadRequest');
  assert.match(error.message, /actions must be at least 1/);
  assert.deepEqual(error.body.error.innerError, { code: 'bad-request' });

  const tooMuch = await client.events
    .reward('released-1', { value: 2 })
    .then(assert.fail, (caught) => caught);
  assert.equal(tooMuch.code, 'BadRequest');
  assert.match(tooMuch.message, /value must be in \[-1, 1\]/);
}

main();
