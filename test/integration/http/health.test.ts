/** Replays the health endpoints of release 1.31.1: which checks exist, in which order, and what `verbose` and `exclude` print. */
import { featureGates } from '../../../shared/runtime/feature-gates';
import { replayRequests } from './replay-requests';
import type { RequestCase } from '../../replay/requests/request-recording';
import { startFixture } from './fixture';

/** A deviation: the specification has the same last line for all three paths. */
function expected({ request, answer }: RequestCase): RequestCase {
  const { body } = answer;
  if (typeof body !== 'string') return { request, answer };
  return { request, answer: { ...answer, body: body.replace(/^(?:livez|readyz) check passed$/m, 'healthz check passed') } };
}

replayRequests(['health/answers'], { server: () => ({ gates: featureGates(new Map()) }), withDeviation: expected });

it('lists the check of the number of requests without API Priority and Fairness', async () => {
  const without = await startFixture({ flowControl: false });
  const { text } = await without.get('/readyz?verbose');
  await without.stop();
  const names = text.split('\n').flatMap((line) => /^\[\+\]poststarthook\/(\S+) ok$/.exec(line)?.[1] ?? []);
  expect(names.slice(1, 4)).toEqual(['generic-apiserver-start-informers', 'max-in-flight-filter', 'storage-object-count-tracker-hook']);
  expect(names.filter((name) => name.startsWith('priority-and-fairness'))).toEqual(['priority-and-fairness-config-producer']);
  expect(text.endsWith('[+]shutdown ok\nhealthz check passed\n')).toBe(true);
});
