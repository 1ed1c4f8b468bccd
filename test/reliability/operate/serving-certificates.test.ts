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
import { launchApiServer, startApiServer, waitUntil, type ProgramProcess } from '../../support/programs';
import { stopAfterTest, useFolder, useResource } from '../../support/use-resource';

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
  waitUntil(`the log to contain ${pattern}`, () => pattern.test(process.output), 30_000);

describe('a running API server', () => {
  const folder = useFolder('operate-certificates');
  const files = pairPaths(folder, 'own');
  const clientCa = path.join(folder, 'clients.crt');
  const port = useResource(freePort);
  /** The authority that the first start of the server creates. It signs the pairs of the tests. */
  const authority = useResource(
    async () => {
      const { process, pki, certificates } = await startApiServer({ folder, securePort: port() });
      await process.stop();
      return { certificate: certificates.authority, key: readFileSync(path.join(pki, 'ca.key'), 'utf8') };
    },
    undefined,
    60_000,
  );
  const createPair = (): Promise<Credential> => makePair(authority(), 'server');
  const server = useResource(
    async () => {
      savePair(files, await createPair());
      writeFileSync(clientCa, authority().certificate);
      const args = [`--tls-cert-file=${files.cert}`, `--tls-private-key-file=${files.key}`, `--client-ca-file=${clientCa}`];
      return startApiServer({ folder, securePort: port(), args, environment: ACCELERATED_CLOCK });
    },
    ({ process }) => process.stop(),
    60_000,
  );

  /** The status of a request with a client certificate of the first authority. */
  const requestStatus = async (): Promise<number> => {
    const client = new ApiClient(server().address, server().certificates);
    try {
      return (await client.get('/api/v1/namespaces')).status;
    } finally {
      client.close();
    }
  };

  test.each<readonly [title: string, createBadPair: () => Promise<Credential>, logged: RegExp]>([
    [
      'that has expired',
      () => makePair(authority(), 'server', { validity: 'expired' }),
      /own\.crt has expired at .*: replace the certificate/,
    ],
    [
      'that is not valid yet',
      () => makePair(authority(), 'server', { validity: 'not yet valid' }),
      /own\.crt is not valid before .* check the clock of this machine/,
    ],
    [
      'with the key of another certificate',
      async () => ({ ...(await createPair()), key: (await createPair()).key }),
      /own\.crt and [^ ]*own\.key cannot be used together .*a certificate and its private key/,
    ],
    [
      'that is not PEM',
      async () => ({ ...(await createPair()), certificate: 'junk' }),
      /own\.crt and [^ ]*own\.key cannot be used together/,
    ],
  ])(
    'keeps its serving certificate when the file changes to one %s',
    async (_title, createBadPair, logged) => {
      const outputStart = server().process.output.length;
      const servedBefore = await servedCertificate(port());
      savePair(files, await createBadPair());
      const newOutput = (): string => server().process.output.slice(outputStart);
      await waitUntil(`the log to contain ${logged}`, () => logged.test(newOutput()), 30_000);
      expect(newOutput()).toContain('the previous ones stay in use');
      expect(await servedCertificate(port())).toBe(servedBefore);
      expect(await requestStatus()).toBe(200);
      // A valid certificate, so that the bad one of the next case is a change.
      const good = await createPair();
      savePair(files, good);
      await waitUntil('the valid certificate', async () => (await servedCertificate(port())) === good.certificate, 30_000);
    },
    60_000,
  );

  test('keeps its client authorities when their file contains no certificate, and loads others', async () => {
    const outputStart = server().process.output.length;
    writeFileSync(clientCa, 'junk');
    // The serving certificate is reloaded in spite of the other file, which shows that both have been read.
    const next = await createPair();
    savePair(files, next);
    await waitUntil('the new certificate', async () => (await servedCertificate(port())) === next.certificate, 30_000);
    expect(server().process.output.slice(outputStart)).toMatch(/clients\.crt contains no certificate/);
    expect(await requestStatus()).toBe(200);
    writeFileSync(clientCa, (await makeAuthority('other')).certificate);
    await waitUntil('the other authority', async () => (await requestStatus()) === 401, 30_000);
    writeFileSync(clientCa, authority().certificate);
    await waitUntil('the first authority', async () => (await requestStatus()) === 200, 30_000);
  }, 60_000);
});

describe('an API server at its start', () => {
  const folder = useFolder('operate-start');
  const files = pairPaths(folder, 'own');
  const killAfterTest = stopAfterTest((process: ProgramProcess) => process.kill());

  const launch = async (): Promise<{ readonly process: ProgramProcess; readonly port: number }> => {
    const port = await freePort();
    const args = [`--tls-cert-file=${files.cert}`, `--tls-private-key-file=${files.key}`];
    return { process: killAfterTest(await launchApiServer({ folder, securePort: port, args })), port };
  };

  test('exits and names both files when the key belongs to another certificate', async () => {
    const authority = await makeAuthority('ca');
    savePair(files, { ...(await makePair(authority, 'server')), key: (await makePair(authority, 'server')).key });
    const { process } = await launch();
    expect((await process.exited).code).toBe(78);
    expect(process.output).toMatch(/own\.crt and [^ ]*own\.key cannot be used together/);
  }, 60_000);

  test.each<readonly [validity: CertificateValidity, logged: RegExp]>([
    ['expired', /own\.crt has expired at .*clients reject this server: replace the certificate/],
    ['not yet valid', /own\.crt is not valid before .*clients reject this server/],
  ])(
    'serves a certificate whose validity is %s, and logs the remedy',
    async (validity, logged) => {
      const bad = await makePair(await makeAuthority('ca'), 'server', { validity });
      savePair(files, bad);
      const { process, port } = await launch();
      await waitForLog(process, logged);
      expect(await servedCertificate(port)).toBe(bad.certificate);
      expect(await process.stop()).toBe(0);
    },
    60_000,
  );
});
