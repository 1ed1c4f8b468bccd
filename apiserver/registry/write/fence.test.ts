import type { Fence } from '../../../shared/api/identity/fencing';
import { refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';

const term = (fence: Partial<Fence> = {}): Fence => ({ namespace: 'ns', name: 'l', holder: 'me', transitions: 1, ...fence });

/** A fixture with the Lease `l`, which `me` holds in term 1, and the ConfigMap `old`. Its requests carry the token. */
async function fenced(fence: Fence): Promise<WriteFixture> {
  const fixture = await openWriteFixture();
  await fixture.create('leases', { metadata: { name: 'l' }, spec: { holderIdentity: 'me', leaseTransitions: 1 } });
  await fixture.create('configmaps', { metadata: { name: 'old' } });
  await fixture.cache.catchUp();
  Object.assign(fixture.context, { fence });
  return fixture;
}

/** Changes the Lease without a fencing token, and without the knowledge of the cache. */
async function changeLease(
  fixture: WriteFixture,
  spec: { readonly holderIdentity: string; readonly leaseTransitions: number },
): Promise<void> {
  const { fence } = fixture.context;
  Object.assign(fixture.context, { fence: undefined });
  await fixture.patch('leases', 'l', 'merge', { spec });
  Object.assign(fixture.context, { fence });
}

const writes: readonly [string, (fixture: WriteFixture) => Promise<unknown>][] = [
  ['create', ({ create }) => create('configmaps', { metadata: { name: 'new' } })],
  ['update', ({ update }) => update('configmaps', 'old', { metadata: { name: 'old' }, data: { a: 'b' } })],
  ['patch', ({ patch }) => patch('configmaps', 'old', 'merge', { data: { a: 'b' } })],
  ['delete', ({ remove }) => remove('configmaps', 'old')],
];

describe.each(writes)('a %s with a fencing token', (_, write) => {
  test('succeeds during the term, also when the cache has not seen a renewal of the Lease', async () => {
    const fixture = await fenced(term());
    await fixture.patch('leases', 'l', 'merge', { metadata: { labels: { renewed: 'x' } } });
    await write(fixture);
  });

  test('is rejected with 409 when another holder leads, even if the cache has the old term', async () => {
    const fixture = await fenced(term());
    await changeLease(fixture, { holderIdentity: 'other', leaseTransitions: 2 });
    const { lookups } = fixture.cache;
    expect(await refusalStatus(write(fixture))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: expect.stringContaining('the term 1 of "me" under the lease "ns/l" is over'),
    });
    // The compare of the transaction failed; the cache was not asked again.
    expect(fixture.cache.lookups).toBe(lookups);
    expect(await fixture.stored('configmaps', 'new')).toBeUndefined();
    expect(await fixture.stored('configmaps', 'old')).not.toHaveProperty('data');
  });
});

test.each([
  ['released', { holderIdentity: '', leaseTransitions: 1 }],
  ['reacquired by the same holder', { holderIdentity: 'me', leaseTransitions: 2 }],
])('a write of the old term is rejected when the Lease was %s', async (_, spec) => {
  const fixture = await fenced(term());
  await changeLease(fixture, spec);
  expect(await refusalStatus(fixture.create('configmaps', { metadata: { name: 'new' } }))).toMatchObject({ code: 409 });
});

test('a write of a term that the cache has not seen is checked against the store', async () => {
  const fixture = await fenced(term({ holder: 'other', transitions: 2 }));
  await changeLease(fixture, { holderIdentity: 'other', leaseTransitions: 2 });
  await fixture.create('configmaps', { metadata: { name: 'new' } });
});

test('a write with a fencing token of an absent Lease is rejected', async () => {
  const fixture = await fenced(term({ name: 'none' }));
  expect(await refusalStatus(fixture.create('configmaps', { metadata: { name: 'new' } }))).toMatchObject({ code: 409 });
});

test('a leader can write its own Lease until another holder has it', async () => {
  const fixture = await fenced(term());
  await fixture.patch('leases', 'l', 'merge', { spec: { renewTime: '2026-01-01T00:00:00.000000Z' } });
  await changeLease(fixture, { holderIdentity: 'other', leaseTransitions: 2 });
  expect(await refusalStatus(fixture.patch('leases', 'l', 'merge', { spec: { holderIdentity: 'me' } }))).toMatchObject({ code: 409 });
});

test('a fencing token can name the system namespace in either dialect', async () => {
  const fixture = await fenced(term({ namespace: 'kube-system' }));
  Object.assign(fixture.context, { fence: undefined });
  await fixture.create('namespaces', { metadata: { name: 'platform-system' } });
  await fixture.cache.catchUp();
  const spec = { holderIdentity: 'me', leaseTransitions: 1 };
  await fixture.create('leases', { metadata: { name: 'l' }, spec }, { namespace: 'platform-system' });
  Object.assign(fixture.context, { fence: term({ namespace: 'kube-system' }) });
  await fixture.create('configmaps', { metadata: { name: 'new' } });
});
