import type { UserInfo } from '../../shared/api/user';
import { bearerTokens } from './bearer-token';
import { clientCertificates } from './client-certificate';
import type { ClientCertificate } from './contract';
import { parseTokenFile, TokenFileError } from './token-file';
import { authenticateInOrder } from './union';

const warnings: string[] = [];
const tokens = parseTokenFile('t.csv', 'secret,ann,1,"devs, ops"\nplain,bob,2\n,eve,3\nplain,bert,4,"a ""b"""\n', (text) =>
  warnings.push(text),
);
const authenticate = authenticateInOrder([clientCertificates, bearerTokens([tokens])], true);
const who = (authorization?: string, certificate?: ClientCertificate): UserInfo | undefined => authenticate({ authorization, certificate });
const certificate = (changes: Partial<ClientCertificate> = {}): ClientCertificate => ({
  verified: true,
  commonName: 'carl',
  organizations: ['ops'],
  ...changes,
});

it('reads users, ids and groups; the last of two equal tokens wins; an empty token is skipped', () => {
  expect(who('Bearer secret')).toEqual({ name: 'ann', uid: '1', groups: ['devs', 'ops', 'system:authenticated'] });
  expect(who('bearer plain')).toEqual({ name: 'bert', uid: '4', groups: ['a "b"', 'system:authenticated'] });
  expect(warnings).toEqual(["empty token in token file 't.csv', line 3"]);
  expect(() => parseTokenFile('t.csv', 'a,b\n', () => undefined)).toThrow(TokenFileError);
});

it.each([[undefined], ['Basic abc'], ['Bearer'], ['Bearer '], ['Bearer  secret'], ['']])('%p is anonymous', (header) => {
  expect(who(header)).toEqual({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
});

it('refuses a token that nobody knows, and everyone without credentials where anonymous access is off', () => {
  expect(who('Bearer wrong')).toBeUndefined();
  expect(authenticateInOrder([clientCertificates], false)({ authorization: undefined, certificate: undefined })).toBeUndefined();
});

it('takes a good certificate before a token, and lets one good credential rescue the other', () => {
  expect(who('Bearer secret', certificate())?.name).toBe('carl');
  expect(who('Bearer wrong', certificate())?.name).toBe('carl');
  expect(who('Bearer secret', certificate({ verified: false }))?.name).toBe('ann');
  expect(who(undefined, certificate({ verified: false }))).toBeUndefined();
  expect(who(undefined, certificate({ commonName: '' }))?.name).toBe('system:anonymous');
});
