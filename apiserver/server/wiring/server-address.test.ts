import { serverAddress } from './server-address';

it.each([
  ['10.1.2.3', '0.0.0.0', '10.1.2.3:6443'],
  ['10.1.2.3', '127.0.0.1', '10.1.2.3:6443'],
  ['fd00::1', '::', '[fd00::1]:6443'],
  [undefined, '0.0.0.0', '127.0.0.1:6443'],
  [undefined, '::', '127.0.0.1:6443'],
  [undefined, '10.9.9.9', '10.9.9.9:6443'],
])('serverAddress with the advertised address %s and the bind address %s is %s', (advertiseAddress, host, address) => {
  expect(serverAddress({ advertiseAddress, host, port: 6443 })).toBe(address);
});
