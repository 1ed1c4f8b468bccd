/**
 * A backup that is made while clients write, over both stores: it is what the store held at one revision. What was acknowledged before that is in it, what came later is
 * not, and of two objects that are written in turns it never has the second without the first.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { decodeBackup } from '../../../apiserver/backup/backup-format';
import { ApiClient, type ApiObject } from '../../support/api-client';
import { describeWithEtcd } from '../../support/etcd';
import { migrate, startMigrate } from '../../support/migrate';
import { waitUntil } from '../../support/programs';
import { embeddedPlace, etcdPlace, listOf, makeMaps, MAPS, type MakePlace, type Place } from './places';

const LANES = 4;
/** More than a pipe holds, and more pages than one. */
const FILLERS = 600;
const FILLER = 4_000;

/** A disk that many others keep busy can take longer over a write than the server waits for it. */
const UNKNOWN = 504;
const PATIENCE_MS = 60_000;

/** One client's writes: pairs that are counted up one after the other, and new objects. */
class Writer {
  /** The revision at which each object was acknowledged that has been made. */
  readonly made = new Map<string, number>();
  rounds = 0;
  private isOver = false;

  constructor(
    private readonly client: ApiClient,
    private readonly lane: number,
  ) {}

  stop(): void {
    this.isOver = true;
  }

  async run(): Promise<void> {
    while (!this.isOver) {
      this.rounds += 1;
      // At both ends of what is read in the order of its names.
      await this.count(`a-first-${this.lane}`);
      await this.count(`z-second-${this.lane}`);
      // So that new ones come before, between and behind the others.
      const name = `${'bmy'.charAt(this.rounds % 3)}-${this.lane}-${this.rounds}`;
      const answer = await this.client.send('POST', MAPS, { metadata: { name } });
      if (answer.status === UNKNOWN) continue;
      if (answer.status !== 201) throw new Error(answer.text);
      this.made.set(name, Number(answer.json().metadata.resourceVersion));
    }
  }

  private async count(name: string): Promise<void> {
    const body = { metadata: { name }, data: { number: String(this.rounds) } };
    const put = await this.client.send('PUT', `${MAPS}/${name}`, body);
    const answer = put.status === 404 ? await this.client.send('POST', MAPS, body) : put;
    // What comes next counts on its being there.
    if (answer.status === UNKNOWN) await this.count(name);
    else if (answer.status >= 300) throw new Error(answer.text);
  }
}

/** The bytes of a backup of which the most are taken only when `meanwhile` has happened. */
async function backUpSlowly(place: Place, meanwhile: () => Promise<void>): Promise<Buffer> {
  const run = startMigrate(['backup', '--file=-', ...place.flags], 'pipe');
  const { stdout } = run.child;
  if (stdout === null) throw new Error('there is no output');
  const chunks: Buffer[] = [];
  let held = false;
  for await (const chunk of stdout) {
    chunks.push(Buffer.from(chunk));
    if (!held) await meanwhile();
    held = true;
  }
  expect(await run.ended).toMatchObject({ code: 0 });
  return Buffer.concat(chunks);
}

async function headerRevision(bytes: Buffer): Promise<number> {
  async function* each(): AsyncGenerator<Buffer, void, undefined> {
    await Promise.resolve();
    yield bytes;
  }
  return (await decodeBackup(each())).header.revision;
}

const numberOf = (objects: readonly ApiObject[], name: string): number =>
  Number(objects.find(({ metadata }) => metadata.name === name)?.data?.['number'] ?? 0);

function suite(make: MakePlace): void {
  test('holds exactly the writes acknowledged up to its revision', async () => {
    const [source, target] = [await make(), await make()];
    const server = await source.startServer();
    const client = new ApiClient(server.address, server.certificates, 2 * LANES);
    const writers = Array.from({ length: LANES }, (_, lane) => new Writer(client, lane));
    try {
      await makeMaps(client, FILLERS, FILLER);
      const writing = Promise.all(writers.map((writer) => writer.run()));
      const rounds = (): number => Math.min(...writers.map((writer) => writer.rounds));
      await waitUntil('some rounds', () => rounds() > 3);
      const bytes = await backUpSlowly(source, async () => {
        const before = rounds();
        await waitUntil('more rounds', () => rounds() > before + 5, PATIENCE_MS);
      });
      for (const writer of writers) writer.stop();
      await writing;

      const file = path.join(target.folder, 'a.backup');
      writeFileSync(file, bytes);
      await migrate('restore', ...target.flags, `--file=${file}`);
      const revision = await headerRevision(bytes);
      const restored = await target.startServer();
      const reader = new ApiClient(restored.address, restored.certificates);
      const objects = await listOf(reader, MAPS);
      reader.close();
      await restored.process.kill();

      const names = new Set(objects.map(({ metadata }) => metadata.name));
      const made = writers.flatMap((writer) => [...writer.made]);
      const later = made.filter(([, acknowledged]) => acknowledged > revision);
      expect(later.length).toBeGreaterThan(5 * LANES - 1);
      expect(later.length).toBeLessThan(made.length);
      expect(made.filter(([name, acknowledged]) => names.has(name) !== acknowledged <= revision)).toEqual([]);
      for (let lane = 0; lane < LANES; lane++) {
        const [first, second] = [numberOf(objects, `a-first-${lane}`), numberOf(objects, `z-second-${lane}`)];
        expect([first, first - 1]).toContain(second);
      }
      expect(objects.filter(({ metadata }) => metadata.name.startsWith('map-')).length).toBe(FILLERS);
    } finally {
      client.close();
      await server.process.kill();
      await source.dispose();
      await target.dispose();
    }
  }, 180_000);
}

describe('a backup of the embedded store made during writes', () => suite(embeddedPlace));
describeWithEtcd('a backup of etcd made during writes', () => suite(etcdPlace));
