/** Tokens of service accounts and the reviews, over HTTP. What is expected was answered by the reference server. */
import { generateKeyPairSync } from 'node:crypto';
import { systemClock } from '../../../shared/runtime/clock';
import { readPrivateKey, readPublicKeys } from '../../../shared/api/identity/token-keys';
import { CERTIFICATE_REQUEST } from '../../support/certificate-request';
import { ADMIN, ALICE, call, json, startFixture, type Answer, type Fixture } from './fixture';

const HOST = 'https://kubernetes.default.svc';
const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const tokenKeys = { checking: readPublicKeys('sa.key', pem), signing: readPrivateKey('sa.key', pem) };

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({
    naming: 'kubernetes',
    apiAudiences: [HOST],
    serviceAccounts: {
      issuers: [HOST],
      keys: () => tokenKeys,
      maxExpirationSeconds: 7200,
      extendExpiration: true,
    },
  });
  await make('/api/v1/nodes', { metadata: { name: 'n' } });
  for (const name of ['sa', 'other']) await make('/api/v1/namespaces/default/serviceaccounts', { metadata: { name } });
  await makePod('p');
  await makePod('on-node', { nodeName: 'n' });
  await makePod('on-lost-node', { nodeName: 'lost' });
  await makePod('of-other', { serviceAccountName: 'other' });
  await make('/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
});
afterAll(() => fixture.stop());

async function post(path: string, body: object, token: string | null = ADMIN): Promise<Answer> {
  return call(fixture, path, { method: 'POST', body: JSON.stringify(body), token });
}

async function make(path: string, body: object): Promise<void> {
  const answer = await post(path, body);
  if (answer.status !== 201) throw new Error(answer.text);
}

function makePod(name: string, spec: object = {}): Promise<void> {
  const containers = [{ name: 'c', image: 'i' }];
  return make('/api/v1/namespaces/default/pods', { metadata: { name }, spec: { serviceAccountName: 'sa', containers, ...spec } });
}

const uidOf = async (path: string): Promise<unknown> => memberOf(json(await call(fixture, path)), 'metadata', 'uid');

function memberOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, member) =>
      typeof found === 'object' && found !== null ? Object.entries(found).find(([name]) => name === member)?.[1] : undefined,
    value,
  );
}

const TOKEN_PATH = '/api/v1/namespaces/default/serviceaccounts/sa/token';
const request = (spec: object = {}, path = TOKEN_PATH): Promise<Answer> =>
  post(path, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec });

async function tokenFor(spec: object = {}, path = TOKEN_PATH): Promise<string> {
  const token = memberOf(json(await request(spec, path)), 'status', 'token');
  if (typeof token !== 'string') throw new Error('no token');
  return token;
}

function claimsOf(token: string): Record<string, unknown> {
  const value: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return { ...Object(value) };
}

const bound = (kind: string, name: string, more: object = {}): object => ({ boundObjectRef: { kind, apiVersion: 'v1', name, ...more } });

