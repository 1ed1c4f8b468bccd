import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAuthority, issueCertificate, readCertificate, type Credential } from '../../../shared/pki/certificates';
import { silentLogger, type Logger } from '../../../shared/runtime/logger';
import { ManualClock, settle } from '../../../test/support/manual-clock';
import type { TlsFiles } from '../connections/listeners';
import { readTls, watchTls, withFoundPair, type TlsSource } from './tls-files';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let folder: string;

beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'tls-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const sourceOf = (clientCa: string): TlsSource => ({ paths: { cert: '', key: '', clientCa, proxyCa: '' }, folder, names: ['127.0.0.1'] });

/** Resolves with what is renewed next. */
function next(source: TlsSource, present: TlsFiles, clock: ManualClock): Promise<TlsFiles> {
  return new Promise((resolve) => watchTls(source, present, clock, silentLogger, resolve));
}

it('makes a new certificate before its own grows too old, while it runs', async () => {
  const clock = new ManualClock();
  const source = sourceOf('');
  const made = await readTls(source, clock);
  const later = new ManualClock(clock.now() + 360 * DAY_MS);
  const renewed = next(source, made, later);
  later.advance(MINUTE_MS);
  const { cert } = await renewed;
  expect(readCertificate(cert.toString()).notAfter).toBeGreaterThan(readCertificate(made.cert.toString()).notAfter);
});

describe('the folder of a server that is given no certificate', () => {
  const own = (): TlsSource => withFoundPair(sourceOf(''));
  const files = (): { cert: string; key: string } => ({
    cert: path.join(folder, 'apiserver.crt'),
    key: path.join(folder, 'apiserver.key'),
  });

  async function put(clock: ManualClock): Promise<Credential> {
    const signer = await createAuthority({ subject: { commonName: 'somebody' }, lifetimeMs: DAY_MS, clock });
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

  it('has a pair of somebody else: it is taken for whatever names and never replaced, but read again', async () => {
    const clock = new ManualClock();
    const found = await put(clock);
    const source = own();
    const taken = await readTls(source, clock);
    expect(taken.cert.toString()).toBe(found.certificate);
    const old = new ManualClock(clock.now() + HOUR_MS - MINUTE_MS);
    const renewed = next(source, taken, old);
    old.advance(MINUTE_MS / 2);
    await settle();
    expect(readFileSync(files().cert, 'utf8')).toBe(found.certificate);
    const replaced = await put(old);
    old.advance(MINUTE_MS / 2);
    expect((await renewed).cert.toString()).toBe(replaced.certificate);
  });

  it('has the pair that the server made: it is kept while it is good for its names', async () => {
    const clock = new ManualClock();
    const made = await readTls(own(), clock);
    expect((await readTls(own(), clock)).cert).toEqual(made.cert);
    const moved = withFoundPair({ ...sourceOf(''), names: ['127.0.0.2'] });
    expect((await readTls(moved, clock)).cert).not.toEqual(made.cert);
  });

  it('has what is left of a server that was ended while it renewed its pair: another is made', async () => {
    const clock = new ManualClock();
    const made = await readTls(own(), clock);
    writeFileSync(files().key, (await put(clock)).key);
    writeFileSync(files().cert, made.cert);
    const second = await readTls(own(), clock);
    expect(second.cert).not.toEqual(made.cert);
    rmSync(files().key);
    expect((await readTls(own(), clock)).cert).not.toEqual(second.cert);
  });

  it.each(['cert', 'key'] as const)('has half of a pair, the %s: refused', async (half) => {
    await put(new ManualClock());
    rmSync(files()[half === 'cert' ? 'key' : 'cert']);
    expect(own).toThrow(`${folder} holds ${files()[half]} alone`);
  });
});

const authority = async (commonName: string, lifetimeMs = DAY_MS): Promise<string> =>
  (await createAuthority({ subject: { commonName }, lifetimeMs, clock: new ManualClock() })).certificate;

it.each<[string, (good: string) => string, string]>([
  ['nothing', () => '', 'holds no certificate'],
  ['a text', () => 'junk', 'holds no certificate'],
  ['a certificate without an end', (good) => good.slice(0, 200), 'holds no certificate'],
  ['what is none', () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'holds a certificate that cannot be read'],
  ['a good one and a bad one', (good) => good + good.replace(/MII/, 'AAA'), 'holds a certificate that cannot be read'],
])('takes no authorities from a file with %s, and stays with those it has', async (_title, text, fault) => {
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
    const stop = watchTls(source, made, clock, silentLogger, (files) => renewed.push(files));
    writeFileSync(file, text(good));
    await expect(readTls(source, clock)).rejects.toThrow(`${file} ${fault}`);
    clock.advance(MINUTE_MS);
    await settle();
    expect(renewed).toEqual([]);
    stop();
  }
});

