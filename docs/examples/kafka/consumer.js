// Prints what the loops have learned from, and the versions that they have learned.
//
//   npm install kafkajs@2.2.4 avsc@5.7.9
//   node consumer.js localhost:9092 http://127.0.0.1:8080 counterflow my-consumer
'use strict';

const { Kafka, logLevel } = require('kafkajs');
const { Records } = require('./records.js');

/** What to print of a record. */
async function describe(records, { name, value }) {
  if (name === 'PolicySnapshotRecord') {
    return { loop: value.loop, version: value.version };
  }
  const entry = { loop: value.loop, sequence: value.sequence, kind: value.kind };
  if (value.kind !== 'EXAMPLE') {
    return entry;
  }
  const decision = (await records.decode(value.record)).value; // the impression as it came
  const { eventId, action, propensity } = decision;
  return { ...entry, eventId, action, propensity, reward: value.outcome.reward };
}

async function main([brokers, serving, prefix, groupId]) {
  const records = new Records(serving);
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.WARN });
  const consumer = kafka.consumer({ groupId }); // reads committed records only
  await consumer.connect();
  await consumer.subscribe({
    topics: [prefix + '.journal', prefix + '.policy-snapshots'],
    fromBeginning: true,
  });
  process.once('SIGTERM', () => consumer.disconnect());
  process.once('SIGINT', () => consumer.disconnect());
  await consumer.run({
    eachMessage: async ({ message }) => {
      if (message.value === null) {
        return; // a tombstone: the version or loop was deleted
      }
      console.log(JSON.stringify(await describe(records, await records.decode(message.value))));
    },
  });
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
