import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { silentLogger } from '../../../shared/runtime/logger';
import { createSigningKeyPair } from '../../../shared/pki/certificates';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { fileBackedTokenKeys } from './token-key-files';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'keys-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Keys that are read from files, which `write` replaces. */
async function openKeyFiles() {
  const clock = new ManualClock();
  const paths = { verificationKeys: [path.join(folder, 'sa.pub')], signingKey: path.join(folder, 'sa.key') };
  const [publicFile = ''] = paths.verificationKeys;
  const write = (pair: Awaited<ReturnType<typeof createSigningKeyPair>>): void => {
    writeFileSync(publicFile, pair.publicKey);
    writeFileSync(paths.signingKey, pair.privateKey);
  };
  write(await createSigningKeyPair());
  const files = fileBackedTokenKeys(paths);
  const stop = files.watch(clock, silentLogger);
  const waitForReload = async (): Promise<void> => {
    clock.advance(60_000);
    await flushPromises(5);
  };
  return { files, paths, write, waitForReload, stop };
}

it('fileBackedTokenKeys reads the verification key of the signing key', async () => {
  const { files, stop } = await openKeyFiles();
  const { signing, verifying } = files.current();
  expect(verifying[0]?.id).toBe(signing.id);
  stop();
});

it('fileBackedTokenKeys keeps the old keys while the new ones are unusable', async () => {
  const { files, paths, waitForReload, stop } = await openKeyFiles();
  const first = files.current();
  writeFileSync(paths.signingKey, 'rubbish');
  await waitForReload();
  expect(files.current()).toBe(first);
  stop();
});

it('fileBackedTokenKeys switches to changed keys', async () => {
  const { files, write, waitForReload, stop } = await openKeyFiles();
  const first = files.current();
  write(await createSigningKeyPair());
  await waitForReload();
  expect(files.current().signing.id).not.toBe(first.signing.id);
  stop();
});
