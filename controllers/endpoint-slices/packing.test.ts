import fc from 'fast-check';
import { pack, type PackingRules } from './packing';

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
const rules = (most: number): PackingRules<Slice, Item> => ({
  most,
  held: ({ items }) => items.map(({ id }) => id),
  id: ({ id }) => id,
  isCurrent: ({ items }, wanted) => wanted.every(({ id, version }) => items.some((known) => known.id === id && known.version === version)),
});

const names = (items: readonly Item[]): string => items.map(({ id }) => id).join('');

/** `a:xy` = slice a is written with x and y, `+:z` = a new one, `-:b` = one that goes. */
function writes(slices: readonly Slice[], wanted: readonly Item[], most = 3): readonly string[] {
  const { creates, updates, deletes } = pack(slices, wanted, rules(most));
  return [
    ...updates.map((update) => `${update.slice.name}:${names(update.endpoints)}`),
    ...creates.map(({ endpoints }) => `+:${names(endpoints)}`),
    ...deletes.map(({ name }) => `-:${name}`),
  ].sort();
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
])('pack %s', (_title, slices, wanted, expected) => {
  expect(writes(slices, wanted)).toEqual(expected);
});

const set = fc.uniqueArray(fc.nat(40).map(String), { maxLength: 30 });

it('pack keeps exactly the wanted endpoints in slices within the limit, with a bounded number of writes', () => {
  fc.assert(
    fc.property(fc.array(set, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 7 }), (states, most) => {
      let slices: Slice[] = [];
      let made = 0;
      for (const wanted of states) {
        const { creates, updates, deletes } = pack(
          slices,
          wanted.map((id) => item(id)),
          rules(most),
        );
        const held = new Set(slices.flatMap(({ items: known }) => known.map(({ id }) => id)));
        const losing = slices.filter(({ items: known }) => known.some(({ id }) => !wanted.includes(id))).length;
        const fresh = wanted.filter((id) => !held.has(id)).length;
        expect(creates.length + updates.length + deletes.length).toBeLessThanOrEqual(losing + Math.ceil(fresh / most));
        const changed = new Set([...updates.map((update) => update.slice.name), ...deletes.map(({ name }) => name)]);
        slices = [
          ...slices.filter(({ name }) => !changed.has(name)),
          ...updates.map((update) => ({ name: update.slice.name, items: update.endpoints })),
          ...creates.map(({ endpoints }) => ({ name: String((made += 1)), items: endpoints })),
        ];
        expect(slices.flatMap(({ items: known }) => known.map(({ id }) => id)).sort()).toEqual([...wanted].sort());
        for (const { items: known } of slices) expect(known.length).toBeGreaterThan(0);
        for (const { items: known } of slices) expect(known.length).toBeLessThanOrEqual(most);
      }
    }),
  );
});

it.each([[1], [7], [100], [1_000]])(
  'pack replaces 5,000 endpoints in steps of %i with at most 1.1 times the minimum number of writes',
  (step) => {
    const most = 100;
    let slices: Slice[] = [];
    let [next, written, least] = [0, 0, 0];
    const take = (wanted: readonly string[]): void => {
      const kept = slices.map(({ items: known }) => known.filter(({ id }) => wanted.includes(id)).length);
      const losing = slices.filter(({ items: known }, index) => kept[index] !== known.length);
      const room = losing.reduce((sum, one) => sum + most - (kept[slices.indexOf(one)] ?? 0), 0);
      const fresh = wanted.length - kept.reduce((sum, count) => sum + count, 0);
      least += losing.length + Math.ceil(Math.max(0, fresh - room) / most);
      const { creates, updates, deletes } = pack(
        slices,
        wanted.map((id) => item(id)),
        rules(most),
      );
      // A slice that would go is written in the place of one that would be made.
      written += updates.length + Math.max(creates.length, deletes.length);
      const gone = new Set([...updates.map((update) => update.slice.name), ...deletes.map(({ name }) => name)]);
      slices = [
        ...slices.filter(({ name }) => !gone.has(name)),
        ...updates.map((update) => ({ name: update.slice.name, items: update.endpoints })),
        ...creates.map(({ endpoints }) => ({ name: String((next += 1)), items: endpoints })),
      ];
    };
    const pods = Array.from({ length: 5_000 }, (_, n) => `old${n}`);
    take(pods);
    // A few steps of each length show what all of them come to.
    for (let from = 0; from < Math.min(5_000, 20 * step); from += step) {
      pods.splice(from, step, ...Array.from({ length: step }, (_, n) => `new${from + n}`));
      take(pods);
    }
    expect(written).toBeLessThanOrEqual(least * 1.1);
  },
);
