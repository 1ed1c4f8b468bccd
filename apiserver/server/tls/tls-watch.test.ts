/** Watched serving certificates and client authorities: renewal, reloads, and files that cannot be used. */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createAuthority, issueCertificate, readCertificate, type Credential } from '../../../shared/pki/certificates';
import { silentLogger, type Logger } from '../../../shared/runtime/logger';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { removeFolder, temporaryFolder, waitUntil } from '../../../test/support/programs';
import { stopAfterTest, useForEachTest } from '../../../test/support/use-resource';
import { readTls, type TlsSource } from './tls-files';
import { watchTls } from './tls-watch';

/** The interval at which files are looked at. */
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const folder = useForEachTest(() => temporaryFolder('tls-watch'), removeFolder);
const fileIn = (name: string): string => path.join(folder(), name);
const stopWatchAfterTest = stopAfterTest((stop: () => void) => stop());

/** A source with these files; it has a self-signed certificate unless they include one. */
const sourceWith = (paths: Partial<TlsSource['paths']> = {}): TlsSource => ({
  paths: { cert: '', key: '', clientCa: '', proxyCa: '', ...paths },
  folder: folder(),
  names: ['127.0.0.1'],
});

/**
 * Watches the source until the end of the test, from the time of `clock`; its files are first read at that of `readAt`.
 * Returns the files in use at first, later files and the logged errors.
 */
async function watch(source: TlsSource, clock: ManualClock, readAt = clock) {
  const errors: string[] = [];
  const renewedCerts: string[] = [];
  const renewedAuthorities: (string | undefined)[] = [];
  const error = (message: string, fields?: Readonly<Record<string, unknown>>): void =>
    void errors.push(fields?.['error'] instanceof Error ? fields['error'].message : message);
  const logger: Logger = { ...silentLogger, error };
  const first = await readTls(source, readAt);
  const stop = watchTls(source, first, {
    clock,
    logger,
    renew({ cert, clientCa }) {
      renewedCerts.push(cert.toString());
      renewedAuthorities.push(clientCa?.toString());
    },
  });
  stopWatchAfterTest(stop);
  return { firstCert: first.cert.toString(), renewedCerts, renewedAuthorities, errors };
}

/** Advances the clock, and waits until files that are due have been read. */
async function advance(clock: ManualClock, ms: number): Promise<void> {
  await clock.advanceAsync(ms);
  await flushPromises(20);
}

const createAuthorityOf = (clock: ManualClock, lifetimeMs = 10 * HOUR_MS): Promise<Credential> =>
  createAuthority({ subject: { commonName: 'ca' }, lifetimeMs, clock });

describe('a self-signed certificate', () => {
  it('is replaced before it expires', async () => {
    const created = new ManualClock();
    // The certificate is valid for a year.
    const later = new ManualClock(created.now() + 360 * DAY_MS);
    const { firstCert, renewedCerts } = await watch(sourceWith(), later, created);
    later.advance(MINUTE_MS);
    await waitUntil('a renewed certificate', () => Promise.resolve(renewedCerts.length > 0));
    const notAfter = (pem = ''): number => readCertificate(pem).notAfter;
    expect(notAfter(renewedCerts[0])).toBeGreaterThan(notAfter(firstCert));
  });

  it('stays in use when the client authorities are replaced', async () => {
    const clock = new ManualClock();
    const clientCa = fileIn('clients.crt');
    writeFileSync(clientCa, (await createAuthorityOf(clock)).certificate);
    const { firstCert, renewedCerts, renewedAuthorities } = await watch(sourceWith({ clientCa }), clock);
    const replacement = (await createAuthorityOf(clock)).certificate;
    rmSync(clientCa);
    writeFileSync(clientCa, replacement);
    await advance(clock, MINUTE_MS);
    expect(renewedAuthorities).toEqual([replacement]);
    expect(renewedCerts).toEqual([firstCert]);
  });
});

