/** Which ids the pools of addresses and node ports contain, and in which order they pick them. */
import { addressPool, portPool } from './pool';
import { parsePortRange, parseServiceRanges } from './ranges';

function addressPoolOf(text: string): ReturnType<typeof addressPool> {
  const ranges = parseServiceRanges(text);
  if (typeof ranges === 'string') throw new Error(ranges);
  return addressPool(ranges[0]);
}

function portPoolOf(text: string): ReturnType<typeof portPool> {
  const range = parsePortRange(text);
  if (typeof range === 'string') throw new Error(range);
  return portPool(range);
}

/** The chance with which a band of which nothing was released picks its lowest free number. */
const LOWEST = 0;

/** The ids that the pool picks until it is exhausted, in order; at most `limit`. */
function pickUntilExhausted(pool: ReturnType<typeof addressPool>, limit: number): string[] {
  const picked: string[] = [];
  for (let id = pool.pickFree(LOWEST); id !== undefined && picked.length < limit; id = pool.pickFree(LOWEST)) {
    pool.markAllocated(id);
    picked.push(id);
  }
  return picked;
}

describe('addressPool', () => {
  // The first id is the lowest of the upper band, after 1/16 of the range, but at least 16 and at most 256 addresses.
  it.each<[range: string, firstPicked: string, size: number]>([
    ['10.0.0.0/29', 'ips/10.0.0.1', 6],
    ['10.0.0.0/24', 'ips/10.0.0.17', 254],
    ['10.0.0.0/20', 'ips/10.0.1.1', 4094],
    ['10.0.0.0/12', 'ips/10.0.1.1', 2 ** 20 - 2],
    ['fd00::/125', 'ips/fd00::1', 7],
    ['fd00::/108', 'ips/fd00::101', 2 ** 20 - 1],
  ])('of %s picks %s first', (range, firstPicked, size) => {
    const pool = addressPoolOf(range);
    expect(pool.size).toBe(size);
    expect(pool.pickFree(LOWEST)).toBe(firstPicked);
  });

  it('picks every address but the network and broadcast address, those of the lower band last', () => {
    const picked = pickUntilExhausted(addressPoolOf('10.0.0.0/24'), 1000);
    const lowerBand = Array.from({ length: 16 }, (_, index) => `ips/10.0.0.${index + 1}`);
    const upperBand = Array.from({ length: 238 }, (_, index) => `ips/10.0.0.${index + 17}`);
    expect(new Set(picked.slice(0, upperBand.length))).toEqual(new Set(upperBand));
    expect(new Set(picked.slice(upperBand.length))).toEqual(new Set(lowerBand));
    expect(picked).toHaveLength(254);
  });

  it('picks distinct addresses of a /64 range for distinct chances', () => {
    const pool = addressPoolOf('fd00::/64');
    const picked = [0, 0.25, 0.5, 0.999999].map((chance) => pool.pickFree(chance));
    expect(new Set(picked).size).toBe(4);
    for (const id of picked) expect(id !== undefined && pool.contains(id)).toBe(true);
  });

  it('of a /64 range contains its last address and not the address after it', () => {
    const pool = addressPoolOf('fd00::/64');
    expect(pool.contains('ips/fd00::ffff:ffff:ffff:ffff')).toBe(true);
    expect(pool.contains('ips/fd00:0:0:1::')).toBe(false);
  });

  it.each(['ips/10.0.0.0', 'ips/10.0.0.255', 'ips/10.0.1.0', 'ips/fd00::1', 'ports/30000', 'ips/nonsense'])(
    'of 10.0.0.0/24 does not contain %s',
    (id) => {
      expect(addressPoolOf('10.0.0.0/24').contains(id)).toBe(false);
    },
  );
});

describe('portPool', () => {
  // The first id is the lowest of the upper band, after 1/32 of the range, but at least 16 and at most 128 ports.
  it.each<[range: string, firstPicked: string, size: number]>([
    ['30000-32767', 'ports/30086', 2768],
    ['30000-30015', 'ports/30000', 16],
    ['30000-30099', 'ports/30016', 100],
    ['1-65535', 'ports/129', 65_535],
  ])('of %s picks %s first', (range, firstPicked, size) => {
    const pool = portPoolOf(range);
    expect(pool.size).toBe(size);
    expect(pool.pickFree(LOWEST)).toBe(firstPicked);
  });
});
