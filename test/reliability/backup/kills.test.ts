/**
 * `platform-migrate` killed (SIGKILL) in the middle of its work, over both stores: an unfinished restore is recognized,
 * refused by every program that opens it, and can be repeated; an unfinished backup is never accepted as complete.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BackupFormatError, decodeBackup } from '../../../apiserver/backup/backup-format';
import { ApiClient, type ApiObject } from '../../support/api-client';
import { describeWithEtcd } from '../../support/etcd';
import { migrate, startMigrate, type MigrateRun } from '../../support/migrate';
import { removeFolder, temporaryFolder, waitUntil, type ApiServer } from '../../support/programs';
import { embeddedPlace, etcdPlace, listOf, makeMaps, MAPS, withoutVersion, type MakePlace, type Place } from './places';

const OBJECTS = 300;
const FILLER = 20_000;

async function* each(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  await Promise.resolve();
  yield bytes;
}

/** How many records are whole in what begins so. */
async function wholeRecords(bytes: Buffer): Promise<number> {
  let count = 0;
  try {
    for await (const { key } of (await decodeBackup(each(bytes))).records()) count += key === '' ? 0 : 1;
  } catch (error) {
    if (!(error instanceof BackupFormatError)) throw error;
  }
  return count;
}

async function kill({ child, ended }: MigrateRun): Promise<void> {
  child.kill('SIGKILL');
  expect((await ended).code).toBeNull();
}

async function withServer<T>(place: Place, use: (client: ApiClient, server: ApiServer) => Promise<T>): Promise<T> {
  const server = await place.startServer();
  const client = new ApiClient(server.address, server.certificates);
  try {
    return await use(client, server);
  } finally {
    client.close();
    // What it knows has to be in the store, however it ends.
    await server.process.kill();
  }
}

const mapsOf = (place: Place): Promise<readonly ApiObject[]> =>
  withServer(place, async (client) => (await listOf(client, MAPS)).map(withoutVersion));

/** How much of a backup has been read when the restore is killed. */
const BEGUN: readonly [string, number] = ['has hardly begun', 0.05];
const HALF_WAY: readonly [string, number] = ['is half done', 0.5];
const ALL_BUT_ENDED: readonly [string, number] = ['lacks only the end of the backup', 1];

function suite(make: MakePlace, shares: readonly (readonly [string, number])[]): void {
  const folder = temporaryFolder('kills');
  const file = path.join(folder, 'a.backup');
  let source: Place;
  let before: readonly ApiObject[];

  beforeAll(async () => {
    source = await make();
    before = await withServer(source, async (client) => {
      await makeMaps(client, OBJECTS, FILLER);
      await migrate('backup', ...source.flags, `--file=${file}`);
      return (await listOf(client, MAPS)).map(withoutVersion);
    });
  }, 60_000);
  afterAll(async () => {
    await source.dispose();
    removeFolder(folder);
  });

  test.each(shares)(
    'a restore killed when it %s is refused as unfinished and can be repeated',
    async (_title, share) => {
      const bytes = readFileSync(file);
      const given = bytes.subarray(0, Math.min(bytes.length * share, bytes.length - 1));
      const stored = await wholeRecords(given);
      const target = await make();
      try {
        const run = startMigrate(['restore', '--file=-', ...target.flags]);
        run.child.stdin?.write(given);
        // Its own mark is one more key.
        await waitUntil(`${stored} records to be stored`, async () => (await target.count()) === stored + 1);
        await kill(run);

        await expect(target.startServer()).rejects.toThrow(/restoring .* has not finished/);
        const other = path.join(target.folder, 'half.backup');
        await expect(migrate('backup', ...target.flags, `--file=${other}`)).rejects.toThrow('are not whole');
        expect(existsSync(other)).toBe(false);
        await expect(migrate('restore', ...target.flags, `--file=${file}`)).rejects.toThrow('--discard-unfinished');

        const said = await migrate('restore', ...target.flags, `--file=${file}`, '--discard-unfinished');
        expect(said).toContain(`deleted ${stored + 1} keys`);
        expect(await mapsOf(target)).toEqual(before);
      } finally {
        await target.dispose();
      }
    },
    60_000,
  );

  test('a restore killed while it deletes the keys of an unfinished one can be repeated', async () => {
    const target = await make();
    try {
      const bytes = readFileSync(file);
      const first = startMigrate(['restore', '--file=-', ...target.flags]);
      first.child.stdin?.write(bytes.subarray(0, bytes.length - 1));
      const all = (await wholeRecords(bytes)) + 1;
      await waitUntil('all records to be stored', async () => (await target.count()) === all);
      await kill(first);
      // It reads nothing until it has taken away what there was.
      const second = startMigrate(['restore', '--file=-', ...target.flags, '--discard-unfinished']);
      await waitUntil('something to be taken away', async () => (await target.count()) < all);
      await kill(second);
      // The mark goes last, with what is then left.
      if ((await target.count()) > 0) await expect(target.startServer()).rejects.toThrow(/has not finished/);
      await migrate('restore', ...target.flags, `--file=${file}`, '--discard-unfinished');
      expect(await mapsOf(target)).toEqual(before);
    } finally {
      await target.dispose();
    }
  }, 60_000);

  test('verify and restore reject a backup killed while it writes to a pipe', async () => {
    const run = startMigrate(['backup', '--file=-', ...source.flags], 'pipe');
    const { stdout } = run.child;
    if (stdout === null) throw new Error('there is no output');
    const chunks: Buffer[] = [];
    // What it has to say does not fit into the pipe, so that it waits for its reader.
    const [first] = await new Promise<Buffer[]>((resolve) => stdout.once('data', (chunk: Buffer) => resolve([chunk])));
    if (first !== undefined) chunks.push(first);
    stdout.pause();
    run.child.kill('SIGKILL');
    for await (const chunk of stdout) chunks.push(Buffer.from(chunk));
    expect((await run.ended).code).toBeNull();
    const cut = path.join(folder, 'cut.backup');
    writeFileSync(cut, Buffer.concat(chunks));
    expect(statSync(cut).size).toBeLessThan(statSync(file).size);
    await expect(migrate('verify', `--file=${cut}`)).rejects.toThrow('ends in the middle');
    const target = await make();
    try {
      await expect(migrate('restore', ...target.flags, `--file=${cut}`)).rejects.toThrow('ends in the middle');
      // It has been looked through before anything was written.
      expect(await target.count()).toBe(0);
    } finally {
      await target.dispose();
    }
  }, 60_000);

  test('a backup killed while it writes a file leaves only a partial file under another name', async () => {
    const killed = path.join(folder, 'killed.backup');
    const run = startMigrate(['backup', `--file=${killed}`, ...source.flags]);
    const partial = await waitUntil('the first bytes', () => {
      const name = readdirSync(folder).find((found) => found.startsWith('killed.backup.partial-'));
      return name !== undefined && statSync(path.join(folder, name)).size > 0 && name;
    });
    await kill(run);
    expect(existsSync(killed)).toBe(false);
    await expect(migrate('verify', `--file=${path.join(folder, partial)}`)).rejects.toThrow('ends in the middle');
    // It is in nobody's way.
    await migrate('backup', `--file=${killed}`, ...source.flags);
    expect(await migrate('verify', `--file=${killed}`)).toContain('whole');
  }, 60_000);
}

describe('platform-migrate on the embedded store:', () => suite(embeddedPlace, [BEGUN, HALF_WAY, ALL_BUT_ENDED]));
// What is left of a restore depends on the store only in how it is written.
describeWithEtcd('platform-migrate on etcd:', () => suite(etcdPlace, [HALF_WAY]));
