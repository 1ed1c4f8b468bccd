/**
 * Leader election of several candidates on a fake API server and a manual clock: takeover, renewal, fencing and
 * release.
 */
import { objectAt } from '../../values/json';
import { silentLogger } from '../../runtime/logger';
import { FakeApi } from '../../../test/support/controllers/fake-api';
import { fakeClient } from '../../../test/support/controllers/fake-client';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { LeaderElection, type LeaderElectionOptions, type Term } from './leader-election';
import { resourceOf } from '../rest/resource';
import { waitForAbort } from '../signals';
import { ConnectionError } from '../transport/transport';

const LEASES = '/apis/coordination.platform.io/v1/leases';
const LEASE = { namespace: 'platform-system', name: 'controller-x' };

function setUp() {
  return { api: new FakeApi(), clock: new ManualClock() };
}

/** Starts a candidate for {@link LEASE}. `terms` are its terms so far; each lasts until its signal is aborted. */
function startReplica(identity: string, { api, clock }: ReturnType<typeof setUp>, options: Partial<LeaderElectionOptions> = {}) {
  const fake = fakeClient({ api, clock });
  const terms: Term[] = [];
  const leading: boolean[] = [];
  const stop = new AbortController();
  const election = new LeaderElection({
    ...fake,
    logger: silentLogger,
    lease: LEASE,
    identity,
    durationMs: 12_000,
    renewDeadlineMs: 8_000,
    retryMs: 2_000,
    onChange: (isLeading) => leading.push(isLeading),
    ...options,
  });
  const ended = election.run(stop.signal, async (term) => {
    terms.push(term);
    await waitForAbort(term.signal);
  });
  return { ...fake, terms, leading, stop, ended, isLeading: () => leading.at(-1) === true };
}

/** The spec of the stored Lease. */
const spec = ({ api }: { readonly api: FakeApi }) => objectAt(api.get(LEASES, LEASE.namespace, LEASE.name), 'spec');

test('the first of two replicas leads and renews the Lease while the second one waits', async () => {
  const env = setUp();
  const first = startReplica('first', env);
  await flushPromises(10);
  const second = startReplica('second', env);
  await env.clock.advanceAsync(60_000);
  expect(first.isLeading()).toBe(true);
  expect(second.isLeading()).toBe(false);
  expect(spec(env)).toMatchObject({
    holderIdentity: 'first',
    leaseTransitions: 0,
    leaseDurationSeconds: 12,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:01:00.000000Z',
  });
  expect(first.terms).toHaveLength(1);
});

test('a leader that stops releases the Lease, and the next replica leads at once', async () => {
  const env = setUp();
  const first = startReplica('first', env);
  await flushPromises(10);
  const second = startReplica('second', env);
  await env.clock.advanceAsync(2_500);
  first.stop.abort();
  await first.ended;
  await flushPromises(20);
  expect(second.isLeading()).toBe(true);
  expect(second.terms[0]?.fence).toEqual({ ...LEASE, holder: 'second', transitions: 1 });
});

test('a replica takes over from a dead leader shortly after the lease duration, not earlier', async () => {
  const env = setUp();
  const first = startReplica('first', env);
  await flushPromises(10);
  const second = startReplica('second', env);
  await env.clock.advanceAsync(20_000);
  // The first replica dies just after a renewal: none of its further writes reaches the server.
  const { api } = env;
  const isFirst = (body: Buffer | undefined): boolean => body?.includes('"first"') === true;
  api.intercept = ({ method, body }) => (method === 'PUT' && isFirst(body) ? new ConnectionError('dead', { wasSent: true }) : undefined);
  // The duration is 12 s from the last renewal.
  await env.clock.advanceAsync(9_000);
  expect(second.isLeading()).toBe(false);
  await env.clock.advanceAsync(4_000);
  expect(second.isLeading()).toBe(true);
  expect(first.isLeading()).toBe(false);
  expect(spec(env)).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 });
});

