import type { UserInfo } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { everywhere, nowhere, onlyAt } from './anonymous';
import { bearerTokens } from './bearer-token';
import { clientCertificates } from './client-certificate';
import type { ClientCertificate, PresentedCredentials } from './authenticator';
import type { TokenAuthenticator } from './authenticator';
import { staticTokens } from './static-tokens';
import { parseTokenFile, TokenFileError } from './token-file';
import { authenticateTokensInOrder } from './tokens';
import { authenticateInOrder } from './union';

const warnings: string[] = [];
const tokens = parseTokenFile('t.csv', 'secret,ann,1,"devs, ops"\nplain,bob,2\n,eve,3\nplain,bert,4,"a ""b"""\n', (text) =>
  warnings.push(text),
);
const authenticateToken = authenticateTokensInOrder([staticTokens(tokens, ['api', 'more'])]);
const authenticate = authenticateInOrder(
  [clientCertificates, bearerTokens(authenticateToken, ['api'])],
  everywhere,
  GENERATED_NAMES.platform,
);
const heard: string[] = [];
const bearer = {
  warn: (text: string) => void heard.push(text),
  addAuditAnnotation: (name: string, value: string) => void heard.push(`${name}: ${value}`),
};
const who = (authorization?: string, certificate?: ClientCertificate): Promise<UserInfo | undefined> =>
  Promise.resolve(authenticate({ authorization, certificate, rawHeaders: [], url: '/' }, bearer));
const NOTHING: PresentedCredentials = { authorization: undefined, certificate: undefined, rawHeaders: [], url: '/' };
const certificate = (changes: Partial<ClientCertificate> = {}): ClientCertificate => ({
  verified: true,
  isProxy: false,
  commonName: 'carl',
  organizations: ['ops'],
  ...changes,
});

it('token file gives users, UIDs and groups; the last of two equal tokens wins and an empty token is skipped with a warning', async () => {
  expect(await who('Bearer secret')).toEqual({ name: 'ann', uid: '1', groups: ['devs', 'ops', 'system:authenticated'] });
  expect(await who('bearer plain')).toEqual({ name: 'bert', uid: '4', groups: ['a "b"', 'system:authenticated'] });
  expect(warnings).toEqual(["empty token in token file 't.csv', line 3"]);
  expect(() => parseTokenFile('t.csv', 'a,b\n', () => undefined)).toThrow(TokenFileError);
});

it.each([[undefined], ['Basic abc'], ['Bearer'], ['Bearer '], ['Bearer  secret'], ['']])(
  'the Authorization header %p authenticates as system:anonymous',
  async (header) => {
    expect(await who(header)).toEqual({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
  },
);

it('authentication rejects an unknown token, and a request without credentials when anonymous access is disabled', async () => {
  expect(await who('Bearer wrong')).toBeUndefined();
  expect(authenticateInOrder([clientCertificates], nowhere, GENERATED_NAMES.platform)(NOTHING, bearer)).toBeUndefined();
});

it('authentication prefers a valid certificate to a token and accepts a request when either credential is valid', async () => {
  expect((await who('Bearer secret', certificate()))?.name).toBe('carl');
  expect((await who('Bearer wrong', certificate()))?.name).toBe('carl');
  expect((await who('Bearer secret', certificate({ verified: false })))?.name).toBe('ann');
  expect(await who(undefined, certificate({ verified: false }))).toBeUndefined();
  expect((await who(undefined, certificate({ commonName: '' })))?.name).toBe('system:anonymous');
});

it('static token authentication succeeds only for audiences of this server', async () => {
  const audiences = async (...wanted: string[]): Promise<unknown> => authenticateToken('secret', wanted);
  expect(await audiences('more', 'x', 'api')).toMatchObject({ type: 'user', audiences: ['more', 'api'] });
  expect(await audiences()).toMatchObject({ type: 'user', audiences: [] });
  expect(await audiences('x')).toEqual({ type: 'failed', reason: 'invalid bearer token' });
});

it('authentication sends the warning and audit annotations of the credential that it uses only', async () => {
  const discouraged: TokenAuthenticator = {
    authenticate: () => ({ type: 'user', user: { name: 'dan', groups: [] }, audiences: [], warning: 'better not', notes: [['used', 'x']] }),
  };
  const union = authenticateInOrder(
    [clientCertificates, bearerTokens(authenticateTokensInOrder([discouraged]), [])],
    everywhere,
    GENERATED_NAMES.platform,
  );
  await union({ authorization: 'Bearer x', certificate: certificate(), rawHeaders: [], url: '/' }, bearer);
  expect(heard).toEqual([]);
  await union({ authorization: 'Bearer x', certificate: undefined, rawHeaders: [], url: '/' }, bearer);
  expect(heard).toEqual(['better not', 'used: x']);
});

it('authentication continues after an asynchronous authenticator and reports its failure reason', async () => {
  const slow: TokenAuthenticator = {
    authenticate: (token) => Promise.resolve(token === 'bad' ? { type: 'failed', reason: 'late' } : { type: 'none' }),
  };
  const all = authenticateTokensInOrder([slow, staticTokens(tokens, [])]);
  expect(await all('secret', [])).toMatchObject({ type: 'user', user: { name: 'ann' } });
  expect(await all('bad', [])).toEqual({ type: 'failed', reason: '[invalid bearer token, late]' });
  const union = authenticateInOrder([bearerTokens(all, []), clientCertificates], everywhere, GENERATED_NAMES.platform);
  expect(await union({ authorization: 'Bearer bad', certificate: certificate(), rawHeaders: [], url: '/' }, bearer)).toMatchObject({
    name: 'carl',
  });
  expect(await union({ authorization: 'Bearer bad', certificate: undefined, rawHeaders: [], url: '/' }, bearer)).toBeUndefined();
});

it('authentication adds no group to a user named system:anonymous', () => {
  const nobody = { name: 'system:anonymous', groups: [] };
  expect(
    authenticateInOrder([{ authenticate: () => ({ type: 'user', user: nobody }) }], nowhere, GENERATED_NAMES.platform)(NOTHING, bearer),
  ).toEqual(nobody);
});

it.each<[string, boolean]>([
  ['/livez', true],
  ['/livez?verbose', true],
  ['/%6civez', true],
  ['/livez/', false],
  ['/livez/ping', false],
  ['//livez', false],
  ['/LIVEZ', false],
  ['/./livez', false],
  ['/livez%20', false],
  ['/livez%zz', false],
  ['/readyz?/livez', false],
  ['/readyz/../livez', false],
])('anonymous access limited to /livez is allowed at %s: %p', (target, expected) =>
  expect(onlyAt(['/livez', '/a b'])(target)).toBe(expected),
);

test('authentication rewrites the system namespace in user and group names to the spelling of this server', async () => {
  const named = certificate({
    commonName: 'system:serviceaccount:kube-system:a',
    organizations: ['system:serviceaccounts:kube-system', 'kube-system'],
  });
  expect(await who(undefined, named)).toEqual({
    name: 'system:serviceaccount:platform-system:a',
    groups: ['system:serviceaccounts:platform-system', 'kube-system', 'system:authenticated'],
  });
});
