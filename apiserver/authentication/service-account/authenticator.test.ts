/**
 * Authentication with bound service account tokens: accepted and rejected claims, bound objects that change, and key
 * rotation. Tokens in Secrets are tested in legacy-token.test.ts.
 */
import { constants, createHmac, sign } from 'node:crypto';
import {
  createToken,
  createTokenFixture,
  encodePart,
  HEADER,
  ISSUER,
  keyId,
  keyPair,
  NOW,
  OLD_ISSUER,
  otherKeyPair,
  reasonOf,
  UIDS,
  verifyingKeysOf,
  type Payload,
} from '../../../test/support/objects/service-account-tokens';
import { useForEachTest } from '../../../test/support/use-resource';
import type { TokenOutcome } from '../authenticator';

const fixture = useForEachTest(createTokenFixture);

/** The claim `kubernetes.io` of a token of the account ns/sa that is bound to nothing else. */
const boundClaims = (changes: object = {}): object => ({
  namespace: 'ns',
  serviceaccount: { name: 'sa', uid: UIDS.account },
  ...changes,
});
/** The claims of a valid token of ns/sa; `changes` replaces claims or, with `undefined`, removes them. */
const payload = (changes: Payload = {}): Payload => ({
  aud: [ISSUER],
  exp: NOW + 600,
  iat: NOW,
  iss: ISSUER,
  jti: 'j',
  'kubernetes.io': boundClaims(),
  nbf: NOW,
  sub: 'system:serviceaccount:ns:sa',
  ...changes,
});
const VALID_TOKEN = createToken(payload());

const authenticate = async (token: string): Promise<TokenOutcome> => fixture().authenticator.authenticate(token, [ISSUER]);

