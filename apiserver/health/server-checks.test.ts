import { ManualClock } from '../../test/support/manual-clock';
import { HealthChecks } from '../../shared/runtime/health';
import { serverChecks, sharedCheck } from './server-checks';
import { START_CHECKS, startChecks, type StartCheck } from './start-checks';

const clock = new ManualClock();
const STARTED: ReadonlySet<StartCheck> = new Set(START_CHECKS);
const NONE: ReadonlySet<StartCheck> = new Set();

it('serverChecks report a server whose store rejects writes as live but not ready', async () => {
  let trouble: string | undefined = 'No space left on device';
  const checks = serverChecks({
    storeAnswers: async () => undefined,
    storeTakesWrites: async () => trouble,
    cache: { ready: true, problems: () => [] },
    state: { stopping: false, started: STARTED },
    neverStarted: NONE,
    configurations: [{ name: 'audit-policy', fault: 'policy.yaml: rules: is required' }],
  });
  const health = new HealthChecks(checks, clock, 0, () => undefined);
  const status = async (endpoint: 'livez' | 'readyz', check?: string): Promise<number> =>
    (await health.respond({ endpoint, check, exclude: [], verbose: false })).status;
  expect([await status('livez'), await status('readyz'), await status('readyz', 'etcd-readiness')]).toEqual([200, 500, 500]);
  trouble = undefined;
  expect([await status('livez'), await status('readyz')]).toEqual([200, 200]);
  // A configuration file that cannot be used is told, and fails nothing.
  const { text } = await health.respond({ endpoint: 'readyz', check: undefined, exclude: [], verbose: true });
  expect(text).toContain('[!]configuration/audit-policy failed, and is no reason to stop: reason withheld\n');
  expect(await status('readyz', 'configuration/audit-policy')).toBe(500);
});

it('serverChecks include unavailable KMS providers in readyz and healthz but not in livez', async () => {
  const parts = {
    storeAnswers: async () => undefined,
    storeTakesWrites: async () => undefined,
    cache: { ready: true, problems: () => [] },
    state: { stopping: false, started: STARTED },
    neverStarted: NONE,
    configurations: [],
  };
  const answered = async (endpoint: 'livez' | 'readyz' | 'healthz', keyServices?: () => Promise<string | undefined>): Promise<string> => {
    const health = new HealthChecks(serverChecks({ ...parts, keyServices }), clock, 0, () => undefined);
    const { status, text } = await health.respond({ endpoint, check: undefined, exclude: [], verbose: true });
    return `${status} ${/.*kms-providers.*/.exec(text)?.[0] ?? 'none'}`;
  };
  const away = async (): Promise<string> => 'kms-provider-0: away';
  expect([await answered('livez', away), await answered('readyz', away), await answered('healthz', away)]).toEqual([
    '200 none',
    '500 [-]kms-providers failed: reason withheld',
    '500 [-]kms-providers failed: reason withheld',
  ]);
  expect(await answered('readyz', async () => undefined)).toBe('200 [+]kms-providers ok');
  expect(await answered('readyz')).toBe('200 none');
});

it('sharedCheck shares one call among concurrent checks', async () => {
  const deadlines: (number | undefined)[] = [];
  const check = sharedCheck(async ({ deadline }) => {
    deadlines.push(deadline);
    if (deadlines.length === 2) throw new Error('too slow');
  }, clock);
  expect(await Promise.all([check(), check()])).toEqual([undefined, undefined]);
  clock.advance(501);
  expect(await check()).toBe('error getting data from etcd: too slow');
  expect(deadlines).toEqual([2000, 2501]);
});

it('startChecks fail for each start step until it completes, and leave out steps that never start', async () => {
  const started = new Set<StartCheck>();
  const checks = startChecks(started, new Set<StartCheck>(['poststarthook/bootstrap-controller']));
  const health = new HealthChecks(checks, clock, 0, () => undefined);
  const status = async (check?: string): Promise<number> =>
    (await health.respond({ endpoint: 'livez', check, exclude: [], verbose: false })).status;
  expect(await Promise.all(checks.map(({ name }) => status(name)))).toEqual(checks.map(() => 500));
  started.add('poststarthook/rbac/bootstrap-roles');
  expect([await status('poststarthook/rbac/bootstrap-roles'), await status('autoregister-completion'), await status()]).toEqual([
    200, 500, 500,
  ]);
  for (const name of START_CHECKS) if (name !== 'poststarthook/bootstrap-controller') started.add(name);
  expect([await status(), await status('poststarthook/bootstrap-controller')]).toEqual([200, 404]);
});
