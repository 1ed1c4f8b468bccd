/** Authentication by several authenticators together: precedence, anonymous requests, and remarks about credentials. */
import type { UserInfo } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { allowEverywhere, allowNowhere, allowAtPaths } from './anonymous';
import { bearerTokenAuthenticator } from './bearer-token';
import { clientCertificateAuthenticator } from './client-certificate';
import type { Authenticator, ClientCertificate, RequestCredentials, TokenAuthenticator } from './authenticator';
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
/** The warnings of the current test, and the annotations as `name: value`. */
const remarks: string[] = [];
beforeEach(() => (remarks.length = 0));
const remarkSink = {
  warn: (text: string) => void remarks.push(text),
  addAuditAnnotation: (name: string, value: string) => void remarks.push(`${name}: ${value}`),
};
/** `undefined` when the request is rejected. */
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

describe('authentication', () => {
  it.each(['Bearer secret', 'bearer secret'])('with the Authorization header %p gives the user of the token', async (header) => {
    expect(await authenticatedUser(header)).toEqual({ name: 'ann', uid: '1', groups: ['devs', 'ops', 'system:authenticated'] });
  });

  it.each([[undefined], ['Basic abc'], ['Bearer'], ['Bearer '], ['Bearer  secret'], ['']])(
    'with the Authorization header %p gives the user system:anonymous',
    async (header) => {
      expect(await authenticatedUser(header)).toEqual({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
    },
  );

  it('rejects an unknown token', async () => {
    expect(await authenticatedUser('Bearer wrong')).toBeUndefined();
  });

  it('rejects a request without credentials when anonymous access is disabled', () => {
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
  ])('with the Authorization header %p and %s', async (header, _title, clientCertificate, userName) => {
    expect((await authenticatedUser(header, clientCertificate))?.name).toBe(userName);
  });

  it('reports the warning and audit annotations of the accepted credential only', async () => {
    const discouraged: TokenAuthenticator = {
      authenticate: () => ({
        type: 'user',
        user: { name: 'dan', groups: [] },
        audiences: [],
        warning: 'better not',
        auditAnnotations: [['used', 'x']],
      }),
    };
    // The certificate comes first: when it is accepted, the token is not used.
    const union = unionAuthenticator(
      [clientCertificateAuthenticator, bearerTokenAuthenticator(unionTokenAuthenticator([discouraged]), [])],
      allowEverywhere,
      GENERATED_NAMES.platform,
    );
    await union({ ...NO_CREDENTIALS, authorization: 'Bearer x', certificate: certificate() }, remarkSink);
    expect(remarks).toEqual([]);
    await union({ ...NO_CREDENTIALS, authorization: 'Bearer x' }, remarkSink);
    expect(remarks).toEqual(['better not', 'used: x']);
  });

  describe('with an asynchronous authenticator', () => {
    const slow: TokenAuthenticator = {
      authenticate: (token) => Promise.resolve(token === 'bad' ? { type: 'failed', reason: 'late' } : { type: 'none' }),
    };
    const tokenUnion = unionTokenAuthenticator([slow, staticTokenAuthenticator(tokens, [])]);
    const union = unionAuthenticator(
      [bearerTokenAuthenticator(tokenUnion, []), clientCertificateAuthenticator],
      allowEverywhere,
      GENERATED_NAMES.platform,
    );
    const badToken: RequestCredentials = { ...NO_CREDENTIALS, authorization: 'Bearer bad' };

    it('continues with the next token authenticator', async () => {
      expect(await tokenUnion('secret', [])).toMatchObject({ type: 'user', user: { name: 'ann' } });
    });

    it('fails with its reason when no other accepts the token', async () => {
      expect(await tokenUnion('bad', [])).toEqual({ type: 'failed', reason: '[invalid bearer token, late]' });
    });

    it('accepts a certificate beside a rejected token', async () => {
      expect(await union({ ...badToken, certificate: certificate() }, remarkSink)).toMatchObject({ name: 'carl' });
    });

    it('rejects a request with nothing but a rejected token', async () => {
      expect(await union(badToken, remarkSink)).toBeUndefined();
    });
  });

  it('adds no group to a user named system:anonymous', () => {
    const anonymousUser = { name: 'system:anonymous', groups: [] };
    const authenticator: Authenticator = { authenticate: () => ({ type: 'user', user: anonymousUser }) };
    const union = unionAuthenticator([authenticator], allowNowhere, GENERATED_NAMES.platform);
    expect(union(NO_CREDENTIALS, remarkSink)).toEqual(anonymousUser);
  });

  it('rewrites the system namespace in user and group names to the spelling of this server', async () => {
    const named = certificate({
      commonName: 'system:serviceaccount:kube-system:a',
      organizations: ['system:serviceaccounts:kube-system', 'kube-system'],
    });
    expect(await authenticatedUser(undefined, named)).toEqual({
      name: 'system:serviceaccount:platform-system:a',
      groups: ['system:serviceaccounts:platform-system', 'kube-system', 'system:authenticated'],
    });
  });
});

it('static token authentication succeeds only for audiences of this server', async () => {
  const outcomeFor = async (...audiences: string[]): Promise<unknown> => authenticateToken('secret', audiences);
  expect(await outcomeFor('more', 'x', 'api')).toMatchObject({ type: 'user', audiences: ['more', 'api'] });
  expect(await outcomeFor()).toMatchObject({ type: 'user', audiences: [] });
  expect(await outcomeFor('x')).toEqual({ type: 'failed', reason: 'invalid bearer token' });
});

describe('allowAtPaths', () => {
  it.each(['/livez', '/livez?verbose', '/%6civez'])('with /livez accepts the target %s', (target) =>
    expect(allowAtPaths(['/livez'])(target)).toBe(true),
  );

  it.each(['/livez/', '/livez/ping', '//livez', '/LIVEZ', '/./livez', '/livez%20', '/livez%zz', '/readyz?/livez', '/readyz/../livez'])(
    'with /livez does not accept the target %s',
    (target) => expect(allowAtPaths(['/livez'])(target)).toBe(false),
  );
});
