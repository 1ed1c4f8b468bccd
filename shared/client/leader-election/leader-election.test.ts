import { objectAt } from '../../values/json';
import { silentLogger } from '../../runtime/logger';
import { FakeApi } from '../../../test/support/fake-api';
import { fakeClient } from '../../../test/support/fake-client';
import { ManualClock, settle } from '../../../test/support/manual-clock';
import { LeaderElection, type LeaderElectionOptions, type Term } from './leader-election';
import { resourceOf } from '../rest/resource';
import { aborted } from '../signals';
import { ConnectionError } from '../transport/transport';

const LEASES = '/apis/coordination.platform.io/v1/leases';
const PLACE = { namespace: 'platform-system', name: 'controller-x' };

function world() {
  return { api: new FakeApi(), clock: new ManualClock() };
}

function copy(identity: string, { api, clock }: ReturnType<typeof world>, options: Partial<LeaderElectionOptions> = {}) {
  const fake = fakeClient({ api, clock });
  const terms: Term[] = [];
  const leading: boolean[] = [];
  const stop = new AbortController();
  const election = new LeaderElection({
    ...fake,
    logger: silentLogger,
    lease: PLACE,
    identity,
    durationMs: 12_000,
    renewDeadlineMs: 8_000,
    retryMs: 2_000,
    onChange: (isLeading) => leading.push(isLeading),
    ...options,
  });
  const ended = election.run(stop.signal, async (term) => {
    terms.push(term);
    await aborted(term.signal);
  });
  return { ...fake, terms, leading, stop, ended, isLeading: () => leading.at(-1) === true };
}

const spec = ({ api }: { readonly api: FakeApi }) => objectAt(api.get(LEASES, PLACE.namespace, PLACE.name), 'spec');

test('the first of two replicas leads and renews the Lease while the second one waits', async () => {
  const all = world();
  const first = copy('first', all);
  await settle(10);
  const second = copy('second', all);
  await all.clock.advanceAsync(60_000);
  expect([first.isLeading(), second.isLeading()]).toEqual([true, false]);
  expect(spec(all)).toMatchObject({
    holderIdentity: 'first',
    leaseTransitions: 0,
    leaseDurationSeconds: 12,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:01:00.000000Z',
  });
  expect(first.terms).toHaveLength(1);
});

test('a leader that stops releases the Lease, and the next replica leads at once', async () => {
  const all = world();
  const first = copy('first', all);
  await settle(10);
  const second = copy('second', all);
  await all.clock.advanceAsync(2_500);
  first.stop.abort();
  await first.ended;
  await settle(20);
  expect(second.isLeading()).toBe(true);
  expect(second.terms[0]?.fence).toEqual({ ...PLACE, holder: 'second', transitions: 1 });
});

test('a replica takes over from a dead leader shortly after the lease duration, not earlier', async () => {
  const all = world();
  const first = copy('first', all);
  await settle(10);
  const second = copy('second', all);
  await all.clock.advanceAsync(20_000);
  // Dead: nothing of the first one arrives any more, from just after a renewal.
  const { api } = all;
  const isFirst = (body: Buffer | undefined): boolean => body?.includes('"first"') === true;
  api.intercept = ({ method, body }) => (method === 'PUT' && isFirst(body) ? new ConnectionError('dead', true) : undefined);
  await all.clock.advanceAsync(9_000);
  expect(second.isLeading()).toBe(false);
  await all.clock.advanceAsync(4_000);
  expect(second.isLeading()).toBe(true);
  expect(first.isLeading()).toBe(false);
  expect(spec(all)).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 });
});

test('a leader without a connection stops leading before another replica can take over', async () => {
  const all = world();
  const first = copy('first', all);
  await settle(10);
  all.api.intercept = () => new ConnectionError('away', true);
  await all.clock.advanceAsync(7_000);
  expect(first.isLeading()).toBe(true);
  await all.clock.advanceAsync(1_500);
  expect(first.isLeading()).toBe(false);
  expect(first.terms[0]?.signal.aborted).toBe(true);
  all.api.intercept = () => undefined;
  await all.clock.advanceAsync(15_000);
  expect(first.isLeading()).toBe(true);
  expect(first.terms[1]?.fence.transitions).toBe(1);
});

test('a term starts when the Lease is requested, even if the process is stopped before it reads the response', async () => {
  const all = world();
  all.api.intercept = ({ method }) => {
    if (method !== 'POST') return undefined;
    all.clock.advance(4_000);
    all.api.intercept = () => new ConnectionError('away', true);
    return undefined;
  };
  const first = copy('first', all);
  await settle(10);
  expect([all.clock.monotonic(), first.isLeading()]).toEqual([4_000, true]);
  await all.clock.advanceAsync(3_900);
  expect(first.isLeading()).toBe(true);
  await all.clock.advanceAsync(200);
  expect(first.isLeading()).toBe(false);
});

test('a leader continues its term when the response to a stored renewal was lost', async () => {
  const all = world();
  const first = copy('first', all);
  await settle(10);
  let lost = 0;
  all.api.intercept = ({ method, body }) => {
    if (method !== 'PUT' || lost > 0) return undefined;
    lost += 1;
    all.api.put(LEASES, JSON.parse(String(body)));
    return new ConnectionError('lost', true);
  };
  await all.clock.advanceAsync(30_000);
  expect([lost, first.terms.length, first.isLeading()]).toEqual([1, 1, true]);
});

