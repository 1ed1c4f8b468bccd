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

describe('backup', () => {
  it('reports the number of keys and bytes, and verify accepts the file', async () => {
    const { output, host } = setUp();
    const another = path.join(folder, 'another.backup');
    await backup({ file: another, ...storeFlags('source'), 'etcd-prefix': '/registry//' }, host);
    expect(output[0]).toMatch(/another\.backup: 40 keys, \d+ bytes/);
    expect(output[1]).toMatch(/backed up 40 keys of revision \d+/);
    await verify({ file: another }, host);
    expect(output[2]).toMatch(/complete; 40 keys, revision \d+ of the embedded store at .*Z, --naming=platform/);
  });

  it('reports its progress every five seconds', async () => {
    const { output, host } = setUp();
    let now = 0;
    /** A second passes between two readings, of which there is one for each of the 40 keys. */
    const clock: Clock = { ...systemClock, now: () => 0, monotonic: () => (now += 1_000) };
    await backup({ file: path.join(folder, 'slow.backup'), ...storeFlags('source') }, { ...host, clock });
    expect(output.filter((line) => line.endsWith('keys so far'))).toEqual(
      [5, 10, 15, 20, 25, 30, 35, 40].map((count) => `backed up ${count} keys so far`),
    );
  });

  it.each([
    ['a missing folder', storeFlags('none')],
    ['another prefix', { ...storeFlags('source'), 'etcd-prefix': '/other' }],
  ])('creates no file when it finds no data under %s', async (_title, flags) => {
    const { host } = setUp();
    const nothing = path.join(folder, 'nothing.backup');
    await expect(backup({ file: nothing, ...flags }, host)).rejects.toThrow(/there is no embedded store in|no data of this program/);
    expect(existsSync(nothing)).toBe(false);
    expect(existsSync(path.join(folder, 'none'))).toBe(false);
  });
});

describe('restore', () => {
  it('fills an empty folder and prints the flag for the API servers, and rejects a folder with data', async () => {
    const { output, host } = setUp();
    await restoreFile({ file, ...storeFlags('restored'), ...filling }, host);
    expect(output.at(-2)).toMatch(/^restored 40 keys, revision \d+ of the embedded store at .*; revisions continue at \d+$/);
    expect(output.at(-1)).toBe('start the API servers with --naming=platform');
    expect(await stored('restored')).toEqual(await stored('source'));
    await expect(restoreFile({ file, ...storeFlags('restored'), ...filling }, host)).rejects.toThrow(RestoreTargetError);
    // --discard-unfinished never deletes complete data.
    const discarding = { ...filling, 'discard-unfinished': true };
    await expect(restoreFile({ file, ...storeFlags('restored'), ...discarding }, host)).rejects.toThrow(RestoreTargetError);
    expect(await stored('restored')).toHaveLength(KEYS);
  });

  it.each([
    ['truncated', (bytes: Buffer) => bytes.subarray(0, bytes.length - 3), 'is truncated'],
    ['modified', (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('value 7', 'value 8'), 'latin1'), 'checksum'],
    ['duplicated', (bytes: Buffer) => Buffer.concat([bytes, bytes]), 'continues after its end'],
    ['no backup', () => Buffer.from('{"kind":"List"}'.repeat(5)), 'is not a backup of this program'],
  ])('changes nothing when the file is %s', async (title, damage, message) => {
    const { host } = setUp();
    const damaged = path.join(folder, `${title.replaceAll(' ', '-')}.backup`);
    writeFileSync(damaged, damage(readFileSync(file)));
    const restoring = restoreFile({ file: damaged, ...storeFlags('untouched'), ...filling }, host);
    await expect(restoring).rejects.toThrow(BackupFormatError);
    await expect(restoring).rejects.toThrow(`${damaged} `);
    await expect(restoring).rejects.toThrow(message);
    await expect(verify({ file: damaged }, host)).rejects.toThrow(message);
    expect(existsSync(path.join(folder, 'untouched'))).toBe(false);
  });

  it('rejects a folder whose store is open, and fills it once the store is closed', async () => {
    const { host } = setUp();
    await withStore('busy', async () => {
      await expect(restoreFile({ file, ...storeFlags('busy'), ...filling }, host)).rejects.toThrow(/busy/);
    });
    await restoreFile({ file, ...storeFlags('busy'), ...filling }, host);
    expect(await stored('busy')).toHaveLength(KEYS);
  });
});

describe('a migration command without a required argument', () => {
  it('fails without --file', async () => {
    const { host } = setUp();
    await expect(verify({ file: '' }, host)).rejects.toThrow(UsageError);
    await expect(restoreFile({ file: '', ...storeFlags('x'), ...filling }, host)).rejects.toThrow('--file is required');
  });

  it('fails without --etcd-servers for a migration to etcd', async () => {
    const { host } = setUp();
    await expect(migrate({ to: 'etcd', ...storeFlags('source'), ...filling }, host)).rejects.toThrow('--etcd-servers is required');
  });

  it('fails without a source store, and leaves the store unlocked', async () => {
    const { host } = setUp();
    const servers = { 'etcd-servers': ['http://127.0.0.1:1'] };
    const moving = migrate({ to: 'etcd', ...storeFlags('none'), ...servers, ...filling }, host);
    await expect(moving).rejects.toThrow('there is no embedded store in');
    const other = migrate({ to: 'etcd', ...storeFlags('source'), 'etcd-prefix': '/other', ...servers, ...filling }, host);
    await expect(other).rejects.toThrow(BackupSourceError);
    // A rejected command leaves the store unlocked.
    expect(await stored('source')).toHaveLength(KEYS);
  });
});