it("reads the clients' authorities again when they change, whoever made its own certificate", async () => {
  const clock = new ManualClock();
  const clientCa = path.join(folder, 'clients.crt');
  const [one, another] = [await authority('one'), await authority('another')];
  writeFileSync(clientCa, one);
  const source = sourceOf(clientCa);
  const made = await readTls(source, clock);
  const renewed = next(source, made, clock);
  rmSync(clientCa);
  writeFileSync(clientCa, another);
  clock.advance(MINUTE_MS);
  expect((await renewed).clientCa?.toString()).toBe(another);
  expect((await renewed).cert.equals(made.cert)).toBe(true);
});

describe('the certificate in a file', () => {
  const clock = new ManualClock();
  const paths = () => ({ cert: path.join(folder, 'own.crt'), key: path.join(folder, 'own.key'), clientCa: '', proxyCa: '' });
  const sourceWith = (): TlsSource => ({ ...sourceOf(''), paths: paths() });
  let authority: Credential;
  let ends: () => void;
  beforeEach(async () => {
    authority = await createAuthority({ subject: { commonName: 'ca' }, lifetimeMs: 10 * HOUR_MS, clock });
    ends = () => undefined;
  });
  afterEach(() => ends());

  /** One that is made so long after now, and lives for an hour. */
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
    ends = watchTls(source, await readTls(source, clock), clock, logger, ({ cert }) => seen.renewed.push(cert.toString()));
    return seen;
  }

  async function pass(ms: number): Promise<void> {
    await clock.advanceAsync(ms);
    await settle(20);
  }

  it('stays when the next one is not valid yet, which is taken when its time has come', async () => {
    await save(0);
    const { errors, renewed } = await watch();
    const next = await save(HOUR_MS / 2);
    await pass(MINUTE_MS);
    expect([errors, renewed]).toEqual([[expect.stringMatching(/own\.crt is not valid before .*: put a certificate there/)], []]);
    await pass(HOUR_MS / 2);
    expect(renewed).toEqual([next]);
  });

  it('is said, once, to have run out while it is in use; then any other is better', async () => {
    await save(0);
    const { errors, renewed } = await watch();
    expect(errors).toEqual([]);
    await pass(HOUR_MS + MINUTE_MS);
    expect(errors).toEqual([expect.stringMatching(/own\.crt has expired at .*, clients refuse this server/)]);
    const next = await save(-2 * HOUR_MS);
    await pass(MINUTE_MS);
    expect(renewed).toEqual([next]);
    expect(errors).toHaveLength(2);
  });
});

it('says when nobody can be let in because all authorities of clients have run out', async () => {
  const clock = new ManualClock();
  const file = path.join(folder, 'clients.crt');
  writeFileSync(file, await authority('short', HOUR_MS));
  const errors: string[] = [];
  const logger: Logger = { ...silentLogger, error: (message) => void errors.push(message) };
  const source = sourceOf(file);
  const stop = watchTls(source, await readTls(source, clock), clock, logger, () => undefined);
  await clock.advanceAsync(HOUR_MS + MINUTE_MS);
  expect(errors).toEqual([expect.stringMatching(/all certificates of .*clients\.crt are out of their time, nobody is let in by them/)]);
  stop();
});
