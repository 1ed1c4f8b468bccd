/**
 * TokenRequests, service account tokens, token reviews and access reviews over HTTP. The expected responses are those
 * of the reference server.
 */
import { systemClock } from '../../../shared/runtime/clock';
import { CERTIFICATE_REQUEST } from '../../support/certificates/certificate-request';
import { ADMIN, ALICE, type ApiResponse } from './api-call';
import { useServer, useStarter } from './fixture';
import { serviceAccountOptions } from './fixture-options';

const HOST = 'https://kubernetes.default.svc';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const PODS = '/api/v1/namespaces/default/pods';
const TOKENS = `${ACCOUNTS}/sa/token`;
const ACCOUNT = 'system:serviceaccount:default:sa';

const start = useStarter();
const api = useServer({
  naming: 'kubernetes',
  apiAudiences: [HOST],
  serviceAccounts: serviceAccountOptions({ issuers: [HOST], maxExpirationSeconds: 7200, extendExpiration: true }),
});
beforeAll(async () => {
  await api.create('/api/v1/nodes', { metadata: { name: 'n' } });
  for (const name of ['sa', 'other']) await api.create(ACCOUNTS, { metadata: { name } });
  await createPod('p');
  await createPod('on-node', { nodeName: 'n' });
  await createPod('on-lost-node', { nodeName: 'lost' });
  await createPod('of-other', { serviceAccountName: 'other' });
  await api.create('/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
});

const createPod = (name: string, spec: object = {}): Promise<ApiResponse> =>
  api.create(PODS, { metadata: { name }, spec: { serviceAccountName: 'sa', containers: [{ name: 'c', image: 'i' }], ...spec } });
const uidOf = async (path: string): Promise<unknown> => Object((await api.read(path))['metadata']).uid;

const requestToken = (spec: object = {}, path = TOKENS): Promise<ApiResponse> =>
  api.post(path, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec });
const tokenFor = async (spec: object = {}, path = TOKENS): Promise<string> => Object((await requestToken(spec, path)).json['status']).token;
const decodeTokenPart = (token: string, part: 0 | 1) =>
  Object(JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString()));
const claimsFor = async (spec: object = {}) => decodeTokenPart(await tokenFor(spec), 1);

const boundTo = (kind: string, name: string, more: object = {}): object => ({ boundObjectRef: { kind, apiVersion: 'v1', name, ...more } });

