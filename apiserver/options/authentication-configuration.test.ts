import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigurationFiles } from '../../shared/configuration/configuration-files';
import { ConfigurationError } from '../../shared/configuration/fault';
import { readConfiguration } from '../../shared/configuration/read';
import { featureGates } from '../../shared/runtime/feature-gates';
import { parseFlags } from '../../shared/runtime/flags';
import { silentLogger } from '../../shared/runtime/logger';
import { ManualClock, settle } from '../../test/support/manual-clock';
import { authenticationFormat, issuersOf } from './authentication-configuration';
import { FLAGS, type ServerFlags } from './flags';
import { issuerOfFlags, oidcFlagFault } from './oidc-options';
import { openTokenIssuers } from './token-issuers';

let folder: string;
let file: string;
const clock = new ManualClock();
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'authentication-'));
  file = path.join(folder, 'config.yaml');
});
afterEach(() => rmSync(folder, { recursive: true }));

const HEAD = { apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthenticationConfiguration' };
const ISSUER = { url: 'https://issuer', audiences: ['us'] };
const NAMED = { username: { claim: 'sub', prefix: '' } };
const GATES = featureGates(new Map([['AnonymousAuthConfigurableEndpoints', true]]));

async function faultsOf(configuration: object, gates = GATES): Promise<readonly string[]> {
  writeFileSync(file, JSON.stringify({ ...HEAD, ...configuration }));
  const error: unknown = await readConfiguration(file, [authenticationFormat(gates, ['https://self'])], clock).catch(
    (thrown: unknown) => thrown,
  );
  return error instanceof ConfigurationError ? error.faults.map(({ path: place, reason }) => `${place}: ${reason}`) : [];
}
const jwt = (changes: object = {}): object => ({ issuer: ISSUER, claimMappings: NAMED, ...changes });

it.each<[string, readonly object[], readonly string[]]>([
  ['nothing', [jwt()], []],
  ['an address without TLS', [jwt({ issuer: { ...ISSUER, url: 'http://issuer' } })], ['jwt[0].issuer.url: must be an https address']],
  ['an issuer twice', [jwt(), jwt()], ['jwt[1].issuer.url: is that of another issuer']],
  [
    'the name of the server itself',
    [jwt({ issuer: { ...ISSUER, url: 'https://self' } })],
    ['jwt[0].issuer.url: is the name of this server itself (--service-account-issuer)'],
  ],
  [
    'several audiences without a word on that',
    [jwt({ issuer: { ...ISSUER, audiences: ['a', 'b'] } })],
    ['jwt[0].issuer.audienceMatchPolicy: must be MatchAny for several audiences'],
  ],
  [
    'a claim without a prefix',
    [jwt({ claimMappings: { username: { claim: 'sub' } } })],
    ['jwt[0].claimMappings.username.prefix: is required with a claim; it may be empty'],
  ],
  [
    'neither claim nor expression',
    [jwt({ claimMappings: { username: {} } })],
    ['jwt[0].claimMappings.username: must have either a claim or an expression'],
  ],
  [
    'an address that nobody has proven',
    [jwt({ claimMappings: { username: { expression: 'claims.email' } } })],
    ['jwt[0].claimMappings.username.expression: must use claims.email_verified together with claims.email'],
  ],
  [
    'a bad key',
    [jwt({ claimMappings: { ...NAMED, extra: [{ key: 'Dept', valueExpression: 'claims.d' }] } })],
    ['jwt[0].claimMappings.extra[0].key: must be a path with a domain before it, in lower case'],
  ],
])('is told of %s', async (_title, issuers, faults) => expect(await faultsOf({ jwt: issuers })).toEqual(faults));

it('is told where an expression is none, and of members that do not exist', async () => {
  const [fault] = await faultsOf({ jwt: [jwt({ userValidationRules: [{ expression: 'user.' }] })] });
  expect(fault).toMatch(/^jwt\[0\]\.userValidationRules\[0\]\.expression: compilation failed/);
  expect(await faultsOf({ jwt: [jwt({ isuer: {} })] })).toHaveLength(1);
});

it('limits where nobody is let in only with the gate', async () => {
  const anonymous = { enabled: true, conditions: [{ path: '/livez' }] };
  expect(await faultsOf({ anonymous })).toEqual([]);
  expect(await faultsOf({ anonymous }, featureGates())).toEqual([
    'anonymous: is not supported when the feature gate AnonymousAuthConfigurableEndpoints is off',
  ]);
  expect(await faultsOf({ anonymous: { ...anonymous, enabled: false } })).toHaveLength(1);
});

it('says of issuers what there is to be known', async () => {
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

function flagsOf(...argv: readonly string[]): ServerFlags {
  const parsed = parseFlags({ name: 'p', description: '' }, FLAGS, [...argv]);
  if (parsed.kind !== 'values') throw new Error(JSON.stringify(parsed));
  return parsed.values;
}
const OIDC = ['--oidc-issuer-url=https://i', '--oidc-client-id=us'];

it.each<[readonly string[], string | undefined]>([
  [[], undefined],
  [OIDC, undefined],
  [['--oidc-issuer-url=https://i'], '--oidc-issuer-url and --oidc-client-id go together'],
  [['--oidc-issuer-url=http://i', '--oidc-client-id=us'], '--oidc-issuer-url must be an https address'],
  [[...OIDC, '--authentication-config=f'], '--authentication-config and --oidc-issuer-url exclude each other'],
])('%j: %p', (argv, fault) => expect(oidcFlagFault(flagsOf(...argv))).toBe(fault));

it('puts the issuer before names, unless they are addresses or something else is wanted', () => {
  const prefix = (...more: readonly string[]): unknown => issuerOfFlags(flagsOf(...OIDC, ...more), undefined)?.username;
  expect(prefix()).toEqual({ type: 'claim', claim: 'sub', prefix: 'https://i#' });
  expect(prefix('--oidc-username-claim=email')).toEqual({ type: 'claim', claim: 'email', prefix: '' });
  expect(prefix('--oidc-username-prefix=-')).toEqual({ type: 'claim', claim: 'sub', prefix: '' });
  expect(prefix('--oidc-username-prefix=o:')).toEqual({ type: 'claim', claim: 'sub', prefix: 'o:' });
});

it('takes a changed file up, and stays with what it had where that cannot be used', async () => {
  const write = (...paths: readonly string[]): void =>
    writeFileSync(file, JSON.stringify({ ...HEAD, anonymous: { enabled: true, conditions: paths.map((name) => ({ path: name })) } }));
  write('/livez');
  const configurations = new ConfigurationFiles(clock, silentLogger);
  const flags = flagsOf(`--authentication-config=${file}`, '--feature-gates=AnonymousAuthConfigurableEndpoints=true');
  const { anonymous, issuers } = await openTokenIssuers(flags, false, { clock, logger: silentLogger, configurations });
  expect([anonymous('/livez'), anonymous('/livez?verbose'), anonymous('/readyz')]).toEqual([true, true, false]);
  expect(issuers().size).toBe(0);
  const look = async (): Promise<void> => {
    clock.advance(60_000);
    await settle(50);
  };
  write('/livez', '/readyz');
  await look();
  expect(anonymous('/readyz')).toBe(true);
  writeFileSync(file, '{');
  await look();
  expect(anonymous('/readyz')).toBe(true);
  configurations.close();
});
