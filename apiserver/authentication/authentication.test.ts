/** Authentication by several authenticators together: precedence, anonymous requests, and remarks about credentials. */
import type { UserInfo } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { allowEverywhere, allowNowhere, allowAtPaths } from './anonymous';
import { bearerTokenAuthenticator } from './bearer-token';
import { clientCertificateAuthenticator } from './client-certificate';
import type { ClientCertificate, RequestCredentials, TokenAuthenticator } from './authenticator';
import { staticTokenAuthenticator } from './static-tokens';
import { parseTokenFile, TokenFileError } from './token-file';
import { unionTokenAuthenticator } from './token-union';
import { unionAuthenticator } from './union';

const tokens = parseTokenFile('t.csv', 'secret,ann,1,"devs, ops"\n', () => undefined);
const authenticateToken = unionTokenAuthenticator([staticTokenAuthenticator(tokens, ['api', 'more'])]);
const authenticate = unionAuthenticator(
  [clientCertificateAuthenticator, bearerTokenAuthenticator(authenticateToken, ['api'])],
  allowEverywhere,
  GENERATED_NAMES.platform,
);
/** The warnings, and the annotations as `name: value`. */
const remarks: string[] = [];
const remarkSink = {
  warn: (text: string) => void remarks.push(text),
  addAuditAnnotation: (name: string, value: string) => void remarks.push(`${name}: ${value}`),
};
const authenticatedUser = (authorization?: string, certificate?: ClientCertificate): Promise<UserInfo | undefined> =>
  Promise.resolve(authenticate({ authorization, certificate, rawHeaders: [], url: '/' }, remarkSink));
const NO_CREDENTIALS: RequestCredentials = { authorization: undefined, certificate: undefined, rawHeaders: [], url: '/' };
const certificate = (changes: Partial<ClientCertificate> = {}): ClientCertificate => ({
  isVerified: true,
  isProxy: false,
  commonName: 'carl',
  organizations: ['ops'],
  ...changes,
});

describe('token file', () => {
  const parseLines = (...lines: string[]) => parseTokenFile('t.csv', lines.join('\n'), () => undefined);

  it('yields the user, UID and groups of a token', () => {
    expect(parseLines('secret,ann,1,"devs, ops"')('secret')).toEqual({ name: 'ann', uid: '1', groups: ['devs', 'ops'] });
    expect(parseLines('secret,ann,,"a ""b"""')('secret')).toEqual({ name: 'ann', groups: ['a "b"'] });
    expect(parseLines('secret,ann,1')('other')).toBeUndefined();
  });

  it('yields the last of two users with the same token', () => {
    expect(parseLines('plain,bob,2', 'plain,bert,4')('plain')).toMatchObject({ name: 'bert' });
  });

  it('skips a line with an empty token and warns', () => {
    const warnings: string[] = [];
    parseTokenFile('t.csv', 'plain,bob,2\n\n,eve,3\n', (text) => warnings.push(text));
    expect(warnings).toEqual(["empty token in token file 't.csv', line 3"]);
  });

  it('is invalid with a line of two columns', () => {
    expect(() => parseLines('a,b')).toThrow(TokenFileError);
  });
});

it.each(['Bearer secret', 'bearer secret'])('the Authorization header %p authenticates as the user of the token', async (header) => {
  expect(await authenticatedUser(header)).toEqual({ name: 'ann', uid: '1', groups: ['devs', 'ops', 'system:authenticated'] });
});