describe('a TokenRequest', () => {
  it('returns the granted audiences and expiration', async () => {
    const response = await requestToken({ audiences: ['a', 'b'], expirationSeconds: 600 });
    expect(response.status).toBe(201);
    expect(response.json).toMatchObject({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'sa', namespace: 'default', managedFields: [{ subresource: 'token' }] },
      spec: { audiences: ['a', 'b'], expirationSeconds: 600, boundObjectRef: null },
    });
    const claims = await claimsFor();
    expect(claims).toMatchObject({ aud: [HOST], iss: HOST, sub: ACCOUNT });
    expect(claims.exp - claims.iat).toBe(3600);
    const serviceaccount = { name: 'sa', uid: await uidOf(`${ACCOUNTS}/sa`) };
    expect(claims['kubernetes.io']).toEqual({ namespace: 'default', serviceaccount });
  });

  it('gets a response in the dialect of its body, because its path has none', async () => {
    const response = await api.post(TOKENS, { apiVersion: 'authentication.platform.io/v1', kind: 'TokenRequest' });
    expect(response.json['apiVersion']).toBe('authentication.platform.io/v1');
    expect((await api.post(TOKENS, {})).json['apiVersion']).toBe('authentication.k8s.io/v1');
  });

  it('is granted the maximum expiration with a warning when it asks for more', async () => {
    const response = await requestToken({ expirationSeconds: 7201 });
    expect(response.warnings).toEqual(['requested expiration of 7201 seconds shortened to 7200 seconds']);
    expect(response.json['spec']).toMatchObject({ expirationSeconds: 7200 });
  });

  it('of a pod is extended to a year when it is for this server and of the usual length', async () => {
    const lengths = async (spec: object): Promise<[number, number]> => {
      const { exp, iat, 'kubernetes.io': kubernetesClaims } = await claimsFor(spec);
      return [exp - iat, (kubernetesClaims.warnafter ?? iat) - iat];
    };
    const usual = { expirationSeconds: 3607, ...boundTo('Pod', 'p') };
    expect(await lengths(usual)).toEqual([31_536_000, 3607]);
    expect(await lengths({ ...usual, audiences: [HOST, 'x'] })).toEqual([3607, 0]);
    expect(await lengths({ expirationSeconds: 3607, ...boundTo('Secret', 's') })).toEqual([3607, 0]);
    expect(await lengths({ ...usual, expirationSeconds: 3606 })).toEqual([3606, 0]);
    const { spec, status } = (await requestToken(usual)).json;
    expect(spec).toMatchObject({ expirationSeconds: 3607 });
    expect(Date.parse(Object(status).expirationTimestamp) - systemClock.now()).toBeLessThanOrEqual(3_607_000);
  });

  it('puts the object that it is bound to into the claims', async () => {
    const node = { name: 'n', uid: await uidOf('/api/v1/nodes/n') };
    const claims = async (spec: object): Promise<unknown> => (await claimsFor(spec))['kubernetes.io'];
    expect(await claims(boundTo('Pod', 'on-node'))).toMatchObject({ node, pod: { name: 'on-node' } });
    expect(await claims(boundTo('Pod', 'on-lost-node'))).toMatchObject({ node: { name: 'lost' } });
    expect(await claims(boundTo('Node', 'n', { uid: node.uid }))).toMatchObject({ node });
    expect(await claims(boundTo('Secret', 's', { apiVersion: '' }))).toMatchObject({ secret: { name: 's' } });
  });

  const INVALID = 'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ';
  const UID = /the UID in the bound object reference \(zz\) does not match the UID in record. The object might have been deleted and then/;
  const NO_NUMBER = /cannot unmarshal string into Go struct field TokenRequestSpec.spec.expirationSeconds of type int64$/;
  const UNBINDABLE = 'cannot bind token to object of type ';
  it.each<[string, object, number, string | RegExp]>([
    ['for less than 10 minutes', { expirationSeconds: 599 }, 422, `${INVALID}599: may not specify a duration less than 10 minutes`],
    ['for too long', { expirationSeconds: 2 ** 32 + 1 }, 422, `${INVALID}4294967297: may not specify a duration larger than 2^32 seconds`],
    ['for no number of seconds', { expirationSeconds: 'x' }, 400, NO_NUMBER],
    ['for the pod of another account', boundTo('Pod', 'of-other'), 400, /"sa" to pod running with different serviceaccount name.$/],
    ['for a pod of another uid', boundTo('Pod', 'p', { uid: 'zz' }), 409, UID],
    ['for a node of another uid', boundTo('Node', 'n', { uid: 'zz' }), 409, UID],
    ['for a missing pod', boundTo('Pod', 'no'), 404, 'pods "no" not found'],
    ['for a missing Secret', boundTo('Secret', 'no'), 404, 'secrets "no" not found'],
    ['for a missing node', boundTo('Node', 'no'), 404, 'nodes "no" not found'],
    ['for a pod without a name', boundTo('Pod', ''), 400, 'Name parameter required.'],
    ['for nothing', { boundObjectRef: {} }, 400, `${UNBINDABLE}/, Kind=`],
    ['for another kind', boundTo('ConfigMap', 'p'), 400, `${UNBINDABLE}/v1, Kind=ConfigMap`],
    ['for another group', boundTo('Deployment', 'p', { apiVersion: 'apps/v1' }), 400, `${UNBINDABLE}apps/v1, Kind=Deployment`],
  ])('%s is rejected', async (_case, spec, status, message) => {
    expect((await requestToken(spec)).refusal).toEqual([status, typeof message === 'string' ? message : expect.stringMatching(message)]);
  });

  it('is rejected without an account', async () => {
    const missing = await requestToken({ expirationSeconds: 1 }, TOKENS.replace('/sa/', '/no/'));
    expect(missing.message).toBe('serviceaccounts "no" not found');
  });

  it('is rejected with the name of another account', async () => {
    expect((await api.post(TOKENS, { metadata: { name: 'x' } })).message).toBe(
      'TokenRequest.authentication.k8s.io "sa" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
    );
  });

  it('is rejected without permission', async () => {
    expect((await api.post(TOKENS, {}, { token: ALICE })).message).toBe(
      'serviceaccounts "sa" is forbidden: User "alice" cannot create resource "serviceaccounts/token" in API group "" in the namespace "default"',
    );
  });
});

