/** Credentials as somebody would send them who hopes that nobody looks: endless, repeated, escaped, signed by a stranger. They let nobody in, and hurt nobody. */
import { systemClock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/runtime/pki';
import { ADMIN, ALICE, type Call } from './call';
import { type Fixture, startFixture } from './fixture';

const HOUR_MS = 3_600_000;
const LONG = 16 * 1024;
const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const NODES = '/api/v1/nodes';

let api: Fixture;
let proxies: Credential;
let proxy: Credential;

const clientOf = (authority: Credential, commonName = 'jane', usage: 'client' | 'server' = 'client'): Promise<Credential> =>
  issueCertificate({
    subject: { commonName, organizations: ['system:masters'] },
    lifetimeMs: HOUR_MS,
    clock: systemClock,
    authority,
    usage,
    names: ['127.0.0.1'],
  });

beforeAll(async () => {
  proxies = await createAuthority({ subject: { commonName: 'proxy-ca' }, lifetimeMs: HOUR_MS, clock: systemClock });
  api = await startFixture({
    proxyCa: Buffer.from(proxies.certificate),
    frontProxy: {
      allowedNames: ['proxy'],
      usernameHeaders: ['x-remote-user'],
      groupHeaders: ['x-remote-group'],
      extraPrefixes: ['x-remote-extra-'],
    },
  });
  proxy = await issueCertificate({
    subject: { commonName: 'proxy' },
    lifetimeMs: HOUR_MS,
    clock: systemClock,
    authority: proxies,
    usage: 'client',
  });
});
afterAll(() => api.stop());

async function who(options: Call): Promise<unknown> {
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  const answer = await api.call(WHO, { token: null, method: 'POST', body, ...options });
  if (answer.status !== 201) return answer.status;
  const { userInfo } = answer.json['status'] as { userInfo: { username: string; groups: readonly string[] } };
  return userInfo;
}

const GARBAGE: readonly (readonly [string, string])[] = [
  ['letters', 'a'.repeat(LONG)],
  ['bytes that are no text', '\xff\xfe'.repeat(LONG / 2)],
  ['escapes', '%00'.repeat(LONG / 3)],
  ['commas', ','.repeat(LONG)],
  ['blanks between letters', 'a '.repeat(LONG / 2)],
  ['dots', '.'.repeat(LONG)],
  ['colons', 'system:'.repeat(LONG / 7)],
  ['a token of brackets', `${Buffer.from('['.repeat(LONG / 4)).toString('base64url')}.${'A'.repeat(LONG / 2)}.x`],
];

describe.each(GARBAGE)('16 KB of %s', (_title, garbage) => {
  it.each<[string, Call, readonly number[]]>([
    ['as a token', { token: garbage }, [401]],
    ['as credentials of no kind', { token: null, headers: { authorization: garbage } }, [403]],
    [
      'as protocols of a WebSocket',
      { token: null, headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-protocol': garbage } },
      [400, 403],
    ],
    ['as the user to be', { token: ALICE, headers: { 'impersonate-user': garbage } }, [403]],
    ['as the user to be, from who may be anybody', { token: ADMIN, headers: { 'impersonate-user': garbage } }, [403]],
    ['as a group to be of', { token: ADMIN, headers: { 'impersonate-user': 'x', 'impersonate-group': garbage } }, [403]],
    ['as an id without a user', { token: ADMIN, headers: { 'impersonate-uid': garbage } }, [400]],
    ['as the user of a proxy that is none', { token: null, headers: { 'x-remote-user': garbage } }, [403]],
  ])('%s', async (_what, options, statuses) => {
    const { status } = await api.call(NODES, options);
    expect(statuses).toContain(status);
  });

  it('as the user of a proxy are a user whom nothing is allowed', async () => {
    expect((await api.get(NODES, { token: null, certificate: proxy, headers: { 'x-remote-user': garbage } })).status).toBe(403);
  });
});

describe('a header that comes twice', () => {
  it.each<[string, Call, unknown]>([
    ['a good token and a bad one', { headers: { authorization: [`Bearer ${ALICE}`, 'Bearer bad'] } }, 'alice'],
    ['a bad token and a good one', { headers: { authorization: ['Bearer bad', `Bearer ${ALICE}`] } }, 401],
    ['two users to be', { token: ADMIN, headers: { 'impersonate-user': ['a', 'b'] } }, 'a'],
    ['an empty user to be before another', { token: ADMIN, headers: { 'impersonate-user': ['', 'b'] } }, 'admin'],
  ])('counts as it came first: %s', async (_title, options, expected) => {
    const found = await who(options);
    expect(typeof found === 'object' && found !== null && 'username' in found ? found.username : found).toBe(expected);
  });
});

describe('a header whose name is escaped', () => {
  it.each(['impersonate%2duser', 'Impersonate%2DUser', 'x-remote%2duser', 'X%2dRemote%2dUser', 'impersonate_user', 'x_remote_user'])(
    '%s means nothing',
    async (name) => {
      for (const [token, username] of [
        [ADMIN, 'admin'],
        [ALICE, 'alice'],
      ] as const)
        expect(await who({ token, headers: { [name]: 'root' } })).toMatchObject({ username });
      expect(await who({ certificate: proxy, headers: { [name]: 'root' } })).toBe(401);
    },
  );

  it('has a value that stands as it is', async () => {
    expect(await who({ token: ADMIN, headers: { 'impersonate-user': 'a%62' } })).toMatchObject({ username: 'a%62' });
    expect(await who({ certificate: proxy, headers: { 'x-remote-user': 'a%62' } })).toMatchObject({ username: 'a%62' });
  });
});

it('a thousand groups of one user are a thousand groups', async () => {
  const groups = Array.from({ length: 1000 }, (_, n) => `g${n}`);
  const found = await who({ certificate: proxy, headers: { 'x-remote-user': 'ann', 'x-remote-group': groups } });
  expect(found).toMatchObject({ username: 'ann', groups: [...groups, 'system:authenticated'] });
});

describe('a certificate', () => {
  it.each<[string, () => Promise<Credential>]>([
    [
      'of an authority that merely bears the name',
      async () => clientOf(await createAuthority({ subject: { commonName: 'test-ca' }, lifetimeMs: HOUR_MS, clock: systemClock })),
    ],
    ['of the authority of proxies', () => clientOf(proxies)],
    ['of a server', () => clientOf(api.authority, 'jane', 'server')],
    ['of another client, who signed it as if he were an authority', async () => clientOf(await clientOf(api.authority))],
    [
      'whose time is over',
      () =>
        issueCertificate({
          subject: { commonName: 'jane', organizations: ['system:masters'] },
          lifetimeMs: 1,
          clock: { ...systemClock, now: () => Date.UTC(2020, 0, 1) },
          authority: api.authority,
          usage: 'client',
        }),
    ],
  ])('%s lets nobody in, not as nobody in particular either', async (_title, certificate) => {
    expect((await api.get('/version', { token: null, certificate: await certificate() })).status).toBe(401);
  });
});
