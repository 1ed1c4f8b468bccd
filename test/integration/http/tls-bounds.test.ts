/** Which versions of TLS and which cipher suites are spoken, before and after the certificate is renewed. */
import { connect, type ConnectionOptions } from 'node:tls';
import { opensslSuites } from '../../../apiserver/options/cipher-suites';
import type { TlsBounds } from '../../../apiserver/server/connections/listeners';
import { pairOf, serverOf, startFixture, type Fixture } from './fixture';

/** Version and cipher suite that are agreed with a client; `undefined` when there are none. */
function spoken({ server, authority }: Fixture, offer: ConnectionOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: server.port, ca: authority.certificate, ...offer }, () => {
      resolve(`${socket.getProtocol()} ${socket.getCipher().standardName}`);
      socket.destroy();
    });
    socket.on('error', () => resolve(undefined));
  });
}

const OLD: ConnectionOptions = { maxVersion: 'TLSv1.2' };
const SUITE = 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256';
const suite = opensslSuites([SUITE]);
if (suite === undefined) throw new Error(`there is no ${SUITE}`);

const ONE: TlsBounds = { minVersion: 'TLSv1.2', ciphers: suite };
const OTHER_SUITE = { ...OLD, ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' };
const NEWEST = 'TLSv1.3 TLS_AES_256_GCM_SHA384';

test.each<[string, string, TlsBounds, ConnectionOptions, string | undefined]>([
  ['TLS 1.2 alone', 'TLS 1.3 alone', { minVersion: 'TLSv1.3' }, OLD, undefined],
  ['any version', 'TLS 1.3 alone', { minVersion: 'TLSv1.3' }, {}, NEWEST],
  ['TLS 1.2 alone', 'one cipher suite', ONE, OLD, `TLSv1.2 ${SUITE}`],
  ['another cipher suite', 'one cipher suite', ONE, OTHER_SUITE, undefined],
  ['any version', 'one cipher suite', ONE, {}, NEWEST],
])(
  'a client that offers %s and a server that accepts %s agree alike before and after a renewal',
  async (_offer, _bounds, tlsBounds, offer, expected) => {
    const api = await startFixture({ tlsBounds });
    try {
      expect(await spoken(api, offer)).toBe(expected);
      api.server.renew(pairOf(await serverOf(api.authority, ['127.0.0.1'])));
      expect(await spoken(api, offer)).toBe(expected);
    } finally {
      await api.stop();
    }
  },
);
