/** The pair that a server without a configured certificate creates, or finds in its certificate folder. */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/pki/certificates';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { removeFolder, temporaryFolder } from '../../../test/support/programs';
import { useForEachTest } from '../../../test/support/use-resource';
import { readTls, useExistingPair, type TlsSource } from './tls-files';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NO_PATHS = { cert: '', key: '', clientCa: '', proxyCa: '' };

const folder = useForEachTest(() => temporaryFolder('tls-files'), removeFolder);
const certPath = (): string => path.join(folder(), 'apiserver.crt');
const keyPath = (): string => path.join(folder(), 'apiserver.key');

/** The source of a server with these names, as it is at the start of the server. */
const sourceFor = (...names: readonly string[]): TlsSource => useExistingPair({ paths: NO_PATHS, folder: folder(), names });

/** Writes a pair that another program has created, for another name than the server's. */
async function writeForeignPair(clock: ManualClock): Promise<Credential> {
  const authority = await createAuthority({ subject: { commonName: 'foreign' }, lifetimeMs: DAY_MS, clock });
  const names = ['elsewhere.example'];
  const pair = await issueCertificate({ subject: { commonName: 'found' }, lifetimeMs: HOUR_MS, clock, authority, usage: 'server', names });
  writeFileSync(certPath(), pair.certificate);
  writeFileSync(keyPath(), pair.key);
  return pair;
}

describe('a pair that the server itself has created', () => {
  it('is used again for the same names', async () => {
    const clock = new ManualClock();
    const created = await readTls(sourceFor('127.0.0.1'), clock);
    expect((await readTls(sourceFor('127.0.0.1'), clock)).cert).toEqual(created.cert);
  });

  it('is replaced when the server has other names', async () => {
    const clock = new ManualClock();
    const created = await readTls(sourceFor('127.0.0.1'), clock);
    expect((await readTls(sourceFor('127.0.0.2'), clock)).cert).not.toEqual(created.cert);
  });

  it('is replaced when its key is another one, as after an interrupted renewal', async () => {
    const clock = new ManualClock();
    const created = await readTls(sourceFor('127.0.0.1'), clock);
    await writeForeignPair(clock);
    writeFileSync(certPath(), created.cert);
    expect((await readTls(sourceFor('127.0.0.1'), clock)).cert).not.toEqual(created.cert);
  });

  it('is replaced when its key is missing, as after an interrupted first start', async () => {
    const clock = new ManualClock();
    const created = await readTls(sourceFor('127.0.0.1'), clock);
    rmSync(keyPath());
    expect((await readTls(sourceFor('127.0.0.1'), clock)).cert).not.toEqual(created.cert);
  });
});

describe('a pair that another program has created', () => {
  it('is used for any names', async () => {
    const clock = new ManualClock();
    const foreign = await writeForeignPair(clock);
    expect((await readTls(sourceFor('127.0.0.1'), clock)).cert.toString()).toBe(foreign.certificate);
  });

  it.each([
    ['certificate', certPath, keyPath],
    ['key', keyPath, certPath],
  ])('is an error when only its %s is there', async (_half, existing, missing) => {
    await writeForeignPair(new ManualClock());
    rmSync(missing());
    expect(() => sourceFor('127.0.0.1')).toThrow(`${folder()} contains only ${existing()}`);
  });
});
