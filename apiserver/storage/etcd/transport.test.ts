import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { createAuthority, issueCertificate } from '../../../shared/pki/certificates';
import { systemClock } from '../../../shared/runtime/clock';
import { FixedRandom } from '../../../test/support/clock/fixed-random';
import { freePort } from '../../../test/support/ports';
import { GrpcCallCounters } from '../grpc-call-counters';
import { RpcMessage } from './rpc-message';
import { resolveMembers } from './transport';

const A = 'https://a:2379';
const B = 'https://b:2379';
/** What each member is addressed as, and the name that its certificate must have. */
const expectedNames = (endpoints: readonly string[], serverName?: string) =>
  resolveMembers({ endpoints, ...(serverName === undefined ? {} : { serverName }) }).map(({ authority, tls }) => ({
    authority,
    servername: tls?.servername,
  }));

test('resolveMembers expects the certificate of each member to match its host name, or the configured server name', () => {
  expect(expectedNames([A, B])).toEqual([
    { authority: 'a', servername: 'a' },
    { authority: 'b', servername: 'b' },
  ]);
  expect(expectedNames([A, 'https://10.0.0.1:2379', 'https://[::1]:2379'])).toEqual([
    { authority: 'a', servername: 'a' },
    { authority: '10.0.0.1', servername: undefined },
    { authority: '[::1]', servername: undefined },
  ]);
  expect(expectedNames([A, 'https://10.0.0.1:2379'], 'store')).toEqual([
    { authority: 'store', servername: 'store' },
    { authority: 'store', servername: 'store' },
  ]);
});

test('resolveMembers uses no TLS for http endpoints and rejects a mix of http and https', () => {
  expect(expectedNames(['http://a:2379'])).toEqual([{ authority: 'a', servername: undefined }]);
  expect(() => resolveMembers({ endpoints: [A, 'http://b:2379'] })).toThrow('the etcd endpoints mix http and https');
  expect(() => resolveMembers({ endpoints: [] })).toThrow('no etcd endpoint is given');
});

test('a stream presents the client certificate also when the authorities of the system verify the members', async () => {
  const shared = { lifetimeMs: 3_600_000, clock: systemClock };
  const authority = await createAuthority({ ...shared, subject: { commonName: 'ca' } });
  const member = await issueCertificate({ ...shared, authority, usage: 'server', subject: { commonName: 'member' }, names: ['localhost'] });
  const own = await issueCertificate({ ...shared, authority, usage: 'client', subject: { commonName: 'apiserver' } });
  const folder = mkdtempSync(path.join(tmpdir(), 'authorities-'));
  const authorities = path.join(folder, 'ca.crt');
  writeFileSync(authorities, authority.certificate);
  // gRPC reads this variable, which replaces the authorities of the system, when it is loaded.
  process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] = authorities;
  jest.resetModules();
  const fresh = await import('./transport.js');
  const sockets: TLSSocket[] = [];
  const server = createSecureServer({ key: member.key, cert: member.certificate, requestCert: true, rejectUnauthorized: false });
  const presented = new Promise<unknown>((resolve) =>
    server.on('secureConnection', (socket: TLSSocket) => {
      sockets.push(socket);
      resolve(socket.getPeerCertificate().subject?.CN);
    }),
  );
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, resolve));
  const connection = {
    endpoints: [`https://localhost:${port}`],
    credentials: () => ({ cert: Buffer.from(own.certificate), key: Buffer.from(own.key) }),
  };
  const transport = new fresh.RpcTransport(connection, systemClock, new FixedRandom(), new GrpcCallCounters());
  const channel = await transport.openChannel();
  try {
    const method = { path: '/a/B', encode: () => new RpcMessage(Buffer.alloc(5)), decode: (bytes: Buffer) => bytes };
    channel.stream(method, { leader: false }).on('error', () => undefined);
    expect(await presented).toBe('apiserver');
  } finally {
    channel.close();
    transport.close();
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true });
    delete process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'];
  }
});
