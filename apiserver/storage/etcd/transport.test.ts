import { membersOf } from './transport';

const [A, B] = ['https://a:2379', 'https://b:2379'];
const named = (endpoints: readonly string[], serverName?: string) =>
  membersOf({ endpoints, ...(serverName === undefined ? {} : { serverName }) }).map(({ authority, tls }) => [authority, tls?.servername]);

test('membersOf expects the certificate of each etcd member to match its host name, or the configured server name', () => {
  expect(named([A, B])).toEqual([
    ['a', 'a'],
    ['b', 'b'],
  ]);
  expect(named([A, 'https://10.0.0.1:2379', 'https://[::1]:2379'])).toEqual([
    ['a', 'a'],
    ['10.0.0.1', undefined],
    ['[::1]', undefined],
  ]);
  expect(named([A, 'https://10.0.0.1:2379'], 'store')).toEqual([
    ['store', 'store'],
    ['store', 'store'],
  ]);
});

test('membersOf uses no TLS for http endpoints and rejects a mix of http and https', () => {
  expect(named(['http://a:2379'])).toEqual([['a', undefined]]);
  expect(() => membersOf({ endpoints: [A, 'http://b:2379'] })).toThrow('the etcd endpoints mix http and https');
  expect(() => membersOf({ endpoints: [] })).toThrow('no etcd endpoint is given');
});
