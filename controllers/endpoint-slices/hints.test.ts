import type { Endpoint } from './endpoints';
import { hintsFor } from './hints';

const endpoints = (zones: string, isReady = true): Endpoint[] =>
  [...zones].map((zone, index) => ({ id: `${zone}${index}`, isReady, zone: zone === '-' ? undefined : zone, object: {} }));
const cpus = (counts: Readonly<Record<string, number>>) => new Map(Object.entries(counts));
const told = (hints: ReturnType<typeof hintsFor>): string => [...hints.zones].map(([id, zone]) => `${id}:${zone}`).join(' ');

describe('close', () => {
  it('gives each ready endpoint its own zone', () => {
    expect(told(hintsFor('IPv4', 'close', [...endpoints('ab'), ...endpoints('c', false)], undefined))).toBe('a0:a b1:b');
  });

  it('gives none where one has no zone', () => {
    expect(told(hintsFor('IPv4', 'close', endpoints('a-'), undefined))).toBe('');
  });
});

describe('auto', () => {
  const auto = (zones: string, counts?: Readonly<Record<string, number>>) =>
    hintsFor('IPv4', 'auto', endpoints(zones), counts === undefined ? undefined : cpus(counts));

  it('leaves endpoints in their zones while those carry about their share', () => {
    expect(told(auto('aabb', { a: 4, b: 4 }))).toBe('a0:a a1:a b2:b b3:b');
  });

  it('gives zones with too few some of the others', () => {
    const hints = auto('aaaaaa', { a: 4, b: 4 });
    expect([...hints.zones.values()].filter((zone) => zone === 'b')).toHaveLength(3);
  });

  it.each<[string, string, Readonly<Record<string, number>> | undefined]>([
    ['nothing is known of the nodes', 'ab', undefined],
    ['there is one zone', 'aa', { a: 4 }],
    ['an endpoint has no zone', 'a-', { a: 4, b: 4 }],
    ['there are fewer endpoints than zones', 'a', { a: 4, b: 4 }],
    ['there are too few endpoints', 'aab', { a: 4, b: 4 }],
    ['there are none', '', { a: 4, b: 4 }],
  ])('says why there are none where %s', (_title, zones, counts) => {
    const { zones: given, refusal } = auto(zones, counts);
    expect([given.size, typeof refusal]).toEqual([0, 'string']);
  });
});
