/**
 * Informers over two replicas that are killed, paused and restarted in turn: at the end they hold exactly the store's content, and on the
 * way they have told every change once. Each object counts its own changes, so a lost or a repeated one shows.
 */
import { isAlreadyExists, isConflict, isNotFound } from '../../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../../shared/client/rest/api-object';
import { Informer } from '../../../shared/client/informer/informer';
import { objectAt, own, stringAt } from '../../../shared/values/json';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { ConnectionError } from '../../../shared/client/transport/transport';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { adminClient } from '../../support/control-plane';
import { describeWithEtcd, startEtcd, type EtcdServer } from '../../support/etcd';
import { freePorts } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, waitUntil, type ApiServer } from '../../support/programs';

const MAPS = resourceOf('core.v1.ConfigMap');
const SECONDS = Number(process.env['INFORMER_SECONDS'] ?? 16);
const OBJECTS = 20;
const settings = { pingEveryMs: 2_000, pingTimeoutMs: 3_000, connectTimeoutMs: 3_000 };

/** What an informer told about one object: its life (uid) and the count of its last change. */
class Witness {
  readonly faults: string[] = [];
  told = 0;
  private readonly seen = new Map<string, { readonly uid: string; readonly count: number }>();

  constructor(readonly informer: Informer) {
    informer.handle({
      added: (object) => this.check(object, this.seen.get(keyOf(object)) === undefined, countOf(object)),
      updated: (_, object) => this.check(object, this.seen.get(keyOf(object))?.uid === object.uid, this.next(object)),
      deleted: (last) => {
        this.told += 1;
        if (this.seen.get(keyOf(last))?.uid !== last.uid) this.faults.push(`${last.name}: told gone twice`);
        this.seen.delete(keyOf(last));
      },
    });
  }

  private check(object: ApiObject, follows: boolean, expected: number): void {
    this.told += 1;
    if (!follows || countOf(object) !== expected) {
      this.faults.push(`${object.name}: ${countOf(object)} after ${this.seen.get(keyOf(object))?.count}`);
    }
    this.seen.set(keyOf(object), { uid: object.uid, count: countOf(object) });
  }

  private next(object: ApiObject): number {
    return (this.seen.get(keyOf(object))?.count ?? 0) + 1;
  }
}

function countOf(object: ApiObject): number {
  return Number(stringAt(objectAt(object.body, 'data'), 'count') ?? -1);
}

describeWithEtcd('informers over two replicas', () => {
  const folder = temporaryFolder('informers');
  let etcd: EtcdServer;
  let ports: number[];
  const replicas: ApiServer[] = [];
  const clients: RestClient[] = [];

  const start = (securePort: number): Promise<ApiServer> => startApiServer({ folder, securePort, etcdServers: etcd.endpoint });

  beforeAll(async () => {
    etcd = await startEtcd();
    ports = await freePorts(2);
    for (const port of ports) replicas.push(await start(port));
  }, 60_000);

  afterAll(async () => {
    for (const client of clients) client.close();
    for (const replica of replicas) await replica.process.kill();
    await etcd.dispose();
    removeFolder(folder);
  }, 60_000);

  function client(order: readonly number[], http1 = false): RestClient {
    const addresses = order.map((index) => replicas[index]!.address);
    const made = adminClient(addresses, replicas[0]!.certificates, { settings, http1 });
    clients.push(made);
    return made;
  }

  test(
    `deliver every change exactly once while the replicas are killed, paused and restarted in turn for ${SECONDS} s`,
    async () => {
      const stop = new AbortController();
      const witnesses = [client([0, 1]), client([1, 0]), client([1, 0], true)].map((one) => {
        const informer = new Informer({
          client: one,
          resource: MAPS,
          namespace: 'default',
          clock: systemClock,
          random: systemRandom,
          logger: silentLogger,
        });
        void informer.run(stop.signal);
        return new Witness(informer);
      });
      await Promise.all(witnesses.map(({ informer }) => informer.synced));
      const until = performance.now() + SECONDS * 1_000;
      const isOver = (): boolean => performance.now() >= until;
      const writer = client([0, 1]);
      const writing = Array.from({ length: OBJECTS }, (_, index) => write(writer, `object-${index}`, isOver));
      for (let round = 0; !isOver(); round += 1) await disturb(round % 2, round % 4 < 2 ? 'kill' : 'pause');
      const written = (await Promise.all(writing)).reduce((sum, count) => sum + count, 0);

      const final = client([0, 1]);
      const items = (await final.list(MAPS, { namespace: 'default' })).items;
      const content = (objects: readonly ApiObject[]) =>
        objects.map(({ name, uid, resourceVersion }) => `${name} ${uid} ${resourceVersion}`).sort();
      for (const { informer, faults } of witnesses) {
        await waitUntil('the informer to catch up', () => content(informer.list()).join() === content(items).join(), 60_000);
        expect(faults).toEqual([]);
      }
      stop.abort();
      const told = witnesses.map((witness) => witness.told);
      const { lists, watches } = witnesses.reduce(
        (sum, { informer: { counts } }) => ({ lists: sum.lists + counts.lists, watches: sum.watches + counts.watches }),
        { lists: 0, watches: 0 },
      );
      process.stdout.write(`${written} changes acknowledged, told ${told.join(', ')}; ${lists} lists, ${watches} watches\n`);
      expect(written).toBeGreaterThan(OBJECTS);
      // Every change was told, so all informers have told the same number of them.
      expect(new Set(told).size).toBe(1);
      expect(lists).toBe(witnesses.length);
    },
    SECONDS * 1_000 + 120_000,
  );

  async function disturb(index: number, how: 'kill' | 'pause'): Promise<void> {
    const replica = replicas[index]!;
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    if (how === 'kill') {
      await replica.process.kill();
      await pause(500);
      replicas[index] = await start(ports[index]!);
    } else {
      replica.process.pause();
      await pause(6_000);
      replica.process.resume();
    }
    await pause(1_500);
  }
});

/** Counts an object up, and now and then deletes it and begins again, until `isOver`. Resolves with the number of acknowledged changes. */
async function write(client: RestClient, name: string, isOver: () => boolean): Promise<number> {
  let acknowledged = 0;
  while (!isOver()) {
    try {
      await step(client, name);
      acknowledged += 1;
    } catch (error) {
      // Lost answers and lost races: the next step looks at what there is.
      if (!(error instanceof ConnectionError) && !isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) {
        if (own(Object(error), 'code') !== 504 && own(Object(error), 'code') !== 429) throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  return acknowledged;
}

async function step(client: RestClient, name: string): Promise<void> {
  const timeoutMs = 5_000;
  const place = { namespace: 'default', name };
  const found = await client.get(MAPS, place, { timeoutMs }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (found === undefined) await client.create(MAPS, { metadata: place, data: { count: '0' } }, { timeoutMs });
  else if (countOf(found) >= 25) await client.delete(MAPS, place, { preconditions: { uid: found.uid }, timeoutMs });
  else await client.update(MAPS, { ...found.body, data: { count: String(countOf(found) + 1) } }, { timeoutMs });
}
