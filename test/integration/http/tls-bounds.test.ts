/** TLS versions and cipher suites that are negotiated, before and after the certificate is renewed. */
import { connect, type ConnectionOptions } from 'node:tls';
import { opensslSuites } from '../../../apiserver/options/flags/cipher-suites';
import type { TlsBounds } from '../../../apiserver/server/connections/listeners';
import { useStarter, type Fixture } from './fixture';
import { tlsPairOf, issueServerCertificate } from './issue-certificates';

const start = useStarter();

/** Version and cipher suite that are negotiated with a client; `undefined` when the handshake fails. */
function negotiate({ server, authority }: Fixture, offer: ConnectionOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: server.port, ca: authority.certificate, ...offer }, () => {
      resolve(`${socket.getProtocol()} ${socket.getCipher().standardName}`);
      socket.destroy();
    });
    socket.on('error', () => resolve(undefined));
  });
}

const TLS_1_2: ConnectionOptions = { maxVersion: 'TLSv1.2' };
const SUITE = 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256';
const suite = opensslSuites([SUITE]);
if (suite === undefined) throw new Error(`there is no ${SUITE}`);

const ONE_SUITE: TlsBounds = { minVersion: 'TLSv1.2', ciphers: suite };
const TLS_1_2_WITH_OTHER_SUITE = { ...TLS_1_2, ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' };
const TLS_1_3_RESULT = 'TLSv1.3 TLS_AES_256_GCM_SHA384';

test.each<[string, string, TlsBounds, ConnectionOptions, string | undefined]>([
  ['TLS 1.2 alone', 'TLS 1.3 alone', { minVersion: 'TLSv1.3' }, TLS_1_2, undefined],
  ['any version', 'TLS 1.3 alone', { minVersion: 'TLSv1.3' }, {}, TLS_1_3_RESULT],
  ['TLS 1.2 alone', 'one cipher suite', ONE_SUITE, TLS_1_2, `TLSv1.2 ${SUITE}`],
  ['another cipher suite', 'one cipher suite', ONE_SUITE, TLS_1_2_WITH_OTHER_SUITE, undefined],
  ['any version', 'one cipher suite', ONE_SUITE, {}, TLS_1_3_RESULT],
])(
  'a client that offers %s and a server that accepts %s agree alike before and after a renewal',
  async (_offer, _bounds, tlsBounds, offer, expected) => {
    const api = await start({ tlsBounds });
    expect(await negotiate(api, offer)).toBe(expected);
    api.server.renew(tlsPairOf(await issueServerCertificate(api.authority, ['127.0.0.1'])));
    expect(await negotiate(api, offer)).toBe(expected);
  },
);