describe('requests for tokens', () => {
  it('are answered with what was granted', async () => {
    const answer = await request({ audiences: ['a', 'b'], expirationSeconds: 600 });
    expect(answer.status).toBe(201);
    expect(json(answer)).toMatchObject({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'sa', namespace: 'default', managedFields: [{ subresource: 'token' }] },
      spec: { audiences: ['a', 'b'], expirationSeconds: 600, boundObjectRef: null },
    });
    const claims = claimsOf(await tokenFor());
    expect(claims).toMatchObject({ aud: [HOST], iss: HOST, sub: 'system:serviceaccount:default:sa' });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(3600);
    expect(claims['kubernetes.io']).toEqual({
      namespace: 'default',
      serviceaccount: { name: 'sa', uid: await uidOf('/api/v1/namespaces/default/serviceaccounts/sa') },
    });
  });

  it('are answered in the spelling of their body, as the path does not tell', async () => {
    const answer = await post(TOKEN_PATH, { apiVersion: 'authentication.platform.io/v1', kind: 'TokenRequest' });
    expect(json(answer)['apiVersion']).toBe('authentication.platform.io/v1');
    expect(json(await post(TOKEN_PATH, {}))['apiVersion']).toBe('authentication.k8s.io/v1');
  });

  it('are shortened to what may be asked for, with a warning', async () => {
    const answer = await request({ expirationSeconds: 7201 });
    expect(answer.headers['warning']).toBe('299 - "requested expiration of 7201 seconds shortened to 7200 seconds"');
    expect(json(answer)['spec']).toMatchObject({ expirationSeconds: 7200 });
  });

  it('of pods are good for a year when they are for this server and of the usual length', async () => {
    const length = async (spec: object): Promise<[number, number]> => {
      const claims = claimsOf(await tokenFor(spec));
      const from = Number(claims['iat']);
      return [Number(claims['exp']) - from, Number(memberOf(claims, 'kubernetes.io', 'warnafter') ?? from) - from];
    };
    expect(await length({ expirationSeconds: 3607, ...bound('Pod', 'p') })).toEqual([31_536_000, 3607]);
    expect(await length({ expirationSeconds: 3607, audiences: [HOST, 'x'], ...bound('Pod', 'p') })).toEqual([3607, 0]);
    expect(await length({ expirationSeconds: 3607, ...bound('Secret', 's') })).toEqual([3607, 0]);
    expect(await length({ expirationSeconds: 3606, ...bound('Pod', 'p') })).toEqual([3606, 0]);
    const { spec, status } = json(await request({ expirationSeconds: 3607, ...bound('Pod', 'p') }));
    expect(spec).toMatchObject({ expirationSeconds: 3607 });
    expect(Date.parse(String(memberOf(status, 'expirationTimestamp'))) - systemClock.now()).toBeLessThanOrEqual(3_607_000);
  });

  it('name what they are bound to', async () => {
    const node = { name: 'n', uid: await uidOf('/api/v1/nodes/n') };
    const claims = async (spec: object): Promise<unknown> => claimsOf(await tokenFor(spec))['kubernetes.io'];
    expect(await claims(bound('Pod', 'on-node'))).toMatchObject({ node, pod: { name: 'on-node' } });
    expect(await claims(bound('Pod', 'on-lost-node'))).toMatchObject({ node: { name: 'lost' } });
    expect(await claims(bound('Node', 'n', { uid: node.uid }))).toMatchObject({ node });
    expect(await claims(bound('Secret', 's', { apiVersion: '' }))).toMatchObject({ secret: { name: 's' } });
  });

  const UID =
    /the UID in the bound object reference \(zz\) does not match the UID in record. The object might have been deleted and then recreated$/;
  it.each<[string, object, number, string | RegExp]>([
    [
      'too short',
      { expirationSeconds: 599 },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      'too long',
      { expirationSeconds: 2 ** 32 + 1 },
      422,
      /Invalid value: 4294967297: may not specify a duration larger than 2\^32 seconds$/,
    ],
    [
      'of no number',
      { expirationSeconds: 'x' },
      400,
      /cannot unmarshal string into Go struct field TokenRequestSpec.spec.expirationSeconds of type int64$/,
    ],
    [
      'of another pod',
      bound('Pod', 'of-other'),
      400,
      'cannot bind token for serviceaccount "sa" to pod running with different serviceaccount name.',
    ],
    ['of a pod of another uid', bound('Pod', 'p', { uid: 'zz' }), 409, UID],
    ['of a node of another uid', bound('Node', 'n', { uid: 'zz' }), 409, UID],
    ['of a missing pod', bound('Pod', 'no'), 404, 'pods "no" not found'],
    ['of a missing Secret', bound('Secret', 'no'), 404, 'secrets "no" not found'],
    ['of a missing node', bound('Node', 'no'), 404, 'nodes "no" not found'],
    ['of a pod without a name', bound('Pod', ''), 400, 'Name parameter required.'],
    ['of nothing', { boundObjectRef: {} }, 400, 'cannot bind token to object of type /, Kind='],
    ['of another kind', bound('ConfigMap', 'p'), 400, 'cannot bind token to object of type /v1, Kind=ConfigMap'],
    [
      'of another group',
      { boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'p' } },
      400,
      'cannot bind token to object of type apps/v1, Kind=Deployment',
    ],
  ])('%s are refused', async (_case, spec, status, message) => {
    const answer = await request(spec);
    expect(answer.status).toBe(status);
    expect(json(answer)['message']).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  it('need an account, its name and rights', async () => {
    const refusal = async (answer: Promise<Answer>): Promise<unknown> => json(await answer)['message'];
    expect(await refusal(request({ expirationSeconds: 1 }, TOKEN_PATH.replace('/sa/', '/no/')))).toBe('serviceaccounts "no" not found');
    expect(await refusal(post(TOKEN_PATH, { metadata: { name: 'x' } }))).toBe(
      'TokenRequest.authentication.k8s.io "sa" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
    );
    expect(await refusal(post(TOKEN_PATH, {}, ALICE))).toBe(
      'serviceaccounts "sa" is forbidden: User "alice" cannot create resource "serviceaccounts/token" in API group "" in the namespace "default"',
    );
  });
});

