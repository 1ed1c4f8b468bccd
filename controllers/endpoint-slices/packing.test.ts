import fc from 'fast-check';
import { packEndpoints, type Packing, type PackingRules } from './packing';

interface Item {
  readonly id: string;
  readonly version: number;
}
interface Slice {
  readonly name: string;
  readonly items: readonly Item[];
}

const item = (id: string, version = 0): Item => ({ id, version });
const slice = (name: string, ...ids: string[]): Slice => ({ name, items: ids.map((id) => item(id)) });
const rules = (maxEndpointsPerSlice: number): PackingRules<Slice, Item> => ({
  maxEndpointsPerSlice,
  idsIn: ({ items }) => items.map(({ id }) => id),
  id: ({ id }) => id,
  isUpToDate: ({ items }, desired) =>
    desired.every(({ id, version }) => items.some((existing) => existing.id === id && existing.version === version)),
});

const names = (items: readonly Item[]): string => items.map(({ id }) => id).join('');

/** `a:xy`: slice a is updated to x and y; `+:z`: a slice with z is created; `-:b`: slice b is deleted. */
function writes(slices: readonly Slice[], desired: readonly Item[], max = 3): readonly string[] {
  const { creates, updates, deletes } = packEndpoints(slices, desired, rules(max));
  return [
    ...updates.map((update) => `${update.slice.name}:${names(update.endpoints)}`),
    ...creates.map(({ endpoints }) => `+:${names(endpoints)}`),
    ...deletes.map(({ name }) => `-:${name}`),
  ].sort();
}

let createdSlices = 0;

/** The slices after the writes. New slices get names that no slice had before. */
function applied(slices: readonly Slice[], { creates, updates, deletes }: Packing<Slice, Item>): Slice[] {
  const changed = new Set([...updates.map((update) => update.slice.name), ...deletes.map(({ name }) => name)]);
  return [
    ...slices.filter(({ name }) => !changed.has(name)),
    ...updates.map((update) => ({ name: update.slice.name, items: update.endpoints })),
    ...creates.map(({ endpoints }) => ({ name: `new${(createdSlices += 1)}`, items: endpoints })),
  ];
}

const items = (text: string): Item[] => [...text].map((id) => item(id));

it.each<[string, readonly Slice[], readonly Item[], readonly string[]]>([
  ['writes nothing when the slices are up to date', [slice('a', 'x', 'y')], items('xy'), []],
  ['fills new slices to the limit', [], items('1234567'), ['+:123', '+:456', '+:7']],
  ['adds a new endpoint to a slice that is updated anyway', [slice('a', 'x', 'y'), slice('b', 'z')], items('yzn'), ['a:yn']],
  [
    'adds a new endpoint to the fullest of the updated slices',
    [slice('a', 'x', '-'), slice('b', 'y', 'z', '-')],
    items('xyzn'),
    ['a:x', 'b:yzn'],
  ],
  ['adds endpoints to the fullest slice with room for all of them', [slice('a', 'x'), slice('b', 'y', 'z')], items('xyzn'), ['b:yzn']],
  ['does not split new endpoints among existing slices', [slice('a', 'x', 'y'), slice('b', 'z', 'w')], items('xyzwno'), ['+:no']],
  ['creates a slice when the new endpoints fill it', [slice('a', 'x')], items('xnop'), ['+:nop']],
  ['deletes an empty slice', [slice('a', 'x'), slice('b', 'y')], items('y'), ['-:a']],
  ['keeps an endpoint of two slices in one of them', [slice('a', 'x', 'y'), slice('b', 'x')], items('xy'), ['-:b']],
  ['updates a changed endpoint in its slice', [slice('a', 'x', 'y')], [item('x', 1), item('y')], ['a:xy']],
])('packEndpoints %s', (_title, slices, desired, expected) => {
  expect(writes(slices, desired)).toEqual(expected);
});

const set = fc.uniqueArray(fc.nat(40).map(String), { maxLength: 30 });

it('packEndpoints keeps exactly the desired endpoints in slices within the limit, with a bounded number of writes', () => {
  fc.assert(
    fc.property(fc.array(set, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 7 }), (states, max) => {
      let slices: Slice[] = [];
      for (const desired of states) {
        const desiredItems = desired.map((id) => item(id));
        const packing = packEndpoints(slices, desiredItems, rules(max));
        const existing = new Set(slices.flatMap(({ items: sliceItems }) => sliceItems.map(({ id }) => id)));
        const losing = slices.filter(({ items: sliceItems }) => sliceItems.some(({ id }) => !desired.includes(id))).length;
        const added = desired.filter((id) => !existing.has(id)).length;
        const { creates, updates, deletes } = packing;
        expect(creates.length + updates.length + deletes.length).toBeLessThanOrEqual(losing + Math.ceil(added / max));
        slices = applied(slices, packing);
        expect(slices.flatMap(({ items: sliceItems }) => sliceItems.map(({ id }) => id)).sort()).toEqual([...desired].sort());
        for (const { items: sliceItems } of slices) expect(sliceItems.length).toBeGreaterThan(0);
        for (const { items: sliceItems } of slices) expect(sliceItems.length).toBeLessThanOrEqual(max);
      }
    }),
  );
});

it.each([[1], [7], [100], [1_000]])(
  'packEndpoints replaces 5,000 endpoints in steps of %i with at most 1.1 times the minimum number of writes',
  (step) => {
    const max = 100;
    let slices: Slice[] = [];
    let written = 0;
    let minimum = 0;
    const repack = (desired: readonly string[]): void => {
      const retained = slices.map(({ items: sliceItems }) => sliceItems.filter(({ id }) => desired.includes(id)).length);
      const losing = slices.filter(({ items: sliceItems }, index) => retained[index] !== sliceItems.length);
      const room = losing.reduce((sum, slice) => sum + max - (retained[slices.indexOf(slice)] ?? 0), 0);
      const added = desired.length - retained.reduce((sum, count) => sum + count, 0);
      // Each slice that loses an endpoint must be written, and new slices hold what does not fit in those.
      minimum += losing.length + Math.ceil(Math.max(0, added - room) / max);
      const desiredItems = desired.map((id) => item(id));
      const packing = packEndpoints(slices, desiredItems, rules(max));
      const { creates, updates, deletes } = packing;
      // The reconciliation updates a slice that would be deleted instead of creating one.
      written += updates.length + Math.max(creates.length, deletes.length);
      slices = applied(slices, packing);
    };
    const pods = Array.from({ length: 5_000 }, (_, n) => `old${n}`);
    repack(pods);
    // A few steps of each length are representative of all steps.
    for (let from = 0; from < Math.min(5_000, 20 * step); from += step) {
      pods.splice(from, step, ...Array.from({ length: step }, (_, n) => `new${from + n}`));
      repack(pods);
    }
    expect(written).toBeLessThanOrEqual(minimum * 1.1);
  },
);
