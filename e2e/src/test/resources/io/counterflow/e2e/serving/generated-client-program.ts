// Calls a server with the client that is generated for TypeScript. GeneratedClientsIT runs it.
import { Configuration, DecisionsApi, LoopsApi } from './index';

declare const process: { argv: string[] };

async function main(server: string, token: string): Promise<void> {
  const configuration = new Configuration({ basePath: server, accessToken: token });

  const loops = new LoopsApi(configuration);
  for (const loop of ['typescript-named', 'typescript-vectors']) {
    const { spec } = await loops.getLoop({ loop });
    console.log((await loops.putLoop({ loop, loopSpec: spec })).change);
    const loopSpec = { ...spec, explorationFloor: 0.25 };
    console.log((await loops.putLoop({ loop, loopSpec })).change);
  }
  await loops.putLoop({ loop: 'typescript-new', loopSpec: { bits: 8 }, ifNoneMatch: '*' });

  const decisions = new DecisionsApi(configuration);
  const answer = await decisions.rank({
    loop: 'typescript-new',
    rankRequest: {
      eventId: 'typescript-1',
      context: { features: { user: { country: 'de', age: 0.3 } } },
      actions: [{ id: 'derby', features: { topic: 'sport' } }, { id: 'budget' }],
      deferActivation: true,
    },
  });
  const { eventId } = answer;
  await decisions.activate({ loop: 'typescript-new', eventId });
  await decisions.reward({
    loop: 'typescript-new',
    eventId,
    rewardRequest: { value: 1, rewardId: 'typescript-click' },
  });
  await decisions.rank({
    loop: 'typescript-vectors',
    rankRequest: { eventId: 'typescript-2', context: { dense: [0.4, -0.3] } },
  });
}

main(process.argv[2], process.argv[3]);
