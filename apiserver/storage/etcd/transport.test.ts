import { membersOf } from './transport';

const [A, B] = ['https://a:2379', 'https://b:2379'];
const named = (endpoints: readonly string[], serverName?: string) =>
  membersOf({ endpoints, ...(serverName === undefined ? {} : { serverName }) }).map(({ authority, tls }) => [authority, tls?.servername]);

test('each member proves its own name, or its own address', () => {
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

test('plain members have nothing to prove; plain and secure ones do not mix', () => {
  expect(named(['http://a:2379'])).toEqual([['a', undefined]]);
  expect(() => membersOf({ endpoints: [A, 'http://b:2379'] })).toThrow('the etcd endpoints mix http and https');
  expect(() => membersOf({ endpoints: [] })).toThrow('no etcd endpoint is given');
});
