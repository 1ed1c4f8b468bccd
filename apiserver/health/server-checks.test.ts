/** The checks of the health endpoints, for the states of the store, the cache and the startup. */
import { ManualClock } from '../../test/support/clock/manual-clock';
import { MemoryStore } from '../../test/support/store/memory-store';
import { HealthChecks } from '../../shared/runtime/health';
import { createServerChecks, createSharedCheck, createSpaceCheck, type ServerCheckOptions } from './server-checks';
import { START_CHECKS, createStartChecks, type StartCheck } from './start-checks';

const clock = new ManualClock();
const STARTED: ReadonlySet<StartCheck> = new Set(START_CHECKS);
const NONE: ReadonlySet<StartCheck> = new Set();

/** A server that has started and has no problem. */
const HEALTHY: ServerCheckOptions = {
  checkStoreRead: async () => undefined,
  checkStoreWrite: async () => undefined,
  checkStoreSpace: async () => undefined,
  cache: { isReady: true, problems: () => [] },
  state: { isStopping: false, started: STARTED },
  neverStarted: NONE,
  configurations: [],
};

const checksOf = (options: Partial<ServerCheckOptions>): HealthChecks =>
  new HealthChecks(createServerChecks({ ...HEALTHY, ...options }), { clock, livezGraceMs: 0 });

it('server checks report a server with a store that rejects writes as live but not ready', async () => {
  let storeError: string | undefined = 'No space left on device';
  const health = checksOf({
    checkStoreWrite: async () => storeError,
    configurations: [{ name: 'audit-policy', error: 'policy.yaml: rules: is required' }],
  });
  const status = async (endpoint: 'livez' | 'readyz', check?: string): Promise<number> =>
    (await health.respond({ endpoint, check, exclude: [], verbose: false })).status;
  expect(await status('livez')).toBe(200);
  expect(await status('readyz')).toBe(500);
  expect(await status('readyz', 'etcd-readiness')).toBe(500);
  storeError = undefined;
  expect(await status('livez')).toBe(200);
  expect(await status('readyz')).toBe(200);
  // An invalid configuration file is reported but fails no endpoint.
  const { text } = await health.respond({ endpoint: 'readyz', check: undefined, exclude: [], verbose: true });
  expect(text).toContain('[!]configuration/audit-policy failed, and is no reason to stop: reason withheld\n');
  expect(await status('readyz', 'configuration/audit-policy')).toBe(500);
});

it('server checks include unavailable KMS providers in readyz and healthz but not in livez', async () => {
  const readEndpoint = async (
    endpoint: 'livez' | 'readyz' | 'healthz',
    checkKmsProviders?: () => Promise<string | undefined>,
  ): Promise<string> => {
    const health = checksOf({ checkKmsProviders });
    const { status, text } = await health.respond({ endpoint, check: undefined, exclude: [], verbose: true });
    return `${status} ${/.*kms-providers.*/.exec(text)?.[0] ?? 'none'}`;
  };
  const unavailable = async (): Promise<string> => 'kms-provider-0: unavailable';
  expect(await readEndpoint('livez', unavailable)).toBe('200 none');
  expect(await readEndpoint('readyz', unavailable)).toBe('500 [-]kms-providers failed: reason withheld');
  expect(await readEndpoint('healthz', unavailable)).toBe('500 [-]kms-providers failed: reason withheld');
  expect(await readEndpoint('readyz', async () => undefined)).toBe('200 [+]kms-providers ok');
  expect(await readEndpoint('readyz')).toBe('200 none');
});

it('server checks report a full etcd in readyz with its reason, and stay ready so that objects can be deleted', async () => {
  const store = new MemoryStore();
  let isFull = true;
  const spaceError = 'etcd has raised the alarm NOSPACE';
  jest.spyOn(store, 'status').mockResolvedValue({ version: '3.5', revision: 1, size: 1, spaceError });
  const health = checksOf({ checkStoreSpace: createSpaceCheck(store, () => isFull, clock) });
  const { status, text } = await health.respond({ endpoint: 'readyz', check: undefined, exclude: [], verbose: true });
  expect(status).toBe(200);
  expect(text).toContain('[!]etcd-space failed');
  expect((await health.respond({ endpoint: 'readyz', check: 'etcd-space', exclude: [], verbose: false })).text).toContain(spaceError);
  isFull = false;
  expect((await health.respond({ endpoint: 'readyz', check: 'etcd-space', exclude: [], verbose: false })).text).toBe('ok');
  expect((await health.respond({ endpoint: 'readyz', check: undefined, exclude: [], verbose: true })).text).not.toContain('etcd-space');
});

it('createSharedCheck shares one call among concurrent checks', async () => {
  const deadlines: (number | undefined)[] = [];
  const start = clock.monotonic();
  const check = createSharedCheck(async ({ deadline }) => {
    deadlines.push(deadline);
    if (deadlines.length === 2) throw new Error('too slow');
  }, clock);
  expect(await Promise.all([check(), check()])).toEqual([undefined, undefined]);
  clock.advance(501);
  expect(await check()).toBe('error getting data from etcd: too slow');
  expect(deadlines).toEqual([start + 2000, start + 2501]);
});

it('start checks fail for each start step until it completes, and omit steps that never start', async () => {
  const started = new Set<StartCheck>();
  const checks = createStartChecks(started, new Set<StartCheck>(['poststarthook/bootstrap-controller']));
  const health = new HealthChecks(checks, { clock, livezGraceMs: 0 });
  const status = async (check?: string): Promise<number> =>
    (await health.respond({ endpoint: 'livez', check, exclude: [], verbose: false })).status;
  expect(await Promise.all(checks.map(({ name }) => status(name)))).toEqual(checks.map(() => 500));
  started.add('poststarthook/rbac/bootstrap-roles');
  expect(await status('poststarthook/rbac/bootstrap-roles')).toBe(200);
  expect(await status('autoregister-completion')).toBe(500);
  expect(await status()).toBe(500);
  for (const name of START_CHECKS) if (name !== 'poststarthook/bootstrap-controller') started.add(name);
  expect(await status()).toBe(200);
  expect(await status('poststarthook/bootstrap-controller')).toBe(404);
});
