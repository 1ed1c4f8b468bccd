import { OwnedAddresses } from './owned-addresses';
import { requireRange } from './node-heartbeats';

const pool = (range: string): OwnedAddresses => new OwnedAddresses(requireRange(range));

describe('OwnedAddresses', () => {
  it('gives each owner one address of the range', () => {
    const addresses = pool('10.0.0.0/24');
    expect(addresses.allocate('a')).toBe('10.0.0.1');
    expect(addresses.allocate('b')).toBe('10.0.0.2');
    expect(addresses.allocate('a')).toBe('10.0.0.1');
  });

  it('does not reuse a released address before the others', () => {
    const addresses = pool('10.0.0.0/29');
    addresses.allocate('a');
    addresses.release('a');
    expect(Array.from('bcdefgh', (owner) => addresses.allocate(owner))).toEqual([
      '10.0.0.2',
      '10.0.0.3',
      '10.0.0.4',
      '10.0.0.5',
      '10.0.0.6',
      '10.0.0.1',
      undefined,
    ]);
  });

  it('skips addresses that owners have already', () => {
    const addresses = pool('10.0.0.0/24');
    addresses.occupy('a', '10.0.0.1');
    expect(addresses.allocate('b')).toBe('10.0.0.2');
    expect(addresses.allocate('a')).toBe('10.0.0.1');
  });

  it('ignores a second address of an owner and addresses outside of the range', () => {
    const addresses = pool('10.0.0.0/24');
    addresses.occupy('a', '10.0.0.1');
    addresses.occupy('a', '10.0.0.9');
    expect(addresses.allocate('a')).toBe('10.0.0.1');
    addresses.occupy('elsewhere', '192.0.2.1');
    expect(addresses.allocate('elsewhere')).toBe('10.0.0.2');
  });

  it('has addresses of IPv6', () => {
    expect(pool('fd00::/64').allocate('a')).toBe('fd00::1');
  });
});
