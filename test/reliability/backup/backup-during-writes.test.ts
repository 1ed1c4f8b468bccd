/**
 * A backup made while clients write, over both stores, is a snapshot of one revision: it has the writes acknowledged up
 * to that revision and no later ones, and of two objects that are written in turn it never has the second write without
 * the first.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ApiClient, type ApiObject } from '../../support/http/api-client';
import { describeWithEtcd } from '../../support/external/etcd';
import { migrate, startMigrate } from '../../support/migrate';
import { waitUntil } from '../../support/programs';
import {
  openEmbeddedLocation,
  openEtcdLocation,
  listObjects,
  createConfigMaps,
  decodeBackupBytes,
  MAPS,
  type OpenLocation,
  type StoreLocation,
} from './store-locations';

/** Writers, each with names of its own. */
const WRITERS = 4;
/** ConfigMaps that make the backup larger than a pipe buffer and than one page of the backup, and their characters. */
const FILLERS = 600;
const FILLER_LENGTH = 4_000;

/** On a busy disk a write can exceed the timeout of the server; its outcome is then unknown. */
const TIMEOUT_STATUS = 504;
/** Rounds of every writer before the backup, which therefore contains objects of each. */
const ROUNDS_BEFORE_BACKUP = 4;
/** Rounds of every writer while the backup waits for its reader. */
const ROUNDS_DURING_BACKUP = 5;
const ROUNDS_TIMEOUT_MS = 60_000;

/** The writes of one client: counters in a pair of objects, incremented one after the other, and new objects. */
class Writer {
  /** Revision at which the creation of each object was acknowledged, by name. */
  readonly created = new Map<string, number>();
  rounds = 0;
  private isStopped = false;

  constructor(
    private readonly client: ApiClient,
    private readonly lane: number,
  ) {}

  stop(): void {
    this.isStopped = true;
  }

  async run(): Promise<void> {
    while (!this.isStopped) {
      this.rounds += 1;
      // The names sort to the two ends of the key range that the backup reads in order.
      await this.writeCounter(`a-first-${this.lane}`);
      await this.writeCounter(`z-second-${this.lane}`);
      // New names sort before, between and after the existing ones.
      const name = `${'bmy'.charAt(this.rounds % 3)}-${this.lane}-${this.rounds}`;
      const response = await this.client.send('POST', MAPS, { metadata: { name } });
      if (response.status === TIMEOUT_STATUS) continue;
      if (response.status !== 201) throw new Error(response.text);
      this.created.set(name, Number(response.json().metadata.resourceVersion));
    }
  }

  /** Sets the counter of an object to the current round. */
  private async writeCounter(name: string): Promise<void> {
    const body = { metadata: { name }, data: { number: String(this.rounds) } };
    const put = await this.client.send('PUT', `${MAPS}/${name}`, body);
    const response = put.status === 404 ? await this.client.send('POST', MAPS, body) : put;
    // The next write requires this one.
    if (response.status === TIMEOUT_STATUS) await this.writeCounter(name);
    else if (response.status >= 300) throw new Error(response.text);
  }
}

/** Makes a backup to a pipe and reads its first chunk, calls `meanwhile`, and reads the rest. */
async function backUpSlowly(location: StoreLocation, meanwhile: () => Promise<void>): Promise<Buffer> {
  const run = startMigrate(['backup', '--file=-', ...location.flags], 'pipe');
  const { stdout } = run.child;
  if (stdout === null) throw new Error('the command has no standard output');
  const chunks: Buffer[] = [];
  for await (const chunk of stdout) {
    if (chunks.push(Buffer.from(chunk)) === 1) await meanwhile();
  }
  expect(await run.ended).toMatchObject({ code: 0 });
  return Buffer.concat(chunks);
}

/** The counter of an object; 0 when the object does not exist. */
const counterOf = (objects: readonly ApiObject[], name: string): number =>
  Number(objects.find(({ metadata }) => metadata.name === name)?.data?.['number'] ?? 0);

/** Restores a backup into a store, and returns the objects that a server on it has. */
async function restoredObjects(target: StoreLocation, bytes: Buffer): Promise<readonly ApiObject[]> {
  const file = path.join(target.folder, 'a.backup');
  writeFileSync(file, bytes);
  await migrate('restore', ...target.flags, `--file=${file}`);
  const server = await target.startServer();
  const reader = new ApiClient(server.address, server.certificates);
  const objects = await listObjects(reader, MAPS);
  reader.close();
  await server.process.kill();
  return objects;
}

/** Expects the writes up to the revision and no later ones. The writers have made writes before and after it. */
function expectWritesUpTo(revision: number, objects: readonly ApiObject[], writers: readonly Writer[]): void {
  const restored = new Set(objects.map(({ metadata }) => metadata.name));
  const acknowledged = writers.flatMap((writer) => Array.from(writer.created, ([name, createdAt]) => ({ name, createdAt })));
  const before = acknowledged.filter(({ createdAt }) => createdAt <= revision);
  const after = acknowledged.filter(({ createdAt }) => createdAt > revision);
  expect(before).not.toEqual([]);
  expect(after.length).toBeGreaterThanOrEqual(ROUNDS_DURING_BACKUP * WRITERS);
  expect(before.filter(({ name }) => !restored.has(name))).toEqual([]);
  expect(after.filter(({ name }) => restored.has(name))).toEqual([]);
  for (let lane = 0; lane < WRITERS; lane++) {
    const first = counterOf(objects, `a-first-${lane}`);
    const second = counterOf(objects, `z-second-${lane}`);
    // The second object is written after the first one in each round.
    expect([first, first - 1]).toContain(second);
  }
}

function describeBackupDuringWrites(openLocation: OpenLocation): void {
  test('holds exactly the writes acknowledged up to its revision', async () => {
    const source = await openLocation();
    const target = await openLocation();
    const server = await source.startServer();
    const client = new ApiClient(server.address, server.certificates, 2 * WRITERS);
    const writers = Array.from({ length: WRITERS }, (_, lane) => new Writer(client, lane));
    try {
      await createConfigMaps(client, FILLERS, FILLER_LENGTH);
      const writing = Promise.all(writers.map((writer) => writer.run()));
      const completedRounds = (): number => Math.min(...writers.map((writer) => writer.rounds));
      await waitUntil('rounds before the backup', () => completedRounds() >= ROUNDS_BEFORE_BACKUP);
      const bytes = await backUpSlowly(source, async () => {
        const before = completedRounds();
        await waitUntil('rounds during the backup', () => completedRounds() > before + ROUNDS_DURING_BACKUP, ROUNDS_TIMEOUT_MS);
      });
      for (const writer of writers) writer.stop();
      await writing;

      const objects = await restoredObjects(target, bytes);
      const { revision } = (await decodeBackupBytes(bytes)).header;
      expectWritesUpTo(revision, objects, writers);
      expect(objects.filter(({ metadata }) => metadata.name.startsWith('map-')).length).toBe(FILLERS);
    } finally {
      client.close();
      await server.process.kill();
      await source.dispose();
      await target.dispose();
    }
  }, 180_000);
}

describe('a backup of the embedded store made during writes', () => describeBackupDuringWrites(openEmbeddedLocation));
describeWithEtcd('a backup of etcd made during writes', () => describeBackupDuringWrites(openEtcdLocation));
