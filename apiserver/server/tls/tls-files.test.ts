/** Serving certificates and client authorities in files: creation, renewal, reloads and unusable files. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAuthority, issueCertificate, readCertificate, type Credential } from '../../../shared/pki/certificates';
import { silentLogger, type Logger } from '../../../shared/runtime/logger';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import type { TlsFiles } from '../connections/listeners';
import { readTls, watchTls, useExistingPair, type TlsSource } from './tls-files';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let folder: string;

beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'tls-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const sourceOf = (clientCa: string): TlsSource => ({ paths: { cert: '', key: '', clientCa, proxyCa: '' }, folder, names: ['127.0.0.1'] });

/** Resolves with the next renewal. */
function nextRenewal(source: TlsSource, current: TlsFiles, clock: ManualClock): Promise<TlsFiles> {
  return new Promise((resolve) => watchTls(source, current, { clock, logger: silentLogger, renew: resolve }));
}

it('watchTls replaces a self-signed certificate before it expires', async () => {
  const clock = new ManualClock();
  const source = sourceOf('');
  const made = await readTls(source, clock);
  const later = new ManualClock(clock.now() + 360 * DAY_MS);
  const renewed = nextRenewal(source, made, later);
  later.advance(MINUTE_MS);
  const { cert } = await renewed;
  expect(readCertificate(cert.toString()).notAfter).toBeGreaterThan(readCertificate(made.cert.toString()).notAfter);
});

describe('the certificate folder of a server without a configured certificate', () => {
  const sourceWithExistingPair = (): TlsSource => useExistingPair(sourceOf(''));
  const files = (): { cert: string; key: string } => ({
    cert: path.join(folder, 'apiserver.crt'),
    key: path.join(folder, 'apiserver.key'),
  });

  async function writeForeignPair(clock: ManualClock): Promise<Credential> {
    const signer = await createAuthority({ subject: { commonName: 'foreign' }, lifetimeMs: DAY_MS, clock });
    const subject = { commonName: 'found' };
    const pair = await issueCertificate({
      subject,
      lifetimeMs: HOUR_MS,
      clock,
      authority: signer,
      usage: 'server',
      names: ['elsewhere.example'],
    });
    writeFileSync(files().cert, pair.certificate);
    writeFileSync(files().key, pair.key);
    return pair;
  }

  it('with a foreign pair: the pair is used for any names, never replaced, and read again when it changes', async () => {
    const clock = new ManualClock();
    const foreign = await writeForeignPair(clock);
    const source = sourceWithExistingPair();
    const read = await readTls(source, clock);
    expect(read.cert.toString()).toBe(foreign.certificate);
    const old = new ManualClock(clock.now() + HOUR_MS - MINUTE_MS);
    const renewed = nextRenewal(source, read, old);
    old.advance(MINUTE_MS / 2);
    await flushPromises();
    expect(readFileSync(files().cert, 'utf8')).toBe(foreign.certificate);
    const replaced = await writeForeignPair(old);
    old.advance(MINUTE_MS / 2);
    expect((await renewed).cert.toString()).toBe(replaced.certificate);
  });

  it("with the server's own pair: the pair is used while it is valid for the names", async () => {
    const clock = new ManualClock();
    const made = await readTls(sourceWithExistingPair(), clock);
    expect((await readTls(sourceWithExistingPair(), clock)).cert).toEqual(made.cert);
    const moved = useExistingPair({ ...sourceOf(''), names: ['127.0.0.2'] });
    expect((await readTls(moved, clock)).cert).not.toEqual(made.cert);
  });

  it('with a mismatched or incomplete own pair after an interrupted renewal: a new pair is created', async () => {
    const clock = new ManualClock();
    const made = await readTls(sourceWithExistingPair(), clock);
    writeFileSync(files().key, (await writeForeignPair(clock)).key);
    writeFileSync(files().cert, made.cert);
    const second = await readTls(sourceWithExistingPair(), clock);
    expect(second.cert).not.toEqual(made.cert);
    rmSync(files().key);
    expect((await readTls(sourceWithExistingPair(), clock)).cert).not.toEqual(second.cert);
  });

  it.each(['cert', 'key'] as const)('with only the %s of a pair: the server refuses to start', async (half) => {
    await writeForeignPair(new ManualClock());
    rmSync(files()[half === 'cert' ? 'key' : 'cert']);
    expect(sourceWithExistingPair).toThrow(`${folder} contains only ${files()[half]}`);
  });
});

const authority = async (commonName: string, lifetimeMs = DAY_MS): Promise<string> =>
  (await createAuthority({ subject: { commonName }, lifetimeMs, clock: new ManualClock() })).certificate;

