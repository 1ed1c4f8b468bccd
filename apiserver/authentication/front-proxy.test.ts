/** The user that a front proxy sends in headers, and the clients from which the headers are ignored. */
import type { ClientCertificate, RequestCredentials } from './authenticator';
import { frontProxyAuthenticator, isIdentityHeader } from './front-proxy';

const OPTIONS = {
  allowedNames: ['proxy'],
  usernameHeaders: ['x-remote-user', 'x-other-user'],
  groupHeaders: ['x-remote-group', 'x-other-group'],
  extraPrefixes: ['x-remote-extra-'],
};
/** The certificate of a front proxy with an allowed name. */
const certificate = (changes: Partial<ClientCertificate> = {}): ClientCertificate => ({
  isVerified: false,
  isProxy: true,
  commonName: 'proxy',
  organizations: [],
  ...changes,
});
/** The outcome for raw headers: alternating names and values. */
const authenticate = (
  headers: readonly string[],
  clientCertificate: ClientCertificate | undefined = certificate(),
  options = OPTIONS,
): unknown => {
  const credentials: RequestCredentials = { authorization: undefined, certificate: clientCertificate, rawHeaders: headers, url: '/' };
  return frontProxyAuthenticator(options).authenticate(credentials);
};
const USER = ['X-Remote-User', 'ann'];

describe('front proxy authentication', () => {
  it.each<[title: string, headers: readonly string[], user: object]>([
    ['the user name', USER, { name: 'ann', groups: [] }],
    ['the first of several users', [...USER, 'x-remote-user', 'bob'], { name: 'ann', groups: [] }],
    ['the user of the header that is configured first', ['X-Other-User', 'bob', ...USER], { name: 'ann', groups: [] }],
    ['the user of the second configured header', ['X-Other-User', 'bob'], { name: 'bob', groups: [] }],
    [
      'groups of repeated headers',
      [...USER, 'X-Remote-Group', 'a', 'x-remote-group', 'b', 'X-REMOTE-GROUP', ''],
      { name: 'ann', groups: ['a', 'b'] },
    ],
    [
      'groups in the order of the configured headers',
      ['X-Other-Group', 'o', ...USER, 'X-Remote-Group', 'a', 'X-Other-Group', 'p'],
      { name: 'ann', groups: ['a', 'o', 'p'] },
    ],
    ['a group with a comma as one group', [...USER, 'X-Remote-Group', 'a,b'], { name: 'ann', groups: ['a,b'] }],
    [
      'extra values with lower-case, unescaped keys',
      [
        ...USER,
        'X-Remote-Extra-Scopes',
        'x',
        'X-Remote-Extra-scopes',
        'y',
        'X-Remote-Extra-Example%2Fkey',
        'z',
        'X-Remote-Extra-a%zz',
        '1',
      ],
      { name: 'ann', groups: [], extra: { scopes: ['x', 'y'], 'example/key': ['z'], 'a%zz': ['1'] } },
    ],
  ])('reads %s', (_title, headers, user) => {
    expect(authenticate(headers)).toEqual({ type: 'user', user });
  });

  it.each<[title: string, headers: readonly string[], clientCertificate: ClientCertificate | undefined]>([
    ['without a certificate', USER, undefined],
    ['with a certificate of an ordinary client', USER, certificate({ isVerified: true, isProxy: false })],
    ['with a proxy certificate of a name that is not allowed', USER, certificate({ commonName: 'other' })],
    ['with groups and no user', ['X-Remote-Group', 'system:masters'], certificate()],
    ['with an empty user', ['X-Remote-User', '', 'X-Remote-Group', 'system:masters'], certificate()],
  ])('ignores the headers of a request %s', (_title, headers, clientCertificate) => {
    // Not by `authenticate`, which has a default in place of an undefined certificate.
    const credentials: RequestCredentials = { authorization: undefined, certificate: clientCertificate, rawHeaders: headers, url: '/' };
    expect(frontProxyAuthenticator(OPTIONS).authenticate(credentials)).toEqual({ type: 'none' });
  });

  it('accepts any proxy name when no names are configured', () => {
    expect(authenticate(USER, certificate({ commonName: 'other' }), { ...OPTIONS, allowedNames: [] })).toMatchObject({ type: 'user' });
  });
});

it('isIdentityHeader recognizes the configured user, group and extra headers', () => {
  const isIdentity = (header: string): boolean => isIdentityHeader(OPTIONS, header);
  expect(isIdentity('x-remote-user')).toBe(true);
  expect(isIdentity('x-other-user')).toBe(true);
  expect(isIdentity('x-remote-group')).toBe(true);
  expect(isIdentity('x-remote-extra-a')).toBe(true);
  expect(isIdentity('x-remote-uid')).toBe(false);
  expect(isIdentity('accept')).toBe(false);
});
