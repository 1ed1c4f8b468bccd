import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { silentLogger } from '../../shared/runtime/logger';
import { createSigningKeyPair } from '../../shared/pki/certificates';
import { ManualClock, settle } from '../../test/support/manual-clock';
import { followTokenKeys } from './token-key-files';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'keys-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('followTokenKeys switches to changed keys, and keeps the old ones while the new ones are unusable', async () => {
  const clock = new ManualClock();
  const paths = { checking: [path.join(folder, 'sa.pub')], signing: path.join(folder, 'sa.key') };
  const [publicFile = ''] = paths.checking;
  const [one, other] = [await createSigningKeyPair(), await createSigningKeyPair()];
  const write = (pair: typeof one): void => {
    writeFileSync(publicFile, pair.publicKey);
    writeFileSync(paths.signing, pair.privateKey);
  };
  write(one);
  const files = followTokenKeys(paths);
  const stop = files.watch(clock, silentLogger);
  const first = files.current();
  expect(first.verifying[0]?.id).toBe(first.signing.id);

  const look = async (): Promise<void> => {
    clock.advance(60_000);
    await settle(5);
  };
  writeFileSync(paths.signing, 'rubbish');
  await look();
  expect(files.current()).toBe(first);
  write(other);
  await look();
  expect(files.current().signing.id).not.toBe(first.signing.id);
  stop();
});