it.each<[string, (good: string) => string, string]>([
  ['no content', () => '', 'contains no certificate'],
  ['a text', () => 'junk', 'contains no certificate'],
  ['a truncated certificate', (good) => good.slice(0, 200), 'contains no certificate'],
  ['an invalid certificate', () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'contains an invalid certificate'],
  ['a valid and an invalid certificate', (good) => good + good.replace(/MII/, 'AAA'), 'contains an invalid certificate'],
])('watchTls keeps the current authorities when their file changes to %s', async (_title, text, fault) => {
  const clock = new ManualClock();
  const file = path.join(folder, 'clients.crt');
  const good = await authority('good');
  for (const paths of [
    { cert: '', key: '', clientCa: file, proxyCa: '' },
    { cert: '', key: '', clientCa: '', proxyCa: file },
  ]) {
    const source = { ...sourceOf(''), paths };
    writeFileSync(file, good);
    const made = await readTls(source, clock);
    const renewed: TlsFiles[] = [];
    const stop = watchTls(source, made, { clock, logger: silentLogger, renew: (files) => renewed.push(files) });
    writeFileSync(file, text(good));
    await expect(readTls(source, clock)).rejects.toThrow(`${file} ${fault}`);
    clock.advance(MINUTE_MS);
    await flushPromises();
    expect(renewed).toEqual([]);
    stop();
  }
});

it('watchTls reads changed client authorities, also for a server with a self-signed certificate', async () => {
  const clock = new ManualClock();
  const clientCa = path.join(folder, 'clients.crt');
  const [first, second] = [await authority('one'), await authority('another')];
  writeFileSync(clientCa, first);
  const source = sourceOf(clientCa);
  const made = await readTls(source, clock);
  const renewed = nextRenewal(source, made, clock);
  rmSync(clientCa);
  writeFileSync(clientCa, second);
  clock.advance(MINUTE_MS);
  expect((await renewed).clientCa?.toString()).toBe(second);
  expect((await renewed).cert.equals(made.cert)).toBe(true);
});

describe('the certificate in a file', () => {
  const clock = new ManualClock();
  const paths = () => ({ cert: path.join(folder, 'own.crt'), key: path.join(folder, 'own.key'), clientCa: '', proxyCa: '' });
  const sourceWith = (): TlsSource => ({ ...sourceOf(''), paths: paths() });
  let authority: Credential;
  let stopWatch: () => void;
  beforeEach(async () => {
    authority = await createAuthority({ subject: { commonName: 'ca' }, lifetimeMs: 10 * HOUR_MS, clock });
    stopWatch = () => undefined;
  });
  afterEach(() => stopWatch());

  /** Writes a pair that is issued `laterMs` from now and is valid for an hour. */
  async function save(laterMs: number): Promise<string> {
    const made = new ManualClock(clock.now() + laterMs);
    const pair = await issueCertificate({ authority, usage: 'server', subject: { commonName: 'own' }, lifetimeMs: HOUR_MS, clock: made });
    writeFileSync(paths().cert, pair.certificate);
    writeFileSync(paths().key, pair.key);
    return pair.certificate;
  }

  async function watch(): Promise<{ readonly errors: string[]; readonly renewed: string[] }> {
    const seen = { errors: [] as string[], renewed: [] as string[] };
    const error = (message: string, fields?: Readonly<Record<string, unknown>>): void =>
      void seen.errors.push(fields?.['error'] instanceof Error ? fields['error'].message : message);
    const logger: Logger = { ...silentLogger, error };
    const source = sourceWith();
    stopWatch = watchTls(source, await readTls(source, clock), {
      clock,
      logger,
      renew: ({ cert }) => seen.renewed.push(cert.toString()),
    });
    return seen;
  }

  async function advance(ms: number): Promise<void> {
    await clock.advanceAsync(ms);
    await flushPromises(20);
  }

  it('stays in use while the new one is not valid yet, and is replaced once that is valid', async () => {
    await save(0);
    const { errors, renewed } = await watch();
    const next = await save(HOUR_MS / 2);
    await advance(MINUTE_MS);
    expect(errors).toEqual([expect.stringMatching(/own\.crt is not valid before .*: replace the certificate/)]);
    expect(renewed).toEqual([]);
    await advance(HOUR_MS / 2);
    expect(renewed).toEqual([next]);
  });

  it('is reported once as expired while it is in use, and is then replaced by any other one', async () => {
    await save(0);
    const { errors, renewed } = await watch();
    expect(errors).toEqual([]);
    await advance(HOUR_MS + MINUTE_MS);
    expect(errors).toEqual([expect.stringMatching(/own\.crt has expired at .*, clients reject this server/)]);
    const next = await save(-2 * HOUR_MS);
    await advance(MINUTE_MS);
    expect(renewed).toEqual([next]);
    expect(errors).toHaveLength(2);
  });
});

it('watchTls reports an error when all client authorities have expired', async () => {
  const clock = new ManualClock();
  const file = path.join(folder, 'clients.crt');
  writeFileSync(file, await authority('short', HOUR_MS));
  const errors: string[] = [];
  const logger: Logger = { ...silentLogger, error: (message) => void errors.push(message) };
  const source = sourceOf(file);
  const stop = watchTls(source, await readTls(source, clock), { clock, logger, renew: () => undefined });
  await clock.advanceAsync(HOUR_MS + MINUTE_MS);
  expect(errors).toEqual([
    expect.stringMatching(/no certificate authority in .*clients\.crt is valid now, so all client certificates are rejected/),
  ]);
  stop();
});
