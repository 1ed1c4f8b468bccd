import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAuthority, readCertificate } from '../../shared/runtime/pki';
import { silentLogger } from '../../shared/runtime/logger';
import { ManualClock, settle } from '../../test/support/manual-clock';
import type { TlsFiles } from './listeners';
import { readTls, watchTls, type TlsSource } from './tls-files';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
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

const authority = async (commonName: string): Promise<string> =>
  (await createAuthority({ subject: { commonName }, lifetimeMs: DAY_MS, clock: new ManualClock() })).certificate;

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
