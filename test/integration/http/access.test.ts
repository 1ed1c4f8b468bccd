/**
 * Authentication by token and client certificate, the permissions of users without a role, the requester that the
 * server records, and the protection of the loopback listener.
 */
import { CERTIFICATE_REQUEST } from '../../support/certificates/certificate-request';
import { ALICE, responseStatus, type CallOptions } from './api-call';
import { useServer } from './fixture';
import { issueClientCertificate } from './issue-certificates';

const CONFIGMAP = '/api/v1/namespaces/default/configmaps/one';

const api = useServer();
beforeAll(() => api.createConfigMap('one'));

describe('a token', () => {
  it('that the server does not know does not authenticate', async () => {
    expect((await api.get('/api', { token: 'nope' })).refusal).toEqual([401, 'Unauthorized']);
  });
});

describe('a client certificate', () => {
  const issueForMaster = () => issueClientCertificate(api.authority, 'root', ['devs', 'system:masters']);

  it('authenticates a member of the group that it names', async () => {
    expect((await api.get(CONFIGMAP, { token: null, certificate: await issueForMaster() })).status).toBe(200);
  });

  it('authenticates the user that it names, with no other rights', async () => {
    const certificate = await issueClientCertificate(api.authority, 'bob', ['devs']);
    const response = await api.get(CONFIGMAP, { token: null, certificate });
    expect(response.message).toBe(
      'configmaps "one" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "default"',
    );
    expect(response.headers['x-content-type-options']).toBe('nosniff');
  });

  it('authenticates over HTTP/2 as well', async () => {
    const { certificate: cert, key } = await issueForMaster();
    const session = api.connectHttp2({ cert, key });
    expect(await responseStatus(session.request({ ':path': CONFIGMAP }))).toBe(200);
    session.destroy();
  });
});

describe('an anonymous request', () => {
  it.each([
    ['/version', 200],
    ['/readyz', 200],
    ['/livez/ping', 403],
    ['/api', 403],
  ])('for %s gets %i', async (path, status) => {
    expect((await api.get(path, { token: null })).status).toBe(status);
  });
});

describe('a user without a role', () => {
  it('may read discovery', async () => {
    expect((await api.get('/api', { token: ALICE })).status).toBe(200);
  });

  it.each([
    ['/api/v1/nodes', 'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope'],
    ['/metrics', 'forbidden: User "alice" cannot get path "/metrics"'],
  ])('may not read %s', async (path, message) => {
    expect((await api.get(path, { token: ALICE })).message).toBe(message);
  });
});

it('a CertificateSigningRequest records username, uid, groups and extra of the requester, not those in the body', async () => {
  const sent = {
    request: Buffer.from(CERTIFICATE_REQUEST).toString('base64'),
    signerName: 'example.com/signer',
    usages: ['client auth'],
  };
  const ignored = { username: 'other', uid: 'other', groups: ['other'], extra: { other: ['x'] } };
  const headers = {
    'impersonate-user': 'bob',
    'impersonate-uid': '77',
    'impersonate-group': 'system:masters',
    'impersonate-extra-scopes': ['a', 'b'],
    'impersonate-extra-x%2fy': 'c',
  };
  const body = { metadata: { name: 'recorded' }, spec: { ...sent, ...ignored } };
  const response = await api.post('/apis/certificates.platform.io/v1/certificatesigningrequests', body, { headers });
  const groups = ['system:masters', 'system:authenticated'];
  expect(response.json['spec']).toEqual({ ...sent, username: 'bob', uid: '77', groups, extra: { scopes: ['a', 'b'], 'x/y': ['c'] } });
});

/**
 * The listener without TLS authenticates requests without credentials as an administrator, so it must not serve
 * requests that a web page can make a browser send.
 */
describe('the loopback listener', () => {
  it.each<[string, Record<string, string>, number, CallOptions?]>([
    ['a plain request', {}, 200],
    ['a foreign Host', { host: 'evil.example' }, 403],
    ['a foreign Host with a port', { host: 'evil.example:8080' }, 403],
    ['the name of this machine as Host', { host: 'localhost' }, 200],
    ['an Origin', { origin: 'http://localhost' }, 403],
    ['an opaque Origin', { origin: 'null' }, 403],
    ['a CORS preflight', { origin: 'https://evil.example', 'access-control-request-method': 'POST' }, 403, { method: 'OPTIONS' }],
    ['a request from another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a request from a page of the same origin', { 'sec-fetch-site': 'same-origin' }, 403],
    ['an address that a user typed into a browser', { 'sec-fetch-site': 'none' }, 200],
    ['a body without a media type', { 'content-length': '2' }, 403, { method: 'PUT' }],
    ['the token of a user without a role', { authorization: `Bearer ${ALICE}` }, 403],
    ['an unknown token', { authorization: 'Bearer nope' }, 401],
  ])('responds to %s (%j) with %i and no CORS header', async (_title, headers, status, more = {}) => {
    const response = await api.call(CONFIGMAP, { local: true, token: null, headers, ...more });
    expect([response.status, response.headers['access-control-allow-origin']]).toEqual([status, undefined]);
  });
});
