/**
 * TokenRequests, the service account tokens that they return, the OpenID configuration, and TokenReviews over HTTP. The
 * expected responses are those of the reference server.
 */
import { systemClock } from '../../../shared/runtime/clock';
import { ALICE, type ApiResponse } from './api-call';
import { useServer, useStarter } from './fixture';
import { serviceAccountOptions } from './fixture-options';

const HOST = 'https://kubernetes.default.svc';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const PODS = '/api/v1/namespaces/default/pods';
const tokensOf = (account: string): string => `${ACCOUNTS}/${account}/token`;
const TOKENS = tokensOf('sa');
const USERNAME = 'system:serviceaccount:default:sa';

const CONFIGURATION = '/.well-known/openid-configuration';
const KEYS = '/openid/v1/jwks';

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
const issueToken = async (spec: object = {}, path = TOKENS): Promise<string> =>
  Object((await requestToken(spec, path)).json['status']).token;

/** The header and the claims of a JSON Web Token. */
function decodeToken(token: string) {
  const [header, claims] = token.split('.', 2).map((part) => Object(JSON.parse(Buffer.from(part, 'base64url').toString())));
  return { header, claims };
}
const issuedClaims = async (spec: object = {}) => decodeToken(await issueToken(spec)).claims;

/** The spec of a token that is valid as long as the object exists. */
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
  });

  it('without a spec returns a token for this server, which expires after an hour', async () => {
    const claims = await issuedClaims();
    expect(claims).toMatchObject({ aud: [HOST], iss: HOST, sub: USERNAME });
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

  describe('of the length that kubelets request', () => {
    /** With this expiration kubelets request the tokens of pods. Seconds. */
    const KUBELET_SECONDS = 3607;
    const YEAR_SECONDS = 31_536_000;
    const KUBELET_SPEC = { expirationSeconds: KUBELET_SECONDS, ...boundTo('Pod', 'p') };

    /** The seconds after which a token expires, and after which its use is warned of; the latter only for extended tokens. */
    async function lifetimeOf(spec: object): Promise<{ readonly expires: number; readonly warns?: number }> {
      const { exp, iat, 'kubernetes.io': kubernetesClaims } = await issuedClaims(spec);
      const { warnafter } = kubernetesClaims;
      return { expires: exp - iat, ...(warnafter === undefined ? {} : { warns: warnafter - iat }) };
    }

    it('is extended to a year for a pod and this server', async () => {
      expect(await lifetimeOf(KUBELET_SPEC)).toEqual({ expires: YEAR_SECONDS, warns: KUBELET_SECONDS });
    });

    it('returns the requested expiration, although the token is valid for longer', async () => {
      const { spec, status } = (await requestToken(KUBELET_SPEC)).json;
      expect(spec).toMatchObject({ expirationSeconds: KUBELET_SECONDS });
      expect(Date.parse(Object(status).expirationTimestamp) - systemClock.now()).toBeLessThanOrEqual(KUBELET_SECONDS * 1000);
    });

    it.each<[string, object]>([
      ['another audience', { ...KUBELET_SPEC, audiences: [HOST, 'x'] }],
      ['a Secret', { expirationSeconds: KUBELET_SECONDS, ...boundTo('Secret', 's') }],
    ])('is not extended for %s', async (_title, spec) => {
      expect(await lifetimeOf(spec)).toEqual({ expires: KUBELET_SECONDS });
    });
  });

  it('of another length is not extended', async () => {
    const { exp, iat } = await issuedClaims({ expirationSeconds: 3606, ...boundTo('Pod', 'p') });
    expect(exp - iat).toBe(3606);
  });

  describe('puts into the claims', () => {
    const claimsOf = async (spec: object): Promise<unknown> => (await issuedClaims(spec))['kubernetes.io'];
    const readNode = async () => ({ name: 'n', uid: await uidOf('/api/v1/nodes/n') });

    it('the pod that it is bound to, and the node of the pod', async () => {
      expect(await claimsOf(boundTo('Pod', 'on-node'))).toMatchObject({ node: await readNode(), pod: { name: 'on-node' } });
    });

    it('the name of the node of a pod also when the node does not exist', async () => {
      expect(await claimsOf(boundTo('Pod', 'on-lost-node'))).toMatchObject({ node: { name: 'lost' } });
    });

    it('the node that it is bound to', async () => {
      const node = await readNode();
      expect(await claimsOf(boundTo('Node', 'n', { uid: node.uid }))).toMatchObject({ node });
    });

    it('the Secret that it is bound to, also without an apiVersion', async () => {
      expect(await claimsOf(boundTo('Secret', 's', { apiVersion: '' }))).toMatchObject({ secret: { name: 's' } });
    });
  });

  const INVALID = 'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ';
  const UID = /the UID in the bound object reference \(zz\) does not match the UID in record. The object might have been deleted and then/;
  const NO_NUMBER = /cannot unmarshal string into Go struct field TokenRequestSpec.spec.expirationSeconds of type int64$/;
  const UNBINDABLE = 'cannot bind token to object of type ';
  it.each<[string, object, number, string | RegExp]>([
    ['for less than 10 minutes', { expirationSeconds: 599 }, 422, `${INVALID}599: may not specify a duration less than 10 minutes`],
    [
      'for more than 2^32 seconds',
      { expirationSeconds: 2 ** 32 + 1 },
      422,
      `${INVALID}4294967297: may not specify a duration larger than 2^32 seconds`,
    ],
    ['for a duration that is not a number', { expirationSeconds: 'x' }, 400, NO_NUMBER],
    ['for the pod of another account', boundTo('Pod', 'of-other'), 400, /"sa" to pod running with different serviceaccount name.$/],
    ['for a pod of another uid', boundTo('Pod', 'p', { uid: 'zz' }), 409, UID],
    ['for a node of another uid', boundTo('Node', 'n', { uid: 'zz' }), 409, UID],
    ['for a missing pod', boundTo('Pod', 'no'), 404, 'pods "no" not found'],
    ['for a missing Secret', boundTo('Secret', 'no'), 404, 'secrets "no" not found'],
    ['for a missing node', boundTo('Node', 'no'), 404, 'nodes "no" not found'],
    ['for a pod without a name', boundTo('Pod', ''), 400, 'Name parameter required.'],
    ['for an object without a kind', { boundObjectRef: {} }, 400, `${UNBINDABLE}/, Kind=`],
    ['for an object of another kind', boundTo('ConfigMap', 'p'), 400, `${UNBINDABLE}/v1, Kind=ConfigMap`],
    ['for an object of another group', boundTo('Deployment', 'p', { apiVersion: 'apps/v1' }), 400, `${UNBINDABLE}apps/v1, Kind=Deployment`],
  ])('%s is rejected', async (_title, spec, status, message) => {
    const [actualStatus, actualMessage] = (await requestToken(spec)).refusal;
    expect(actualStatus).toBe(status);
    if (typeof message === 'string') expect(actualMessage).toBe(message);
    else expect(actualMessage).toMatch(message);
  });

  it('is rejected when the account does not exist', async () => {
    const missing = await requestToken({ expirationSeconds: 1 }, tokensOf('no'));
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
    const response = await createSelfReview(await issueToken(boundTo('Pod', 'on-node')));
    expect(response.status).toBe(201);
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'];
    const extra = { 'authentication.kubernetes.io/node-name': ['n'], 'authentication.kubernetes.io/pod-name': ['on-node'] };
    const status = { userInfo: { username: USERNAME, groups, extra } };
    expect(response.json).toMatchObject({ kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1', status });
  });

  it('does not authenticate after its account or the object that it is bound to is deleted', async () => {
    await api.create(ACCOUNTS, { metadata: { name: 'brief' } });
    await createPod('brief', { serviceAccountName: 'brief' });
    const path = tokensOf('brief');
    const unbound = await issueToken({}, path);
    const ofPod = await issueToken(boundTo('Pod', 'brief'), path);
    const statuses = async () => ({ unbound: (await createSelfReview(unbound)).status, ofPod: (await createSelfReview(ofPod)).status });
    expect(await statuses()).toEqual({ unbound: 201, ofPod: 201 });
    await api.delete(`${PODS}/brief?gracePeriodSeconds=0`);
    expect(await statuses()).toEqual({ unbound: 201, ofPod: 401 });
    await api.delete(`${ACCOUNTS}/brief`);
    expect(await statuses()).toEqual({ unbound: 401, ofPod: 401 });
    // The new account has another uid.
    await api.create(ACCOUNTS, { metadata: { name: 'brief' } });
    expect(await statuses()).toEqual({ unbound: 401, ofPod: 401 });
  });

  it.each<[string, () => Promise<string>]>([
    ['for another audience', () => issueToken({ audiences: ['x'] })],
    ['with another signature', async () => `${(await issueToken()).slice(0, -4)}AAAA`],
    ['with a longer signature', async () => `${await issueToken()}x`],
    ['in another form', () => Promise.resolve('x')],
  ])('%s does not authenticate, and the response does not state why', async (_title, createToken) => {
    const unauthorized =
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}\n';
    expect(await createSelfReview(await createToken())).toMatchObject({ status: 401, text: unauthorized });
  });

  it('can be verified with the published keys', async () => {
    const token = await issueToken();
    const key = { use: 'sig', kty: 'EC', crv: 'P-256', alg: 'ES256', kid: decodeToken(token).header.kid };
    expect((await api.read(KEYS))['keys']).toEqual([expect.objectContaining(key)]);
    expect((await api.read(CONFIGURATION, { token }))['issuer']).toBe(HOST);
  });

  it('is neither issued nor accepted by a server without keys', async () => {
    const token = await issueToken();
    const withoutKeys = await start();
    await withoutKeys.create(ACCOUNTS, { metadata: { name: 'sa' } });
    expect((await withoutKeys.post(TOKENS, {})).refusal).toEqual([404, 'the server could not find the requested resource']);
    expect((await withoutKeys.get('/api', { token })).status).toBe(401);
    expect((await withoutKeys.get(KEYS)).status).toBe(404);
  });
});

describe('the OpenID configuration', () => {
  it('can be cached, and names the issuer and the signature algorithm', async () => {
    const { headers, json } = await api.get(CONFIGURATION);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' });
    expect(json).toMatchObject({ issuer: HOST, id_token_signing_alg_values_supported: ['ES256'] });
  });

  it.each(['', '/'])('at its path followed by "%s" has the URL of the keys at the advertised address', async (ending) => {
    expect((await api.read(`${CONFIGURATION}${ending}`))['jwks_uri']).toBe(`https://192.0.2.1:0${KEYS}`);
  });

  it('is listed among the paths of the server, with the keys', async () => {
    expect((await api.read('/'))['paths']).toEqual(expect.arrayContaining([CONFIGURATION, KEYS]));
  });
});

describe('the published keys', () => {
  it.each(['', '/'])('are served at their path followed by "%s"', async (ending) => {
    expect(await api.read(`${KEYS}${ending}`)).toMatchObject({ keys: [{ kty: 'EC' }] });
  });

  it.each(['POST', 'HEAD', 'OPTIONS'])('do not allow the method %s', async (method) => {
    expect((await api.call(KEYS, { method })).status).toBe(405);
  });

  it('need permission', async () => {
    expect((await api.get(KEYS, { token: ALICE })).status).toBe(403);
  });

  it('have a media type of their own only', async () => {
    const message = '406: Not Acceptable\n\nAvailable representations: application/jwk-set+json';
    expect((await api.get(KEYS, { accept: 'application/json' })).refusal).toEqual([406, message]);
  });
});

describe('a TokenReview', () => {
  const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
  /** Returns the status of the review. */
  const review = async (spec: object): Promise<unknown> => (await api.post(REVIEWS, { spec })).json['status'];

  it('returns the user of a token, and those of the requested audiences that the token has', async () => {
    const token = await issueToken({ audiences: ['a', HOST] });
    const user = expect.objectContaining({ username: USERNAME });
    expect(await review({ token })).toEqual({ authenticated: true, user, audiences: [HOST] });
    expect(await review({ token, audiences: ['x', 'a'] })).toEqual({ authenticated: true, user, audiences: ['a'] });
  });

  it('returns the user of a static token for the audiences of the server', async () => {
    const alice = { username: 'alice', uid: '2', groups: ['devs', 'system:authenticated'] };
    expect(await review({ token: ALICE })).toEqual({ authenticated: true, user: alice, audiences: [HOST] });
  });

  it.each([{ token: 'x' }, { token: ALICE, audiences: ['x'] }, { token: ` ${ALICE} ` }])('does not authenticate %j', async (spec) =>
    expect(await review(spec)).toEqual({ user: {}, error: 'invalid bearer token' }),
  );

  it('returns the reason why a token does not authenticate', async () => {
    const token = await issueToken({ audiences: ['a'] });
    const error = `[invalid bearer token, token audiences ["a"] is invalid for the target audiences ["${HOST}"]]`;
    expect(await review({ token })).toEqual({ user: {}, error });
  });

  it('is rejected without a token', async () => {
    expect((await api.post(REVIEWS, {})).refusal).toEqual([400, 'token is required for TokenReview in authentication']);
  });
});
