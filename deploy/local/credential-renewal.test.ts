import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { connect } from 'node:tls';
import { readTls } from '../../apiserver/server/tls/tls-files';
import { watchTls } from '../../apiserver/server/tls/tls-watch';
import { isIssuedBy, readCertificate } from '../../shared/pki/certificates';
import { systemClock } from '../../shared/runtime/clock';
import { silentLogger } from '../../shared/runtime/logger';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { waitUntil } from '../../test/support/programs';
import { useFolder } from '../../test/support/use-resource';
import { RUNNING_POLICY, START_POLICY } from '../cluster/credentials';
import { ensureCredentials } from './certificates';
import { renewCredentialsPeriodically } from './credential-renewal';
import { layoutOf, type CredentialsRequest } from './plan';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const parent = useFolder('renewal');
/** Functions that end what a test has started, the newest last. */
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function setUp() {
  const folder = mkdtempSync(path.join(parent, 'data-'));
  const server = 'https://127.0.0.1:6443';
  const request: CredentialsRequest = {
    layout: layoutOf(folder),
    server,
    externalServer: server,
    addresses: ['10.0.0.1'],
    simulatesNodes: true,
  };
  const printed: string[] = [];
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  const renew = (clock: ManualClock): void => void ends.push(renewCredentialsPeriodically(request, clock, (line) => printed.push(line)));
  return { folder, request, printed, read, renew };
}

/**
 * Lets the check of the hour complete, which creates keys in other threads. A completed check has set the timer of the
 * next one: `clock.pending` is 1.
 */
async function advanceAnHour(clock: ManualClock, isDone: () => boolean): Promise<void> {
  clock.advance(HOUR);
  await waitUntil('the check', isDone);
}

const FILES = [
  'pki/ca.crt',
  'pki/front-proxy-ca.crt',
  'pki/apiserver.crt',
  'pki/admin.crt',
  'pki/controllers.crt',
  'pki/simulation.crt',
  'admin.kubeconfig',
];

describe('renewCredentialsPeriodically', () => {
  it('changes nothing while all certificates are valid for long', async () => {
    const { request, printed, read, renew } = setUp();
    const clock = new ManualClock();
    await ensureCredentials(request, clock, START_POLICY);
    const before = FILES.map(read);
    renew(clock);
    await advanceAnHour(clock, () => clock.pending === 1);
    expect(FILES.map(read)).toEqual(before);
    expect(printed).toEqual([]);
  });

  it('renews every certificate and kubeconfig when a fifth of their validity is left', async () => {
    const { request, printed, read, renew } = setUp();
    const clock = new ManualClock();
    const { authority } = await ensureCredentials(request, clock, START_POLICY);
    const before = read('pki/admin.crt');
    // Four fifths of a year are 292 days.
    clock.advance(293 * DAY);
    renew(clock);
    await advanceAnHour(clock, () => clock.pending === 1);
    expect(printed).toEqual([
      'renewed the certificate of the API servers, the certificate of the administrator, the certificate of the controllers, the certificate of the API servers for kubelets, the certificate of the front proxy, the certificate of the simulation',
    ]);
    expect(readCertificate(read('pki/admin.crt')).notAfter).toBeGreaterThan(readCertificate(before).notAfter + 290 * DAY);
    expect(read('pki/ca.crt')).toBe(authority);
    for (const name of ['admin', 'controllers', 'simulation'])
      expect(read(`${name}.kubeconfig`)).toContain(Buffer.from(read(`pki/${name}.crt`)).toString('base64'));
  });

  it('renews an authority with its key, so that certificates from before stay valid', async () => {
    const { request } = setUp();
    const clock = new ManualClock();
    const first = await ensureCredentials(request, clock, START_POLICY);
    clock.advance(3_000 * DAY);
    const renewed = await ensureCredentials(request, clock, RUNNING_POLICY);
    expect(renewed.authority).not.toBe(first.authority);
    expect(isIssuedBy(first.admin, renewed.authority)).toBe(true);
    expect(isIssuedBy(renewed.admin, first.authority)).toBe(true);
    expect(readCertificate(renewed.authority).notAfter).toBeGreaterThan(readCertificate(first.authority).notAfter + 2_990 * DAY);
  });

  it('reports an unusable authority once, replaces nothing, and renews when the authority is back', async () => {
    const { folder, request, printed, read, renew } = setUp();
    const clock = new ManualClock();
    const { authority } = await ensureCredentials(request, clock, START_POLICY);
    clock.advance(300 * DAY);
    const before = read('pki/apiserver.crt');
    rmSync(path.join(folder, 'pki/ca.crt'));
    renew(clock);
    await advanceAnHour(clock, () => printed.length === 1 && clock.pending === 1);
    await advanceAnHour(clock, () => clock.pending === 1);
    expect(printed).toEqual([
      `certificates cannot be renewed: ${folder}/pki/ca.crt and ${folder}/pki/ca.key have to be a self-signed certificate authority and its key; this is tried again every hour`,
    ]);
    expect(read('pki/apiserver.crt')).toBe(before);
    writeFileSync(path.join(folder, 'pki/ca.crt'), authority);
    await advanceAnHour(clock, () => printed.length === 2);
    expect(printed[1]).toContain('renewed the certificate of the API servers');
  });

  it('renews the certificate that a running TLS server presents, and clients keep their trust', async () => {
    const { folder, request, printed, renew } = setUp();
    const past = new ManualClock(systemClock.now() - 300 * DAY);
    const { authority, admin } = await ensureCredentials(request, past, START_POLICY);
    const pki = path.join(folder, 'pki');
    const paths = { cert: `${pki}/apiserver.crt`, key: `${pki}/apiserver.key`, clientCa: `${pki}/ca.crt`, proxyCa: '' };
    const source = { paths, folder: '', names: [] };
    const tls = await readTls(source, systemClock);
    const server = await listen(createServer({ ...tls, ca: tls.clientCa, requestCert: true, rejectUnauthorized: true }));
    const port = portOf(server);
    ends.push(
      watchTls(source, tls, {
        clock: systemClock,
        logger: silentLogger,
        renew: (files) => server.setSecureContext({ ...files, ca: files.clientCa }),
      }),
    );
    const presented = (): Promise<number> => endOfPresentedCertificate(port, { ca: authority, cert: admin.certificate, key: admin.key });
    const before = await presented();

    const now = new ManualClock(systemClock.now() - HOUR);
    renew(now);
    await advanceAnHour(now, () => printed.length === 1);
    await waitUntil('the renewed certificate', async () => (await presented()) > before + 290 * DAY);
  });
});

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return server;
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Rejects when either side refuses the other's certificate. */
function endOfPresentedCertificate(port: number, credentials: { ca: string; cert: string; key: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ...credentials }, () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
