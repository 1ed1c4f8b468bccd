/**
 * The commands `platform backup` and `platform restore`, killed (SIGKILL) while they run, over both stores: an API
 * server, a backup and another restore reject an unfinished restore, and the restore can be repeated; an unfinished
 * backup is never accepted as complete.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BackupFormatError } from '../../../apiserver/backup/backup-format';
import { ApiClient, type ApiObject } from '../../support/http/api-client';
import { describeWithEtcd } from '../../support/external/etcd';
import { migrate, startMigrate, type MigrateRun } from '../../support/migrate';
import { waitUntil, type ApiServer } from '../../support/programs';
import { useFolder, useResource } from '../../support/use-resource';
import {
  openEmbeddedLocation,
  openEtcdLocation,
  listObjects,
  createConfigMaps,
  decodeBackupBytes,
  MAPS,
  withoutVersion,
  type OpenLocation,
  type StoreLocation,
} from './store-locations';

/** ConfigMaps in the backup: so many that a backup or a restore takes long enough to be killed while it runs. */
const OBJECTS = 300;
/** Characters in each ConfigMap. */
const FILLER_LENGTH = 20_000;

/** Number of complete records at the beginning of a backup. */
async function countWholeRecords(bytes: Buffer): Promise<number> {
  const keys: string[] = [];
  try {
    for await (const { key } of (await decodeBackupBytes(bytes)).records()) keys.push(key);
  } catch (error) {
    // The end of the backup is missing.
    if (!(error instanceof BackupFormatError)) throw error;
  }
  return keys.length;
}

/** Kills a command, which must still be running. */
async function killAtWork({ child, ended }: MigrateRun): Promise<void> {
  child.kill('SIGKILL');
  expect((await ended).code).toBeNull();
}

async function withServer<T>(location: StoreLocation, use: (client: ApiClient, server: ApiServer) => Promise<T>): Promise<T> {
  const server = await location.startServer();
  const client = new ApiClient(server.address, server.certificates);
  try {
    return await use(client, server);
  } finally {
    client.close();
    // Acknowledged writes are in the store even when the server is killed.
    await server.process.kill();
  }
}

const readMaps = (location: StoreLocation): Promise<readonly ApiObject[]> =>
  withServer(location, async (client) => (await listObjects(client, MAPS)).map(withoutVersion));

interface RestoreProgress {
  /** Part of the test title. */
  readonly progress: string;
  /** The share of the backup, from 0 to 1, that the restore receives before it is killed. With 1 only the last byte is missing. */
  readonly share: number;
}

const JUST_STARTED: RestoreProgress = { progress: 'has hardly started', share: 0.05 };
const HALF_DONE: RestoreProgress = { progress: 'is half done', share: 0.5 };
const ALL_BUT_END: RestoreProgress = { progress: 'lacks only the end of the backup', share: 1 };

