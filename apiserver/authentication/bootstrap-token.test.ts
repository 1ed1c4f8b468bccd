import { bootstrapTokens } from './bootstrap-token';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const ID = 'abcdef';
const SECRET = '0123456789abcdef';
const GOOD = { 'token-id': ID, 'token-secret': SECRET, 'usage-bootstrap-authentication': 'true' };

const ask = (data: Readonly<Record<string, string>> | undefined, token = `${ID}.${SECRET}`, audiences: readonly string[] = []): unknown =>
  bootstrapTokens({ secrets: (id) => (id === ID ? data : undefined), clock: { now: () => NOW }, audiences: ['api'] }).authenticate(
    token,
    audiences,
  );

it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['its group', GOOD, ['system:bootstrappers']],
  ['a token that is still good', { ...GOOD, expiration: '2026-01-02T03:04:06Z' }, ['system:bootstrappers']],
  ['a token that is good elsewhere', { ...GOOD, expiration: '2026-01-02T05:04:06.5+02:00' }, ['system:bootstrappers']],
  ['an end in very small parts of a second', { ...GOOD, expiration: '2026-01-02T03:04:05.001000000000Z' }, ['system:bootstrappers']],
  ['an end with a comma', { ...GOOD, expiration: '2026-01-02T3:04:05,5Z' }, ['system:bootstrappers']],
  ['an end that is empty', { ...GOOD, expiration: '' }, ['system:bootstrappers']],
  [
    'more groups, sorted, each once',
    { ...GOOD, 'auth-extra-groups': 'system:bootstrappers:b:c,system:bootstrappers:a,system:bootstrappers:a' },
    ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b:c'],
  ],
])('knows %s', (_title, data, groups) => {
  expect(ask(data)).toEqual({ type: 'user', user: { name: `system:bootstrap:${ID}`, groups }, audiences: [] });
});

const BAD: readonly (readonly [string, Readonly<Record<string, string>> | undefined, string?])[] = [
  ['no Secret', undefined],
  ['another secret', { ...GOOD, 'token-secret': '0123456789abcdeg' }],
  ['no secret', { 'token-id': ID, 'usage-bootstrap-authentication': 'true' }],
  ['another id', { ...GOOD, 'token-id': 'abcdeg' }],
  ['another use', { ...GOOD, 'usage-bootstrap-authentication': 'True' }],
  ['no use', { 'token-id': ID, 'token-secret': SECRET }],
  ['a token that ends this second', { ...GOOD, expiration: '2026-01-02T03:04:05Z' }],
  ['an end that is no time', { ...GOOD, expiration: 'tomorrow' }],
  ['an end that is only nearly a time', { ...GOOD, expiration: '2027-01-02' }],
  ['an end on a day that does not exist', { ...GOOD, expiration: '2030-02-30T00:00:00Z' }],
  ['an end at an hour that does not exist', { ...GOOD, expiration: '2030-01-01T24:00:00Z' }],
  ['an end in small letters', { ...GOOD, expiration: '2030-01-01t00:00:00z' }],
  ['a blank before the end', { ...GOOD, expiration: ' 2030-01-01T00:00:00Z' }],
  ['a blank before a group', { ...GOOD, 'auth-extra-groups': 'system:bootstrappers:a, system:bootstrappers:b' }],
  ['an empty group', { ...GOOD, 'auth-extra-groups': 'system:bootstrappers:a,' }],
  ['a group of blanks', { ...GOOD, 'auth-extra-groups': ' ' }],
  ['a group that it must not give', { ...GOOD, 'auth-extra-groups': 'system:masters' }],
  ['one bad group among good ones', { ...GOOD, 'auth-extra-groups': 'system:bootstrappers:a,system:bootstrappers:' }],
  ['a longer token', GOOD, `${ID}.${SECRET}0`],
  ['a line after the token', GOOD, `${ID}.${SECRET}\n`],
  ['capitals', GOOD, `ABCDEF.${SECRET}`],
  ['another token', GOOD, 'x'],
];

it.each(BAD.map(([title, data, token]) => ({ title, data, token })))('does not know $title', ({ data, token }) => {
  expect(ask(data, token)).toEqual({ type: 'none' });
});

it('is good for the audiences of this server', () => {
  expect(ask(GOOD, undefined, ['api', 'x'])).toMatchObject({ type: 'user', audiences: ['api'] });
  expect(ask(GOOD, undefined, ['x'])).toEqual({ type: 'none' });
});
