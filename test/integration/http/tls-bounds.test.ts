/** Which versions of TLS and which cipher suites are spoken, before and after the certificate is renewed. */
import { connect, type ConnectionOptions } from 'node:tls';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { issueCertificate } from '../../../shared/runtime/pki';
import { opensslSuites } from '../../../apiserver/options/cipher-suites';
import type { TlsBounds } from '../../../apiserver/server/listeners';
import { type Fixture, startFixture } from './fixture';

/** What is spoken with a client that offers just that; undefined = nothing. */
function spoken({ server, authority }: Fixture, offer: ConnectionOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: server.port, ca: authority.certificate, ...offer }, () => {
      resolve(`${socket.getProtocol()} ${socket.getCipher().standardName}`);
      socket.destroy();
    });
    socket.on('error', () => resolve(undefined));
  });
}

async function renew({ server, authority }: Fixture): Promise<void> {
  const subject = { commonName: 'renewed' };
  const pair = await issueCertificate({ subject, lifetimeMs: 60_000, clock, authority, usage: 'server', names: ['127.0.0.1'] });
  server.renew({ cert: Buffer.from(pair.certificate), key: Buffer.from(pair.key) });
}

const OLD: ConnectionOptions = { maxVersion: 'TLSv1.2' };
const SUITE = 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256';
const suite = opensslSuites([SUITE]);
if (suite === undefined) throw new Error(`there is no ${SUITE}`);

test.each<[string, TlsBounds, ConnectionOptions, string | undefined]>([
  ['TLS 1.2 alone, to a server of TLS 1.3', { minVersion: 'TLSv1.3' }, OLD, undefined],
  ['any version, to a server of TLS 1.3', { minVersion: 'TLSv1.3' }, {}, 'TLSv1.3 TLS_AES_256_GCM_SHA384'],
  ['TLS 1.2 alone, to a server of one suite', { minVersion: 'TLSv1.2', ciphers: suite }, OLD, `TLSv1.2 ${SUITE}`],
  [
    'another suite, to a server of one',
    { minVersion: 'TLSv1.2', ciphers: suite },
    { ...OLD, ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' },
    undefined,
  ],
  ['any version, to a server of one suite', { minVersion: 'TLSv1.2', ciphers: suite }, {}, 'TLSv1.3 TLS_AES_256_GCM_SHA384'],
])('a client offers %s', async (_title, tlsBounds, offer, expected) => {
  const api = await startFixture({ tlsBounds });
  try {
    expect(await spoken(api, offer)).toBe(expected);
    await renew(api);
    expect(await spoken(api, offer)).toBe(expected);
  } finally {
    await api.stop();
  }
});
