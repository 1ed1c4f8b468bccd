/** Which bootstrap tokens are valid, for the data of their Secrets. */
import { bootstrapTokenAuthenticator } from './bootstrap-token';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const ID = 'abcdef';
const SECRET = '0123456789abcdef';
const VALID_DATA = { 'token-id': ID, 'token-secret': SECRET, 'usage-bootstrap-authentication': 'true' };

/** The outcome for the token when its Secret has the data; `undefined` for no Secret. */
const authenticate = (
  data: Readonly<Record<string, string>> | undefined,
  token = `${ID}.${SECRET}`,
  audiences: readonly string[] = [],
): unknown =>
  bootstrapTokenAuthenticator({
    secrets: (id) => (id === ID ? data : undefined),
    clock: { now: () => NOW },
    audiences: ['api'],
  }).authenticate(token, audiences);

describe('bootstrap token authentication', () => {
  it.each<[title: string, data: Readonly<Record<string, string>>, groups: readonly string[]]>([
    ['without further groups', VALID_DATA, ['system:bootstrappers']],
    ['that expires in one second', { ...VALID_DATA, expiration: '2026-01-02T03:04:06Z' }, ['system:bootstrappers']],
    ['whose expiration has another time zone', { ...VALID_DATA, expiration: '2026-01-02T05:04:06.5+02:00' }, ['system:bootstrappers']],
    ['whose expiration has picoseconds', { ...VALID_DATA, expiration: '2026-01-02T03:04:05.001000000000Z' }, ['system:bootstrappers']],
    ['whose expiration has a decimal comma', { ...VALID_DATA, expiration: '2026-01-02T3:04:05,5Z' }, ['system:bootstrappers']],
    ['whose expiration is empty', { ...VALID_DATA, expiration: '' }, ['system:bootstrappers']],
    [
      'with extra groups, sorted and without duplicates',
      { ...VALID_DATA, 'auth-extra-groups': 'system:bootstrappers:b:c,system:bootstrappers:a,system:bootstrappers:a' },
      ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b:c'],
    ],
  ])('accepts a token %s', (_title, data, groups) => {
    expect(authenticate(data)).toEqual({ type: 'user', user: { name: `system:bootstrap:${ID}`, groups }, audiences: [] });
  });

  /** Without `token`, the Secret's own token is presented. */
  const IGNORED: readonly (readonly [title: string, data: Readonly<Record<string, string>> | undefined, token?: string])[] = [
    ['without a Secret', undefined],
    ['whose Secret has another token-secret', { ...VALID_DATA, 'token-secret': '0123456789abcdeg' }],
    ['whose Secret has no token-secret', { 'token-id': ID, 'usage-bootstrap-authentication': 'true' }],
    ['whose Secret has another token-id', { ...VALID_DATA, 'token-id': 'abcdeg' }],
    ['whose usage-bootstrap-authentication is not exactly true', { ...VALID_DATA, 'usage-bootstrap-authentication': 'True' }],
    ['whose Secret has no usage-bootstrap-authentication', { 'token-id': ID, 'token-secret': SECRET }],
    ['that expires in this second', { ...VALID_DATA, expiration: '2026-01-02T03:04:05Z' }],
    ['whose expiration is not a time', { ...VALID_DATA, expiration: 'tomorrow' }],
    ['whose expiration is a date without a time', { ...VALID_DATA, expiration: '2027-01-02' }],
    ['whose expiration has a day that does not exist', { ...VALID_DATA, expiration: '2030-02-30T00:00:00Z' }],
    ['whose expiration has hour 24', { ...VALID_DATA, expiration: '2030-01-01T24:00:00Z' }],
    ['whose expiration has lower-case letters', { ...VALID_DATA, expiration: '2030-01-01t00:00:00z' }],
    ['whose expiration starts with a space', { ...VALID_DATA, expiration: ' 2030-01-01T00:00:00Z' }],
    ['whose groups contain a space', { ...VALID_DATA, 'auth-extra-groups': 'system:bootstrappers:a, system:bootstrappers:b' }],
    ['whose groups contain an empty group', { ...VALID_DATA, 'auth-extra-groups': 'system:bootstrappers:a,' }],
    ['whose group is a space', { ...VALID_DATA, 'auth-extra-groups': ' ' }],
    ['with a group outside system:bootstrappers', { ...VALID_DATA, 'auth-extra-groups': 'system:masters' }],
    ['with an invalid group after a valid one', { ...VALID_DATA, 'auth-extra-groups': 'system:bootstrappers:a,system:bootstrappers:' }],
    ['that has an additional character', VALID_DATA, `${ID}.${SECRET}0`],
    ['that has a trailing newline', VALID_DATA, `${ID}.${SECRET}\n`],
    ['that has upper-case letters in its ID', VALID_DATA, `ABCDEF.${SECRET}`],
    ['of another format', VALID_DATA, 'x'],
  ];

  it.each(IGNORED.map(([title, data, token]) => ({ title, data, token })))('ignores a token $title', ({ data, token }) => {
    expect(authenticate(data, token)).toEqual({ type: 'none' });
  });

  it('succeeds only for audiences of this server', () => {
    expect(authenticate(VALID_DATA, undefined, ['api', 'x'])).toMatchObject({ type: 'user', audiences: ['api'] });
    expect(authenticate(VALID_DATA, undefined, ['x'])).toEqual({ type: 'none' });
  });
});
