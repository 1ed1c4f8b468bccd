/**
 * The commands over embedded stores, with the data of a stopped server as the source. Migrations between stores that run,
 * and etcd, are left to test/reliability/backup.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BackupFormatError } from '../../apiserver/backup/backup-format';
import { RestoreTargetError } from '../../apiserver/backup/restore';
import { BackupSourceError } from '../../apiserver/backup/backup-source';
import { openEmbeddedStore } from '../../apiserver/storage/embedded/open';
import { prefixRange, type Store } from '../../apiserver/storage/store';
import { claimPrefix } from '../../apiserver/reconcilers/claim-prefix';
import { systemClock, type Clock } from '../../shared/runtime/clock';
import { UsageError } from '../../shared/cli/flags';
import { systemRandom as random } from '../../shared/runtime/random';
import { useFolder } from '../../test/support/use-resource';
import { backup, migrate, restoreFile, verify, type Host } from './commands';
import type { StoreFlags } from './flags';

const KEYS = 40;
const prefix = '/registry';

const folder = useFolder('commands');
const file = path.join(folder, 'a.backup');

function setUp() {
  const output: string[] = [];
  const host: Host = { clock: systemClock, random, print: (line) => void output.push(line) };
  return { output, host };
}

const storeFlags = (name: string): StoreFlags => ({
  'data-dir': '.platform',
  'storage-dir': path.join(folder, name),
  'etcd-servers': [],
  'etcd-cafile': '',
  'etcd-certfile': '',
  'etcd-keyfile': '',
  'etcd-prefix': prefix,
});
const filling = { 'bump-revision': 1_000, 'discard-unfinished': false };

async function withStore<T>(name: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openEmbeddedStore({ directory: path.join(folder, name), clock: systemClock, random });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Creates a store with the data of a stopped server, and the backup of it. */
beforeAll(async () => {
  await withStore('source', async (store) => {
    // Writes the format marker. Commands reject a prefix without it as the data of another program.
    await claimPrefix({ store, prefix, naming: 'platform', clock: systemClock, deadline: systemClock.monotonic() + 10_000 });
    for (let index = 0; index < KEYS; index++) {
      const operation = { type: 'put', key: `${prefix}/configmaps/a/m${index}`, value: Buffer.from(`value ${index}`) } as const;
      await store.transact({ compare: [], operations: [operation] });
    }
  });
  await backup({ file, ...storeFlags('source') }, setUp().host);
});

const stored = (name: string): Promise<readonly string[]> =>
  withStore(name, async (store) => (await store.range(prefixRange(`${prefix}/configmaps/`))).kvs.map(({ value }) => value.toString()));

/** latin1 has a character for every byte, so all other bytes stay as they are. */
const replaceText = (bytes: Buffer, from: string, to: string): Buffer => Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1');

describe('backup', () => {
  it('reports the number of keys and bytes, and verify accepts the file', async () => {
    const { output, host } = setUp();
    const another = path.join(folder, 'another.backup');
    await backup({ file: another, ...storeFlags('source') }, host);
    await verify({ file: another }, host);
    expect(output).toEqual([
      expect.stringMatching(new RegExp(String.raw`another\.backup: ${KEYS} keys, \d+ bytes$`)),
      expect.stringMatching(new RegExp(String.raw`^backed up ${KEYS} keys of revision \d+$`)),
      expect.stringMatching(
        new RegExp(String.raw`another\.backup: complete; ${KEYS} keys, revision \d+ of the embedded store at .*Z, --naming=platform$`),
      ),
    ]);
  });

  it('ignores slashes at the end of --etcd-prefix', async () => {
    const { output, host } = setUp();
    await backup({ file: path.join(folder, 'slashes.backup'), ...storeFlags('source'), 'etcd-prefix': `${prefix}//` }, host);
    expect(output[0]).toContain(`slashes.backup: ${KEYS} keys`);
  });

  it('reports its progress every five seconds', async () => {
    const { output, host } = setUp();
    let now = 0;
    // The progress reads the clock once for each key, and each reading is a second later: five keys take five seconds.
    const clock: Clock = { ...systemClock, now: () => 0, monotonic: () => (now += 1_000) };
    await backup({ file: path.join(folder, 'slow.backup'), ...storeFlags('source') }, { ...host, clock });
    const reportedCounts = Array.from({ length: KEYS / 5 }, (_, index) => (index + 1) * 5);
    expect(output.filter((line) => line.endsWith('keys so far'))).toEqual(reportedCounts.map((count) => `backed up ${count} keys so far`));
  });

  it.each([
    { title: 'a missing folder', flags: storeFlags('none'), message: 'there is no embedded store in' },
    { title: 'another prefix', flags: { ...storeFlags('source'), 'etcd-prefix': '/other' }, message: 'no data of this program' },
  ])('creates no file when it finds no data under $title', async ({ flags, message }) => {
    const { host } = setUp();
    const nothing = path.join(folder, 'nothing.backup');
    await expect(backup({ file: nothing, ...flags }, host)).rejects.toThrow(message);
    expect(existsSync(nothing)).toBe(false);
    expect(existsSync(path.join(folder, 'none'))).toBe(false);
  });
});

