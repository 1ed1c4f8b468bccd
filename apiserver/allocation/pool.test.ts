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

/** The ids that the pool picks, in order, at most `limit`. */
function pickAll(pool: ReturnType<typeof addressPool>, limit: number): string[] {
  const picked: string[] = [];
  for (let id = pool.pickFree(0); id !== undefined && picked.length < limit; id = pool.pickFree(0)) {
    pool.markAllocated(id);
    picked.push(id);
  }
  return picked;
}

it.each([
  ['10.0.0.0/29', 'ips/10.0.0.1', 6],
  ['10.0.0.0/24', 'ips/10.0.0.17', 254],
  ['10.0.0.0/20', 'ips/10.0.1.1', 4094],
  ['10.0.0.0/12', 'ips/10.0.1.1', 2 ** 20 - 2],
  ['fd00::/125', 'ips/fd00::1', 7],
  ['fd00::/108', 'ips/fd00::101', 2 ** 20 - 1],
])('addressPool of %s chooses %s first', (range, first, size) => {
  const pool = addressPoolOf(range);
  expect(pool.size).toBe(size);
  expect(pool.pickFree(0)).toBe(first);
});

it.each([
  ['30000-32767', 'ports/30086', 2768],
  ['30000-30015', 'ports/30000', 16],
  ['30000-30099', 'ports/30016', 100],
  ['1-65535', 'ports/129', 65_535],
])('portPool of %s chooses %s first', (range, first, size) => {
  const pool = portPoolOf(range);
  expect(pool.size).toBe(size);
  expect(pool.pickFree(0)).toBe(first);
});

it('a pool chooses from the lower band when the upper one is exhausted, and never the network or broadcast address', () => {
  const picked = pickAll(addressPoolOf('10.0.0.0/24'), 1000);
  expect(new Set(picked).size).toBe(254);
  // The lower band has 16 addresses.
  const upperBandSize = 254 - 16;
  expect(picked.indexOf('ips/10.0.0.1')).toBeGreaterThanOrEqual(upperBandSize);
  expect(picked.slice(0, upperBandSize)).toContain('ips/10.0.0.254');
  expect(picked.some((id) => id === 'ips/10.0.0.0' || id === 'ips/10.0.0.255')).toBe(false);
});

it('addressPool chooses distinct addresses of a /64 range', () => {
  const pool = addressPoolOf('fd00::/64');
  const picked = [0, 0.25, 0.5, 0.999999].map((chance) => pool.pickFree(chance));
  expect(new Set(picked).size).toBe(4);
  for (const id of picked) expect(id !== undefined && pool.contains(id)).toBe(true);
  expect(pool.contains('ips/fd00::ffff:ffff:ffff:ffff')).toBe(true);
  expect(pool.contains('ips/fd00:0:0:1::')).toBe(false);
});

it.each(['ips/10.0.0.0', 'ips/10.0.0.255', 'ips/10.0.1.0', 'ips/fd00::1', 'ports/30000', 'ips/nonsense'])(
  'addressPool of 10.0.0.0/24 does not contain %s',
  (id) => {
    expect(addressPoolOf('10.0.0.0/24').contains(id)).toBe(false);
  },
);