function describeKills(openLocation: OpenLocation, restores: readonly RestoreProgress[]): void {
  const folder = useFolder('kills');
  const file = path.join(folder, 'a.backup');
  const source = useResource(openLocation, (location) => location.dispose());
  /** The objects in the backup. */
  const backedUpMaps = useResource(
    () =>
      withServer(source(), async (client) => {
        await createConfigMaps(client, OBJECTS, FILLER_LENGTH);
        await migrate('backup', ...source().flags, `--file=${file}`);
        return (await listObjects(client, MAPS)).map(withoutVersion);
      }),
    () => undefined,
    60_000,
  );

  test.each(restores)(
    'a restore killed when it $progress is refused as unfinished and can be repeated',
    async ({ share }) => {
      const bytes = readFileSync(file);
      const partialBytes = bytes.subarray(0, Math.min(bytes.length * share, bytes.length - 1));
      const expectedRecords = await countWholeRecords(partialBytes);
      const target = await openLocation();
      try {
        const run = startMigrate(['restore', '--file=-', ...target.flags]);
        run.child.stdin?.write(partialBytes);
        // The mark of an unfinished restore is one more key.
        await waitUntil(`${expectedRecords} records to be stored`, async () => (await target.countKeys()) === expectedRecords + 1);
        await killAtWork(run);

        await expect(target.startServer()).rejects.toThrow(/restoring .* has not finished/);
        const incompleteBackup = path.join(target.folder, 'incomplete.backup');
        await expect(migrate('backup', ...target.flags, `--file=${incompleteBackup}`)).rejects.toThrow('is incomplete');
        expect(existsSync(incompleteBackup)).toBe(false);
        await expect(migrate('restore', ...target.flags, `--file=${file}`)).rejects.toThrow('--discard-unfinished');

        const output = await migrate('restore', ...target.flags, `--file=${file}`, '--discard-unfinished');
        expect(output).toContain(`deleted ${expectedRecords + 1} keys`);
        expect(await readMaps(target)).toEqual(backedUpMaps());
      } finally {
        await target.dispose();
      }
    },
    60_000,
  );

  test('a restore killed while it deletes the keys of an unfinished one can be repeated', async () => {
    const target = await openLocation();
    try {
      const bytes = readFileSync(file);
      const first = startMigrate(['restore', '--file=-', ...target.flags]);
      first.child.stdin?.write(bytes.subarray(0, bytes.length - 1));
      const allKeys = (await countWholeRecords(bytes)) + 1;
      await waitUntil('all records to be stored', async () => (await target.countKeys()) === allKeys);
      await killAtWork(first);
      // The restore reads no input before it has deleted the existing keys.
      const second = startMigrate(['restore', '--file=-', ...target.flags, '--discard-unfinished']);
      await waitUntil('some keys to be deleted', async () => (await target.countKeys()) < allKeys);
      await killAtWork(second);
      // The mark is deleted last.
      if ((await target.countKeys()) > 0) await expect(target.startServer()).rejects.toThrow(/has not finished/);
      await migrate('restore', ...target.flags, `--file=${file}`, '--discard-unfinished');
      expect(await readMaps(target)).toEqual(backedUpMaps());
    } finally {
      await target.dispose();
    }
  }, 60_000);

  test('verify and restore reject a backup killed while it writes to a pipe', async () => {
    const run = startMigrate(['backup', '--file=-', ...source().flags], 'pipe');
    const { stdout } = run.child;
    if (stdout === null) throw new Error('the command has no standard output');
    const chunks: Buffer[] = [];
    // The backup is larger than the pipe, so that the process waits for the reader.
    chunks.push(await new Promise<Buffer>((resolve) => stdout.once('data', resolve)));
    stdout.pause();
    run.child.kill('SIGKILL');
    for await (const chunk of stdout) chunks.push(Buffer.from(chunk));
    expect((await run.ended).code).toBeNull();
    const truncated = path.join(folder, 'truncated.backup');
    writeFileSync(truncated, Buffer.concat(chunks));
    expect(statSync(truncated).size).toBeLessThan(statSync(file).size);
    await expect(migrate('verify', `--file=${truncated}`)).rejects.toThrow('is truncated');
    const target = await openLocation();
    try {
      await expect(migrate('restore', ...target.flags, `--file=${truncated}`)).rejects.toThrow('is truncated');
      // The file is verified before the first write.
      expect(await target.countKeys()).toBe(0);
    } finally {
      await target.dispose();
    }
  }, 60_000);

  test('a backup killed while it writes a file leaves only a partial file under another name', async () => {
    const killed = path.join(folder, 'killed.backup');
    const run = startMigrate(['backup', `--file=${killed}`, ...source().flags]);
    const partial = await waitUntil('the first bytes', () => {
      const name = readdirSync(folder).find((entry) => entry.startsWith('killed.backup.partial-'));
      return name !== undefined && statSync(path.join(folder, name)).size > 0 && name;
    });
    await killAtWork(run);
    expect(existsSync(killed)).toBe(false);
    await expect(migrate('verify', `--file=${path.join(folder, partial)}`)).rejects.toThrow('is truncated');
    // The partial file does not prevent another backup.
    await migrate('backup', `--file=${killed}`, ...source().flags);
    expect(await migrate('verify', `--file=${killed}`)).toContain('complete;');
  }, 60_000);
}

describe('platform backup and restore on the embedded store:', () =>
  describeKills(openEmbeddedLocation, [JUST_STARTED, HALF_DONE, ALL_BUT_END]));
// One share is enough on etcd, because the stores differ only in how a restore writes.
describeWithEtcd('platform backup and restore on etcd:', () => describeKills(openEtcdLocation, [HALF_DONE]));