it.each([[undefined], ['Basic abc'], ['Bearer'], ['Bearer '], ['Bearer  secret'], ['']])(
  'the Authorization header %p authenticates as system:anonymous',
  async (header) => {
    expect(await authenticatedUser(header)).toEqual({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
  },
);

it('authentication rejects an unknown token', async () => {
  expect(await authenticatedUser('Bearer wrong')).toBeUndefined();
});

it('authentication rejects a request without credentials when anonymous access is disabled', () => {
  const union = unionAuthenticator([clientCertificateAuthenticator], allowNowhere, GENERATED_NAMES.platform);
  expect(union(NO_CREDENTIALS, remarkSink)).toBeUndefined();
});

const VALID = certificate();
const INVALID = certificate({ isVerified: false });
const NAMELESS = certificate({ commonName: '' });
it.each<[token: string, title: string, clientCertificate: ClientCertificate, userName: string | undefined]>([
  ['Bearer secret', 'a valid certificate', VALID, 'carl'],
  ['Bearer wrong', 'a valid certificate', VALID, 'carl'],
  ['Bearer secret', 'an invalid certificate', INVALID, 'ann'],
  ['', 'an invalid certificate', INVALID, undefined],
  ['', 'a certificate without a common name', NAMELESS, 'system:anonymous'],
])('authentication with the Authorization header %p and %s', async (header, _title, clientCertificate, userName) => {
  expect((await authenticatedUser(header, clientCertificate))?.name).toBe(userName);
});

it('static token authentication succeeds only for audiences of this server', async () => {
  const outcomeFor = async (...audiences: string[]): Promise<unknown> => authenticateToken('secret', audiences);
  expect(await outcomeFor('more', 'x', 'api')).toMatchObject({ type: 'user', audiences: ['more', 'api'] });
  expect(await outcomeFor()).toMatchObject({ type: 'user', audiences: [] });
  expect(await outcomeFor('x')).toEqual({ type: 'failed', reason: 'invalid bearer token' });
});

it('authentication sends the warning and audit annotations of the credential that it uses only', async () => {
  const discouraged: TokenAuthenticator = {
    authenticate: () => ({
      type: 'user',
      user: { name: 'dan', groups: [] },
      audiences: [],
      warning: 'better not',
      auditAnnotations: [['used', 'x']],
    }),
  };
  const union = unionAuthenticator(
    [clientCertificateAuthenticator, bearerTokenAuthenticator(unionTokenAuthenticator([discouraged]), [])],
    allowEverywhere,
    GENERATED_NAMES.platform,
  );
  await union({ authorization: 'Bearer x', certificate: certificate(), rawHeaders: [], url: '/' }, remarkSink);
  expect(remarks).toEqual([]);
  await union({ authorization: 'Bearer x', certificate: undefined, rawHeaders: [], url: '/' }, remarkSink);
  expect(remarks).toEqual(['better not', 'used: x']);
});

it('authentication continues after an asynchronous authenticator and reports its failure reason', async () => {
  const slow: TokenAuthenticator = {
    authenticate: (token) => Promise.resolve(token === 'bad' ? { type: 'failed', reason: 'late' } : { type: 'none' }),
  };
  const tokenUnion = unionTokenAuthenticator([slow, staticTokenAuthenticator(tokens, [])]);
  expect(await tokenUnion('secret', [])).toMatchObject({ type: 'user', user: { name: 'ann' } });
  expect(await tokenUnion('bad', [])).toEqual({ type: 'failed', reason: '[invalid bearer token, late]' });
  const union = unionAuthenticator(
    [bearerTokenAuthenticator(tokenUnion, []), clientCertificateAuthenticator],
    allowEverywhere,
    GENERATED_NAMES.platform,
  );
  expect(await union({ authorization: 'Bearer bad', certificate: certificate(), rawHeaders: [], url: '/' }, remarkSink)).toMatchObject({
    name: 'carl',
  });
  expect(await union({ authorization: 'Bearer bad', certificate: undefined, rawHeaders: [], url: '/' }, remarkSink)).toBeUndefined();
});

it('authentication adds no group to a user named system:anonymous', () => {
  const anonymousUser = { name: 'system:anonymous', groups: [] };
  expect(
    unionAuthenticator(
      [{ authenticate: () => ({ type: 'user', user: anonymousUser }) }],
      allowNowhere,
      GENERATED_NAMES.platform,
    )(NO_CREDENTIALS, remarkSink),
  ).toEqual(anonymousUser);
});

it.each(['/livez', '/livez?verbose', '/%6civez'])('allowAtPaths with /livez accepts the target %s', (target) =>
  expect(allowAtPaths(['/livez'])(target)).toBe(true),
);

it.each(['/livez/', '/livez/ping', '//livez', '/LIVEZ', '/./livez', '/livez%20', '/livez%zz', '/readyz?/livez', '/readyz/../livez'])(
  'allowAtPaths with /livez does not accept the target %s',
  (target) => expect(allowAtPaths(['/livez'])(target)).toBe(false),
);

test('authentication rewrites the system namespace in user and group names to the spelling of this server', async () => {
  const named = certificate({
    commonName: 'system:serviceaccount:kube-system:a',
    organizations: ['system:serviceaccounts:kube-system', 'kube-system'],
  });
  expect(await authenticatedUser(undefined, named)).toEqual({
    name: 'system:serviceaccount:platform-system:a',
    groups: ['system:serviceaccounts:platform-system', 'kube-system', 'system:authenticated'],
  });
});
