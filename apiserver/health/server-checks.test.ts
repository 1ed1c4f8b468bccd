/** The checks of the health endpoints, for the states of the store, the cache and the startup. */
import { HealthChecks, type HealthCheck } from '../../shared/runtime/health';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { MemoryStore } from '../../test/support/store/memory-store';
import { createServerChecks, createSharedCheck, createSpaceCheck, type ServerCheckOptions } from './server-checks';
import { START_CHECKS, createStartChecks, type StartCheck } from './start-checks';

const clock = new ManualClock();
const ALL_STARTED: ReadonlySet<StartCheck> = new Set(START_CHECKS);

/** The state of a server that has started and has no problem. */
const HEALTHY: ServerCheckOptions = {
  checkStoreRead: async () => undefined,
  checkStoreWrite: async () => undefined,
  checkStoreSpace: async () => undefined,
  cache: { isReady: true, problems: () => [] },
  state: { isStopping: false, started: ALL_STARTED },
  neverStarted: new Set(),
  configurations: [],
};

type Endpoint = 'livez' | 'readyz' | 'healthz';

/** Returns functions that request an endpoint, or one check of it, of a server with these checks. */
function serveChecks(checks: readonly HealthCheck[]) {
  const health = new HealthChecks(checks, { clock, livezGraceMs: 0 });
  const respond = (endpoint: Endpoint, check?: string) => health.respond({ endpoint, check, exclude: [], verbose: true });
  return {
    status: async (endpoint: Endpoint, check?: string): Promise<number> => (await respond(endpoint, check)).status,
    text: async (endpoint: Endpoint, check?: string): Promise<string> => (await respond(endpoint, check)).text,
  };
}

/** A healthy server, except for the given state. */
const serveHealth = (state: Partial<ServerCheckOptions>) => serveChecks(createServerChecks({ ...HEALTHY, ...state }));

describe('the server checks', () => {
  it('report a server with a store that rejects writes as live but not ready', async () => {
    const { status } = serveHealth({ checkStoreWrite: async () => 'No space left on device' });
    expect(await status('livez')).toBe(200);
    expect(await status('readyz')).toBe(500);
    expect(await status('readyz', 'etcd-readiness')).toBe(500);
  });

  it('report a server as ready again when its store accepts writes', async () => {
    const errors = ['No space left on device', undefined];
    const { status } = serveHealth({ checkStoreWrite: async () => errors.shift() });
    expect(await status('readyz')).toBe(500);
    expect(await status('readyz')).toBe(200);
  });

  it('report an invalid configuration file and stay ready', async () => {
    const { status, text } = serveHealth({ configurations: [{ name: 'audit-policy', error: 'policy.yaml: rules: is required' }] });
    expect(await status('readyz')).toBe(200);
    expect(await text('readyz')).toContain('[!]configuration/audit-policy failed, and is no reason to stop: reason withheld\n');
    expect(await status('readyz', 'configuration/audit-policy')).toBe(500);
  });

  it('fail readyz and healthz but not livez while a KMS provider is unavailable', async () => {
    const { status, text } = serveHealth({ checkKmsProviders: async () => 'kms-provider-0: unavailable' });
    expect(await status('livez')).toBe(200);
    expect(await text('livez')).not.toContain('kms-providers');
    expect(await status('readyz')).toBe(500);
    expect(await text('readyz')).toContain('[-]kms-providers failed: reason withheld\n');
    expect(await status('healthz')).toBe(500);
    expect(await text('healthz')).toContain('[-]kms-providers failed: reason withheld\n');
  });

  it('list available KMS providers as ok', async () => {
    const { status, text } = serveHealth({ checkKmsProviders: async () => undefined });
    expect(await status('readyz')).toBe(200);
    expect(await text('readyz')).toContain('[+]kms-providers ok\n');
  });

  it('omit KMS providers when none are configured', async () => {
    expect(await serveHealth({}).text('readyz')).not.toContain('kms-providers');
  });
});

describe('createSpaceCheck', () => {
  const SPACE_ERROR = 'etcd has raised the alarm NOSPACE';

  /** A server with an etcd that has raised the alarm. */
  function serveHealthWithAlarm({ isStoreFull }: { readonly isStoreFull: boolean }) {
    const store = new MemoryStore();
    jest.spyOn(store, 'status').mockResolvedValue({ version: '3.5', revision: 1, size: 1, spaceError: SPACE_ERROR });
    return serveHealth({ checkStoreSpace: createSpaceCheck(store, () => isStoreFull, clock) });
  }

  it('reports the alarm of a full etcd, and the server stays ready so that objects can be deleted', async () => {
    const { status, text } = serveHealthWithAlarm({ isStoreFull: true });
    expect(await status('readyz')).toBe(200);
    expect(await text('readyz')).toContain('[!]etcd-space failed');
    expect(await text('readyz', 'etcd-space')).toContain(SPACE_ERROR);
  });

  it('omits the alarm while etcd accepts writes', async () => {
    const { text } = serveHealthWithAlarm({ isStoreFull: false });
    expect(await text('readyz', 'etcd-space')).not.toContain(SPACE_ERROR);
    expect(await text('readyz')).not.toContain('etcd-space');
  });
});

describe('createSharedCheck', () => {
  it('shares one call of the store among checks within half a second', async () => {
    const deadlines: (number | undefined)[] = [];
    const start = clock.monotonic();
    const check = createSharedCheck(async ({ deadline }) => void deadlines.push(deadline), clock);
    expect(await Promise.all([check(), check()])).toEqual([undefined, undefined]);
    clock.advance(501);
    await check();
    // Each call has two seconds.
    expect(deadlines).toEqual([start + 2000, start + 2501]);
  });

  it('reports the error of the call', async () => {
    const check = createSharedCheck(() => Promise.reject(new Error('too slow')), clock);
    expect(await check()).toBe('error getting data from etcd: too slow');
  });
});

describe('the start checks', () => {
  const NEVER_STARTED: StartCheck = 'poststarthook/bootstrap-controller';

  /** A server that is starting and never runs one of the steps. The test adds complete steps to `started`. */
  function serveStartChecks() {
    const started = new Set<StartCheck>();
    const checks = createStartChecks(started, new Set([NEVER_STARTED]));
    return { started, checks, ...serveChecks(checks) };
  }

  it('fail at first', async () => {
    const { checks, status } = serveStartChecks();
    const statuses = await Promise.all(checks.map(({ name }) => status('livez', name)));
    expect(new Set(statuses)).toEqual(new Set([500]));
  });

  it('succeed one by one when their steps complete', async () => {
    const { started, status } = serveStartChecks();
    started.add('poststarthook/rbac/bootstrap-roles');
    expect(await status('livez', 'poststarthook/rbac/bootstrap-roles')).toBe(200);
    expect(await status('livez', 'autoregister-completion')).toBe(500);
    expect(await status('livez')).toBe(500);
  });

  it('omit a step that never starts', async () => {
    const { started, status } = serveStartChecks();
    for (const name of START_CHECKS) if (name !== NEVER_STARTED) started.add(name);
    expect(await status('livez')).toBe(200);
    expect(await status('livez', NEVER_STARTED)).toBe(404);
  });
});
