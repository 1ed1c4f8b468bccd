/** The authentication configuration file: what it accepts, and which field an error names. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigurationError } from '../../../shared/configuration/configuration-error';
import { readConfiguration } from '../../../shared/configuration/read-configuration';
import { featureGates } from '../../../shared/cli/feature-gates';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { useFolder } from '../../../test/support/use-resource';
import { authenticationFormat, issuersOf } from './authentication-configuration';

const file = path.join(useFolder('authentication'), 'config.yaml');
const clock = new ManualClock();

const HEAD = { apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthenticationConfiguration' };
const ISSUER = { url: 'https://issuer', audiences: ['us'] };
const MAPPINGS = { username: { claim: 'sub', prefix: '' } };
const GATES = featureGates(new Map([['AnonymousAuthConfigurableEndpoints', true]]));

/** The errors of a file with these members, as `path: reason`, on a server with https://self as its own issuer. */
async function errorsOf(configuration: object, gates = GATES): Promise<readonly string[]> {
  writeFileSync(file, JSON.stringify({ ...HEAD, ...configuration }));
  try {
    await readConfiguration(file, [authenticationFormat(gates, ['https://self'])], clock);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.errors.map(({ path, reason }) => `${path}: ${reason}`);
  }
}
const jwt = (changes: object = {}): object => ({ issuer: ISSUER, claimMappings: MAPPINGS, ...changes });

it.each<[string, readonly object[], readonly string[]]>([
  ['no error for a valid issuer', [jwt()], []],
  ['an issuer URL without TLS', [jwt({ issuer: { ...ISSUER, url: 'http://issuer' } })], ['jwt[0].issuer.url: must be an https URL']],
  ['a duplicate issuer', [jwt(), jwt()], ['jwt[1].issuer.url: is already the url of another issuer']],
  [
    'the issuer of the server itself',
    [jwt({ issuer: { ...ISSUER, url: 'https://self' } })],
    ['jwt[0].issuer.url: is the name of this server itself (--service-account-issuer)'],
  ],
  [
    'several audiences without an audienceMatchPolicy',
    [jwt({ issuer: { ...ISSUER, audiences: ['a', 'b'] } })],
    ['jwt[0].issuer.audienceMatchPolicy: must be MatchAny for several audiences'],
  ],
  [
    'a claim without a prefix',
    [jwt({ claimMappings: { username: { claim: 'sub' } } })],
    ['jwt[0].claimMappings.username.prefix: is required with a claim; it may be empty'],
  ],
  [
    'a username without claim and expression',
    [jwt({ claimMappings: { username: {} } })],
    ['jwt[0].claimMappings.username: must have either a claim or an expression'],
  ],
  [
    'claims.email without claims.email_verified',
    [jwt({ claimMappings: { username: { expression: 'claims.email' } } })],
    ['jwt[0].claimMappings.username.expression: must use claims.email_verified together with claims.email'],
  ],
  [
    'an invalid extra key',
    [jwt({ claimMappings: { ...MAPPINGS, extra: [{ key: 'Dept', valueExpression: 'claims.d' }] } })],
    ['jwt[0].claimMappings.extra[0].key: must be a path with a domain prefix, in lower case'],
  ],
])('the authentication configuration reports %s', async (_title, issuers, errors) =>
  expect(await errorsOf({ jwt: issuers })).toEqual(errors),
);

const issuerWith = (changes: object): readonly object[] => [jwt({ issuer: { ...ISSUER, ...changes } })];
const mappingsWith = (changes: object): readonly object[] => [jwt({ claimMappings: { ...MAPPINGS, ...changes } })];
const claimRules = (...rules: readonly object[]): readonly object[] => [jwt({ claimValidationRules: rules })];
const userRules = (...expressions: readonly string[]): readonly object[] => [
  jwt({ userValidationRules: expressions.map((expression) => ({ expression })) }),
];
const usernameFrom = (expression: string, more: object = {}): readonly object[] => [
  jwt({ claimMappings: { username: { expression } }, ...more }),
];

