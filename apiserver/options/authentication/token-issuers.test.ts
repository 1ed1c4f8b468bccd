/** The anonymous policy and the issuers of the authentication configuration file, and how they follow its changes. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigurationFiles } from '../../../shared/configuration/configuration-files';
import { silentLogger } from '../../../shared/runtime/logger';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { parseServerFlags } from '../../../test/support/server-flags';
import { useFolder, useForEachTest } from '../../../test/support/use-resource';
import { openTokenIssuers, type AnonymousFlag, type TokenIssuers } from './token-issuers';

const file = path.join(useFolder('token-issuers'), 'config.yaml');
const clock = new ManualClock();
const configurations = useForEachTest(
  () => new ConfigurationFiles(clock, silentLogger),
  (opened) => opened.close(),
);

/** Writes a configuration that allows anonymous requests at the paths. */
function writeAnonymousPaths(...paths: readonly string[]): void {
  const anonymous = { enabled: true, conditions: paths.map((name) => ({ path: name })) };
  writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthenticationConfiguration', anonymous }));
}

function open(anonymous: AnonymousFlag): Promise<TokenIssuers> {
  const flags = parseServerFlags(`--authentication-config=${file}`, '--feature-gates=AnonymousAuthConfigurableEndpoints=true');
  return openTokenIssuers(flags, anonymous, { clock, logger: silentLogger, configurations: configurations() });
}

const WITHOUT_FLAG: AnonymousFlag = { isAllowed: false, isGiven: false };

async function waitForReload(): Promise<void> {
  clock.advance(60_000);
  await flushPromises(50);
}

it('openTokenIssuers rejects anonymous settings in the file together with --anonymous-auth', async () => {
  writeAnonymousPaths('/livez');
  await expect(open({ isAllowed: true, isGiven: true })).rejects.toThrow('cannot be combined with --anonymous-auth');
});

it.each([
  ['/livez', true],
  ['/livez?verbose', true],
  ['/readyz', false],
])('openTokenIssuers, when the file allows anonymous requests at /livez, returns for %s %s', async (target, isAllowed) => {
  writeAnonymousPaths('/livez');
  const { anonymous } = await open(WITHOUT_FLAG);
  expect(anonymous(target)).toBe(isAllowed);
});

it('openTokenIssuers returns no issuers for a file without any', async () => {
  writeAnonymousPaths('/livez');
  const { issuers } = await open(WITHOUT_FLAG);
  expect(issuers().size).toBe(0);
});

it('openTokenIssuers applies a changed file', async () => {
  writeAnonymousPaths('/livez');
  const { anonymous } = await open(WITHOUT_FLAG);
  writeAnonymousPaths('/livez', '/readyz');
  await waitForReload();
  expect(anonymous('/readyz')).toBe(true);
});

it('openTokenIssuers keeps the last valid configuration while the changed file is unusable', async () => {
  writeAnonymousPaths('/livez');
  const { anonymous } = await open(WITHOUT_FLAG);
  writeFileSync(file, '{');
  await waitForReload();
  expect(configurations().configurations[0]?.error).toContain(`${file}: yaml: `);
  expect(anonymous('/livez')).toBe(true);
});