describe('a token of a service account', () => {
  const createSelfReview = (token: string): Promise<ApiResponse> =>
    api.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { token });

  it('authenticates its account', async () => {
    const response = await createSelfReview(await tokenFor(boundTo('Pod', 'on-node')));
    expect(response.status).toBe(201);
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'];
    const extra = { 'authentication.kubernetes.io/node-name': ['n'], 'authentication.kubernetes.io/pod-name': ['on-node'] };
    const status = { userInfo: { username: ACCOUNT, groups, extra } };
    expect(response.json).toMatchObject({ kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1', status });
  });

  it('expires at once with its account and with the object that it is bound to', async () => {
    await api.create(ACCOUNTS, { metadata: { name: 'brief' } });
    await createPod('brief', { serviceAccountName: 'brief' });
    const path = TOKENS.replace('/sa/', '/brief/');
    const unbound = await tokenFor({}, path);
    const ofPod = await tokenFor(boundTo('Pod', 'brief'), path);
    expect([(await createSelfReview(unbound)).status, (await createSelfReview(ofPod)).status]).toEqual([201, 201]);
    await api.delete(`${PODS}/brief?gracePeriodSeconds=0`);
    expect([(await createSelfReview(unbound)).status, (await createSelfReview(ofPod)).status]).toEqual([201, 401]);
    await api.delete(`${ACCOUNTS}/brief`);
    expect((await createSelfReview(unbound)).status).toBe(401);
    await api.create(ACCOUNTS, { metadata: { name: 'brief' } });
    expect((await createSelfReview(unbound)).status).toBe(401);
  });

  it('for another audience and a forged one get nothing but Unauthorized', async () => {
    const token = await tokenFor();
    const unauthorized =
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}\n';
    for (const wrong of [await tokenFor({ audiences: ['x'] }), `${token.slice(0, -4)}AAAA`, `${token}x`, 'x'])
      expect(await createSelfReview(wrong)).toMatchObject({ status: 401, text: unauthorized });
  });

  it('can be verified with the published keys', async () => {
    const token = await tokenFor();
    const key = { use: 'sig', kty: 'EC', crv: 'P-256', alg: 'ES256', kid: decodeTokenPart(token, 0).kid };
    expect((await api.read('/openid/v1/jwks'))['keys']).toEqual([expect.objectContaining(key)]);
    const configuration = await api.get('/.well-known/openid-configuration', { token });
    expect(configuration.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' });
    expect(configuration.json).toMatchObject({ issuer: HOST, id_token_signing_alg_values_supported: ['ES256'] });
    expect((await api.get('/openid/v1/jwks', { token: ALICE })).status).toBe(403);
    const unacceptable = '406: Not Acceptable\n\nAvailable representations: application/jwk-set+json';
    expect((await api.get('/openid/v1/jwks', { accept: 'application/json' })).refusal).toEqual([406, unacceptable]);
  });

  it('is neither issued nor accepted by a server without keys', async () => {
    const token = await tokenFor();
    const withoutKeys = await start();
    await withoutKeys.post(ACCOUNTS, { metadata: { name: 'sa' } });
    expect((await withoutKeys.post(TOKENS, {})).refusal).toEqual([404, 'the server could not find the requested resource']);
    expect((await withoutKeys.get('/api', { token })).status).toBe(401);
    expect((await withoutKeys.get('/openid/v1/jwks')).status).toBe(404);
  });
});

it('the OpenID configuration has the URL of the keys at the advertised address', async () => {
  for (const path of ['/.well-known/openid-configuration', '/.well-known/openid-configuration/'])
    expect((await api.read(path))['jwks_uri']).toBe('https://192.0.2.1:0/openid/v1/jwks');
  for (const path of ['/openid/v1/jwks', '/openid/v1/jwks/']) expect(await api.read(path)).toMatchObject({ keys: [{ kty: 'EC' }] });
  for (const method of ['POST', 'HEAD', 'OPTIONS']) expect((await api.call('/openid/v1/jwks', { method })).status).toBe(405);
  expect((await api.read('/'))['paths']).toEqual(expect.arrayContaining(['/.well-known/openid-configuration', '/openid/v1/jwks']));
});

describe('a TokenReview', () => {
  const PATH = '/apis/authentication.k8s.io/v1/tokenreviews';
  const review = async (spec: object): Promise<unknown> => (await api.post(PATH, { spec })).json['status'];

  it('returns the user and the audiences of a token', async () => {
    const token = await tokenFor({ audiences: ['a', HOST] });
    const user = expect.objectContaining({ username: ACCOUNT });
    expect(await review({ token })).toEqual({ authenticated: true, user, audiences: [HOST] });
    expect(await review({ token, audiences: ['x', 'a'] })).toEqual({ authenticated: true, user, audiences: ['a'] });
    const alice = { username: 'alice', uid: '2', groups: ['devs', 'system:authenticated'] };
    expect(await review({ token: ALICE })).toEqual({ authenticated: true, user: alice, audiences: [HOST] });
  });

  it.each([{ token: 'x' }, { token: ALICE, audiences: ['x'] }, { token: ` ${ALICE} ` }])('does not authenticate %j', async (spec) =>
    expect(await review(spec)).toEqual({ user: {}, error: 'invalid bearer token' }),
  );

  it('returns the reason why a token does not authenticate', async () => {
    const token = await tokenFor({ audiences: ['a'] });
    const error = `[invalid bearer token, token audiences ["a"] is invalid for the target audiences ["${HOST}"]]`;
    expect(await review({ token })).toEqual({ user: {}, error });
  });

  it('is rejected without a token', async () => {
    expect((await api.post(PATH, {})).refusal).toEqual([400, 'token is required for TokenReview in authentication']);
  });
});

describe('access reviews', () => {
  const GROUP = '/apis/authorization.k8s.io/v1';
  const SUBJECT = 'subjectaccessreviews';
  const SELF = 'selfsubjectaccessreviews';
  const LOCAL = 'namespaces/default/localsubjectaccessreviews';
  const podAttributes = (more: object = {}): object => ({ resourceAttributes: { verb: 'get', resource: 'pods', ...more } });
  const signAttributes = (name: string): object => ({ verb: 'sign', group: 'certificates.k8s.io', resource: 'signers', name });
  const pathAttributes = (name: string): object => ({ nonResourceAttributes: { path: name, verb: 'get' } });
  const deniedWithoutRole = (scope: string): object => ({
    allowed: false,
    reason: `no role is bound to user "x" or its groups${scope}`,
  });
  const CLUSTER = ' for the whole cluster';
  const DISCOVERED = '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'.split(' ');
  const DISCOVERY = `{NonResourceURLs:[${DISCOVERED.map((name) => JSON.stringify(name)).join(' ')}], Verbs:["get"]}`;
  const allowedByRole = (role: string, more = ''): object => ({
    allowed: true,
    reason: `RBAC: allowed by ClusterRoleBinding "${role}" of ClusterRole "${role}" to Group "system:authenticated"${more}`,
  });
  const REVIEWS = { resourceAttributes: { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectrulesreviews' } };
  const CONTROLLER = 'system:serviceaccount:kube-system:certificate-controller';
  const allowedByControllerRole = { allowed: true, reason: expect.stringContaining('system:controller:certificate-controller') };

  it.each<[string, object, string, object]>([
    [SUBJECT, { user: 'x', ...podAttributes() }, ADMIN, deniedWithoutRole(CLUSTER)],
    [SUBJECT, { groups: ['system:masters'], ...podAttributes() }, ADMIN, { allowed: true }],
    [
      SUBJECT,
      { groups: ['system:authenticated'], ...pathAttributes('/api') },
      ADMIN,
      allowedByRole('system:discovery', `; by the rule ${DISCOVERY}`),
    ],
    [LOCAL, { user: 'x', ...podAttributes({ namespace: 'default' }) }, ADMIN, deniedWithoutRole(`${CLUSTER} or the namespace "default"`)],
    [
      LOCAL.replace('default', 'none'),
      { user: 'x', ...podAttributes({ namespace: 'none' }) },
      ADMIN,
      deniedWithoutRole(`${CLUSTER} or the namespace "none"`),
    ],
    [SUBJECT, { user: CONTROLLER, resourceAttributes: signAttributes('kubernetes.io/kubelet-serving') }, ADMIN, allowedByControllerRole],
    [SUBJECT, { user: CONTROLLER, resourceAttributes: signAttributes('platform.io/kubelet-serving') }, ADMIN, allowedByControllerRole],
    [SELF, podAttributes(), ADMIN, { allowed: true }],
    [SELF, podAttributes(), ALICE, { allowed: false }],
    [SELF, pathAttributes('/version'), ALICE, allowedByRole('system:discovery')],
    [SELF, REVIEWS, ALICE, allowedByRole('system:basic-user')],
  ])('%s return the decision on %j by %s', async (name, spec, token, status) => {
    const response = await api.post(`${GROUP}/${name}`, { spec }, { token });
    expect(response.status).toBe(201);
    expect(response.json).toMatchObject({ apiVersion: 'authorization.k8s.io/v1', spec, metadata: { creationTimestamp: null } });
    expect(response.json['status']).toEqual(status);
  });

  const EXACTLY_ONE = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  const NO_ATTRIBUTES = `spec.resourceAttributes: Invalid value: "null": ${EXACTLY_ONE}`;
  const NO_SUBJECT = 'spec.user: Invalid value: "": at least one of user or group must be specified';
  const PATH = 'spec.nonResourceAttributes: Invalid value: {"path":"/","verb":"get"}: ';
  const NAMESPACE = 'spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace';
  const NAMED_REVIEW = 'metadata: Invalid value: {"name":"n"}: must be empty';
  const NAMED_LOCAL_REVIEW = 'metadata: Invalid value: {"name":"n","namespace":"default"}: must be empty except for namespace';
  const metadata = { name: 'n' };
  it.each<[string, object, string]>([
    [SUBJECT, {}, `[${NO_ATTRIBUTES}, ${NO_SUBJECT}]`],
    [SUBJECT, { spec: podAttributes() }, NO_SUBJECT],
    [
      SUBJECT,
      { spec: { user: 'x', ...podAttributes(), ...pathAttributes('/') } },
      `${PATH}cannot be specified in combination with resourceAttributes`,
    ],
    [SUBJECT, { spec: { user: 'x', ...podAttributes() }, metadata }, NAMED_REVIEW],
    [LOCAL, { spec: { user: 'x', ...podAttributes() } }, NAMESPACE],
    [LOCAL, { spec: { user: 'x', ...pathAttributes('/') } }, `${PATH}disallowed on this kind of request`],
    [LOCAL, { spec: { user: 'x', ...podAttributes({ namespace: 'default' }) }, metadata }, NAMED_LOCAL_REVIEW],
    [SELF, {}, NO_ATTRIBUTES],
  ])('%s reject %j', async (name, body, text) => {
    const response = await api.post(`${GROUP}/${name}`, body);
    expect(response.refusal).toEqual([422, `.authorization.k8s.io "" is invalid: ${text}`]);
    expect(response.json['details']).not.toHaveProperty('kind');
  });

  it.each(['k8s.io', 'platform.io'])('selfsubjectrulesreviews list the permissions of the user in the spelling %s', async (spelling) => {
    const spec = { namespace: 'default' };
    const response = await api.post(`/apis/authorization.${spelling}/v1/selfsubjectrulesreviews`, { spec }, { token: ALICE });
    const creating = (group: string, ...resources: string[]) => ({ verbs: ['create'], apiGroups: [`${group}.${spelling}`], resources });
    expect(response.json).toEqual({
      kind: 'SelfSubjectRulesReview',
      apiVersion: `authorization.${spelling}/v1`,
      metadata: { creationTimestamp: null },
      spec: {},
      status: {
        resourceRules: [
          creating('authorization', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'),
          creating('authentication', 'selfsubjectreviews'),
        ],
        nonResourceRules: [
          { verbs: ['get'], nonResourceURLs: DISCOVERED },
          { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
        ],
        incomplete: false,
      },
    });
  });

  it('require a namespace for the list of permissions', async () => {
    expect((await api.post(`${GROUP}/selfsubjectrulesreviews`, {})).refusal).toEqual([400, 'no namespace on request']);
  });

  it('require authentication for those about oneself', async () => {
    for (const name of [SELF, 'selfsubjectrulesreviews'])
      expect((await api.post(`${GROUP}/${name}`, {}, { token: null })).status).toBe(403);
  });

  it('require permission for those about others', async () => {
    expect((await api.post(`${GROUP}/${SUBJECT}`, {}, { token: ALICE })).status).toBe(403);
  });

  it('cannot be read', async () => {
    expect((await api.get(`${GROUP}/${SUBJECT}`)).status).toBe(405);
  });
});

it('a CertificateSigningRequest records username, uid, groups and extra of the requester and ignores those in the body', async () => {
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
  const body = { metadata: { name: 'whole-requester' }, spec: { ...sent, ...ignored } };
  const response = await api.post('/apis/certificates.k8s.io/v1/certificatesigningrequests', body, { headers });
  const groups = ['system:masters', 'system:authenticated'];
  expect(response.json['spec']).toEqual({ ...sent, username: 'bob', uid: '77', groups, extra: { scopes: ['a', 'b'], 'x/y': ['c'] } });
});
