import { resolveMembers } from './transport';

const A = 'https://a:2379';
const B = 'https://b:2379';
const expectedNames = (endpoints: readonly string[], serverName?: string) =>
  resolveMembers({ endpoints, ...(serverName === undefined ? {} : { serverName }) }).map(({ authority, tls }) => [
    authority,
    tls?.servername,
  ]);

test('resolveMembers expects the certificate of each member to match its host name, or the configured server name', () => {
  expect(expectedNames([A, B])).toEqual([
    ['a', 'a'],
    ['b', 'b'],
  ]);
  expect(expectedNames([A, 'https://10.0.0.1:2379', 'https://[::1]:2379'])).toEqual([
    ['a', 'a'],
    ['10.0.0.1', undefined],
    ['[::1]', undefined],
  ]);
  expect(expectedNames([A, 'https://10.0.0.1:2379'], 'store')).toEqual([
    ['store', 'store'],
    ['store', 'store'],
  ]);
});

test('resolveMembers uses no TLS for http endpoints and rejects a mix of http and https', () => {
  expect(expectedNames(['http://a:2379'])).toEqual([['a', undefined]]);
  expect(() => resolveMembers({ endpoints: [A, 'http://b:2379'] })).toThrow('the etcd endpoints mix http and https');
  expect(() => resolveMembers({ endpoints: [] })).toThrow('no etcd endpoint is given');
});