describe('service account authentication', () => {
  it('accepts tokens of added keys and rejects tokens of removed keys', async () => {
    const { setKeys } = fixture();
    expect(await authenticate(VALID_TOKEN)).toMatchObject({ type: 'user' });
    setKeys(...verifyingKeysOf(otherKeyPair));
    expect(await authenticate(VALID_TOKEN)).toMatchObject({ type: 'failed' });
    setKeys(...verifyingKeysOf(otherKeyPair), ...verifyingKeysOf(keyPair));
    expect(await authenticate(VALID_TOKEN)).toMatchObject({ type: 'user' });
  });

  it('returns the account with its groups and the token id', async () => {
    expect(await authenticate(VALID_TOKEN)).toEqual({
      type: 'user',
      audiences: [ISSUER],
      user: {
        name: 'system:serviceaccount:ns:sa',
        uid: UIDS.account,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j'] },
      },
    });
  });

  it('returns the bound pod and its node, which need not exist', async () => {
    const claims = boundClaims({ pod: { name: 'p', uid: UIDS.pod }, node: { name: 'gone', uid: 'x' } });
    expect(await authenticate(createToken(payload({ 'kubernetes.io': claims })))).toMatchObject({
      user: {
        extra: {
          'authentication.kubernetes.io/credential-id': ['JTI=j'],
          'authentication.kubernetes.io/node-name': ['gone'],
          'authentication.kubernetes.io/node-uid': ['x'],
          'authentication.kubernetes.io/pod-name': ['p'],
          'authentication.kubernetes.io/pod-uid': [UIDS.pod],
        },
      },
    });
  });

  /** The reason for a token with a signature that no known key verifies. */
  const FORGED = 'square/go-jose: error in cryptographic primitive';
  const publicPem = keyPair.publicKey.export({ type: 'spki', format: 'pem' });

  it.each<[title: string, text: string]>([
    ['without a key id', createToken(payload(), { alg: 'RS256' })],
    ['with an empty key id', createToken(payload(), { alg: 'RS256', kid: '' })],
    ['of an additional issuer', createToken(payload({ iss: OLD_ISSUER }))],
  ])('accepts a token %s', async (_title, text) => expect(await reasonOf(fixture(), text)).toBe('user'));

  it.each<[title: string, text: string]>([
    ['of another issuer', createToken(payload({ iss: 'other' }))],
    ['whose issuer is a list', createToken(payload({ iss: [ISSUER] }))],
    ['of two parts', VALID_TOKEN.replace(/\.[\w-]+$/, '')],
    ['of four parts', `${VALID_TOKEN}.x`],
    ['with base64 padding', `${VALID_TOKEN}=`],
    ['whose claims are not JSON', createToken('hello')],
    ['whose claims are a list', createToken('[]')],
    ['over the length limit', createToken(payload({ more: 'y'.repeat(1 << 20) }))],
    ['nested too deeply', createToken('['.repeat(11_000) + ']'.repeat(11_000))],
  ])('ignores a token %s', async (_title, text) => expect(await reasonOf(fixture(), text)).toBe('none'));

  it.each<[title: string, text: string, reason: string]>([
    ['with an unencoded payload (b64)', createToken(payload(), { ...HEADER, b64: false, crit: ['b64'] }), FORGED],
    ['with another key id', createToken(payload(), { alg: 'RS256', kid: 'x' }), 'invalid signature, no keys found'],
    ['unsigned', createToken(payload(), { alg: 'none', kid: keyId }, () => Buffer.alloc(0)), FORGED],
    ['unsigned, with a value in place of the signature', createToken(payload(), { alg: 'none' }, () => Buffer.from('x')), FORGED],
    ['without an algorithm', createToken(payload(), { kid: keyId }), FORGED],
    [
      'signed with the public key as a secret',
      createToken(payload(), { alg: 'HS256', kid: keyId }, (text) => createHmac('sha256', publicPem).update(text).digest()),
      FORGED,
    ],
    [
      'of an algorithm that does not match the key',
      createToken(payload(), { alg: 'RS384', kid: keyId }, (text) => sign('sha384', Buffer.from(text), keyPair.privateKey)),
      FORGED,
    ],
    [
      'signed with PSS padding',
      createToken(payload(), { alg: 'PS256', kid: keyId }, (text) =>
        sign('sha256', Buffer.from(text), { key: keyPair.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
      ),
      FORGED,
    ],
    [
      'that contains its own key',
      createToken(payload(), { alg: 'RS256', jwk: otherKeyPair.publicKey.export({ format: 'jwk' }) }, otherKeyPair.privateKey),
      FORGED,
    ],
    ['signed by another key under a known key id', createToken(payload(), HEADER, otherKeyPair.privateKey), FORGED],
    ['with a critical extension', createToken(payload(), { ...HEADER, crit: ['x'], x: 1 }), FORGED],
    ['with claims that the signature does not cover', VALID_TOKEN.replace(/\.[\w-]+\./, `.${encodePart(payload({ sub: 'x' }))}.`), FORGED],
    [
      'with a duplicate claim',
      createToken(JSON.stringify(payload()).replace('"sub":', '"sub":"admin","sub":')),
      "json: duplicate key 'sub' in object",
    ],
    [
      'with a duplicate claim of the account',
      createToken(JSON.stringify(payload()).replace('"namespace":', '"namespace":"x","namespace":')),
      "json: duplicate key 'namespace' in object",
    ],
  ])('rejects a token %s', async (_title, text, reason) => expect(await reasonOf(fixture(), text)).toBe(reason));

  it.each<[title: string, changes: Payload]>([
    ['issued by a clock that is ahead by less than the leeway', { nbf: NOW + 59, iat: NOW + 59 }],
    ['with its audience as a string', { aud: ISSUER }],
    ['without an audience', { aud: undefined }],
    ['bound to a pod', { 'kubernetes.io': boundClaims({ pod: { name: 'p', uid: UIDS.pod } }) }],
    ['bound to a node', { 'kubernetes.io': boundClaims({ node: { name: 'n', uid: UIDS.node } }) }],
  ])('accepts a signed token %s', async (_title, changes) => expect(await reasonOf(fixture(), createToken(payload(changes)))).toBe('user'));

  it.each<[title: string, changes: Payload, reason: string]>([
    ['expired by less than the leeway', { exp: NOW - 59 }, 'service account token has expired'],
    ['expired', { exp: NOW - 61 }, 'service account token has expired'],
    ['without an expiration', { exp: undefined }, 'service account token has expired'],
    ['whose expiration is a string', { exp: 'x' }, 'square/go-jose/jwt: expected number value to unmarshal NumericDate'],
    ['not valid yet', { nbf: NOW + 61 }, 'service account token is not valid yet'],
    ['issued in the future', { iat: NOW + 61 }, 'service account token is issued in the future'],
    ['for another audience', { aud: ['x', 'y'] }, `token audiences ["x" "y"] is invalid for the target audiences ["${ISSUER}"]`],
    ['whose audience is a number', { aud: 1 }, 'square/go-jose/jwt: expected string or array value to unmarshal to Audience'],
    ['without an account claim', { 'kubernetes.io': undefined }, 'resource name may not be empty'],
    [
      'of an account without a uid',
      { 'kubernetes.io': boundClaims({ serviceaccount: { name: 'sa' } }) },
      `service account UID (${UIDS.account}) does not match claim ()`,
    ],
    ['of a missing account', { 'kubernetes.io': boundClaims({ serviceaccount: { name: 'no' } }) }, 'serviceaccounts "no" not found'],
    ['of another namespace', { 'kubernetes.io': boundClaims({ namespace: 'x' }) }, 'serviceaccounts "sa" not found'],
    [
      'bound to another pod of that name',
      { 'kubernetes.io': boundClaims({ pod: { name: 'p', uid: 'x' } }) },
      `pod UID (${UIDS.pod}) does not match service account pod ref claim (x)`,
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
      `secret UID (${UIDS.secret}) does not match service account secret ref claim (x)`,
    ],
    [
      'bound to another node of that name',
      { 'kubernetes.io': boundClaims({ node: { name: 'n', uid: 'x' } }) },
      `node UID (${UIDS.node}) does not match service account node ref claim (x)`,
    ],
    [
      'bound to a deleted node',
      { 'kubernetes.io': boundClaims({ node: { name: 'no', uid: 'x' } }) },
      'service account token has been invalidated',
    ],
  ])('rejects a signed token %s', async (_title, changes, reason) =>
    expect(await reasonOf(fixture(), createToken(payload(changes)))).toBe(reason),
  );

  it('rejects a cached token as soon as its account or pod is deleted', async () => {
    const text = createToken(payload({ 'kubernetes.io': boundClaims({ pod: { name: 'p', uid: UIDS.pod } }) }));
    expect(await reasonOf(fixture(), text)).toBe('user');
    // The token is cached: its decision needs no verification.
    expect(fixture().authenticator.authenticate(text, [ISSUER])).not.toBeInstanceOf(Promise);
    fixture().cachedObjects.delete('pods/ns/p');
    expect(await reasonOf(fixture(), text)).toBe('service account token has been invalidated');
    fixture().cachedObjects.set('pods/ns/p', { uid: 'another', deletionTime: undefined });
    expect(await reasonOf(fixture(), text)).toMatch('pod UID (another) does not match');
    fixture().cachedObjects.set('pods/ns/p', { uid: UIDS.pod, deletionTime: undefined });
    expect(await reasonOf(fixture(), text)).toBe('user');
    fixture().cachedObjects.delete('serviceaccounts/ns/sa');
    expect(await reasonOf(fixture(), text)).toBe('serviceaccounts "sa" not found');
  });

  it('accepts a token for a minute after its account is marked for deletion', async () => {
    const markDeleted = (key: string, agoMs: number): void =>
      void fixture().cachedObjects.set(key, { uid: `uid of ${key}`, deletionTime: fixture().clock.now() - agoMs });
    markDeleted('serviceaccounts/ns/sa', 60_000);
    expect(await reasonOf(fixture(), VALID_TOKEN)).toBe('user');
    markDeleted('serviceaccounts/ns/sa', 60_001);
    expect(await reasonOf(fixture(), VALID_TOKEN)).toBe('service account ns/sa has been deleted');
  });

  it('waits for the newest state before it rejects a token', async () => {
    fixture().arrivingObjects.set('serviceaccounts/ns/new', { uid: 'u', deletionTime: undefined });
    expect(
      await reasonOf(fixture(), createToken(payload({ 'kubernetes.io': boundClaims({ serviceaccount: { name: 'new', uid: 'u' } }) }))),
    ).toBe('user');
  });

  it('checks the times of a cached token again and counts stale uses', async () => {
    const text = createToken(payload({ jti: 'timed', 'kubernetes.io': boundClaims({ warnafter: NOW + 1000 }), exp: NOW + 2000 }));
    expect(await reasonOf(fixture(), text)).toBe('user');
    // 1.5 seconds after `warnafter`.
    fixture().clock.advance(1_001_500);
    expect(await authenticate(text)).toMatchObject({
      auditAnnotations: [
        ['authentication.platform.io/stale-token', 'subject: system:serviceaccount:ns:sa, seconds after warning threshold: 1'],
      ],
    });
    expect(fixture().uses).toEqual(['fresh', 'stale']);
    // More than 2000 seconds in all.
    fixture().clock.advance(1_100_000);
    expect(await reasonOf(fixture(), text)).toBe('service account token has expired');
  });
});
