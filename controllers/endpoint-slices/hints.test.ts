import type { Endpoint } from './endpoints';
import { hintsFor } from './hints';

const endpoints = (zones: string, isReady = true): Endpoint[] =>
  [...zones].map((zone, index) => ({ id: `${zone}${index}`, isReady, zone: zone === '-' ? undefined : zone, object: {} }));
const cpus = (counts: Readonly<Record<string, number>>) => new Map(Object.entries(counts));
const told = (hints: ReturnType<typeof hintsFor>): string => [...hints.zones].map(([id, zone]) => `${id}:${zone}`).join(' ');

describe('hintsFor with the close topology', () => {
  it('gives each ready endpoint a hint for its own zone', () => {
    expect(told(hintsFor('IPv4', 'close', [...endpoints('ab'), ...endpoints('c', false)], undefined))).toBe('a0:a b1:b');
  });

  it('gives no hints when an endpoint has no zone', () => {
    expect(told(hintsFor('IPv4', 'close', endpoints('a-'), undefined))).toBe('');
  });
});

describe('hintsFor with the auto topology', () => {
  const auto = (zones: string, counts?: Readonly<Record<string, number>>) =>
    hintsFor('IPv4', 'auto', endpoints(zones), counts === undefined ? undefined : cpus(counts));

  it('keeps endpoints in their zones when these serve about their share of CPUs', () => {
    expect(told(auto('aabb', { a: 4, b: 4 }))).toBe('a0:a a1:a b2:b b3:b');
  });

  it('assigns endpoints of other zones to a zone with too few', () => {
    const hints = auto('aaaaaa', { a: 4, b: 4 });
    expect([...hints.zones.values()].filter((zone) => zone === 'b')).toHaveLength(3);
  });

  it.each<[string, string, Readonly<Record<string, number>> | undefined]>([
    ['the CPUs of the nodes are unknown', 'ab', undefined],
    ['there is one zone only', 'aa', { a: 4 }],
    ['an endpoint has no zone', 'a-', { a: 4, b: 4 }],
    ['there are fewer endpoints than zones', 'a', { a: 4, b: 4 }],
    ['the endpoints would overload a zone', 'aab', { a: 4, b: 4 }],
    ['there are no endpoints', '', { a: 4, b: 4 }],
  ])('gives no hints and a reason when %s', (_title, zones, counts) => {
    const { zones: given, refusal } = auto(zones, counts);
    expect([given.size, typeof refusal]).toEqual([0, 'string']);
  });
});