it.each<[string, readonly object[], string]>([
  ['an issuer URL with a query', issuerWith({ url: 'https://i/a?x' }), 'issuer.url: must not have a query'],
  ['an issuer URL with a fragment', issuerWith({ url: 'https://i/a#x' }), 'issuer.url: must not have a fragment'],
  ['an issuer URL with a password', issuerWith({ url: 'https://u:p@i/a' }), 'issuer.url: must not contain a user name or password'],
  ['a discoveryURL with a query', issuerWith({ discoveryURL: 'https://d/?' }), 'issuer.discoveryURL: must not have a query'],
  ['a discoveryURL equal to the issuer URL', issuerWith({ discoveryURL: ISSUER.url }), 'issuer.discoveryURL: must differ from the url'],
  ['a duplicate audience', issuerWith({ audiences: ['a', 'a'], audienceMatchPolicy: 'MatchAny' }), 'issuer.audiences[1]: occurs twice'],
  [
    'a certificateAuthority without PEM data',
    issuerWith({ certificateAuthority: 'x' }),
    'issuer.certificateAuthority: must contain at least one PEM certificate',
  ],
  [
    'a malformed certificate',
    issuerWith({ certificateAuthority: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }),
    'issuer.certificateAuthority: must contain at least one PEM certificate',
  ],
  [
    'a prefix beside an expression',
    mappingsWith({ username: { expression: 'claims.a', prefix: '' } }),
    'cannot be combined with an expression',
  ],
  ['a claim and an expression', mappingsWith({ uid: { claim: 'a', expression: 'claims.a' } }), 'claimMappings.uid: must have either'],
  ['an extra key with a blank', mappingsWith({ extra: [{ key: 'a.b/c d', valueExpression: '""' }] }), 'extra[0].key: must be a path'],
  ['an extra key with an at sign', mappingsWith({ extra: [{ key: 'a.b/c@d', valueExpression: '""' }] }), 'extra[0].key: must be a path'],
  ['an empty claim validation rule', claimRules({}), 'claimValidationRules[0]: must have either'],
  [
    'a message beside a claim',
    claimRules({ claim: 'a', message: 'm' }),
    'claimValidationRules[0].message: cannot be combined with a claim',
  ],
  ['a value beside an expression', claimRules({ expression: 'true', requiredValue: 'x' }), 'requiredValue: cannot be combined'],
  ['a duplicate claim', claimRules({ claim: 'a' }, { claim: 'a' }), 'claimValidationRules[1].claim: occurs twice'],
  [
    'a duplicate claim validation expression',
    claimRules({ expression: 'true' }, { expression: 'true' }),
    'claimValidationRules[1].expression: occurs twice',
  ],
  [
    'a claim validation expression that is not boolean',
    claimRules({ expression: 'claims.a' }),
    'claimValidationRules[0].expression: must evaluate to bool',
  ],
  [
    'a user validation expression that is not boolean',
    userRules('user.username'),
    'userValidationRules[0].expression: must evaluate to bool',
  ],
  ['a duplicate user validation expression', userRules('true', 'true'), 'userValidationRules[1].expression: occurs twice'],
  ['an unknown field of user', userRules('user.name == ""'), "undefined field 'name'"],
  ['the comparison of a string with a number', userRules('user.groups[0] == 1'), 'found no matching overload'],
  [
    'claims.email with email_verified only in a comment',
    usernameFrom('claims.email // claims.email_verified'),
    'must use claims.email_verified',
  ],
  [
    'claims.email with email_verified only in a string',
    usernameFrom("'claims.email_verified' == '' ? '' : claims.email"),
    'must use claims.email_verified',
  ],
  ['an optional claims.email without email_verified', usernameFrom("claims.?email.orValue('')"), 'must use claims.email_verified'],
])('the authentication configuration rejects %s', async (_title, issuers, expected) => {
  const errors = await errorsOf({ jwt: issuers });
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(expected);
});

it.each<[string, readonly object[]]>([
  ['an empty discoveryURL and certificateAuthority', issuerWith({ discoveryURL: '', certificateAuthority: '' })],
  ['empty mappings of groups and uid', mappingsWith({ groups: { prefix: 'x' }, uid: {} })],
  ['user validation rules', userRules("user.groups.all(g, g != 'x') && user.uid == ''", "user.extra['a'].exists(v, v == 'x')")],
  [
    'claims.email with email_verified in a claim validation rule',
    usernameFrom('claims.email', { claimValidationRules: [{ expression: 'claims.?email_verified.orValue(true) == true' }] }),
  ],
  ['claims.email with email_verified in the same expression', usernameFrom("claims.email_verified ? claims.email : ''")],
  ['a nested claim named email', usernameFrom('claims.a.email')],
])('the authentication configuration accepts %s', async (_title, issuers) => expect(await errorsOf({ jwt: issuers })).toEqual([]));

it('the authentication configuration reports the path of an invalid expression', async () => {
  const [error] = await errorsOf({ jwt: [jwt({ userValidationRules: [{ expression: 'user.' }] })] });
  expect(error).toMatch(/^jwt\[0\]\.userValidationRules\[0\]\.expression: compilation failed/);
});

it('the authentication configuration rejects an unknown field', async () => {
  expect(await errorsOf({ jwt: [jwt({ isuer: {} })] })).toHaveLength(1);
});

const ANONYMOUS = { enabled: true, conditions: [{ path: '/livez' }] };

it('the authentication configuration accepts conditions for anonymous requests with the feature gate', async () => {
  expect(await errorsOf({ anonymous: ANONYMOUS })).toEqual([]);
});

it('the authentication configuration rejects conditions for anonymous requests without the feature gate', async () => {
  expect(await errorsOf({ anonymous: ANONYMOUS }, featureGates())).toEqual([
    'anonymous: is not supported when the feature gate AnonymousAuthConfigurableEndpoints is off',
  ]);
});

it('the authentication configuration rejects conditions for anonymous requests that are disabled', async () => {
  expect(await errorsOf({ anonymous: { ...ANONYMOUS, enabled: false } })).toHaveLength(1);
});

it('issuersOf returns the issuers of a configuration', async () => {
  writeFileSync(file, JSON.stringify({ ...HEAD, jwt: [jwt({ claimValidationRules: [{ claim: 'hd', requiredValue: 'x' }] })] }));
  const configuration = await readConfiguration(file, [authenticationFormat(GATES, [])], clock);
  expect(issuersOf(configuration)).toMatchObject([
    {
      url: 'https://issuer',
      audiences: ['us'],
      username: { type: 'claim', claim: 'sub' },
      claimRules: [{ type: 'required', claim: 'hd', value: 'x' }],
    },
  ]);
});
