// Shows articles to simulated readers, who read what they like. Run it several times, with pauses of
// ten seconds, to see the loop learn.
//
//   node examples/front-page.js [SERVER]
//
// The server is http://localhost:8080 by default. COUNTERFLOW_TOKEN is its token, if it needs one.
import { CounterflowClient, ProblemResponseError } from 'counterflow-client';

const LOOP = 'example-front-page';
const ARTICLES = [
  { id: 'derby', features: { topic: 'sport' } },
  { id: 'budget', features: { topic: 'politics' } },
  { id: 'premiere', features: { topic: 'film' } },
];
const VISITS = 30;

async function createLoop(client) {
  const spec = { bits: 18, attributionWindow: '5s', rolloutMode: 'immediate' };
  try {
    await client.putLoop(LOOP, spec, { ifNoneMatch: '*' });
  } catch (error) {
    const exists = error instanceof ProblemResponseError && error.status === 412;
    if (!exists) {
      throw error;
    }
  }
}

async function visit(client, likes) {
  const decision = await client.rank(LOOP, {
    context: { features: { user: { likes } } },
    actions: ARTICLES,
  });
  const shown = ARTICLES.find(({ id }) => id === decision.actionId);
  const isRead = shown.features.topic === likes;
  if (isRead) {
    await client.reward(LOOP, decision.eventId, 1);
  }
  const end = isRead ? ' and reads it' : '';
  console.log(`version ${decision.policyVersion}: ${likes} fan sees ${shown.id}${end}`);
  return isRead;
}

const server = process.argv[2] ?? 'http://localhost:8080';
const client = new CounterflowClient(server, { token: process.env.COUNTERFLOW_TOKEN });
await createLoop(client);
let reads = 0;
for (let i = 0; i < VISITS; i++) {
  const { topic } = ARTICLES[i % ARTICLES.length].features;
  reads += await visit(client, topic);
}
console.log(`${reads} of ${VISITS} articles were read`);
