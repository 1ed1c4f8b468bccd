/**
 * Replays responses of release 1.31.1 to updates, deletions, impersonated requests, grants of permissions, and requests
 * to the health endpoints.
 */
import { featureGates } from '../../../shared/cli/feature-gates';
import { listRecordings } from '../../replay/recording';
import type { RecordedResponse, RequestCase } from '../../replay/requests/request-recording';
import { comparableResponse, withDeviation } from '../../support/deviations/request-deviations';
import { startFixture } from './fixture';
import { replayRequests } from './replay-requests';

replayRequests(listRecordings('requests'), { withDeviation, comparable: comparableResponse });

/** Client errors to which release 1.31.1 responds with 500, and this server with 400. */
const CLIENT_FAULT = /without impersonating a user|unsupported role reference kind/;

/** The two servers have different uids for the administrator. */
const withoutUid = (response: RecordedResponse): RecordedResponse =>
  JSON.parse(JSON.stringify(response).replace(/,"uid":"(admin-uid|1)"|"uid":"(admin-uid|1)",/, ''));

replayRequests(['rbac/access-steps'], {
  withDeviation: ({ request, answer: response }) => ({
    request,
    answer: CLIENT_FAULT.test(JSON.stringify(response.body)) ? { status: 400, body: null } : withoutUid(response),
  }),
  comparable: (response, { body }) => (body === null ? { ...response, body } : withoutUid(response)),
});

/** This server ends the response with the same line for all three paths. */
function withLastLine({ request, answer: response }: RequestCase): RequestCase {
  const { body } = response;
  if (typeof body !== 'string') return { request, answer: response };
  return { request, answer: { ...response, body: body.replace(/^(?:livez|readyz) check passed$/m, 'healthz check passed') } };
}

replayRequests(['health/answers'], { server: () => ({ gates: featureGates(new Map()) }), withDeviation: withLastLine });

it('without API Priority and Fairness, readyz lists the check of the maximum in flight', async () => {
  const server = await startFixture({ flowControl: false });
  const { text } = await server.get('/readyz?verbose');
  await server.stop();
  const names = text.split('\n').flatMap((line) => /^\[\+\]poststarthook\/(\S+) ok$/.exec(line)?.[1] ?? []);
  expect(names.slice(1, 4)).toEqual(['generic-apiserver-start-informers', 'max-in-flight-filter', 'storage-object-count-tracker-hook']);
  expect(names.filter((name) => name.startsWith('priority-and-fairness'))).toEqual(['priority-and-fairness-config-producer']);
  expect(text.endsWith('[+]shutdown ok\nhealthz check passed\n')).toBe(true);
});
