/** A proxy that authenticates others and says so in headers, and all who are none. */
import { systemClock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/runtime/pki';
import { type Call } from './call';
import { type Fixture, startFixture } from './fixture';

const HOUR_MS = 3_600_000;
const clock = systemClock;
const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
const ANN = { 'X-Remote-User': 'ann', 'X-Remote-Group': ['devs', 'ops'], 'X-Remote-Extra-Scopes': 'view' };

let api: Fixture;
let proxies: Credential;
let proxy: Credential;
let ordinary: Credential;

const clientOf = (authority: Credential, commonName: string): Promise<Credential> =>
  issueCertificate({ subject: { commonName }, lifetimeMs: HOUR_MS, clock, authority, usage: 'client' });

beforeAll(async () => {
  proxies = await createAuthority({ subject: { commonName: 'proxy-ca' }, lifetimeMs: HOUR_MS, clock });
  api = await startFixture({
    proxyCa: Buffer.from(proxies.certificate),
    frontProxy: {
      allowedNames: ['proxy'],
      usernameHeaders: ['x-remote-user'],
      groupHeaders: ['x-remote-group'],
      extraPrefixes: ['x-remote-extra-'],
    },
  });
  proxy = await clientOf(proxies, 'proxy');
  ordinary = await clientOf(api.authority, 'jane');
});
afterAll(() => api.stop());

async function who(options: Call): Promise<unknown> {
  const answer = await api.call(WHO, { token: null, method: 'POST', body: review, ...options });
  return answer.status === 201 ? answer.json['status'] : answer.status;
}
const named = (username: string): unknown => ({ userInfo: expect.objectContaining({ username }) as unknown });

it('speaks for whom it names', async () => {
  expect(await who({ certificate: proxy, headers: ANN })).toEqual({
    userInfo: { username: 'ann', groups: ['devs', 'ops', 'system:authenticated'], extra: { scopes: ['view'] } },
  });
});

it('is nobody itself: its certificate is none of a client', async () => {
  expect(await who({ certificate: proxy })).toBe(401);
  expect(await who({ certificate: proxy, headers: { 'X-Remote-Group': 'system:masters' } })).toBe(401);
});

it.each<[string, () => Call, unknown]>([
  ['with the certificate of an ordinary client is that client', () => ({ certificate: ordinary }), named('jane')],
  ['with a token is whose the token is', () => ({ token: 'alice-token' }), named('alice')],
  ['with nothing is nobody', () => ({}), 403],
])('who sends such headers %s', async (_title, options, expected) => {
  expect(await who({ headers: ANN, ...options() })).toEqual(expected);
});

it('of another name, or of an authority that merely bears the name, speaks for nobody', async () => {
  expect(await who({ certificate: await clientOf(proxies, 'other'), headers: ANN })).toBe(401);
  const forged = await createAuthority({ subject: { commonName: 'proxy-ca' }, lifetimeMs: HOUR_MS, clock });
  expect(await who({ certificate: await clientOf(forged, 'proxy'), headers: ANN })).toBe(401);
});

it('may let those whom it names act as others, as far as they may', async () => {
  const masters = { 'X-Remote-User': 'root', 'X-Remote-Group': 'system:masters', 'Impersonate-User': 'bob' };
  expect(await who({ certificate: proxy, headers: masters })).toEqual(named('bob'));
  expect(await who({ certificate: proxy, headers: { ...ANN, 'Impersonate-User': 'bob' } })).toBe(403);
});

it('is what others are told of as well', async () => {
  const map = await api.read('/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
  expect(map['data']).toEqual({
    'client-ca-file': api.authority.certificate,
    'requestheader-client-ca-file': proxies.certificate,
    'requestheader-allowed-names': '["proxy"]',
    'requestheader-username-headers': '["x-remote-user"]',
    'requestheader-group-headers': '["x-remote-group"]',
    'requestheader-extra-headers-prefix': '["x-remote-extra-"]',
  });
});
