/**
 * Authentication with service account tokens: accepted and rejected claims, bound objects that change, tokens of
 * Secrets, and key rotation. Tokens are signed here; the bound objects are those of a fake.
 */
import { constants, createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import type { TokenOutcome } from '../authenticator';
import { serviceAccountTokenAuthenticator } from './authenticator';
import type { BindableResource, ObjectState, SecretToken } from './bound-objects';
import { readPublicKeys } from '../../../shared/api/identity/token-keys';

const names = GENERATED_NAMES.kubernetes;
const clock = new ManualClock(1_800_000_000_000);
/** The time of the clock in seconds since 1970. */
const now = 1_800_000_000;
const API = 'https://api';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKeyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = ({ privateKey }: { readonly privateKey: KeyObject }): string => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const [verifyingKey] = readPublicKeys('sa.key', pem(rsa));
const kid = verifyingKey?.id ?? '';
const HEAD = { alg: 'RS256', kid };

/** The objects in the cache of this replica, by `resource/namespace/name`. */
const cachedObjects = new Map<string, ObjectState>();
/** Objects that the cache receives when a caller waits until it is current. */
const arrivingObjects = new Map<string, ObjectState>();
/** The tokens in Secrets, by `namespace/name`. */
const secrets = new Map<string, SecretToken>();
/** The Secrets in `secrets` of every account. */
const accountSecrets: string[] = [];
/** The recorded uses, and the uses of tokens in Secrets as `namespace/name lastUsed`. */
const uses: string[] = [];
let currentKeys = { verifying: readPublicKeys('sa.key', pem(rsa)) };
const authenticator = serviceAccountTokenAuthenticator({
  issuers: [API, 'https://old'],
  keys: () => currentKeys,
  audiences: [API],
  objects: {
    find: (resource: BindableResource, namespace, name) => cachedObjects.get([resource, namespace, name].join('/')),
    secretToken: (namespace, name) => secrets.get(`${namespace}/${name}`),
    accountSecrets: () => accountSecrets,
    waitUntilCurrent: () => Promise.resolve(arrivingObjects.forEach((state, key) => cachedObjects.set(key, state))),
  },
  clock,
  names,
  useRecorder: {
    recordCacheLookup: () => undefined,
    recordUse: (use) => void uses.push(use),
    recordSecretUse: ({ namespace, name }, lastUsed) => void uses.push(`${namespace}/${name} ${lastUsed}`),
  },
});

beforeEach(() => {
  cachedObjects.clear();
  arrivingObjects.clear();
  secrets.clear();
  accountSecrets.length = 0;
  uses.length = 0;
  for (const key of ['serviceaccounts/ns/sa', 'pods/ns/p', 'secrets/ns/s', 'nodes//n'])
    cachedObjects.set(key, { uid: `uid of ${key}`, deletionTime: undefined });
});

const uid = { sa: 'uid of serviceaccounts/ns/sa', pod: 'uid of pods/ns/p', secret: 'uid of secrets/ns/s', node: 'uid of nodes//n' };

interface Payload {
  readonly [claim: string]: unknown;
  readonly 'kubernetes.io'?: object | undefined;
}

/** The claim `kubernetes.io` of a token of the account ns/sa that is bound to nothing else. */
const boundClaims = (changes: object = {}): object => ({ namespace: 'ns', serviceaccount: { name: 'sa', uid: uid.sa }, ...changes });
/** The claims of a valid token of ns/sa; `changes` replaces claims or, with `undefined`, removes them. */
const payload = (changes: Payload = {}): Payload => ({
  aud: [API],
  exp: now + 600,
  iat: now,
  iss: API,
  jti: 'j',
  'kubernetes.io': boundClaims(),
  nbf: now,
  sub: 'system:serviceaccount:ns:sa',
  ...changes,
});

/** One part of a token; a text is encoded as it is, so that it need not be valid JSON. */
const encodePart = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
/** A token that is signed by the known key unless another `signer` is given. `claims` may be a text. */
function token(claims: unknown = payload(), head: object = HEAD, signer: KeyObject | ((text: string) => Buffer) = rsa.privateKey): string {
  const text = `${encodePart(head)}.${encodePart(claims)}`;
  const signature = typeof signer === 'function' ? signer(text) : sign('sha256', Buffer.from(text), signer);
  return `${text}.${signature.toString('base64url')}`;
}

const authenticate = async (text: string, audiences: readonly string[] = [API]): Promise<TokenOutcome> =>
  authenticator.authenticate(text, audiences);
/** `user`, `none`, or the reason of a failure. */
const reasonOf = async (text: string): Promise<string> => {
  const outcome = await authenticate(text);
  return outcome.type === 'failed' ? outcome.reason : outcome.type;
};

describe('service account authentication', () => {
  it('accepts tokens of added keys and rejects tokens of removed keys', async () => {
    const text = token();
    expect(await authenticate(text)).toMatchObject({ type: 'user' });
    const originalKeys = currentKeys;
    currentKeys = { verifying: readPublicKeys('sa.key', pem(otherKeyPair)) };
    expect(await authenticate(text)).toMatchObject({ type: 'failed' });
    currentKeys = { verifying: [...currentKeys.verifying, ...originalKeys.verifying] };
    expect(await authenticate(text)).toMatchObject({ type: 'user' });
    currentKeys = originalKeys;
  });

  it('returns the account with its groups and the token id', async () => {
    expect(await authenticate(token())).toEqual({
      type: 'user',
      audiences: [API],
      user: {
        name: 'system:serviceaccount:ns:sa',
        uid: uid.sa,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j'] },
      },
    });
  });

  it('returns the bound pod and its node, which need not exist', async () => {
    const claims = boundClaims({ pod: { name: 'p', uid: uid.pod }, node: { name: 'gone', uid: 'x' } });
    expect(await authenticate(token(payload({ 'kubernetes.io': claims })))).toMatchObject({
      user: {
        extra: {
          'authentication.kubernetes.io/credential-id': ['JTI=j'],
          'authentication.kubernetes.io/node-name': ['gone'],
          'authentication.kubernetes.io/node-uid': ['x'],
          'authentication.kubernetes.io/pod-name': ['p'],
          'authentication.kubernetes.io/pod-uid': [uid.pod],
        },
      },
    });
  });

  /** The reason for a token with a signature that no key verifies. */
  const FORGED = 'square/go-jose: error in cryptographic primitive';
  const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' });

  it.each<[title: string, text: string]>([
    ['without a key id', token(payload(), { alg: 'RS256' })],
    ['with an empty key id', token(payload(), { alg: 'RS256', kid: '' })],
    ['of an additional issuer', token(payload({ iss: 'https://old' }))],
  ])('accepts a token %s', async (_case, text) => expect(await reasonOf(text)).toBe('user'));

  it.each<[title: string, text: string]>([
    ['of another issuer', token(payload({ iss: 'other' }))],
    ['whose issuer is a list', token(payload({ iss: [API] }))],
    ['of two parts', token().replace(/\.[\w-]+$/, '')],
    ['of four parts', `${token()}.x`],
    ['with base64 padding', `${token()}=`],
    ['whose claims are not JSON', token('hello')],
    ['whose claims are a list', token('[]')],
    ['over the length limit', token(payload({ more: 'y'.repeat(1 << 20) }))],
    ['nested too deeply', token('['.repeat(11_000) + ']'.repeat(11_000))],
  ])('ignores a token %s', async (_case, text) => expect(await reasonOf(text)).toBe('none'));

  it.each<[title: string, text: string, reason: string]>([
    ['with an unencoded payload (b64)', token(payload(), { ...HEAD, b64: false, crit: ['b64'] }), FORGED],
    ['with another key id', token(payload(), { alg: 'RS256', kid: 'x' }), 'invalid signature, no keys found'],
    ['unsigned', token(payload(), { alg: 'none', kid }, () => Buffer.alloc(0)), FORGED],
    ['unsigned, with a value in place of the signature', token(payload(), { alg: 'none' }, () => Buffer.from('x')), FORGED],
    ['without an algorithm', token(payload(), { kid }), FORGED],
    [
      'signed with the public key as a secret',
      token(payload(), { alg: 'HS256', kid }, (text) => createHmac('sha256', publicPem).update(text).digest()),
      FORGED,
    ],
    [
      'of an algorithm that does not match the key',
      token(payload(), { alg: 'RS384', kid }, (text) => sign('sha384', Buffer.from(text), rsa.privateKey)),
      FORGED,
    ],
    [
      'signed with PSS padding',
      token(payload(), { alg: 'PS256', kid }, (text) =>
        sign('sha256', Buffer.from(text), { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
      ),
      FORGED,
    ],
    [
      'that contains its own key',
      token(payload(), { alg: 'RS256', jwk: otherKeyPair.publicKey.export({ format: 'jwk' }) }, otherKeyPair.privateKey),
      FORGED,
    ],
    ['signed by another key under a known key id', token(payload(), HEAD, otherKeyPair.privateKey), FORGED],
    ['with a critical extension', token(payload(), { ...HEAD, crit: ['x'], x: 1 }), FORGED],
    ['with claims that the signature does not cover', token().replace(/\.[\w-]+\./, `.${encodePart(payload({ sub: 'x' }))}.`), FORGED],
    [
      'with a duplicate claim',
      token(JSON.stringify(payload()).replace('"sub":', '"sub":"admin","sub":')),
      "json: duplicate key 'sub' in object",
    ],
    [
      'with a duplicate claim of the account',
      token(JSON.stringify(payload()).replace('"namespace":', '"namespace":"x","namespace":')),
      "json: duplicate key 'namespace' in object",
    ],
  ])('rejects a token %s', async (_case, text, reason) => expect(await reasonOf(text)).toBe(reason));

  it.each<[title: string, changes: Payload]>([
    ['issued by a clock that is ahead by less than the leeway', { nbf: now + 59, iat: now + 59 }],
    ['with its audience as a string', { aud: API }],
    ['without an audience', { aud: undefined }],
    ['bound to a pod', { 'kubernetes.io': boundClaims({ pod: { name: 'p', uid: uid.pod } }) }],
    ['bound to a node', { 'kubernetes.io': boundClaims({ node: { name: 'n', uid: uid.node } }) }],
  ])('accepts a signed token %s', async (_case, changes) => expect(await reasonOf(token(payload(changes)))).toBe('user'));

  it.each<[title: string, changes: Payload, reason: string]>([
    ['expired by less than the leeway', { exp: now - 59 }, 'service account token has expired'],
    ['expired', { exp: now - 61 }, 'service account token has expired'],
    ['without an expiration', { exp: undefined }, 'service account token has expired'],
    ['whose expiration is a string', { exp: 'x' }, 'square/go-jose/jwt: expected number value to unmarshal NumericDate'],
    ['not valid yet', { nbf: now + 61 }, 'service account token is not valid yet'],
    ['issued in the future', { iat: now + 61 }, 'service account token is issued in the future'],
    ['for another audience', { aud: ['x', 'y'] }, `token audiences ["x" "y"] is invalid for the target audiences ["${API}"]`],
    ['whose audience is a number', { aud: 1 }, 'square/go-jose/jwt: expected string or array value to unmarshal to Audience'],
    ['without an account claim', { 'kubernetes.io': undefined }, 'resource name may not be empty'],
    [
      'of an account without a uid',
      { 'kubernetes.io': boundClaims({ serviceaccount: { name: 'sa' } }) },
      `service account UID (${uid.sa}) does not match claim ()`,
    ],
    ['of a missing account', { 'kubernetes.io': boundClaims({ serviceaccount: { name: 'no' } }) }, 'serviceaccounts "no" not found'],
    ['of another namespace', { 'kubernetes.io': boundClaims({ namespace: 'x' }) }, 'serviceaccounts "sa" not found'],
    [
      'bound to another pod of that name',
      { 'kubernetes.io': boundClaims({ pod: { name: 'p', uid: 'x' } }) },
      `pod UID (${uid.pod}) does not match service account pod ref claim (x)`,
    ],
    ['bound to a pod without a name', { 'kubernetes.io': boundClaims({ pod: {} }) }, 'service account token has been invalidated'],
    [
      'bound to a deleted Secret',
      { 'kubernetes.io': boundClaims({ secret: { name: 'no', uid: 'x' } }) },
      'service account token has been invalidated',
    ],
    [
      'bound to another Secret of that name',
      { 'kubernetes.io': boundClaims({ secret: { name: 's', uid: 'x' } }) },
      `secret UID (${uid.secret}) does not match service account secret ref claim (x)`,
    ],
    [
      'bound to another node of that name',
      { 'kubernetes.io': boundClaims({ node: { name: 'n', uid: 'x' } }) },
      `node UID (${uid.node}) does not match service account node ref claim (x)`,
    ],
    [
      'bound to a deleted node',
      { 'kubernetes.io': boundClaims({ node: { name: 'no', uid: 'x' } }) },
      'service account token has been invalidated',
    ],
  ])('rejects a signed token %s', async (_case, changes, reason) => expect(await reasonOf(token(payload(changes)))).toBe(reason));

  it('rejects a cached token as soon as its account or pod is deleted', async () => {
    const text = token(payload({ 'kubernetes.io': boundClaims({ pod: { name: 'p', uid: uid.pod } }) }));
    expect(await reasonOf(text)).toBe('user');
    expect(authenticator.authenticate(text, [API])).not.toBeInstanceOf(Promise);
    cachedObjects.delete('pods/ns/p');
    expect(await reasonOf(text)).toBe('service account token has been invalidated');
    cachedObjects.set('pods/ns/p', { uid: 'another', deletionTime: undefined });
    expect(await reasonOf(text)).toMatch('pod UID (another) does not match');
    cachedObjects.set('pods/ns/p', { uid: uid.pod, deletionTime: undefined });
    expect(await reasonOf(text)).toBe('user');
    cachedObjects.delete('serviceaccounts/ns/sa');
    expect(await reasonOf(text)).toBe('serviceaccounts "sa" not found');
  });

  it('accepts a token for a minute after its account is marked for deletion', async () => {
    const markDeleted = (key: string, agoMs: number): void =>
      void cachedObjects.set(key, { uid: `uid of ${key}`, deletionTime: clock.now() - agoMs });
    markDeleted('serviceaccounts/ns/sa', 60_000);
    expect(await reasonOf(token())).toBe('user');
    markDeleted('serviceaccounts/ns/sa', 60_001);
    expect(await reasonOf(token())).toBe('service account ns/sa has been deleted');
  });

  it('waits for the newest state before it rejects a token', async () => {
    arrivingObjects.set('serviceaccounts/ns/new', { uid: 'u', deletionTime: undefined });
    expect(await reasonOf(token(payload({ 'kubernetes.io': boundClaims({ serviceaccount: { name: 'new', uid: 'u' } }) })))).toBe('user');
  });

  it('checks the times of a cached token again and counts stale uses', async () => {
    const text = token(payload({ jti: 'timed', 'kubernetes.io': boundClaims({ warnafter: now + 1000 }), exp: now + 2000 }));
    expect(await reasonOf(text)).toBe('user');
    // 1.5 seconds after `warnafter`.
    clock.advance(1_001_500);
    expect(await authenticate(text)).toMatchObject({
      auditAnnotations: [
        ['authentication.platform.io/stale-token', 'subject: system:serviceaccount:ns:sa, seconds after warning threshold: 1'],
      ],
    });
    expect(uses).toEqual(['fresh', 'stale']);
    // More than 2000 seconds in all.
    clock.advance(1_100_000);
    expect(await reasonOf(text)).toBe('service account token has expired');
  });
});

describe('service account token in a Secret', () => {
  const legacy = (changes: Payload = {}): string =>
    token({
      iss: 'kubernetes/serviceaccount',
      sub: 'system:serviceaccount:ns:sa',
      'kubernetes.io/serviceaccount/namespace': 'ns',
      'kubernetes.io/serviceaccount/secret.name': 's',
      'kubernetes.io/serviceaccount/service-account.name': 'sa',
      'kubernetes.io/serviceaccount/service-account.uid': uid.sa,
      ...changes,
    });
  /** Stores the token in the Secret ns/s and returns it. */
  const storeInSecret = (text: string, labels: Partial<SecretToken> = {}): string => {
    secrets.set('ns/s', { token: text, invalidSince: '', lastUsed: '', ...labels });
    return text;
  };

  it('is valid without expiration and audience while its Secret contains it', async () => {
    const text = storeInSecret(legacy());
    expect(await authenticate(text)).toEqual({
      type: 'user',
      audiences: [API],
      user: { name: 'system:serviceaccount:ns:sa', uid: uid.sa, groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'] },
      auditAnnotations: [
        ['authentication.platform.io/legacy-token', 'system:serviceaccount:ns:sa'],
        ['authentication.platform.io/legacy-token-manual-secret', 's'],
      ],
    });
    const anotherToken = legacy({ more: 1 });
    storeInSecret(anotherToken);
    expect(await reasonOf(text)).toBe("Token does not match server's copy");
    secrets.clear();
    expect(await reasonOf(text)).toBe('Token has been invalidated');
  });

  it('is rejected for audiences of other servers, without a recorded use of its Secret', async () => {
    const text = storeInSecret(legacy());
    expect(await authenticate(text, ['x'])).toMatchObject({
      type: 'failed',
      reason: `token audiences ["${API}"] is invalid for the target audiences ["x"]`,
    });
    expect(uses).toEqual(['implicit']);
  });

  it('is rejected when its Secret is marked for deletion', async () => {
    const text = storeInSecret(legacy());
    cachedObjects.set('secrets/ns/s', { uid: uid.secret, deletionTime: clock.now() });
    expect(await reasonOf(text)).toBe('Token has been invalidated');
  });

  it('records the use of a token in a manually created Secret', async () => {
    const text = storeInSecret(legacy(), { lastUsed: '2026-01-02' });
    expect(await authenticate(text)).not.toHaveProperty('warning');
    expect(uses).toEqual(['implicit', 'manual', 'ns/s 2026-01-02']);
  });

  it('records the use of a token in a Secret that the account lists, and warns the client', async () => {
    accountSecrets.push('other', 's');
    const text = storeInSecret(legacy(), { lastUsed: '2026-01-02' });
    expect(await authenticate(text)).toMatchObject({
      warning:
        'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
      auditAnnotations: [
        ['authentication.platform.io/legacy-token', 'system:serviceaccount:ns:sa'],
        ['authentication.platform.io/legacy-token-autogenerated-secret', 's'],
      ],
    });
    expect(uses).toEqual(['implicit', 'automatic', 'ns/s 2026-01-02']);
  });

  it('is rejected when its Secret is marked invalid, with a recorded use', async () => {
    const text = storeInSecret(legacy(), { invalidSince: 'an unknown date', lastUsed: '2026-01-02' });
    expect(await reasonOf(text)).toMatch(/^the token in secret ns\/s for service account ns\/sa has been marked invalid\. /);
    expect(uses).toEqual(['implicit', 'invalid', 'ns/s 2026-01-02']);
  });

  it('has no recorded use of its Secret when the Secret contains another token', async () => {
    const text = legacy();
    storeInSecret('another');
    expect(await reasonOf(text)).toBe("Token does not match server's copy");
    expect(uses).toEqual(['implicit']);
  });

  const claim = (name: string): string => `kubernetes.io/serviceaccount/${name}`;
  it.each<[changes: Payload, reason: string]>([
    [{ [claim('secret.name')]: undefined }, 'secretName claim is missing'],
    [{ [claim('namespace')]: undefined }, 'namespace claim is missing'],
    [{ [claim('service-account.name')]: undefined }, 'serviceAccountName claim is missing'],
    [{ [claim('service-account.uid')]: undefined }, 'serviceAccountUID claim is missing'],
    [{ sub: 'x' }, 'sub claim is invalid'],
    [{ [claim('service-account.uid')]: 'x' }, `ServiceAccount UID (${uid.sa}) does not match claim (x)`],
    [{ [claim('service-account.name')]: 'no', sub: 'system:serviceaccount:ns:no' }, 'serviceaccounts "no" not found'],
  ])('is rejected with the claims %j: %s', async (changes, reason) => expect(await reasonOf(storeInSecret(legacy(changes)))).toBe(reason));
});
