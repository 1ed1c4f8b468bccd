import { createLogger } from '../../shared/runtime/logger';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { FakeApi } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { PathAccess, type PathCredentials } from './path-access';

/** Access over a server that evaluates reviews. `reviews`: those that were sent; `server.isDown` makes requests fail. */
function setUp() {
  const clock = new ManualClock();
  const reviews: [kind: string, spec: JsonObject][] = [];
  const server = { isDown: false };
  const api = new FakeApi();
  api.intercept = ({ body }) => {
    const review = JSON.parse(body?.toString() ?? '{}') as JsonObject;
    const spec = objectAt(review, 'spec') ?? {};
    reviews.push([stringAt(review, 'kind') ?? '', spec]);
    if (server.isDown) return new Error('cut');
    return { status: 201, header: () => undefined, body: responseTo(spec) };
  };
  const { client } = fakeClient({ api, clock });
  const logger = createLogger({ level: 'silent', clock });
  const openPaths = ['/healthz', '/open/*'];
  const access = new PathAccess({ authenticationClient: client, authorizationClient: client, openPaths, clock, logger });
  return { access, clock, reviews, server };
}

async function* responseTo(spec: JsonObject): AsyncGenerator<Buffer> {
  const isValid = spec['token'] === 'good';
  const user = { username: 'scraper', uid: '7', groups: ['g'] };
  const status = 'token' in spec ? { authenticated: isValid, ...(isValid ? { user } : {}) } : { allowed: spec['user'] === 'scraper' };
  yield await Promise.resolve(Buffer.from(JSON.stringify({ status })));
}

const bearer = (token: string): PathCredentials => ({ authorization: `Bearer ${token}`, certificateUser: undefined });
const noCredentials: PathCredentials = { authorization: undefined, certificateUser: undefined };
/** 200 when access is allowed, otherwise the code and the message of the error. */
const outcomeOf = (check: Promise<void>): Promise<unknown> =>
  check.then(
    () => 200,
    (error: { readonly status?: { readonly code?: number; readonly message?: string } }) => [error.status?.code, error.status?.message],
  );

it.each<[string, PathCredentials, string, unknown]>([
  ['allows an open path without credentials', noCredentials, '/healthz', 200],
  ['allows a path below an open path', noCredentials, '/open/a/b', 200],
  [
    'rejects a path that only starts with an open path',
    noCredentials,
    '/healthz/x',
    [403, 'forbidden: User "system:anonymous" cannot get path "/healthz/x"'],
  ],
  [
    'rejects a closed path without credentials',
    noCredentials,
    '/metrics',
    [403, 'forbidden: User "system:anonymous" cannot get path "/metrics"'],
  ],
  ['rejects an unknown token even for an open path', bearer('bad'), '/healthz', [401, 'Unauthorized']],
  ['allows what the SubjectAccessReview allows', bearer('good'), '/metrics', 200],
  ['rejects a token over the size limit', bearer('x'.repeat(20_000)), '/metrics', [401, 'Unauthorized']],
  [
    'treats other authentication schemes as anonymous',
    { authorization: 'Basic eDp5', certificateUser: undefined },
    '/metrics',
    [403, 'forbidden: User "system:anonymous" cannot get path "/metrics"'],
  ],
  [
    'allows what the SubjectAccessReview allows for the user of a client certificate',
    { authorization: undefined, certificateUser: { name: 'scraper', groups: [] } },
    '/metrics',
    200,
  ],
  [
    'rejects a client certificate of another user',
    { authorization: undefined, certificateUser: { name: 'x', groups: [] } },
    '/metrics',
    [403, 'forbidden: User "x" cannot get path "/metrics"'],
  ],
])('PathAccess %s', async (_title, credentials, path, outcome) => {
  expect(await outcomeOf(setUp().access.check(credentials, 'GET', path))).toEqual(outcome);
});

it('PathAccess sends one TokenReview and one SubjectAccessReview in ten seconds', async () => {
  const { access, clock, reviews } = setUp();
  await Promise.all([access.check(bearer('good'), 'GET', '/metrics'), access.check(bearer('good'), 'GET', '/metrics')]);
  expect(reviews).toEqual([
    ['TokenReview', { token: 'good' }],
    ['SubjectAccessReview', { user: 'scraper', uid: '7', groups: ['g'], nonResourceAttributes: { verb: 'get', path: '/metrics' } }],
  ]);
  clock.advance(10_001);
  await access.check(bearer('good'), 'GET', '/metrics');
  expect(reviews).toHaveLength(4);
});

it('PathAccess does not cache a failed review', async () => {
  const { access, server } = setUp();
  server.isDown = true;
  expect(await outcomeOf(access.check(bearer('good'), 'GET', '/metrics'))).toEqual([
    500,
    'Internal error occurred: the API server could not be called',
  ]);
  server.isDown = false;
  expect(await outcomeOf(access.check(bearer('good'), 'GET', '/metrics'))).toBe(200);
});
