import { createLogger } from '../../shared/runtime/logger';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { FakeApi } from '../../test/support/fake-api';
import { fakeClient } from '../../test/support/fake-client';
import { ManualClock } from '../../test/support/manual-clock';
import { PathAccess, type Caller } from './path-access';

const clock = new ManualClock();
const logger = createLogger({ level: 'silent', clock });
/** Bodies of the questions that were asked, by their kind. */
let asked: [kind: string, spec: JsonObject][];
let broken: boolean;

function open(): PathAccess {
  asked = [];
  broken = false;
  const api = new FakeApi();
  api.intercept = ({ body }) => {
    const question = JSON.parse(body?.toString() ?? '{}') as JsonObject;
    const spec = objectAt(question, 'spec') ?? {};
    asked.push([stringAt(question, 'kind') ?? '', spec]);
    if (broken) return new Error('cut');
    return { status: 201, header: () => undefined, body: answerTo(spec) };
  };
  const { client } = fakeClient({ api, clock });
  return new PathAccess({ tokens: client, rights: client, openPaths: ['/healthz', '/open/*'], clock, logger });
}

async function* answerTo(spec: JsonObject): AsyncGenerator<Buffer> {
  const known = spec['token'] === 'good';
  const user = { username: 'scraper', uid: '7', groups: ['g'] };
  const status = 'token' in spec ? { authenticated: known, ...(known ? { user } : {}) } : { allowed: spec['user'] === 'scraper' };
  yield await Promise.resolve(Buffer.from(JSON.stringify({ status })));
}

const bearer = (token: string): Caller => ({ authorization: `Bearer ${token}`, certified: undefined });
const nobody: Caller = { authorization: undefined, certified: undefined };
const codeOf = (check: Promise<void>): Promise<unknown> =>
  check.then(
    () => 200,
    (error: { readonly status?: { readonly code?: number; readonly message?: string } }) => [error.status?.code, error.status?.message],
  );

it.each<[string, Caller, string, unknown]>([
  ['allows an open path without credentials', nobody, '/healthz', 200],
  ['allows a path below an open path', nobody, '/open/a/b', 200],
  [
    'rejects a path that only starts with an open path',
    nobody,
    '/healthz/x',
    [403, 'forbidden: User "system:anonymous" cannot get path "/healthz/x"'],
  ],
  ['rejects a closed path without credentials', nobody, '/metrics', [403, 'forbidden: User "system:anonymous" cannot get path "/metrics"']],
  ['rejects an unknown token even for an open path', bearer('bad'), '/healthz', [401, 'Unauthorized']],
  ['allows what the SubjectAccessReview allows', bearer('good'), '/metrics', 200],
  ['rejects a token over the size limit', bearer('x'.repeat(20_000)), '/metrics', [401, 'Unauthorized']],
  [
    'treats other authentication schemes as anonymous',
    { authorization: 'Basic eDp5', certified: undefined },
    '/metrics',
    [403, 'forbidden: User "system:anonymous" cannot get path "/metrics"'],
  ],
  [
    'allows what the SubjectAccessReview allows for the user of a client certificate',
    { authorization: undefined, certified: { name: 'scraper', groups: [] } },
    '/metrics',
    200,
  ],
  [
    'rejects a client certificate of another user',
    { authorization: undefined, certified: { name: 'x', groups: [] } },
    '/metrics',
    [403, 'forbidden: User "x" cannot get path "/metrics"'],
  ],
])('PathAccess %s', async (_title, caller, path, outcome) => {
  expect(await codeOf(open().check(caller, 'GET', path))).toEqual(outcome);
});

it('PathAccess sends one TokenReview and one SubjectAccessReview in ten seconds', async () => {
  const access = open();
  await Promise.all([access.check(bearer('good'), 'GET', '/metrics'), access.check(bearer('good'), 'GET', '/metrics')]);
  expect(asked).toEqual([
    ['TokenReview', { token: 'good' }],
    ['SubjectAccessReview', { user: 'scraper', uid: '7', groups: ['g'], nonResourceAttributes: { verb: 'get', path: '/metrics' } }],
  ]);
  clock.advance(10_001);
  await access.check(bearer('good'), 'GET', '/metrics');
  expect(asked).toHaveLength(4);
});

it('PathAccess does not cache a failed review', async () => {
  const access = open();
  broken = true;
  expect(await codeOf(access.check(bearer('good'), 'GET', '/metrics'))).toEqual([
    500,
    'Internal error occurred: the API server could not be asked',
  ]);
  broken = false;
  expect(await codeOf(access.check(bearer('good'), 'GET', '/metrics'))).toBe(200);
});
