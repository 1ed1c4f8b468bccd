import { Connections } from './connection-limiter';

it('has so many places in all, gives them back, and counts whom it turns away', () => {
  const connections = new Connections({ total: 2, perAddress: 0 });
  const leave = connections.enter('192.0.2.1');
  connections.enter('192.0.2.1');
  expect(connections.enter('192.0.2.2')).toBeUndefined();
  expect([connections.open, connections.refused]).toEqual([2, { total: 1, address: 0 }]);
  leave?.();
  expect(connections.enter('192.0.2.2')).toBeDefined();
  expect(connections.open).toBe(2);
});

it.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.2'],
  ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ['2001:db8::1', '2001:db8::ffff:2', '2001:db8:0:1::1'],
  ['::1', '::2', '127.0.0.1'],
])('counts %s and %s as one client, and %s as another', (one, same, other) => {
  const connections = new Connections({ total: 0, perAddress: 1 });
  const leave = connections.enter(one);
  expect(connections.enter(same)).toBeUndefined();
  expect(connections.enter(other)).toBeDefined();
  expect(connections.refused).toEqual({ total: 0, address: 1 });
  leave?.();
  expect(connections.enter(same)).toBeDefined();
});

it('turns nobody away without caps', () => {
  const connections = new Connections({ total: 0, perAddress: 0 });
  for (let n = 0; n < 1000; n++) expect(connections.enter('192.0.2.1')).toBeDefined();
});
