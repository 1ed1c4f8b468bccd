/**
 * Replays responses of release 1.31.1 to updates, deletions, impersonated requests, grants of permissions, and requests
 * to the health endpoints.
 */
import { featureGates } from '../../../shared/cli/feature-gates';
import { listRecordings } from '../../replay/recording';
import { isBody, type Json } from '../../replay/json-response';
import type { RecordedResponse, RequestCase } from '../../replay/requests/request-recording';
import { comparableResponse, withDeviation } from '../../support/deviations/request-deviations';
import { useStarter } from './fixture';
import { replayRequests } from './replay-requests';

// `withDeviation` replaces requests and expected responses where this server differs on purpose; `comparable` reduces
// the actual response to what is compared.
replayRequests(listRecordings('requests'), { withDeviation, comparable: comparableResponse });

/** Client errors to which release 1.31.1 responds with 500, and this server with 400. */
const CLIENT_FAULT = /without impersonating a user|unsupported role reference kind/;
/** The expected response to a client error: only its status is compared. */
const BAD_REQUEST: RecordedResponse = { status: 400, body: null };

/** The administrator's uid in the recording and here. */
const ADMIN_UIDS: readonly Json[] = ['admin-uid', '1'];

/** Without the administrator's uid, which differs between the two servers. */
function withoutUid(response: RecordedResponse): RecordedResponse {
  const { body } = response;
  const status = isBody(body) ? body['status'] : undefined;
  const userInfo = isBody(status) ? status['userInfo'] : undefined;
  if (!isBody(body) || !isBody(status) || !isBody(userInfo)) return response;
  const { uid, ...others } = userInfo;
  return ADMIN_UIDS.includes(uid ?? null) ? { ...response, body: { ...body, status: { ...status, userInfo: others } } } : response;
}
replayRequests(['rbac/access-steps'], {
  withDeviation: ({ request, answer: response }) => ({
    request,
    answer: CLIENT_FAULT.test(JSON.stringify(response.body)) ? BAD_REQUEST : withoutUid(response),
  }),
  comparable: (response, expected) => (expected === BAD_REQUEST ? { ...response, body: null } : withoutUid(response)),
});

/** This server ends the responses of healthz, livez and readyz with the same line. */
function withLastLine({ request, answer: response }: RequestCase): RequestCase {
  const { body } = response;
  if (typeof body !== 'string') return { request, answer: response };
  return { request, answer: { ...response, body: body.replace(/^(?:livez|readyz) check passed$/m, 'healthz check passed') } };
}

replayRequests(['health/answers'], { server: () => ({ gates: featureGates(new Map()) }), withDeviation: withLastLine });

const start = useStarter();

it('without API Priority and Fairness, readyz lists the check of the maximum in flight', async () => {
  const server = await start({ flowControl: false });
  const { text } = await server.get('/readyz?verbose');
  const names = text.split('\n').flatMap((line) => /^\[\+\]poststarthook\/(\S+) ok$/.exec(line)?.[1] ?? []);
  // Among the first checks, it takes the place of the one with priority and fairness.
  expect(names.slice(1, 4)).toEqual(['generic-apiserver-start-informers', 'max-in-flight-filter', 'storage-object-count-tracker-hook']);
  expect(names.filter((name) => name.startsWith('priority-and-fairness'))).toEqual(['priority-and-fairness-config-producer']);
  expect(text.endsWith('[+]shutdown ok\nhealthz check passed\n')).toBe(true);
});
