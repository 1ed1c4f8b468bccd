/** Replays how release 1.31.1 answered impersonated requests and grants of permissions that the user does not have. */
import { replayRequests } from './replay-requests';
import type { RecordedAnswer, RequestCase } from '../../replay/requests/request-recording';

/** Faults of a client that release 1.31.1 answers with 500, and this server with 400. */
const CLIENT_FAULT = /without impersonating a user|unsupported role reference kind/;

/** The two servers have different uids for the administrator. */
const withoutUid = (answer: RecordedAnswer): RecordedAnswer =>
  JSON.parse(JSON.stringify(answer).replace(/,"uid":"(admin-uid|1)"|"uid":"(admin-uid|1)",/, ''));

function expected({ request, answer }: RequestCase): RequestCase {
  const isFault = CLIENT_FAULT.test(JSON.stringify(answer.body));
  return { request, answer: isFault ? { status: 400, body: null } : withoutUid(answer) };
}

replayRequests(['rbac/access-steps'], {
  withDeviation: expected,
  comparable: (answer, { body }) => (body === null ? { ...answer, body } : withoutUid(answer)),
});
