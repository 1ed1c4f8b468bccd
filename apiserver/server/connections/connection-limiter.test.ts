import { ConnectionLimiter } from './connection-limiter';

it('ConnectionLimiter refuses and counts connections beyond the total, and admits others after one closes', () => {
  const connections = new ConnectionLimiter({ total: 2, perAddress: 0 });
  const release = connections.tryEnter('192.0.2.1');
  connections.tryEnter('192.0.2.1');
  expect(connections.tryEnter('192.0.2.2')).toBeUndefined();
  expect(connections.open).toBe(2);
  expect(connections.refused).toEqual({ total: 1, address: 0 });
  release?.();
  expect(connections.tryEnter('192.0.2.2')).toBeDefined();
  expect(connections.open).toBe(2);
});

it.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.2'],
  ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ['2001:db8::1', '2001:db8::ffff:2', '2001:db8:0:1::1'],
  ['::1', '::2', '127.0.0.1'],
])('ConnectionLimiter counts %s and %s as one client, and %s as another', (first, sameClient, otherClient) => {
  const connections = new ConnectionLimiter({ total: 0, perAddress: 1 });
  const release = connections.tryEnter(first);
  expect(connections.tryEnter(sameClient)).toBeUndefined();
  expect(connections.tryEnter(otherClient)).toBeDefined();
  expect(connections.refused).toEqual({ total: 0, address: 1 });
  release?.();
  expect(connections.tryEnter(sameClient)).toBeDefined();
});

it('ConnectionLimiter refuses no connection without caps', () => {
  const connections = new ConnectionLimiter({ total: 0, perAddress: 0 });
  for (let n = 0; n < 1000; n++) expect(connections.tryEnter('192.0.2.1')).toBeDefined();
});