describe('restore', () => {
  it('fills an empty folder and prints the flag for the API servers, and rejects a folder with data', async () => {
    const { output, host } = setUp();
    await restoreFile({ file, ...storeFlags('restored'), ...filling }, host);
    expect(output.at(-2)).toMatch(
      new RegExp(String.raw`^restored ${KEYS} keys, revision \d+ of the embedded store at .*; revisions continue at \d+$`),
    );
    expect(output.at(-1)).toBe('start the API servers with --naming=platform');
    expect(await stored('restored')).toEqual(await stored('source'));
    await expect(restoreFile({ file, ...storeFlags('restored'), ...filling }, host)).rejects.toThrow(RestoreTargetError);
    // --discard-unfinished never deletes complete data.
    const discarding = { ...filling, 'discard-unfinished': true };
    await expect(restoreFile({ file, ...storeFlags('restored'), ...discarding }, host)).rejects.toThrow(RestoreTargetError);
    expect(await stored('restored')).toHaveLength(KEYS);
  });

  it.each([
    { title: 'truncated', damage: (bytes: Buffer) => bytes.subarray(0, bytes.length - 3), message: 'is truncated' },
    { title: 'modified', damage: (bytes: Buffer) => replaceText(bytes, 'value 7', 'value 8'), message: 'checksum' },
    { title: 'duplicated', damage: (bytes: Buffer) => Buffer.concat([bytes, bytes]), message: 'continues after its end' },
    { title: 'no backup', damage: () => Buffer.from('{"kind":"List"}'.repeat(5)), message: 'is not a backup of this program' },
  ])('changes nothing when the file is $title', async ({ title, damage, message }) => {
    const { host } = setUp();
    const damaged = path.join(folder, `${title.replaceAll(' ', '-')}.backup`);
    writeFileSync(damaged, damage(readFileSync(file)));
    const restored = restoreFile({ file: damaged, ...storeFlags('untouched'), ...filling }, host);
    await expect(restored).rejects.toThrow(BackupFormatError);
    // The message is a sentence that has the name of the file as its subject.
    await expect(restored).rejects.toThrow(`${damaged} `);
    await expect(restored).rejects.toThrow(message);
    await expect(verify({ file: damaged }, host)).rejects.toThrow(message);
    expect(existsSync(path.join(folder, 'untouched'))).toBe(false);
  });

  it('rejects a folder that has an open store, and fills it once the store is closed', async () => {
    const { host } = setUp();
    await withStore('open', async () => {
      await expect(restoreFile({ file, ...storeFlags('open'), ...filling }, host)).rejects.toThrow('is in use by');
    });
    await restoreFile({ file, ...storeFlags('open'), ...filling }, host);
    expect(await stored('open')).toHaveLength(KEYS);
  });
});

describe('a required flag', () => {
  it('is --file for verify and restore', async () => {
    const { host } = setUp();
    await expect(verify({ file: '' }, host)).rejects.toThrow(UsageError);
    await expect(restoreFile({ file: '', ...storeFlags('x'), ...filling }, host)).rejects.toThrow('--file is required');
  });

  it('is --etcd-servers for migrate', async () => {
    const { host } = setUp();
    await expect(migrate({ to: 'etcd', ...storeFlags('source'), ...filling }, host)).rejects.toThrow('--etcd-servers is required');
  });
});

describe('migrate', () => {
  /** Nothing listens on this port; the commands fail before they connect. */
  const servers = { 'etcd-servers': ['http://127.0.0.1:1'] };

  it('rejects a missing source store', async () => {
    const migrated = migrate({ to: 'etcd', ...storeFlags('none'), ...servers, ...filling }, setUp().host);
    await expect(migrated).rejects.toThrow('there is no embedded store in');
  });

  it('rejects a source store without data under the prefix, and leaves it unlocked', async () => {
    const flags = { ...storeFlags('source'), 'etcd-prefix': '/other', ...servers };
    await expect(migrate({ to: 'etcd', ...flags, ...filling }, setUp().host)).rejects.toThrow(BackupSourceError);
    // Opening the store fails while another command has it locked.
    expect(await stored('source')).toHaveLength(KEYS);
  });
});
