/**
 * Authentication with ID tokens of an OpenID provider that serves its discovery document and rotates its keys over
 * HTTPS.
 */
import { createHmac, createPublicKey } from 'node:crypto';
import { get } from 'node:https';
import { parseJson } from '../../../shared/serialization';
import { arrayAt, isObject, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { OpenIdProvider } from '../../../test/support/servers/openid-provider';
import { useForEachTest, useResource } from '../../../test/support/use-resource';
import type { TokenAuthenticator, TokenOutcome } from '../authenticator';
import { oidcAuthenticator, type OidcIssuer } from './authenticator';
import { ALL_ALGORITHMS, type TokenIssuerConfig } from './issuer';
import { compileClaimMapping } from './claim-mapping';
import { OidcProvider } from './provider';

const provider = useResource(
  () => OpenIdProvider.start(),
  (started) => started.stop(),
);
const clock = useForEachTest(() => new ManualClock(Date.now()));
/** The reported failures of the provider in the current test. */
const errors: string[] = [];

beforeEach(() => {
  provider().override = undefined;
  errors.length = 0;
});

/** The configuration of the provider: the audience is `us`, the user name is the claim `sub` with the prefix `p:`. */
const configOf = (changes: Partial<TokenIssuerConfig> = {}): TokenIssuerConfig => ({
  url: provider().url,
  discoveryUrl: undefined,
  audiences: ['us'],
  authority: provider().authority,
  algorithms: ['RS256'],
  username: { type: 'claim', claim: 'sub', prefix: 'p:' },
  groups: undefined,
  uid: undefined,
  extra: [],
  claimRules: [],
  userRules: [],
  ...changes,
});

function issuerOf(config: TokenIssuerConfig): OidcIssuer {
  const mapping = compileClaimMapping(config);
  if ('errors' in mapping) throw new Error(JSON.stringify(mapping.errors));
  const { url: issuer, discoveryUrl, authority } = config;
  const onError = (message: string, error: unknown): void => void errors.push(`${message}: ${String(error)}`);
  return { config, mapping, provider: new OidcProvider({ issuer, discoveryUrl, authority, clock: clock(), onError }) };
}

function authenticatorOf(changes: Partial<TokenIssuerConfig> = {}): TokenAuthenticator {
  const issuers = new Map([[provider().url, issuerOf(configOf(changes))]]);
  return oidcAuthenticator({ issuers: () => issuers, audiences: ['api'], clock: clock() });
}

const authenticate = async (token: string, changes: Partial<TokenIssuerConfig> = {}): Promise<TokenOutcome> =>
  authenticatorOf(changes).authenticate(token, ['api']);
/** `user`, `none`, or the reason of a failure. */
const reasonOf = async (token: string, changes: Partial<TokenIssuerConfig> = {}): Promise<string> => {
  const outcome = await authenticate(token, changes);
  return outcome.type === 'failed' ? outcome.reason : outcome.type;
};

describe('OIDC authentication', () => {
  it('maps claims to user name, groups, UID and extra', async () => {
    const token = await provider().sign({ sub: 'ann', roles: ['a', 'b'], oid: '7', dept: 'x' });
    const changes: Partial<TokenIssuerConfig> = {
      groups: { type: 'claim', claim: 'roles', prefix: 'g:' },
      uid: { type: 'claim', claim: 'oid', prefix: '' },
      extra: [{ key: 'example.com/dept', expression: 'claims.dept' }],
    };
    expect(await authenticate(token, changes)).toEqual({
      type: 'user',
      user: { name: 'p:ann', groups: ['g:a', 'g:b'], uid: '7', extra: { 'example.com/dept': ['x'] } },
      audiences: ['api'],
    });
  });

  it.each<[title: string, claims: object, header: object, changes: Partial<TokenIssuerConfig>, user: object]>([
    ['whose nbf is less than a minute ahead', { nbf: Math.floor(Date.now() / 1000) + 40 }, {}, {}, { name: 'p:ann', groups: [] }],
    ['without a key id', {}, { kid: '' }, {}, { name: 'p:ann', groups: [] }],
    [
      'with one group as a string',
      { g: 'a' },
      {},
      { groups: { type: 'claim', claim: 'g', prefix: 'g:' } },
      { name: 'p:ann', groups: ['g:a'] },
    ],
    [
      'with empty groups, which it drops',
      { g: ['', 'a'] },
      {},
      { groups: { type: 'expression', expression: 'claims.g' } },
      { name: 'p:ann', groups: ['a'] },
    ],
    [
      'with integers, which expressions read as int',
      { n: 3, half: 1.5 },
      {},
      { username: { type: 'expression', expression: "type(claims.n) == int && type(claims.half) == double ? 'right' : 'wrong'" } },
      { name: 'right', groups: [] },
    ],
  ])('accepts a token %s', async (_title, claims, header, changes, user) => {
    expect(await authenticate(await provider().sign({ ...claims }, header), changes)).toMatchObject({ type: 'user', user });
  });

  it('ignores tokens over the length limit', async () => {
    expect(await authenticate(await provider().sign({ sub: 'x'.repeat(20_000) }))).toEqual({ type: 'none' });
  });

  it('rejects claims for which a rule exceeds the cost limit', async () => {
    // 900³ evaluations of the innermost expression.
    const costly: Partial<TokenIssuerConfig> = {
      claimRules: [
        { type: 'expression', expression: 'dyn(claims.l).all(a, dyn(claims.l).all(b, dyn(claims.l).all(c, a + b + c > 0)))', message: '' },
      ],
    };
    expect(await reasonOf(await provider().sign({ l: Array.from({ length: 900 }, () => 1) }), costly)).toMatch(/exceeds the cost limit$/);
  });

  describe('with expressions and rules', () => {
    const changes: Partial<TokenIssuerConfig> = {
      username: { type: 'expression', expression: "claims.email_verified ? claims.email.split('@')[0] : ''" },
      groups: { type: 'expression', expression: 'claims.teams.map(t, t.n)' },
      claimRules: [{ type: 'expression', expression: 'claims.level >= 3', message: 'too low' }],
      userRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }],
    };
    const validClaims = { email: 'ann@example.com', email_verified: true, teams: [{ n: 'x' }, { n: 'y' }], level: 3 };

    it('maps the values of expressions to user name and groups', async () => {
      expect(await authenticate(await provider().sign(validClaims), changes)).toMatchObject({ user: { name: 'ann', groups: ['x', 'y'] } });
    });

    it.each<[title: string, claims: object, reason: RegExp]>([
      ['that break a rule about the user', { ...validClaims, email: 'system:x@y' }, /^oidc: reserved$/],
      ['that break a rule about claims', { ...validClaims, level: 2 }, /^oidc: too low$/],
      ['that give an empty user name', { ...validClaims, email_verified: false }, /^oidc: the token has no user name$/],
      ['that an expression does not find', { ...validClaims, teams: undefined }, /^oidc: groups: no such key/],
    ])('rejects claims %s', async (_title, claims, reason) => {
      expect(await reasonOf(await provider().sign({ ...claims }), changes)).toMatch(reason);
    });
  });

  it.each([
    ["claims.hd == 'kubernetes.io'", { hd: 'platform.io' }],
    ["claims.hd in ['kubernetes.io']", { hd: 'platform.io' }],
    ["claims.hd.endsWith('.kubernetes.io')", { hd: 'x.platform.io' }],
    ["claims.hd.matches('^kubernetes[.]io$')", { hd: 'platform.io' }],
    ["claims.hd != 'system:serviceaccount:kube-system:a'", { hd: 'system:serviceaccount:platform-system:a' }],
  ])('does not unify spellings in claims: the rule %s rejects %j', async (expression, claims) => {
    const changes: Partial<TokenIssuerConfig> = { claimRules: [{ type: 'expression', expression, message: 'elsewhere' }] };
    expect(await reasonOf(await provider().sign(claims), changes)).toBe('oidc: elsewhere');
  });

  it.each<[title: string, claims: object, header: object, changes: Partial<TokenIssuerConfig>, reason: RegExp]>([
    ['for another audience', { aud: 'them' }, {}, {}, /^oidc: verify token: oidc: expected audience/],
    ['for an empty list of audiences', { aud: [] }, {}, {}, /^oidc: verify token: oidc: expected audience/],
    ['that is expired', { exp: Math.floor(Date.now() / 1000) - 1 }, {}, {}, /token is expired$/],
    ['without an expiration', { exp: undefined }, {}, {}, /token is expired$/],
    ['that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + 600 }, {}, {}, /before the nbf/],
    ['with an audience that is not a string', { aud: ['us', 5] }, {}, {}, /"aud" has the wrong type$/],
    ['without an audience claim', { aud: undefined }, {}, {}, /expected audience in .* got \[\]$/],
    ['whose exp is not a number', { exp: 'x' }, {}, {}, /"exp" has the wrong type$/],
    ['whose exp is out of range', { exp: 1e300 }, {}, {}, /token is expired$/],
    ['whose nbf is not a number', { nbf: 'x' }, {}, {}, /"nbf" has the wrong type$/],
    ['whose iat is not a number', { iat: 'x' }, {}, {}, /"iat" has the wrong type$/],
    ['without the user name claim', { sub: undefined }, {}, {}, /claim not present$/],
    ['with an empty user name', { sub: '' }, {}, {}, /has no user name$/],
    ['whose sub is an object', { sub: { a: 1 } }, {}, {}, /"sub" has the wrong type$/],
    ['whose sub is a list', { sub: ['ann', 'bob'] }, {}, {}, /"sub" has the wrong type$/],
    [
      'whose user name claim is a list',
      { name: ['ann'] },
      {},
      { username: { type: 'claim', claim: 'name', prefix: '' } },
      /is not a string$/,
    ],
    [
      'whose user name expression gives a list',
      { name: ['ann'] },
      {},
      { username: { type: 'expression', expression: 'claims.name' } },
      /^oidc: username: must be a string$/,
    ],
    ['without the UID claim', {}, {}, { uid: { type: 'claim', claim: 'oid', prefix: '' } }, /uid claim "oid": claim not present$/],
    ['whose UID is not a string', { oid: 7 }, {}, { uid: { type: 'claim', claim: 'oid', prefix: '' } }, /is not a string$/],
    [
      'with a group that is not a string',
      { roles: ['a', 5] },
      {},
      { groups: { type: 'claim', claim: 'roles', prefix: '' } },
      /nor a list of strings$/,
    ],
    [
      'with distributed group claims',
      { _claim_names: { roles: 'x' } },
      {},
      { groups: { type: 'claim', claim: 'roles', prefix: '' } },
      /is distributed, which is not supported$/,
    ],
    ['with a critical extension', {}, { crit: ['b64'], b64: true }, {}, /failed to verify signature/],
    ['with an unknown key id', {}, { kid: 'none' }, {}, /failed to verify signature/],
    ['signed with an algorithm that is not configured', {}, {}, { algorithms: ['ES256'] }, /failed to verify signature/],
    ['without a required claim', {}, {}, { claimRules: [{ type: 'required', claim: 'hd', value: 'x' }] }, /required claim hd not present/],
    [
      'with another value of a required claim',
      { hd: 'y' },
      {},
      { claimRules: [{ type: 'required', claim: 'hd', value: 'x' }] },
      /required claim hd value does not match/,
    ],
    [
      'with an email that is not verified',
      { email: 'a@b', email_verified: false },
      {},
      { username: { type: 'claim', claim: 'email', prefix: '' } },
      /email not verified/,
    ],
  ])('rejects a token %s', async (_title, claims, header, changes, reason) => {
    expect(await reasonOf(await provider().sign({ ...claims }, header), changes)).toMatch(reason);
  });

  /** One part of a JWT. */
  const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('rejects unsigned tokens', async () => {
    const [, payload = ''] = (await provider().sign({})).split('.');
    const unsigned = `${encodePart({ alg: 'none', kid: 'one' })}.${payload}.`;
    expect(await reasonOf(unsigned, { algorithms: ALL_ALGORITHMS })).toMatch(/failed to verify signature/);
  });

  it('rejects tokens signed with the public key as HMAC secret', async () => {
    const [, payload = ''] = (await provider().sign({})).split('.');
    const jwk = firstKeyOf(parseJson(await fetchKeySet()).value);
    const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const signedText = `${encodePart({ alg: 'HS256', kid: 'one' })}.${payload}`;
    const forged = `${signedText}.${createHmac('sha256', pem).update(signedText).digest('base64url')}`;
    expect(await reasonOf(forged, { algorithms: ALL_ALGORITHMS })).toMatch(/failed to verify signature/);
  });

  function fetchKeySet(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      get(`${provider().url}/keys`, { ca: provider().authority }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks)));
      }).on('error', reject);
    });
  }

  function firstKeyOf(keySet: JsonValue): JsonObject {
    const [key] = isObject(keySet) ? (arrayAt(keySet, 'keys') ?? []) : [];
    if (!isObject(key)) throw new Error('the key set is empty');
    return key;
  }

  it('accepts 500 groups and claims nested 400 levels deep', async () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 400; level += 1) deep = { a: deep };
    const groups = Array.from({ length: 500 }, (_, index) => `g${index}`);
    const changes: Partial<TokenIssuerConfig> = {
      groups: { type: 'expression', expression: 'claims.groups' },
      claimRules: [{ type: 'expression', expression: 'has(claims.deep.a.a)', message: '' }],
    };
    expect(await authenticate(await provider().sign({ deep, groups }), changes)).toMatchObject({ type: 'user', user: { groups } });
  });

  it('ignores tokens of unknown issuers and tokens that are not JWTs', async () => {
    expect(await authenticate(await provider().sign({ iss: 'https://other' }))).toEqual({ type: 'none' });
    expect(await authenticate('x.y')).toEqual({ type: 'none' });
    expect(await authenticate('a'.repeat(100_000))).toEqual({ type: 'none' });
  });
});