describe('client authorities', () => {
  const UNUSABLE_CONTENTS: readonly (readonly [title: string, content: (valid: string) => string, error: string])[] = [
    ['no content', () => '', 'contains no certificate'],
    ['a text', () => 'junk', 'contains no certificate'],
    ['a truncated certificate', (valid) => valid.slice(0, 200), 'contains no certificate'],
    ['an invalid certificate', () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'contains an invalid certificate'],
    ['a valid and an invalid certificate', (valid) => valid + valid.replace(/MII/, 'AAA'), 'contains an invalid certificate'],
  ];

  describe.each(['clientCa', 'proxyCa'] as const)('of the option %s', (option) => {
    it.each(UNUSABLE_CONTENTS)('stay in use, with an error, when their file changes to %s', async (_title, content, error) => {
      const clock = new ManualClock();
      const file = fileIn('authorities.crt');
      const valid = (await createAuthorityOf(clock)).certificate;
      writeFileSync(file, valid);
      const { renewedCerts, errors } = await watch(sourceWith({ [option]: file }), clock);
      writeFileSync(file, content(valid));
      await advance(clock, MINUTE_MS);
      expect(renewedCerts).toEqual([]);
      expect(errors).toEqual([expect.stringContaining(`${file} ${error}`)]);
    });
  });

  it('are reported once when all have expired', async () => {
    const clock = new ManualClock();
    const clientCa = fileIn('clients.crt');
    writeFileSync(clientCa, (await createAuthorityOf(clock, HOUR_MS)).certificate);
    const { errors } = await watch(sourceWith({ clientCa }), clock);
    await advance(clock, HOUR_MS + MINUTE_MS);
    expect(errors).toEqual([
      expect.stringMatching(/no certificate authority in .*clients\.crt is valid now, so all client certificates are rejected/),
    ]);
  });
});

describe('the certificate in a file', () => {
  const fixture = useForEachTest(async () => {
    const clock = new ManualClock();
    const authority = await createAuthorityOf(clock);
    const paths = { cert: fileIn('own.crt'), key: fileIn('own.key') };
    /** Writes a pair that is issued `laterMs` from now and is valid for an hour. Returns the certificate. */
    const writePair = async (laterMs: number): Promise<string> => {
      const issuedAt = new ManualClock(clock.now() + laterMs);
      const subject = { commonName: 'own' };
      const pair = await issueCertificate({ authority, usage: 'server', subject, lifetimeMs: HOUR_MS, clock: issuedAt });
      writeFileSync(paths.cert, pair.certificate);
      writeFileSync(paths.key, pair.key);
      return pair.certificate;
    };
    await writePair(0);
    return { clock, writePair, ...(await watch(sourceWith(paths), clock)) };
  });

  it('is replaced by a new one, but never renewed by the server', async () => {
    const { clock, writePair, renewedCerts } = fixture();
    await advance(clock, HOUR_MS - MINUTE_MS);
    expect(renewedCerts).toEqual([]);
    const next = await writePair(0);
    await advance(clock, MINUTE_MS);
    expect(renewedCerts).toEqual([next]);
  });

  it('stays in use while the new one is not valid yet, and is replaced once that is valid', async () => {
    const { clock, writePair, errors, renewedCerts } = fixture();
    const next = await writePair(HOUR_MS / 2);
    await advance(clock, MINUTE_MS);
    expect(errors).toEqual([expect.stringMatching(/own\.crt is not valid before .*: replace the certificate/)]);
    expect(renewedCerts).toEqual([]);
    await advance(clock, HOUR_MS / 2);
    expect(renewedCerts).toEqual([next]);
  });

  it('is reported once as expired while it is in use, and is then replaced even by an expired one', async () => {
    const { clock, writePair, errors, renewedCerts } = fixture();
    expect(errors).toEqual([]);
    await advance(clock, HOUR_MS + MINUTE_MS);
    expect(errors).toEqual([expect.stringMatching(/own\.crt has expired at .*, clients reject this server/)]);
    const next = await writePair(-2 * HOUR_MS);
    await advance(clock, MINUTE_MS);
    expect(renewedCerts).toEqual([next]);
    // The second is that of the new certificate.
    expect(errors).toHaveLength(2);
  });
});
