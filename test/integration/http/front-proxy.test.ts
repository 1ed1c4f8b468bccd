/**
 * Authenticating proxies, credentials that imitate theirs, and malformed credentials: very long, repeated, escaped, or
 * signed by other authorities.
 */
import { systemClock as clock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/pki/certificates';
import { useResource } from '../../support/use-resource';
import { ADMIN, ALICE, type CallOptions } from './api-call';
import { useServer } from './fixture';
import { issueClientCertificate, HOUR_MS, issueServerCertificate } from './issue-certificates';

const NODES = '/api/v1/nodes';
/** Bytes: long, and less than the limit of a request's headers. */
const GARBAGE_LENGTH = 16 * 1024;
const ANN_HEADERS = { 'X-Remote-User': 'ann', 'X-Remote-Group': ['devs', 'ops'], 'X-Remote-Extra-Scopes': 'view' };

const createNamedAuthority = (commonName: string): Promise<Credential> =>
  createAuthority({ subject: { commonName }, lifetimeMs: HOUR_MS, clock });

const proxyAuthority = useResource(() => createNamedAuthority('proxy-ca'));
const api = useServer(() => ({
  proxyCa: Buffer.from(proxyAuthority().certificate),
  frontProxy: {
    allowedNames: ['proxy'],
    usernameHeaders: ['x-remote-user'],
    groupHeaders: ['x-remote-group'],
    extraPrefixes: ['x-remote-extra-'],
  },
}));
const proxy = useResource(() => issueClientCertificate(proxyAuthority(), 'proxy', []));

/** The user that a request authenticates as, or the status of the rejection. */
async function userOf(options: CallOptions): Promise<unknown> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const response = await api.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review, { token: null, ...options });
  return response.status === 201 ? Object(response.json['status']).userInfo : response.status;
}
const withUsername = (username: string): unknown => expect.objectContaining({ username });

describe('an authenticating proxy', () => {
  it('makes requests as the user that its headers name', async () => {
    const ann = { username: 'ann', groups: ['devs', 'ops', 'system:authenticated'], extra: { scopes: ['view'] } };
    expect(await userOf({ certificate: proxy(), headers: ANN_HEADERS })).toEqual(ann);
  });

  it('does not authenticate without a user header', async () => {
    expect(await userOf({ certificate: proxy() })).toBe(401);
    expect(await userOf({ certificate: proxy(), headers: { 'X-Remote-Group': 'system:masters' } })).toBe(401);
  });

  it('of another name, or of an authority with the same name, does not authenticate', async () => {
    expect(await userOf({ certificate: await issueClientCertificate(proxyAuthority(), 'other'), headers: ANN_HEADERS })).toBe(401);
    expect(
      await userOf({ certificate: await issueClientCertificate(await createNamedAuthority('proxy-ca'), 'proxy'), headers: ANN_HEADERS }),
    ).toBe(401);
  });

  it('impersonates users that its user may impersonate', async () => {
    const masters = { 'X-Remote-User': 'root', 'X-Remote-Group': 'system:masters', 'Impersonate-User': 'bob' };
    expect(await userOf({ certificate: proxy(), headers: masters })).toEqual(withUsername('bob'));
    expect(await userOf({ certificate: proxy(), headers: { ...ANN_HEADERS, 'Impersonate-User': 'bob' } })).toBe(403);
  });

  it('is published for extension servers', async () => {
    const map = await api.read('/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
    expect(map['data']).toEqual({
      'client-ca-file': api.authority.certificate,
      'requestheader-client-ca-file': proxyAuthority().certificate,
      'requestheader-allowed-names': '["proxy"]',
      'requestheader-username-headers': '["x-remote-user"]',
      'requestheader-group-headers': '["x-remote-group"]',
      'requestheader-extra-headers-prefix': '["x-remote-extra-"]',
    });
  });

  it('passes on a thousand groups of one user', async () => {
    const groups = Array.from({ length: 1000 }, (_, n) => `g${n}`);
    const user = await userOf({ certificate: proxy(), headers: { 'x-remote-user': 'ann', 'x-remote-group': groups } });
    expect(user).toMatchObject({ username: 'ann', groups: [...groups, 'system:authenticated'] });
  });
});

it.each<[string, () => Promise<CallOptions>, unknown]>([
  [
    'the certificate of an ordinary client',
    async () => ({ certificate: await issueClientCertificate(api.authority) }),
    withUsername('jane'),
  ],
  ['a token', async () => ({ token: ALICE }), withUsername('alice')],
  ['no credentials', async () => ({}), 403],
])('the headers of a proxy are ignored with %s', async (_title, options, expected) => {
  expect(await userOf({ headers: ANN_HEADERS, ...(await options()) })).toEqual(expected);
});

const GARBAGE: readonly (readonly [string, string])[] = [
  ['letters', 'a'.repeat(GARBAGE_LENGTH)],
  ['bytes that are no text', '\xff\xfe'.repeat(GARBAGE_LENGTH / 2)],
  ['escapes', '%00'.repeat(GARBAGE_LENGTH / 3)],
  ['commas', ','.repeat(GARBAGE_LENGTH)],
  ['blanks between letters', 'a '.repeat(GARBAGE_LENGTH / 2)],
  ['dots', '.'.repeat(GARBAGE_LENGTH)],
  ['colons', 'system:'.repeat(GARBAGE_LENGTH / 7)],
  ['a token of brackets', `${Buffer.from('['.repeat(GARBAGE_LENGTH / 4)).toString('base64url')}.${'A'.repeat(GARBAGE_LENGTH / 2)}.x`],
];
const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };

describe.each(GARBAGE)('16 KB of %s', (_title, garbage) => {
  it.each<[string, () => CallOptions, readonly number[]]>([
    ['a token', () => ({ token: garbage }), [401]],
    ['credentials of an unknown scheme', () => ({ token: null, headers: { authorization: garbage } }), [403]],
    ['WebSocket protocols', () => ({ token: null, headers: { ...upgrade, 'sec-websocket-protocol': garbage } }), [400, 403]],
    ['an impersonated user', () => ({ token: ALICE, headers: { 'impersonate-user': garbage } }), [403]],
    ['a user that an administrator impersonates', () => ({ headers: { 'impersonate-user': garbage } }), [403]],
    ['an impersonated group', () => ({ headers: { 'impersonate-user': 'x', 'impersonate-group': garbage } }), [403]],
    ['an impersonated uid without a user', () => ({ headers: { 'impersonate-uid': garbage } }), [400]],
    ['the user header of a client that is no proxy', () => ({ token: null, headers: { 'x-remote-user': garbage } }), [403]],
    ['the user header of a proxy', () => ({ token: null, certificate: proxy(), headers: { 'x-remote-user': garbage } }), [403]],
  ])('as %s are rejected', async (_title, options, statuses) => {
    expect(statuses).toContain((await api.get(NODES, options())).status);
  });
});

it.each<[string, CallOptions, unknown]>([
  ['a valid and an invalid token', { headers: { authorization: [`Bearer ${ALICE}`, 'Bearer bad'] } }, withUsername('alice')],
  ['an invalid and a valid token', { headers: { authorization: ['Bearer bad', `Bearer ${ALICE}`] } }, 401],
  ['two impersonated users', { token: ADMIN, headers: { 'impersonate-user': ['a', 'b'] } }, withUsername('a')],
  ['an empty impersonated user before another', { token: ADMIN, headers: { 'impersonate-user': ['', 'b'] } }, withUsername('admin')],
])('a repeated header with %s has its first value', async (_title, options, expected) => {
  expect(await userOf(options)).toEqual(expected);
});

it.each(['impersonate%2duser', 'Impersonate%2DUser', 'x-remote%2duser', 'X%2dRemote%2dUser', 'impersonate_user', 'x_remote_user'])(
  'the header %s, whose name is escaped, is ignored',
  async (name) => {
    const headers = { [name]: 'root' };
    expect(await userOf({ token: ADMIN, headers })).toEqual(withUsername('admin'));
    expect(await userOf({ token: ALICE, headers })).toEqual(withUsername('alice'));
    expect(await userOf({ certificate: proxy(), headers })).toBe(401);
  },
);

it('an escaped value of a header is not unescaped', async () => {
  expect(await userOf({ token: ADMIN, headers: { 'impersonate-user': 'a%62' } })).toEqual(withUsername('a%62'));
  expect(await userOf({ certificate: proxy(), headers: { 'x-remote-user': 'a%62' } })).toEqual(withUsername('a%62'));
});

const IN_2020 = { ...clock, now: () => Date.UTC(2020, 0, 1) };
const subject = { commonName: 'jane', organizations: ['system:masters'] };
it.each<[string, () => Promise<Credential>]>([
  ['of an authority with the same name', async () => issueClientCertificate(await createNamedAuthority('test-ca'))],
  ['of the authority of proxies', () => issueClientCertificate(proxyAuthority())],
  ['of a server', () => issueServerCertificate(api.authority)],
  ['that another client signed', async () => issueClientCertificate(await issueClientCertificate(api.authority))],
  ['that has expired', () => issueCertificate({ subject, lifetimeMs: 1, clock: IN_2020, authority: api.authority, usage: 'client' })],
])('a request with a certificate %s is rejected, also where anonymous requests are not', async (_title, certificate) => {
  expect((await api.get('/version', { token: null, certificate: await certificate() })).status).toBe(401);
});
