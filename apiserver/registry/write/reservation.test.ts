/** What a write does with its reservation, such as the guard of a quota, for which other writes wait. */
import type { Admission, Reservation } from '../admission';
import { StoreError } from '../../storage/store';
import { openWriteFixture, refusalStatus, type WriteFixture } from '../../../test/support/store/write-fixture';

interface ReservingFixture extends WriteFixture {
  /** Reservations that are not completed. */
  readonly open: Set<Reservation>;
}

async function reserving(isOffloaded: boolean): Promise<ReservingFixture> {
  const open = new Set<Reservation>();
  const admission = (usual: Admission): Admission => ({
    ...usual,
    reserve() {
      const reservation: Reservation = { writes: [], complete: () => void open.delete(reservation) };
      open.add(reservation);
      return Promise.resolve(reservation);
    },
  });
  return Object.assign(await openWriteFixture({ admission, isOffloaded }), { open });
}

describe.each([
  ["the server's thread", false],
  ['a worker thread', true],
])('a reservation of a create on %s', (_, isOffloaded) => {
  const created = { metadata: { name: 'a' } };

  it('ends when the object is stored', async () => {
    const fixture = await reserving(isOffloaded);
    await fixture.create('configmaps', created);
    expect(fixture.open.size).toBe(0);
  });

  it('ends in a dry run', async () => {
    const fixture = await reserving(isOffloaded);
    await fixture.create('configmaps', created, { dryRun: true });
    expect(fixture.open.size).toBe(0);
  });

  it('ends when the Lease of the fencing token has another holder', async () => {
    const fixture = await reserving(isOffloaded);
    Object.assign(fixture.context, { fence: { namespace: 'ns', name: 'none', holder: 'me', transitions: 1 } });
    expect(await refusalStatus(fixture.create('configmaps', created))).toMatchObject({ code: 409 });
    expect(fixture.open.size).toBe(0);
  });

  it('ends when the store fails', async () => {
    const fixture = await reserving(isOffloaded);
    fixture.store.failure = new StoreError('internal', 'no disk');
    await expect(fixture.create('configmaps', created)).rejects.toThrow('no disk');
    expect(fixture.open.size).toBe(0);
  });

  it('ends when another writer was first', async () => {
    const fixture = await reserving(isOffloaded);
    await fixture.create('configmaps', created);
    expect(await refusalStatus(fixture.create('configmaps', created))).toMatchObject({ code: 409 });
    expect(fixture.open.size).toBe(0);
  });
});
