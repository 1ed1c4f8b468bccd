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

it('fileBackedTokenKeys switches to changed keys, and keeps the old ones while the new ones are unusable', async () => {
  const clock = new ManualClock();
  const paths = { verificationKeys: [path.join(folder, 'sa.pub')], signingKey: path.join(folder, 'sa.key') };
  const [publicFile = ''] = paths.verificationKeys;
  const oldPair = await createSigningKeyPair();
  const newPair = await createSigningKeyPair();
  const write = (pair: typeof oldPair): void => {
    writeFileSync(publicFile, pair.publicKey);
    writeFileSync(paths.signingKey, pair.privateKey);
  };
  write(oldPair);
  const files = fileBackedTokenKeys(paths);
  const stop = files.watch(clock, silentLogger);
  const first = files.current();
  expect(first.verifying[0]?.id).toBe(first.signing.id);

  const waitForReload = async (): Promise<void> => {
    clock.advance(60_000);
    await flushPromises(5);
  };
  writeFileSync(paths.signingKey, 'rubbish');
  await waitForReload();
  expect(files.current()).toBe(first);
  write(newPair);
  await waitForReload();
  expect(files.current().signing.id).not.toBe(first.signing.id);
  stop();
});