test('a leader without a connection stops leading before another replica can take over', async () => {
  const env = setUp();
  const first = startReplica('first', env);
  await flushPromises(10);
  env.api.intercept = () => new ConnectionError('away', { wasSent: true });
  // The renew deadline is 8 s.
  await env.clock.advanceAsync(7_000);
  expect(first.isLeading()).toBe(true);
  await env.clock.advanceAsync(1_500);
  expect(first.isLeading()).toBe(false);
  expect(first.terms[0]?.signal.aborted).toBe(true);
  env.api.intercept = () => undefined;
  await env.clock.advanceAsync(15_000);
  expect(first.isLeading()).toBe(true);
  expect(first.terms[1]?.fence.transitions).toBe(1);
});

test('a term starts when the Lease is requested, even if the process is stopped before it reads the response', async () => {
  const env = setUp();
  // The process is stopped for 4 s of its renew deadline of 8 s, and can renew nothing afterwards.
  env.api.intercept = ({ method }) => {
    if (method !== 'POST') return undefined;
    env.clock.advance(4_000);
    env.api.intercept = () => new ConnectionError('away', { wasSent: true });
    return undefined;
  };
  const first = startReplica('first', env);
  await flushPromises(10);
  expect(env.clock.monotonic()).toBe(4_000);
  expect(first.isLeading()).toBe(true);
  await env.clock.advanceAsync(3_900);
  expect(first.isLeading()).toBe(true);
  await env.clock.advanceAsync(200);
  expect(first.isLeading()).toBe(false);
});

test('a leader continues its term when the response to a stored renewal was lost', async () => {
  const env = setUp();
  const first = startReplica('first', env);
  await flushPromises(10);
  let hasLostResponse = false;
  env.api.intercept = ({ method, body }) => {
    if (method !== 'PUT' || hasLostResponse) return undefined;
    hasLostResponse = true;
    env.api.put(LEASES, JSON.parse(String(body)));
    return new ConnectionError('lost', { wasSent: true });
  };
  await env.clock.advanceAsync(30_000);
  expect(hasLostResponse).toBe(true);
  expect(first.terms).toHaveLength(1);
  expect(first.isLeading()).toBe(true);
});

test('a paused leader stops leading when another replica took over, and its late write is rejected with 409', async () => {
  const env = setUp();
  const paused = startReplica('first', env);
  await flushPromises(10);
  const [term] = paused.terms;
  if (term === undefined) throw new Error('no term');
  // Another replica takes over while the first one is paused.
  const lease = env.api.get(LEASES, LEASE.namespace, LEASE.name) ?? {};
  env.api.put(LEASES, { ...lease, spec: { ...objectAt(lease, 'spec'), holderIdentity: 'second', leaseTransitions: 1 } });
  const late = paused.client
    .withFence(term.fence)
    .of(resourceOf('core.v1.ConfigMap'))
    .namespace('n')
    .create({ metadata: { name: 'late' } });
  await expect(late).rejects.toMatchObject({ code: 409 });
  await env.clock.advanceAsync(4_000);
  expect(paused.isLeading()).toBe(false);
  expect(spec(env)).toMatchObject({ holderIdentity: 'second' });
});

test('a replica that leads again after it released the Lease increments leaseTransitions', async () => {
  const env = setUp();
  const first = startReplica('same', env);
  await flushPromises(10);
  first.stop.abort();
  await first.ended;
  expect(spec(env)).toMatchObject({ holderIdentity: '', leaseTransitions: 0 });
  const again = startReplica('same', env);
  await flushPromises(10);
  expect(again.terms[0]?.fence.transitions).toBe(1);
});

test('exactly one of four replicas that start together leads', async () => {
  const env = setUp();
  const replicas = ['a', 'b', 'c', 'd'].map((name) => startReplica(name, env));
  await env.clock.advanceAsync(10_000);
  expect(replicas.filter((replica) => replica.isLeading())).toHaveLength(1);
});

