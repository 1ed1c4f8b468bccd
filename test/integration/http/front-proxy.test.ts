/** Authenticating proxies, credentials that look like theirs, and credentials in odd forms: endless, repeated, escaped, signed by others. */
import { systemClock as clock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/pki/certificates';
import { useResource } from '../../support/use-resource';
import { ADMIN, ALICE, type Call } from './call';
import { clientOf, HOUR_MS, serverOf, useServer } from './fixture';

const NODES = '/api/v1/nodes';
const LONG = 16 * 1024;
const ANN = { 'X-Remote-User': 'ann', 'X-Remote-Group': ['devs', 'ops'], 'X-Remote-Extra-Scopes': 'view' };

const authorityOf = (commonName: string): Promise<Credential> => createAuthority({ subject: { commonName }, lifetimeMs: HOUR_MS, clock });

const proxies = useResource(() => authorityOf('proxy-ca'));
const api = useServer(() => ({
  proxyCa: Buffer.from(proxies().certificate),
  frontProxy: {
    allowedNames: ['proxy'],
    usernameHeaders: ['x-remote-user'],
    groupHeaders: ['x-remote-group'],
    extraPrefixes: ['x-remote-extra-'],
  },
}));
const proxy = useResource(() => clientOf(proxies(), 'proxy', []));

/** The user that a request is made as, or the status of the rejection. */
async function who(options: Call): Promise<unknown> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await api.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review, { token: null, ...options });
  return answer.status === 201 ? Object(answer.json['status']).userInfo : answer.status;
}
const named = (username: string): unknown => expect.objectContaining({ username });

describe('an authenticating proxy', () => {
  it('makes requests as the user that its headers name', async () => {
    const ann = { username: 'ann', groups: ['devs', 'ops', 'system:authenticated'], extra: { scopes: ['view'] } };
    expect(await who({ certificate: proxy(), headers: ANN })).toEqual(ann);
  });

  it('does not authenticate without a user header', async () => {
    expect(await who({ certificate: proxy() })).toBe(401);
    expect(await who({ certificate: proxy(), headers: { 'X-Remote-Group': 'system:masters' } })).toBe(401);
  });

  it('of another name, or of an authority with the same name, does not authenticate', async () => {
    expect(await who({ certificate: await clientOf(proxies(), 'other'), headers: ANN })).toBe(401);
    expect(await who({ certificate: await clientOf(await authorityOf('proxy-ca'), 'proxy'), headers: ANN })).toBe(401);
  });

  it('may impersonate for users who may', async () => {
    const masters = { 'X-Remote-User': 'root', 'X-Remote-Group': 'system:masters', 'Impersonate-User': 'bob' };
    expect(await who({ certificate: proxy(), headers: masters })).toEqual(named('bob'));
    expect(await who({ certificate: proxy(), headers: { ...ANN, 'Impersonate-User': 'bob' } })).toBe(403);
  });

  it('is published for extension servers', async () => {
    const map = await api.read('/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
    expect(map['data']).toEqual({
      'client-ca-file': api.authority.certificate,
      'requestheader-client-ca-file': proxies().certificate,
      'requestheader-allowed-names': '["proxy"]',
      'requestheader-username-headers': '["x-remote-user"]',
      'requestheader-group-headers': '["x-remote-group"]',
      'requestheader-extra-headers-prefix': '["x-remote-extra-"]',
    });
  });

  it('passes on a thousand groups of one user', async () => {
    const groups = Array.from({ length: 1000 }, (_, n) => `g${n}`);
    const found = await who({ certificate: proxy(), headers: { 'x-remote-user': 'ann', 'x-remote-group': groups } });
    expect(found).toMatchObject({ username: 'ann', groups: [...groups, 'system:authenticated'] });
  });
});

it.each<[string, () => Promise<Call>, unknown]>([
  ['the certificate of an ordinary client', async () => ({ certificate: await clientOf(api.authority) }), named('jane')],
  ['a token', async () => ({ token: ALICE }), named('alice')],
  ['no credentials', async () => ({}), 403],
])('the headers of a proxy mean nothing with %s', async (_title, options, expected) => {
  expect(await who({ headers: ANN, ...(await options()) })).toEqual(expected);
});

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
const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };

describe.each(GARBAGE)('16 KB of %s', (_title, garbage) => {
  it.each<[string, () => Call, readonly number[]]>([
    ['a token', () => ({ token: garbage }), [401]],
    ['credentials of an unknown scheme', () => ({ token: null, headers: { authorization: garbage } }), [403]],
    ['WebSocket protocols', () => ({ token: null, headers: { ...upgrade, 'sec-websocket-protocol': garbage } }), [400, 403]],
    ['an impersonated user', () => ({ token: ALICE, headers: { 'impersonate-user': garbage } }), [403]],
    ['a user that an administrator impersonates', () => ({ headers: { 'impersonate-user': garbage } }), [403]],
    ['an impersonated group', () => ({ headers: { 'impersonate-user': 'x', 'impersonate-group': garbage } }), [403]],
    ['an impersonated uid without a user', () => ({ headers: { 'impersonate-uid': garbage } }), [400]],
    ['the user header of a client that is no proxy', () => ({ token: null, headers: { 'x-remote-user': garbage } }), [403]],
    ['the user header of a proxy', () => ({ token: null, certificate: proxy(), headers: { 'x-remote-user': garbage } }), [403]],
  ])('as %s are rejected', async (_what, options, statuses) => {
    expect(statuses).toContain((await api.get(NODES, options())).status);
  });
});

it.each<[string, Call, unknown]>([
  ['a valid and an invalid token', { headers: { authorization: [`Bearer ${ALICE}`, 'Bearer bad'] } }, named('alice')],
  ['an invalid and a valid token', { headers: { authorization: ['Bearer bad', `Bearer ${ALICE}`] } }, 401],
  ['two impersonated users', { token: ADMIN, headers: { 'impersonate-user': ['a', 'b'] } }, named('a')],
  ['an empty impersonated user before another', { token: ADMIN, headers: { 'impersonate-user': ['', 'b'] } }, named('admin')],
])('of a repeated header with %s the first counts', async (_title, options, expected) => {
  expect(await who(options)).toEqual(expected);
});

it.each(['impersonate%2duser', 'Impersonate%2DUser', 'x-remote%2duser', 'X%2dRemote%2dUser', 'impersonate_user', 'x_remote_user'])(
  'the header %s, whose name is escaped, means nothing',
  async (name) => {
    const headers = { [name]: 'root' };
    expect(await who({ token: ADMIN, headers })).toEqual(named('admin'));
    expect(await who({ token: ALICE, headers })).toEqual(named('alice'));
    expect(await who({ certificate: proxy(), headers })).toBe(401);
  },
);

it('an escaped value of a header is not unescaped', async () => {
  expect(await who({ token: ADMIN, headers: { 'impersonate-user': 'a%62' } })).toEqual(named('a%62'));
  expect(await who({ certificate: proxy(), headers: { 'x-remote-user': 'a%62' } })).toEqual(named('a%62'));
});

const IN_2020 = { ...clock, now: () => Date.UTC(2020, 0, 1) };
const subject = { commonName: 'jane', organizations: ['system:masters'] };
it.each<[string, () => Promise<Credential>]>([
  ['of an authority with the same name', async () => clientOf(await authorityOf('test-ca'))],
  ['of the authority of proxies', () => clientOf(proxies())],
  ['of a server', () => serverOf(api.authority)],
  ['that another client signed', async () => clientOf(await clientOf(api.authority))],
  ['that has expired', () => issueCertificate({ subject, lifetimeMs: 1, clock: IN_2020, authority: api.authority, usage: 'client' })],
])('a request with a certificate %s is rejected, also where anonymous requests are not', async (_title, certificate) => {
  expect((await api.get('/version', { token: null, certificate: await certificate() })).status).toBe(401);
});