describe('tokens', () => {
  const self = async (token: string): Promise<Answer> => post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, token);

  it('open the server for their account', async () => {
    const answer = await self(await tokenFor(bound('Pod', 'on-node')));
    expect(answer.status).toBe(201);
    expect(json(answer)).toMatchObject({
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
      status: {
        userInfo: {
          username: 'system:serviceaccount:default:sa',
          groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
          extra: { 'authentication.kubernetes.io/node-name': ['n'], 'authentication.kubernetes.io/pod-name': ['on-node'] },
        },
      },
    });
  });

  it('end at once with the account, and with what they are bound to', async () => {
    await make('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'brief' } });
    await makePod('brief', { serviceAccountName: 'brief' });
    const path = TOKEN_PATH.replace('/sa/', '/brief/');
    const [plain, ofPod] = [await tokenFor({}, path), await tokenFor(bound('Pod', 'brief'), path)];
    expect([(await self(plain)).status, (await self(ofPod)).status]).toEqual([201, 201]);
    await call(fixture, '/api/v1/namespaces/default/pods/brief?gracePeriodSeconds=0', { method: 'DELETE' });
    expect([(await self(plain)).status, (await self(ofPod)).status]).toEqual([201, 401]);
    await call(fixture, '/api/v1/namespaces/default/serviceaccounts/brief', { method: 'DELETE' });
    expect((await self(plain)).status).toBe(401);
    await make('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'brief' } });
    expect((await self(plain)).status).toBe(401);
  });

  it('for others, and forged ones, get the answer that says nothing', async () => {
    const token = await tokenFor();
    for (const wrong of [await tokenFor({ audiences: ['x'] }), `${token.slice(0, -4)}AAAA`, `${token}x`, 'x']) {
      const answer = await self(wrong);
      expect(answer.status).toBe(401);
      expect(answer.text).toBe(
        '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}\n',
      );
    }
  });

  it('can be checked by others with what this server publishes', async () => {
    const token = await tokenFor();
    const keys = json(await call(fixture, '/openid/v1/jwks'));
    const kid: unknown = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    expect(keys['keys']).toEqual([
      expect.objectContaining({ use: 'sig', kty: 'EC', crv: 'P-256', alg: 'ES256', kid: memberOf(kid, 'kid') }),
    ]);
    const configuration = await call(fixture, '/.well-known/openid-configuration', { token });
    expect(configuration.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' });
    expect(json(configuration)).toMatchObject({ issuer: HOST, id_token_signing_alg_values_supported: ['ES256'] });
    expect((await call(fixture, '/openid/v1/jwks', { token: ALICE })).status).toBe(403);
    const refused = await call(fixture, '/openid/v1/jwks', { headers: { accept: 'application/json' } });
    expect([refused.status, json(refused)['message']]).toEqual([
      406,
      '406: Not Acceptable\n\nAvailable representations: application/jwk-set+json',
    ]);
  });
});

describe('TokenReview', () => {
  const review = async (spec: object): Promise<unknown> =>
    json(await post('/apis/authentication.k8s.io/v1/tokenreviews', { spec }))['status'];

  it('tells whose a token is and for whom', async () => {
    const token = await tokenFor({ audiences: ['a', HOST] });
    const user = expect.objectContaining({ username: 'system:serviceaccount:default:sa' }) as unknown;
    expect(await review({ token })).toEqual({ authenticated: true, user, audiences: [HOST] });
    expect(await review({ token, audiences: ['x', 'a'] })).toEqual({ authenticated: true, user, audiences: ['a'] });
    const alice = { username: 'alice', uid: '2', groups: ['devs', 'system:authenticated'] };
    expect(await review({ token: ALICE })).toEqual({ authenticated: true, user: alice, audiences: [HOST] });
  });

  it.each([
    [{ token: 'x' }, 'invalid bearer token'],
    [{ token: ALICE, audiences: ['x'] }, 'invalid bearer token'],
    [{ token: ` ${ALICE} ` }, 'invalid bearer token'],
  ])('refuses %p', async (spec, error) => expect(await review(spec)).toEqual({ user: {}, error }));

  it('says why it refuses', async () => {
    const token = await tokenFor({ audiences: ['a'] });
    const error = `[invalid bearer token, token audiences ["a"] is invalid for the target audiences ["${HOST}"]]`;
    expect(await review({ token })).toEqual({ user: {}, error });
    expect(json(await post('/apis/authentication.k8s.io/v1/tokenreviews', {}))).toMatchObject({
      code: 400,
      message: 'token is required for TokenReview in authentication',
    });
  });
});

describe('access reviews', () => {
  const GROUP = '/apis/authorization.k8s.io/v1';
  const LOCAL = 'namespaces/default/localsubjectaccessreviews';
  const pods = (more: object = {}): object => ({ resourceAttributes: { verb: 'get', resource: 'pods', ...more } });
  const signing = (name: string): object => ({ verb: 'sign', group: 'certificates.k8s.io', resource: 'signers', name });
  const path = (name: string): object => ({ nonResourceAttributes: { path: name, verb: 'get' } });
  const unbound = (where: string): object => ({ allowed: false, reason: `no role is bound to user "x" or a group of it${where}` });
  const DISCOVERED = [
    '/api',
    '/api/*',
    '/apis',
    '/apis/*',
    '/healthz',
    '/livez',
    '/openapi',
    '/openapi/*',
    '/readyz',
    '/version',
    '/version/',
  ];
  const DISCOVERY = `{NonResourceURLs:[${DISCOVERED.map((name) => JSON.stringify(name)).join(' ')}], Verbs:["get"]}`;
  const by = (role: string, more = ''): object => ({
    allowed: true,
    reason: `RBAC: allowed by ClusterRoleBinding "${role}" of ClusterRole "${role}" to Group "system:authenticated"${more}`,
  });

  it.each<[string, object, string, object]>([
    ['subjectaccessreviews', { user: 'x', ...pods() }, ADMIN, unbound(' for the whole cluster')],
    ['subjectaccessreviews', { groups: ['system:masters'], ...pods() }, ADMIN, { allowed: true }],
    [
      'subjectaccessreviews',
      { groups: ['system:authenticated'], ...path('/api') },
      ADMIN,
      by('system:discovery', `; by the rule ${DISCOVERY}`),
    ],
    [LOCAL, { user: 'x', ...pods({ namespace: 'default' }) }, ADMIN, unbound(' for the whole cluster or the namespace "default"')],
    [
      'namespaces/none/localsubjectaccessreviews',
      { user: 'x', ...pods({ namespace: 'none' }) },
      ADMIN,
      unbound(' for the whole cluster or the namespace "none"'),
    ],
    ...['kubernetes.io', 'platform.io'].map((product): [string, object, string, object] => [
      'subjectaccessreviews',
      { user: 'system:serviceaccount:kube-system:certificate-controller', resourceAttributes: signing(`${product}/kubelet-serving`) },
      ADMIN,
      { allowed: true, reason: expect.stringContaining('system:controller:certificate-controller') },
    ]),
    ['selfsubjectaccessreviews', pods(), ADMIN, { allowed: true }],
    ['selfsubjectaccessreviews', pods(), ALICE, { allowed: false }],
    ['selfsubjectaccessreviews', path('/version'), ALICE, by('system:discovery')],
    [
      'selfsubjectaccessreviews',
      { resourceAttributes: { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectrulesreviews' } },
      ALICE,
      by('system:basic-user'),
    ],
  ])('%s of %j by %s', async (name, spec, token, status) => {
    const answer = await post(`${GROUP}/${name}`, { spec }, token);
    expect(answer.status).toBe(201);
    expect(json(answer)).toMatchObject({ apiVersion: 'authorization.k8s.io/v1', spec, metadata: { creationTimestamp: null }, status });
    expect(json(answer)['status']).toEqual(status);
  });

  const NEITHER =
    'spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified';
  const NOBODY = 'spec.user: Invalid value: "": at least one of user or group must be specified';
  const BOTH =
    'spec.nonResourceAttributes: Invalid value: {"path":"/","verb":"get"}: cannot be specified in combination with resourceAttributes';
  it.each<[string, object, string]>([
    ['subjectaccessreviews', {}, `[${NEITHER}, ${NOBODY}]`],
    ['subjectaccessreviews', { spec: pods() }, NOBODY],
    ['subjectaccessreviews', { spec: { user: 'x', ...pods(), ...path('/') } }, BOTH],
    [
      'subjectaccessreviews',
      { spec: { user: 'x', ...pods() }, metadata: { name: 'n' } },
      'metadata: Invalid value: {"name":"n"}: must be empty',
    ],
    [LOCAL, { spec: { user: 'x', ...pods() } }, 'spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace'],
    [
      LOCAL,
      { spec: { user: 'x', ...path('/') } },
      'spec.nonResourceAttributes: Invalid value: {"path":"/","verb":"get"}: disallowed on this kind of request',
    ],
    [
      LOCAL,
      { spec: { user: 'x', ...pods({ namespace: 'default' }) }, metadata: { name: 'n' } },
      'metadata: Invalid value: {"name":"n","namespace":"default"}: must be empty except for namespace',
    ],
    ['selfsubjectaccessreviews', {}, NEITHER],
  ])('%s refuses %j', async (name, body, text) => {
    const answer = await post(`${GROUP}/${name}`, body);
    expect(answer.status).toBe(422);
    expect(json(answer)['message']).toBe(`.authorization.k8s.io "" is invalid: ${text}`);
    expect(json(answer)['details']).not.toHaveProperty('kind');
  });

  it('lists what whoever asks may do, in the spelling that was asked in', async () => {
    const rules = async (spelling: string): Promise<unknown> =>
      json(await post(`/apis/authorization.${spelling}/v1/selfsubjectrulesreviews`, { spec: { namespace: 'default' } }, ALICE));
    const expected = (spelling: string): object => ({
      kind: 'SelfSubjectRulesReview',
      apiVersion: `authorization.${spelling}/v1`,
      metadata: { creationTimestamp: null },
      spec: {},
      status: {
        resourceRules: [
          {
            verbs: ['create'],
            apiGroups: [`authorization.${spelling}`],
            resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
          },
          { verbs: ['create'], apiGroups: [`authentication.${spelling}`], resources: ['selfsubjectreviews'] },
        ],
        nonResourceRules: [
          {
            verbs: ['get'],
            nonResourceURLs: [
              '/api',
              '/api/*',
              '/apis',
              '/apis/*',
              '/healthz',
              '/livez',
              '/openapi',
              '/openapi/*',
              '/readyz',
              '/version',
              '/version/',
            ],
          },
          { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
        ],
        incomplete: false,
      },
    });
    expect(await rules('k8s.io')).toEqual(expected('k8s.io'));
    expect(await rules('platform.io')).toEqual(expected('platform.io'));
    expect(json(await post(`${GROUP}/selfsubjectrulesreviews`, {}))).toMatchObject({ code: 400, message: 'no namespace on request' });
  });

  it('are for those who are known only', async () => {
    for (const name of ['selfsubjectaccessreviews', 'selfsubjectrulesreviews']) {
      expect((await post(`${GROUP}/${name}`, {}, null)).status).toBe(403);
    }
    expect((await post(`${GROUP}/subjectaccessreviews`, {}, ALICE)).status).toBe(403);
    expect((await call(fixture, `${GROUP}/subjectaccessreviews`)).status).toBe(405);
  });
});

it('a server without keys issues no tokens and takes none', async () => {
  const token = await tokenFor();
  const bare = await startFixture();
  try {
    const path = '/api/v1/namespaces/default/serviceaccounts';
    await call(bare, path, { method: 'POST', body: JSON.stringify({ metadata: { name: 'sa' } }) });
    const answer = await call(bare, `${path}/sa/token`, { method: 'POST', body: '{}' });
    expect(json(answer)).toMatchObject({ code: 404, message: 'the server could not find the requested resource' });
    expect((await call(bare, '/api', { token })).status).toBe(401);
    expect((await call(bare, '/openid/v1/jwks')).status).toBe(404);
  } finally {
    await bare.stop();
  }
});

it('tells others where to find its keys: under the address that it advertises', async () => {
  for (const path of ['/.well-known/openid-configuration', '/.well-known/openid-configuration/']) {
    const answer = await call(fixture, path);
    expect([answer.status, json(answer)['jwks_uri']]).toEqual([200, 'https://192.0.2.1:0/openid/v1/jwks']);
  }
  for (const path of ['/openid/v1/jwks', '/openid/v1/jwks/'])
    expect(json(await call(fixture, path))).toMatchObject({ keys: [{ kty: 'EC' }] });
  for (const method of ['POST', 'HEAD', 'OPTIONS']) expect((await call(fixture, '/openid/v1/jwks', { method })).status).toBe(405);
  expect(json(await call(fixture, '/'))['paths']).toEqual(expect.arrayContaining(['/.well-known/openid-configuration', '/openid/v1/jwks']));
});

it('a CertificateSigningRequest records username, uid, groups and extra of the requester and ignores those in the body', async () => {
  const body = {
    metadata: { name: 'whole-requester' },
    spec: {
      request: Buffer.from(CERTIFICATE_REQUEST).toString('base64'),
      signerName: 'example.com/signer',
      usages: ['client auth'],
      username: 'other',
      uid: 'other',
      groups: ['other'],
      extra: { other: ['x'] },
    },
  };
  const headers = {
    'impersonate-user': 'bob',
    'impersonate-uid': '77',
    'impersonate-group': 'system:masters',
    'impersonate-extra-scopes': ['a', 'b'],
    'impersonate-extra-x%2fy': 'c',
  };
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const answer = await call(fixture, path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(json(answer)['spec']).toEqual({
    request: body.spec.request,
    signerName: 'example.com/signer',
    usages: ['client auth'],
    username: 'bob',
    uid: '77',
    groups: ['system:masters', 'system:authenticated'],
    extra: { scopes: ['a', 'b'], 'x/y': ['c'] },
  });
});
