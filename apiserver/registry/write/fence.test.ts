import type { Fence } from '../../../shared/api/identity/fencing';
import { refusal, writeFixture, type Fixture } from '../../../test/support/write-fixture';

const term = (fence: Partial<Fence> = {}): Fence => ({ namespace: 'ns', name: 'l', holder: 'me', transitions: 1, ...fence });

async function fenced(fence: Fence): Promise<Fixture> {
  const fixture = await writeFixture();
  await fixture.create('leases', { metadata: { name: 'l' }, spec: { holderIdentity: 'me', leaseTransitions: 1 } });
  await fixture.create('configmaps', { metadata: { name: 'old' } });
  await fixture.cache.catchUp();
  Object.assign(fixture.context, { fence });
  return fixture;
}

/** What happens to the lease without the writer's knowledge. */
async function change(fixture: Fixture, spec: { readonly holderIdentity: string; readonly leaseTransitions: number }): Promise<void> {
  const { fence } = fixture.context;
  Object.assign(fixture.context, { fence: undefined });
  await fixture.patch('leases', 'l', 'merge', { spec });
  Object.assign(fixture.context, { fence });
}

const writes: readonly [string, (fixture: Fixture) => Promise<unknown>][] = [
  ['create', ({ create }) => create('configmaps', { metadata: { name: 'new' } })],
  ['update', ({ update }) => update('configmaps', 'old', { metadata: { name: 'old' }, data: { a: 'b' } })],
  ['patch', ({ patch }) => patch('configmaps', 'old', 'merge', { data: { a: 'b' } })],
  ['delete', ({ remove }) => remove('configmaps', 'old')],
];

describe.each(writes)('%s', (_, write) => {
  test('counts while the term is in force, also when the lease was renewed unseen', async () => {
    const fixture = await fenced(term());
    await change(fixture, { holderIdentity: 'me', leaseTransitions: 1 });
    await fixture.patch('leases', 'l', 'merge', { metadata: { labels: { renewed: 'x' } } });
    await write(fixture);
  });

  test('is refused with 409 once another leads, even when the cache still shows the old term', async () => {
    const fixture = await fenced(term());
    await change(fixture, { holderIdentity: 'other', leaseTransitions: 2 });
    const { lookups } = fixture.cache;
    expect(await refusal(write(fixture))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: expect.stringContaining('the term 1 of "me" under the lease "ns/l" is over'),
    });
    // The store's own compare found it: the cache did not know.
    expect(fixture.cache.lookups).toBe(lookups);
    expect(await fixture.stored('configmaps', 'new')).toBeUndefined();
    expect(await fixture.stored('configmaps', 'old')).not.toHaveProperty('data');
  });
});

test.each([
  ['given back', { holderIdentity: '', leaseTransitions: 1 }],
  ['taken again by the same holder', { holderIdentity: 'me', leaseTransitions: 2 }],
])('a lease that was %s bears no writes of the old term', async (_, spec) => {
  const fixture = await fenced(term());
  await change(fixture, spec);
  expect(await refusal(fixture.create('configmaps', { metadata: { name: 'new' } }))).toMatchObject({ code: 409 });
});

test('a term that the cache does not know yet is looked for in the store before it is refused', async () => {
  const fixture = await fenced(term({ holder: 'other', transitions: 2 }));
  await change(fixture, { holderIdentity: 'other', leaseTransitions: 2 });
  await fixture.create('configmaps', { metadata: { name: 'new' } });
});

test('a lease that does not exist bears nothing', async () => {
  const fixture = await fenced(term({ name: 'none' }));
  expect(await refusal(fixture.create('configmaps', { metadata: { name: 'new' } }))).toMatchObject({ code: 409 });
});

test("a leader can write its own lease, until it is another's", async () => {
  const fixture = await fenced(term());
  await fixture.patch('leases', 'l', 'merge', { spec: { renewTime: '2026-01-01T00:00:00.000000Z' } });
  await change(fixture, { holderIdentity: 'other', leaseTransitions: 2 });
  expect(await refusal(fixture.patch('leases', 'l', 'merge', { spec: { holderIdentity: 'me' } }))).toMatchObject({ code: 409 });
});

test('the system namespace may be spelled in the other dialect', async () => {
  const fixture = await fenced(term({ namespace: 'kube-system' }));
  Object.assign(fixture.context, { fence: undefined });
  await fixture.create('namespaces', { metadata: { name: 'platform-system' } });
  await fixture.cache.catchUp();
  const spec = { holderIdentity: 'me', leaseTransitions: 1 };
  await fixture.create('leases', { metadata: { name: 'l' }, spec }, { namespace: 'platform-system' });
  Object.assign(fixture.context, { fence: term({ namespace: 'kube-system' }) });
  await fixture.create('configmaps', { metadata: { name: 'new' } });
});
