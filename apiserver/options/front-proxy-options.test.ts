import { frontProxyOptions } from './front-proxy-options';

const NO_FLAGS = {
  'requestheader-client-ca-file': '',
  'requestheader-allowed-names': [],
  'requestheader-username-headers': [],
  'requestheader-group-headers': [],
  'requestheader-extra-headers-prefix': [],
};

test('reads no headers without an authority of proxies', () => {
  expect(frontProxyOptions(NO_FLAGS)).toBeUndefined();
});

test('reads the usual headers once an authority of proxies is given', () => {
  expect(frontProxyOptions({ ...NO_FLAGS, 'requestheader-client-ca-file': 'ca.crt', 'requestheader-allowed-names': ['proxy'] })).toEqual({
    allowedNames: ['proxy'],
    usernameHeaders: ['x-remote-user'],
    groupHeaders: ['x-remote-group'],
    extraPrefixes: ['x-remote-extra-'],
  });
});

test('reads only the headers that are named once one of them is', () => {
  const flags = { ...NO_FLAGS, 'requestheader-client-ca-file': 'ca.crt', 'requestheader-username-headers': ['X-Who'] };
  expect(frontProxyOptions(flags)).toEqual({ allowedNames: [], usernameHeaders: ['x-who'], groupHeaders: [], extraPrefixes: [] });
});
