import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { silentLogger } from '../../../shared/runtime/logger';
import { createSigningKeyPair } from '../../../shared/pki/certificates';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { stopAfterTest, useFolder } from '../../../test/support/use-resource';
import { fileBackedTokenKeys } from './token-key-files';

const folder = useFolder('keys');
const publicFile = path.join(folder, 'sa.pub');
const privateFile = path.join(folder, 'sa.key');
const stopWatching = stopAfterTest((stop: () => unknown) => stop());

async function writeNewKeys(): Promise<void> {
  const { publicKey, privateKey } = await createSigningKeyPair();
  writeFileSync(publicFile, publicKey);
  writeFileSync(privateFile, privateKey);
}

/** Writes new keys and watches their files. */
async function openKeyFiles() {
  await writeNewKeys();
  const clock = new ManualClock();
  const files = fileBackedTokenKeys({ verificationKeys: [publicFile], signingKey: privateFile });
  stopWatching(files.watch(clock, silentLogger));
  const waitForReload = async (): Promise<void> => {
    clock.advance(60_000);
    await flushPromises(5);
  };
  return { files, waitForReload };
}

it('fileBackedTokenKeys reads the verification key of the signing key', async () => {
  const { files } = await openKeyFiles();
  const { signing, verifying } = files.current();
  expect(verifying.map(({ id }) => id)).toEqual([signing.id]);
});

it('fileBackedTokenKeys keeps the old keys while the new ones are unusable', async () => {
  const { files, waitForReload } = await openKeyFiles();
  const first = files.current();
  writeFileSync(privateFile, 'rubbish');
  await waitForReload();
  expect(files.current()).toBe(first);
});

it('fileBackedTokenKeys switches to changed keys', async () => {
  const { files, waitForReload } = await openKeyFiles();
  const first = files.current();
  await writeNewKeys();
  await waitForReload();
  expect(files.current().signing.id).not.toBe(first.signing.id);
});