describe('a term nested in the term of an outer Lease', () => {
  const OUTER = { namespace: LEASE.namespace, name: 'controller-set' };
  const within = { ...OUTER, holder: 'first', transitions: 3 };

  /** Writes the outer Lease as its holder does. */
  function writeOuterLease(
    { api }: ReturnType<typeof setUp>,
    spec: { readonly holderIdentity: string; readonly leaseTransitions: number },
  ): void {
    const object = { metadata: OUTER, spec: { ...spec, leaseDurationSeconds: 12 } };
    api.put(LEASES, object);
  }

  const RARE_RENEWALS = { durationMs: 180_000, renewDeadlineMs: 120_000, within };

  test('is annotated on its Lease and renewed rarely, while a waiting replica watches the outer Lease', async () => {
    const env = setUp();
    writeOuterLease(env, { holderIdentity: 'first', leaseTransitions: 3 });
    startReplica('first', env, RARE_RENEWALS);
    await flushPromises(10);
    const second = startReplica('second', env);
    for (let time = 0; time < 58_000; time += 2_000) {
      writeOuterLease(env, { holderIdentity: 'first', leaseTransitions: 3 });
      await env.clock.advanceAsync(2_000);
    }
    expect(env.api.get(LEASES, LEASE.namespace, LEASE.name)).toMatchObject({
      metadata: { annotations: { 'coordination.platform.io/within': 'platform-system/controller-set;3;first' } },
      spec: { holderIdentity: 'first', leaseDurationSeconds: 180 },
    });
    expect(env.api.requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
    expect(second.isLeading()).toBe(false);
    await env.clock.advanceAsync(13_000);
    expect(second.isLeading()).toBe(true);
    expect(env.api.get(LEASES, LEASE.namespace, LEASE.name)).toMatchObject({ metadata: { annotations: {} } });
  });

  test.each([
    ['starts a later term', { holderIdentity: 'first', leaseTransitions: 4 }],
    ['changes its holder', { holderIdentity: 'third', leaseTransitions: 3 }],
    ['is deleted', undefined],
  ])('can be taken over at once when the outer Lease %s', async (_case, outer) => {
    const env = setUp();
    writeOuterLease(env, { holderIdentity: 'first', leaseTransitions: 3 });
    startReplica('first', env, RARE_RENEWALS);
    await flushPromises(10);
    const second = startReplica('second', env);
    await flushPromises(10);
    expect(second.isLeading()).toBe(false);
    if (outer === undefined) env.api.remove(LEASES, OUTER.namespace, OUTER.name);
    else writeOuterLease(env, outer);
    await env.clock.advanceAsync(2_500);
    expect(second.isLeading()).toBe(true);
  });

  test('is acquired by the next holder of the outer Lease without reading the outer Lease', async () => {
    const env = setUp();
    writeOuterLease(env, { holderIdentity: 'first', leaseTransitions: 3 });
    startReplica('first', env, RARE_RENEWALS);
    await flushPromises(10);
    const next = startReplica('second', env, { ...RARE_RENEWALS, within: { ...within, holder: 'second', transitions: 4 } });
    await flushPromises(10);
    expect(next.terms[0]?.fence).toEqual({ ...LEASE, holder: 'second', transitions: 1 });
    expect(next.isLeading()).toBe(true);
    expect(env.api.requests).not.toContain(`GET ${LEASES.replace('/leases', `/namespaces/${OUTER.namespace}/leases/${OUTER.name}`)}`);
  });

  test('is not taken over by a replica with an earlier outer term', async () => {
    const env = setUp();
    writeOuterLease(env, { holderIdentity: 'first', leaseTransitions: 3 });
    startReplica('first', env, RARE_RENEWALS);
    await flushPromises(10);
    const late = startReplica('late', env, { ...RARE_RENEWALS, within: { ...within, holder: 'late', transitions: 2 } });
    await env.clock.advanceAsync(4_000);
    expect(late.isLeading()).toBe(false);
  });
});

test('a replica counts the lease duration from the observed renewal, not from its next retry', async () => {
  const env = setUp();
  startReplica('first', env);
  await flushPromises(10);
  await env.clock.advanceAsync(3_900);
  const second = startReplica('second', env);
  await flushPromises(10);
  // The first replica renews at 4 s and then dies. The second one would read the Lease next at 6 s.
  await env.clock.advanceAsync(200);
  env.api.intercept = ({ method, body }) =>
    method === 'PUT' && body?.includes('"first"') === true ? new ConnectionError('dead', { wasSent: true }) : undefined;
  await env.clock.advanceAsync(12_000);
  expect(second.isLeading()).toBe(true);
});
