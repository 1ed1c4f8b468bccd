/** Acting as others, and giving away what one does not have, as release 1.31.1 answered (test/replay/access-steps.ts), step by step. */
import { casesOf } from '../../replay/recording';
import { anything, body, either, listOf, mapOf, number, oneOf, shape, text } from '../../replay/shape';
import { ADMIN, ALICE, call, json, startFixture, type Answer, type Fixture } from './fixture';

const steps = casesOf(
  'rbac/access-steps',
  shape(
    {
      by: oneOf('admin', 'alice'),
      method: text,
      path: text,
      answer: shape({ code: number }, { text, message: anything, status: anything, allowed: anything }),
    },
    { headers: mapOf(either(text, listOf(text))), body },
  ),
);

/** Which mistakes of a client upstream answers with 500, and this server with 400. */
const CLIENT_FAULT = /without impersonating a user|unsupported role reference kind/;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

/** Of a Status its message, of a review what it says. */
function shown(answer: Answer): object {
  const code = answer.status;
  if (!answer.text.startsWith('{')) return { code, text: code === 200 ? '' : answer.text };
  const { kind, message = null, status = null } = json(answer);
  if (kind === 'Status') return { code, message: code < 400 ? null : message };
  if (kind === 'SubjectAccessReview') return { code, allowed: Object(status)['allowed'] };
  return kind === 'SelfSubjectReview' ? { code, status: withoutUid(status) } : { code };
}

/** Of the administrators of the two servers. */
const withoutUid = (status: unknown): unknown => JSON.parse(JSON.stringify(status).replace(/"uid":"(admin-uid|1)",/, ''));

it.each(steps.map((step, at) => [at, step] as const))('step %i', async (_at, { by, method, path, headers = {}, body: sent, answer }) => {
  const got = await call(fixture, path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    token: by === 'admin' ? ADMIN : ALICE,
    ...(sent === undefined ? {} : { body: Buffer.from(JSON.stringify(sent)) }),
  });
  if (CLIENT_FAULT.test(JSON.stringify(answer))) expect(got.status).toBe(400);
  else expect(shown(got)).toEqual({ ...answer, ...(answer.status === undefined ? {} : { status: withoutUid(answer.status) }) });
});
