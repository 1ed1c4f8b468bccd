import type { ClientCertificate, PresentedCredentials } from './authenticator';
import { frontProxy, isRemoteHeader } from './front-proxy';

const OPTIONS = {
  allowedNames: ['proxy'],
  usernameHeaders: ['x-remote-user', 'x-other-user'],
  groupHeaders: ['x-remote-group', 'x-other-group'],
  extraPrefixes: ['x-remote-extra-'],
};
const certificate = (changes: Partial<ClientCertificate> = {}): ClientCertificate => ({
  verified: false,
  isProxy: true,
  commonName: 'proxy',
  organizations: [],
  ...changes,
});
const ask = (headers: readonly string[], of: ClientCertificate | undefined = certificate(), options = OPTIONS): unknown => {
  const credentials: PresentedCredentials = { authorization: undefined, certificate: of, rawHeaders: headers, url: '/' };
  return frontProxy(options).authenticate(credentials);
};
const NONE = { type: 'none' };
const USER = ['X-Remote-User', 'ann'];

it.each<[string, readonly string[], object]>([
  ['a user', USER, { name: 'ann', groups: [] }],
  ['the first of several users', [...USER, 'x-remote-user', 'bob'], { name: 'ann', groups: [] }],
  ['the user of the header that comes first in the list', ['X-Other-User', 'bob', ...USER], { name: 'ann', groups: [] }],
  ['the user of another header', ['X-Other-User', 'bob'], { name: 'bob', groups: [] }],
  ['groups', [...USER, 'X-Remote-Group', 'a', 'x-remote-group', 'b', 'X-REMOTE-GROUP', ''], { name: 'ann', groups: ['a', 'b'] }],
  [
    'groups by header, in the order of the list',
    ['X-Other-Group', 'o', ...USER, 'X-Remote-Group', 'a', 'X-Other-Group', 'p'],
    { name: 'ann', groups: ['a', 'o', 'p'] },
  ],
  ['a group with a comma', [...USER, 'X-Remote-Group', 'a,b'], { name: 'ann', groups: ['a,b'] }],
  [
    'what is more, with keys in lower case and without escapes',
    [...USER, 'X-Remote-Extra-Scopes', 'x', 'X-Remote-Extra-scopes', 'y', 'X-Remote-Extra-Example%2Fkey', 'z', 'X-Remote-Extra-a%zz', '1'],
    { name: 'ann', groups: [], extra: { scopes: ['x', 'y'], 'example/key': ['z'], 'a%zz': ['1'] } },
  ],
])('takes %s', (_title, headers, user) => expect(ask(headers)).toEqual({ type: 'user', user }));

it.each<[string, readonly string[], ClientCertificate | undefined]>([
  ['no certificate', USER, undefined],
  ['a certificate of an ordinary client', USER, certificate({ verified: true, isProxy: false })],
  ['a proxy of another name', USER, certificate({ commonName: 'other' })],
  ['groups without a user', ['X-Remote-Group', 'system:masters'], certificate()],
  ['an empty user', ['X-Remote-User', '', 'X-Remote-Group', 'system:masters'], certificate()],
])('hears nothing from %s', (_title, headers, of) => {
  const credentials: PresentedCredentials = { authorization: undefined, certificate: of, rawHeaders: headers, url: '/' };
  expect(frontProxy(OPTIONS).authenticate(credentials)).toEqual(NONE);
});

it('takes a proxy of any name where none is named', () => {
  expect(ask(USER, certificate({ commonName: 'other' }), { ...OPTIONS, allowedNames: [] })).toMatchObject({ type: 'user' });
});

it('knows which headers nobody may see', () => {
  const seen = ['x-remote-user', 'x-other-user', 'x-remote-group', 'x-remote-extra-a', 'x-remote-uid', 'accept'];
  expect(seen.filter((header) => !isRemoteHeader(OPTIONS, header))).toEqual(['x-remote-uid', 'accept']);
});
