import type { Endpoint } from './desired-endpoints';
import { topologyHints } from './topology-hints';

/** An endpoint for each character: the name of its zone, or `-` for none. */
const endpoints = (zones: string, { isReady } = { isReady: true }): Endpoint[] =>
  [...zones].map((zone, index) => ({ id: `${zone}${index}`, isReady, zone: zone === '-' ? undefined : zone, body: {} }));
const cpus = (counts: Readonly<Record<string, number>>) => new Map(Object.entries(counts));
const format = (hints: ReturnType<typeof topologyHints>): string => [...hints.zones].map(([id, zone]) => `${id}:${zone}`).join(' ');

describe('topologyHints with the topology preferClose', () => {
  it('gives each ready endpoint a hint for its own zone', () => {
    const hints = topologyHints('IPv4', 'preferClose', [...endpoints('ab'), ...endpoints('c', { isReady: false })], undefined);
    expect(format(hints)).toBe('a0:a b1:b');
  });

  it('gives no hints when an endpoint has no zone', () => {
    expect(format(topologyHints('IPv4', 'preferClose', endpoints('a-'), undefined))).toBe('');
  });
});

describe('topologyHints with the topology auto', () => {
  const auto = (zones: string, counts?: Readonly<Record<string, number>>) =>
    topologyHints('IPv4', 'auto', endpoints(zones), counts === undefined ? undefined : cpus(counts));

  it('keeps endpoints in their zones when these serve about their share of CPUs', () => {
    expect(format(auto('aabb', { a: 4, b: 4 }))).toBe('a0:a a1:a b2:b b3:b');
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
  ])('gives no hints and an error when %s', (_title, zones, counts) => {
    const hints = auto(zones, counts);
    expect(hints.zones.size).toBe(0);
    expect(hints.error).toEqual(expect.any(String));
  });
});
