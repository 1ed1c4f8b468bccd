import { frontProxyOptions } from './front-proxy-options';

const NO_FLAGS = {
  'requestheader-client-ca-file': '',
  'requestheader-allowed-names': [],
  'requestheader-username-headers': [],
  'requestheader-group-headers': [],
  'requestheader-extra-headers-prefix': [],
};

test('frontProxyOptions is undefined without --requestheader-client-ca-file', () => {
  expect(frontProxyOptions(NO_FLAGS)).toBeUndefined();
});

test('frontProxyOptions defaults to the X-Remote-* headers when no header flag is set', () => {
  expect(frontProxyOptions({ ...NO_FLAGS, 'requestheader-client-ca-file': 'ca.crt', 'requestheader-allowed-names': ['proxy'] })).toEqual({
    allowedNames: ['proxy'],
    usernameHeaders: ['x-remote-user'],
    groupHeaders: ['x-remote-group'],
    extraPrefixes: ['x-remote-extra-'],
  });
});

test('frontProxyOptions reads only the named headers when any header flag is set', () => {
  const flags = { ...NO_FLAGS, 'requestheader-client-ca-file': 'ca.crt', 'requestheader-username-headers': ['X-Who'] };
  expect(frontProxyOptions(flags)).toEqual({ allowedNames: [], usernameHeaders: ['x-who'], groupHeaders: [], extraPrefixes: [] });
});
