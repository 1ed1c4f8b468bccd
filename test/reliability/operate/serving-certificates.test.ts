/**
 * The serving certificate and the client authorities of an API server expire or are replaced, at the start and at run
 * time.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'node:tls';
import type { Credential } from '../../../shared/pki/certificates';
import { ApiClient } from '../../support/http/api-client';
import { ACCELERATED_CLOCK } from '../../support/control-plane';
import { makeAuthority, makePair, pairPaths, savePair, type CertificateValidity } from '../../support/certificates/credential-files';
import { freePort } from '../../support/ports';
import {
  launchApiServer,
  removeFolder,
  startApiServer,
  temporaryFolder,
  waitUntil,
  type ApiServer,
  type ProgramProcess,
} from '../../support/programs';

/** The certificate that a server currently serves, as PEM; `undefined` when the handshake fails. */
function servedCertificate(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.toString());
      socket.destroy();
    });
    socket.on('error', () => resolve(undefined));
  });
}

const waitForLog = (process: ProgramProcess, pattern: RegExp): Promise<unknown> =>
  waitUntil(`the log to say ${pattern}`, () => pattern.test(process.output), 30_000);

describe('a running API server', () => {
  const folder = temporaryFolder('operate-certificates');
  const files = pairPaths(folder, 'own');
  const clientCa = path.join(folder, 'clients.crt');
  let authority: Credential;
  let goodPair: Credential;
  let server: ApiServer;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    // The first start creates the authority of the server, which signs the pair.
    const before = await startApiServer({ folder, securePort: port });
    await before.process.stop();
    authority = { certificate: before.certificates.authority, key: readFileSync(path.join(before.pki, 'ca.key'), 'utf8') };
    goodPair = await makePair(authority, 'server');
    savePair(files, goodPair);
    writeFileSync(clientCa, authority.certificate);
    const args = [`--tls-cert-file=${files.cert}`, `--tls-private-key-file=${files.key}`, `--client-ca-file=${clientCa}`];
    server = await startApiServer({ folder, securePort: port, args, environment: ACCELERATED_CLOCK });
  }, 90_000);

  afterAll(async () => {
    await server.process.stop();
    removeFolder(folder);
  }, 30_000);

  const requestStatus = async (): Promise<number> => {
    const client = new ApiClient(server.address, server.certificates);
    try {
      return (await client.get('/api/v1/namespaces')).status;
    } finally {
      client.close();
    }
  };

  test.each<[string, () => Promise<Credential>, RegExp]>([
    [
      'that has expired',
      () => makePair(authority, 'server', { validity: 'expired' }),
      /own\.crt has expired at .*: replace the certificate/,
    ],
    [
      'that is not valid yet',
      () => makePair(authority, 'server', { validity: 'not yet valid' }),
      /own\.crt is not valid before .* check the clock of this machine/,
    ],
    [
      'with the key of another certificate',
      async () => ({ ...(await makePair(authority, 'server')), key: goodPair.key }),
      /own\.crt and [^ ]*own\.key cannot be used together .*a certificate and its private key/,
    ],
    ['that is not PEM', () => Promise.resolve({ ...goodPair, certificate: 'junk' }), /own\.crt and [^ ]*own\.key cannot be used together/],
  ])(
    'keeps its serving certificate when the file changes to one %s',
    async (_title, createBadPair, pattern) => {
      const outputStart = server.process.output.length;
      savePair(files, await createBadPair());
      await waitUntil(`the log to say ${pattern}`, () => pattern.test(server.process.output.slice(outputStart)), 30_000);
      expect(server.process.output.slice(outputStart)).toContain('the previous ones stay in use');
      expect(await servedCertificate(port)).toBe(goodPair.certificate);
      expect(await requestStatus()).toBe(200);
      // Restore a valid certificate, so that the next bad one is a change.
      const good = await makePair(authority, 'server');
      savePair(files, good);
      await waitUntil('the valid certificate', async () => (await servedCertificate(port)) === good.certificate, 30_000);
      goodPair = good;
    },
    60_000,
  );

  test('keeps its client authorities when their file contains no certificate, and still reloads the serving certificate', async () => {
    const outputStart = server.process.output.length;
    writeFileSync(clientCa, 'junk');
    const next = await makePair(authority, 'server');
    savePair(files, next);
    await waitUntil('the new certificate', async () => (await servedCertificate(port)) === next.certificate, 30_000);
    expect(server.process.output.slice(outputStart)).toMatch(/clients\.crt contains no certificate/);
    expect(await requestStatus()).toBe(200);
    writeFileSync(clientCa, (await makeAuthority('other')).certificate);
    await waitUntil('the other authority', async () => (await requestStatus()) === 401, 30_000);
    writeFileSync(clientCa, authority.certificate);
    await waitUntil('the first authority', async () => (await requestStatus()) === 200, 30_000);
  }, 60_000);
});

describe('an API server at its start', () => {
  const folder = temporaryFolder('operate-start');
  const files = pairPaths(folder, 'own');
  const launched: ProgramProcess[] = [];
  afterEach(async () => {
    for (const process of launched.splice(0)) await process.kill();
  });
  afterAll(() => removeFolder(folder));

  const launch = async (): Promise<{ readonly process: ProgramProcess; readonly port: number }> => {
    const port = await freePort();
    const args = [`--tls-cert-file=${files.cert}`, `--tls-private-key-file=${files.key}`];
    const process = await launchApiServer({ folder, securePort: port, args });
    launched.push(process);
    return { process, port };
  };

  test('exits and names both files when the key belongs to another certificate', async () => {
    const authority = await makeAuthority('ca');
    savePair(files, { ...(await makePair(authority, 'server')), key: (await makePair(authority, 'server')).key });
    const { process } = await launch();
    expect((await process.exited).code).toBe(78);
    expect(process.output).toMatch(/own\.crt and [^ ]*own\.key cannot be used together/);
  }, 60_000);

  test.each<[CertificateValidity, RegExp]>([
    ['expired', /own\.crt has expired at .*clients reject this server: replace the certificate/],
    ['not yet valid', /own\.crt is not valid before .*clients reject this server/],
  ])(
    'serves a certificate whose validity is %s, and logs the remedy',
    async (validity, pattern) => {
      const bad = await makePair(await makeAuthority('ca'), 'server', { validity });
      savePair(files, bad);
      const { process, port } = await launch();
      await waitForLog(process, pattern);
      expect(await servedCertificate(port)).toBe(bad.certificate);
      expect(await process.stop()).toBe(0);
    },
    60_000,
  );
});
