// Writes decisions of its own and their rewards, for a loop with named features.
//
//   npm install kafkajs@2.2.4 avsc@5.7.9
//   node producer.js localhost:9092 http://127.0.0.1:8080 counterflow front-page 100
'use strict';

const { randomInt, randomUUID } = require('node:crypto');
const { Kafka, logLevel, Partitioners } = require('kafkajs');
const { Records } = require('./records.js');

const ACTIONS = ['derby', 'budget', 'premiere'];
const WINDOW_MS = 2000;

async function main([brokers, serving, prefix, loop, count]) {
  const records = new Records(serving);
  const impression = await records.encoder(prefix + '.impressions', 'ImpressionRecord');
  const reward = await records.encoder(prefix + '.rewards', 'RewardRecord');
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.WARN });
  const producer = kafka.producer({
    idempotent: true, // and so acks of all replicas
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  for (let i = 0; i < Number(count); i++) {
    const eventId = randomUUID(); // never used for another decision
    const country = ['de', 'fr'][randomInt(2)];
    const action = randomInt(ACTIONS.length); // really drawn, with the probability that is logged
    await producer.send({
      topic: prefix + '.impressions',
      messages: [
        {
          key: eventId,
          value: impression({
            eventId,
            loop,
            policyVersion: 0, // drawn by version 0, which gives all actions the same probability
            time: Date.now() * 1000, // now, in microseconds
            attributionWindowMs: WINDOW_MS,
            features: {
              'io.counterflow.schemas.record.NamedFeaturesText': { json: JSON.stringify({ user: { country } }) },
            },
            actions: ACTIONS.map((id) => ({ id, features: '{}' })),
            action,
            propensity: 1 / ACTIONS.length,
          }),
        },
      ],
    });
    const value = ACTIONS[action] === (country === 'de' ? 'derby' : 'budget') ? 1 : 0;
    if (value > 0) {
      await producer.send({
        topic: prefix + '.rewards',
        messages: [
          {
            key: eventId,
            value: reward({ rewardId: eventId + ':click', eventId, loop, time: Date.now() * 1000, value }),
          },
        ],
      });
    }
    console.log(JSON.stringify({ eventId, action, value }));
  }
  await producer.disconnect();
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