test('a paused leader stops leading when another replica took over, and its late write is rejected with 409', async () => {
  const all = world();
  const paused = copy('first', all);
  await settle(10);
  const [term] = paused.terms;
  if (term === undefined) throw new Error('no term');
  // Another copy took over while the first one stood still.
  const lease = all.api.get(LEASES, PLACE.namespace, PLACE.name) ?? {};
  all.api.put(LEASES, { ...lease, spec: { ...objectAt(lease, 'spec'), holderIdentity: 'second', leaseTransitions: 1 } });
  const late = paused.client.fenced(term.fence).create(resourceOf('core.v1.ConfigMap'), { metadata: { namespace: 'n', name: 'late' } });
  await expect(late).rejects.toMatchObject({ code: 409 });
  await all.clock.advanceAsync(4_000);
  expect(paused.isLeading()).toBe(false);
  expect(spec(all)).toMatchObject({ holderIdentity: 'second' });
});

test('a replica that leads again after it released the Lease increments leaseTransitions', async () => {
  const all = world();
  const first = copy('same', all);
  await settle(10);
  first.stop.abort();
  await first.ended;
  expect(spec(all)).toMatchObject({ holderIdentity: '', leaseTransitions: 0 });
  const again = copy('same', all);
  await settle(10);
  expect(again.terms[0]?.fence.transitions).toBe(1);
});

test('exactly one of four replicas that start together leads', async () => {
  const all = world();
  const copies = ['a', 'b', 'c', 'd'].map((name) => copy(name, all));
  await all.clock.advanceAsync(10_000);
  expect(copies.filter((one) => one.isLeading())).toHaveLength(1);
});

describe('a term nested in the term of an outer Lease', () => {
  const OUTER = { namespace: PLACE.namespace, name: 'controller-set' };
  const within = { ...OUTER, holder: 'first', transitions: 3 };

  /** The outer Lease as its holder would have written it. */
  function beat({ api }: ReturnType<typeof world>, spec: { readonly holderIdentity: string; readonly leaseTransitions: number }): void {
    const object = { metadata: OUTER, spec: { ...spec, leaseDurationSeconds: 12 } };
    api.put(LEASES, object);
  }

  const seldom = { durationMs: 180_000, renewDeadlineMs: 120_000, within };

  test('is annotated on its Lease and renewed rarely, while a waiting replica watches the outer Lease', async () => {
    const all = world();
    beat(all, { holderIdentity: 'first', leaseTransitions: 3 });
    copy('first', all, seldom);
    await settle(10);
    const second = copy('second', all);
    for (let time = 0; time < 58_000; time += 2_000) {
      beat(all, { holderIdentity: 'first', leaseTransitions: 3 });
      await all.clock.advanceAsync(2_000);
    }
    expect(all.api.get(LEASES, PLACE.namespace, PLACE.name)).toMatchObject({
      metadata: { annotations: { 'coordination.platform.io/within': 'platform-system/controller-set;3;first' } },
      spec: { holderIdentity: 'first', leaseDurationSeconds: 180 },
    });
    expect(all.api.requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
    expect(second.isLeading()).toBe(false);
    await all.clock.advanceAsync(13_000);
    expect(second.isLeading()).toBe(true);
    expect(all.api.get(LEASES, PLACE.namespace, PLACE.name)).toMatchObject({ metadata: { annotations: {} } });
  });

  test.each([
    ['starts a later term', { holderIdentity: 'first', leaseTransitions: 4 }],
    ['changes its holder', { holderIdentity: 'third', leaseTransitions: 3 }],
    ['is deleted', undefined],
  ])('can be taken over at once when the outer Lease %s', async (_case, outer) => {
    const all = world();
    beat(all, { holderIdentity: 'first', leaseTransitions: 3 });
    copy('first', all, seldom);
    await settle(10);
    const second = copy('second', all);
    await settle(10);
    expect(second.isLeading()).toBe(false);
    if (outer === undefined) all.api.drop(LEASES, OUTER.namespace, OUTER.name);
    else beat(all, outer);
    await all.clock.advanceAsync(2_500);
    expect(second.isLeading()).toBe(true);
  });

  test('is acquired by the next holder of the outer Lease without reading the outer Lease', async () => {
    const all = world();
    beat(all, { holderIdentity: 'first', leaseTransitions: 3 });
    copy('first', all, seldom);
    await settle(10);
    const next = copy('second', all, { ...seldom, within: { ...within, holder: 'second', transitions: 4 } });
    await settle(10);
    expect(next.terms[0]?.fence).toEqual({ ...PLACE, holder: 'second', transitions: 1 });
    expect(next.isLeading()).toBe(true);
    expect(all.api.requests).not.toContain(`GET ${LEASES.replace('/leases', `/namespaces/${OUTER.namespace}/leases/${OUTER.name}`)}`);
  });

  test('is not taken over by a replica with an earlier outer term', async () => {
    const all = world();
    beat(all, { holderIdentity: 'first', leaseTransitions: 3 });
    copy('first', all, seldom);
    await settle(10);
    const late = copy('late', all, { ...seldom, within: { ...within, holder: 'late', transitions: 2 } });
    await all.clock.advanceAsync(4_000);
    expect(late.isLeading()).toBe(false);
  });
});

test('a replica counts the lease duration from the observed renewal, not from its next retry', async () => {
  const all = world();
  copy('first', all);
  await settle(10);
  await all.clock.advanceAsync(3_900);
  const second = copy('second', all);
  await settle(10);
  // The renewal comes at 4 s, the look after it at 6 s: nothing of the first arrives after that renewal.
  await all.clock.advanceAsync(200);
  all.api.intercept = ({ method, body }) =>
    method === 'PUT' && body?.includes('"first"') === true ? new ConnectionError('dead', true) : undefined;
  await all.clock.advanceAsync(12_000);
  expect(second.isLeading()).toBe(true);
});
