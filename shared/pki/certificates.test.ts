/** Certificates that this code creates, used in TLS connections and renewed. */
import { spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { systemClock, type Clock } from '../runtime/clock';
import { COMMON_NAMES_IN_ONE_RDN, NO_SUBJECT, TWO_COMMON_NAMES } from '../../test/support/certificates/odd-certificates';
import {
  isIssuedBy,
  coversNames,
  createAuthority,
  createSigningKeyPair,
  issueCertificate,
  needsRenewal,
  readCertificate,
} from './certificates';

const DAY = 86_400_000;

function clockAt(time: number): Clock {
  return { ...systemClock, now: () => time };
}

const start = Date.UTC(2024, 7, 13);

async function authority(clock: Clock = clockAt(start), lifetimeMs = 100 * DAY) {
  return createAuthority({ subject: { commonName: 'test-ca' }, lifetimeMs, clock });
}

describe('certificates', () => {
  it('carry subject, names and validity from the request and the clock, and are signed by the authority', async () => {
    const ca = await authority();
    const leaf = await issueCertificate({
      authority: ca,
      usage: 'server',
      subject: { commonName: 'apiserver', organizations: ['a', 'b'] },
      names: ['localhost', '127.0.0.1', '::1', 'platform.default.svc'],
      lifetimeMs: 10 * DAY,
      clock: clockAt(start),
    });
    const facts = readCertificate(leaf.certificate);
    expect(facts).toMatchObject({ commonName: 'apiserver', organizations: ['a', 'b'], notAfter: start + 10 * DAY });
    expect(facts.notBefore).toBeLessThanOrEqual(start);
    expect(coversNames(leaf.certificate, ['localhost', '127.0.0.1', '::1', 'platform.default.svc'])).toBe(true);
    expect(coversNames(leaf.certificate, ['127.0.0.2'])).toBe(false);
    expect(coversNames(leaf.certificate, ['platform'])).toBe(false);
    expect(isIssuedBy(leaf, ca.certificate)).toBe(true);
    expect(isIssuedBy(ca, ca.certificate)).toBe(true);
  });

  it.each([
    ['two RDNs with a common name', TWO_COMMON_NAMES.certificate, { commonName: 'second', organizations: ['a,b', 'c'] }],
    ['one RDN with two common names', COMMON_NAMES_IN_ONE_RDN, { commonName: 'second', organizations: [] }],
    ['no subject', NO_SUBJECT, { commonName: '', organizations: [] }],
  ])('are read with their last common name when they have %s', (_, certificate, facts) =>
    expect(readCertificate(certificate)).toMatchObject(facts),
  );

  it('can be read before node:tls is loaded, and TLS works afterwards', async () => {
    const { certificate } = await authority();
    const hook = path.resolve(__dirname, '../../test/support/typescript-hook.cjs');
    const program = `
      require(${JSON.stringify(path.resolve(__dirname, 'certificates.ts'))}).readCertificate(process.argv[1]);
      process.stdout.write(typeof require('node:tls').createSecureContext);`;
    // A process of its own: jest has loaded node:tls already.
    const { stdout } = spawnSync(process.execPath, ['-r', hook, '-e', program, '--', certificate], { encoding: 'utf8' });
    expect(stdout).toBe('function');
  });

  it('do not outlive their authority', async () => {
    const ca = await authority(clockAt(start), 5 * DAY);
    const leaf = await issueCertificate({
      authority: ca,
      usage: 'client',
      subject: { commonName: 'x' },
      lifetimeMs: 10 * DAY,
      clock: clockAt(start),
    });
    expect(readCertificate(leaf.certificate).notAfter).toBe(start + 5 * DAY);
  });

  it('pass isIssuedBy only with their own authority and its key', async () => {
    const ca = await authority();
    const other = await authority();
    const leaf = await issueCertificate({
      authority: ca,
      usage: 'client',
      subject: { commonName: 'x' },
      lifetimeMs: DAY,
      clock: clockAt(start),
    });
    expect(isIssuedBy(leaf, other.certificate)).toBe(false);
    expect(isIssuedBy({ ...leaf, key: other.key }, ca.certificate)).toBe(false);
    expect(isIssuedBy({ certificate: 'rubbish', key: 'rubbish' }, ca.certificate)).toBe(false);
  });

  it.each([
    [0, false],
    [75, false],
    [85, true],
    [101, true],
    [-1, true],
  ])('that are %d days into a validity of 100 need renewal: %p', async (days, expected) => {
    const ca = await authority();
    expect(needsRenewal(ca.certificate, clockAt(start + days * DAY))).toBe(expected);
  });

  it('authenticate a server and a client to each other over TLS', async () => {
    const clock = systemClock;
    const ca = await authority(clock);
    const issue = (usage: 'server' | 'client', commonName: string) =>
      issueCertificate({
        authority: ca,
        usage,
        subject: { commonName, organizations: ['system:masters'] },
        names: ['127.0.0.1'],
        lifetimeMs: DAY,
        clock,
      });
    const server = await issue('server', 'apiserver');
    const client = await issue('client', 'admin');

    const listener = createServer({
      cert: server.certificate,
      key: server.key,
      ca: ca.certificate,
      requestCert: true,
      rejectUnauthorized: true,
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    // A socket server on a TCP port has an AddressInfo.
    const { port } = listener.address() as AddressInfo;
    try {
      const accepted = new Promise<TLSSocket>((resolve, reject) =>
        listener.once('secureConnection', resolve).once('tlsClientError', reject),
      );
      const socket = connect({ port, host: '127.0.0.1', ca: ca.certificate, cert: client.certificate, key: client.key });
      await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
      expect(socket.authorized).toBe(true);
      const peer = await accepted;
      expect(peer.authorized).toBe(true);
      expect(peer.getPeerCertificate().subject).toMatchObject({ CN: 'admin', O: 'system:masters' });
      socket.destroy();
      peer.destroy();
    } finally {
      listener.close();
    }
  });
});

describe('createSigningKeyPair', () => {
  it('creates a private key whose signatures the public key verifies', async () => {
    const pair = await createSigningKeyPair();
    const data = Buffer.from('claims');
    const signature = sign('sha256', data, createPrivateKey(pair.privateKey));
    expect(verify('sha256', data, createPublicKey(pair.publicKey), signature)).toBe(true);
  });
});