describe('the key source of an OpenID provider', () => {
  it('fetches keys at most every ten seconds, whatever key ids tokens name', async () => {
    const authenticator = authenticatorOf();
    const first = await provider().sign({});
    const requestsBefore = provider().keyRequests;
    expect(await authenticator.authenticate(first, [])).toMatchObject({ type: 'user' });
    expect(provider().keyRequests).toBe(requestsBefore + 1);
    for (let index = 0; index < 20; index += 1) await authenticator.authenticate(await provider().sign({}, { kid: `k${index}` }), []);
    // The keys were fetched less than ten seconds before.
    expect(provider().keyRequests).toBe(requestsBefore + 1);
    await provider().rotate('two');
    clock().advance(10_000);
    expect(await authenticator.authenticate(await provider().sign({}), [])).toMatchObject({ type: 'user' });
    expect(provider().keyRequests).toBe(requestsBefore + 2);
    // The token is verified again after ten seconds in the cache, and its key was rotated.
    expect(await authenticator.authenticate(first, [])).toMatchObject({ type: 'failed' });
    await provider().rotate('one');
  });

  it('fetches keys again when the provider has replaced a key under the same key id', async () => {
    const authenticator = authenticatorOf();
    await provider().rotate('same');
    expect(await authenticator.authenticate(await provider().sign({}), [])).toMatchObject({ type: 'user' });
    for (const header of [{}, { kid: undefined }]) {
      await provider().rotate('same');
      const token = await provider().sign({}, header);
      const requestsBefore = provider().keyRequests;
      expect(await authenticator.authenticate(token, [])).toMatchObject({ type: 'failed' });
      clock().advance(10_000);
      expect(await authenticator.authenticate(token, [])).toMatchObject({ type: 'user' });
      expect(provider().keyRequests).toBe(requestsBefore + 1);
    }
    await provider().rotate('one');
  });

  it('refreshes keys with the first token after five minutes, so that tokens of a withdrawn key are rejected', async () => {
    const authenticator = authenticatorOf();
    const token = await provider().sign({ exp: Math.floor(clock().now() / 1000) + 3600 });
    expect(await authenticator.authenticate(token, [])).toMatchObject({ type: 'user' });
    await provider().rotate('two');
    clock().advance(5 * 60_000);
    // The first call refreshes in the background; the second waits for the refresh.
    expect(await authenticator.authenticate(token, [])).toMatchObject({ type: 'user' });
    await authenticator.authenticate(await provider().sign({}, { kid: 'none' }), []);
    clock().advance(10_000);
    expect(await authenticator.authenticate(token, [])).toMatchObject({ type: 'failed' });
    await provider().rotate('one');
  });

  const discoveryDocument = (): string => JSON.stringify({ issuer: provider().url, jwks_uri: `${provider().url}/keys` });

  it.each<[title: string, respond: (path: string) => { status: number; body: string }, reason: RegExp]>([
    ['responds with an error', () => ({ status: 500, body: '' }), /answers 500/],
    ['sends invalid JSON', () => ({ status: 200, body: '{' }), /JSON/],
    ['sends more than 1 MiB', () => ({ status: 200, body: ' '.repeat(2 * 1024 * 1024) }), /longer than 1048576 bytes/],
    ['names another issuer', () => ({ status: 200, body: '{"issuer":"https://x"}' }), /another issuer/],
    [
      'sends no key set',
      (path) => ({ status: 200, body: path === '/keys' ? '[]' : discoveryDocument() }),
      /the key set has no list of keys/,
    ],
  ])('are unknown when the provider %s', async (_title, respond, reason) => {
    const token = await provider().sign({});
    provider().override = respond;
    expect(await reasonOf(token)).toMatch(/failed to verify signature/);
    expect(errors.join()).toMatch(reason);
  });

  it('waits for keys for at most ten seconds, and requests them once for concurrent tokens', async () => {
    const token = await provider().sign({});
    const requested = new Promise<void>((resolve) => {
      provider().override = () => {
        resolve();
        return 'hang';
      };
    });
    const authenticator = authenticatorOf();
    const pending = [token, await provider().sign({ n: 1 })].map(async (candidate) => authenticator.authenticate(candidate, []));
    await requested;
    clock().advance(10_000);
    expect(await Promise.all(pending)).toMatchObject([{ type: 'failed' }, { type: 'failed' }]);
    expect(errors).toEqual([expect.stringContaining('did not respond within 10 s')]);
    // A request within the minimum refresh interval does not wait.
    expect(await authenticator.authenticate(token, [])).toMatchObject({ type: 'failed' });
    expect(errors).toHaveLength(1);
  });
});

describe('the cache of ID tokens', () => {
  it('is cleared when the configuration changes', async () => {
    let issuers: ReadonlyMap<string, OidcIssuer> = new Map([[provider().url, issuerOf(configOf())]]);
    const authenticator = oidcAuthenticator({ issuers: () => issuers, audiences: [], clock: clock() });
    const token = await provider().sign({});
    expect(await authenticator.authenticate(token, [])).toMatchObject({ user: { name: 'p:ann' } });
    issuers = new Map([[provider().url, issuerOf(configOf({ username: { type: 'claim', claim: 'sub', prefix: 'q:' } }))]]);
    expect(await authenticator.authenticate(token, [])).toMatchObject({ user: { name: 'q:ann' } });
    issuers = new Map();
    expect(await authenticator.authenticate(token, [])).toEqual({ type: 'none' });
  });

  it('does not extend the validity of an expired token', async () => {
    const authenticator = authenticatorOf();
    const token = await provider().sign({ exp: Math.floor(clock().now() / 1000) + 2 });
    expect(await authenticator.authenticate(token, [])).toMatchObject({ type: 'user' });
    clock().advance(2_000);
    expect(await authenticator.authenticate(token, [])).toMatchObject({ type: 'failed' });
  });
});

it('compileClaimMapping reports the path of an expression that does not compile', () => {
  const broken = configOf({
    username: { type: 'expression', expression: 'claims.' },
    userRules: [{ expression: 'undeclared.x', message: '' }],
  });
  expect(compileClaimMapping(broken)).toMatchObject({
    errors: [{ path: 'claimMappings.username.expression' }, { path: 'userValidationRules[0].expression' }],
  });
});
