/**
 * Informers over two replicas that are killed, paused and restarted in turn: they deliver every change once, and in the
 * end hold exactly the content of the store. Each object counts its changes, which reveals a lost or repeated one.
 */
import { isAlreadyExists, isConflict, isNotFound, undefinedIfNotFound } from '../../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../../shared/client/rest/api-object';
import { Informer } from '../../../shared/client/informer/informer';
import { objectAt, ownMember, stringAt } from '../../../shared/values/json';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { ConnectionError } from '../../../shared/client/transport/transport';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { adminClient } from '../../support/control-plane';
import { describeWithEtcd } from '../../support/external/etcd';
import { waitUntil } from '../../support/programs';
import { replicaAt, useReplicas } from '../../support/use-replicas';
import { useResource } from '../../support/use-resource';

const MAPS = resourceOf('core.v1.ConfigMap');
/** How long the replicas are disturbed. */
const SECONDS = Number(process.env['INFORMER_SECONDS'] ?? 16);
/** Objects that are written in parallel, each by its own writer. */
const OBJECTS = 20;
/** Changes after which an object is deleted and created again. */
const CHANGES_PER_OBJECT = 25;
/** How long a replica is down or paused, and serves between two faults. A pause outlasts the pings of the informers. */
const DOWN_MS = 500;
const PAUSE_MS = 6_000;
const RECOVERY_MS = 1_500;
/** The pause between two writes of one object. */
const WRITE_PAUSE_MS = 60;
/** Broken connections must be noticed within seconds. */
const settings = { pingEveryMs: 2_000, pingTimeoutMs: 3_000, connectTimeoutMs: 3_000 };

/**
 * Checks that an informer delivers each change of each object once: a new object has the count 0, and each update the uid
 * of the previous change and the next count. The informer must have listed before the first object is created.
 */
class ChangeChecker {
  readonly faults: string[] = [];
  delivered = 0;
  /** The last delivered state of each object, by key. */
  private readonly seen = new Map<string, { readonly uid: string; readonly count: number }>();

  constructor(readonly informer: Informer) {
    informer.handle({
      added: (object) => this.check(object, this.seen.get(keyOf(object)) === undefined, 0),
      updated: (_, object) => this.check(object, this.seen.get(keyOf(object))?.uid === object.uid, this.nextCount(object)),
      deleted: (last) => {
        this.delivered += 1;
        if (this.seen.get(keyOf(last))?.uid !== last.uid) this.faults.push(`${last.name}: deleted twice`);
        this.seen.delete(keyOf(last));
      },
    });
  }

  private check(object: ApiObject, isExpectedObject: boolean, expected: number): void {
    this.delivered += 1;
    if (!isExpectedObject || countOf(object) !== expected) {
      this.faults.push(`${object.name}: ${countOf(object)} after ${this.seen.get(keyOf(object))?.count}`);
    }
    this.seen.set(keyOf(object), { uid: object.uid, count: countOf(object) });
  }

  private nextCount(object: ApiObject): number {
    return (this.seen.get(keyOf(object))?.count ?? 0) + 1;
  }
}

function countOf(object: ApiObject): number {
  return Number(stringAt(objectAt(object.body, 'data'), 'count') ?? -1);
}

describeWithEtcd('informers over two replicas', () => {
  const replicas = useReplicas('informers');
  const clients = useResource<RestClient[]>(
    () => [],
    (opened) => opened.forEach((client) => client.close()),
  );

  /** Opens a client that prefers the replicas in this order. */
  function openClient(order: readonly number[], options: { readonly http1?: boolean } = {}): RestClient {
    const servers = order.map((index) => replicaAt(replicas(), index));
    const addresses = servers.map(({ address }) => address);
    const opened = adminClient(addresses, replicaAt(replicas(), 0).certificates, { settings, ...options });
    clients().push(opened);
    return opened;
  }

  test(
    `deliver every change exactly once while the replicas are killed, paused and restarted in turn for ${SECONDS} s`,
    async () => {
      const stop = new AbortController();
      const followers = [openClient([0, 1]), openClient([1, 0]), openClient([1, 0], { http1: true })];
      const checkers = followers.map((client) => {
        const informer = new Informer({
          client,
          resource: MAPS,
          namespace: 'default',
          clock: systemClock,
          random: systemRandom,
          logger: silentLogger,
        });
        void informer.run(stop.signal);
        return new ChangeChecker(informer);
      });
      await Promise.all(checkers.map(({ informer }) => informer.synced));
      const until = performance.now() + SECONDS * 1_000;
      const isOver = (): boolean => performance.now() >= until;
      const writer = openClient([0, 1]);
      const writing = Array.from({ length: OBJECTS }, (_, index) => writeUntil(writer, `object-${index}`, isOver));
      // Both replicas are killed, then both are paused, and so on.
      for (let round = 0; !isOver(); round += 1) await disturb(round % 2, round % 4 < 2 ? 'kill' : 'pause');
      const written = (await Promise.all(writing)).reduce((sum, count) => sum + count, 0);

      const reader = openClient([0, 1]);
      const items = (await reader.of(MAPS).namespace('default').list()).items;
      const versionsOf = (objects: readonly ApiObject[]) =>
        objects.map(({ name, uid, resourceVersion }) => `${name} ${uid} ${resourceVersion}`).sort();
      for (const { informer, faults } of checkers) {
        await waitUntil('the informer to catch up', () => versionsOf(informer.list()).join() === versionsOf(items).join(), 60_000);
        expect(faults).toEqual([]);
      }
      stop.abort();
      const delivered = checkers.map((checker) => checker.delivered);
      const counts = checkers.map(({ informer }) => informer.counts);
      const lists = counts.reduce((sum, count) => sum + count.lists, 0);
      const watches = counts.reduce((sum, count) => sum + count.watches, 0);
      process.stdout.write(`${written} changes acknowledged, delivered ${delivered.join(', ')}; ${lists} lists, ${watches} watches\n`);
      expect(written).toBeGreaterThan(OBJECTS);
      // All informers deliver every change, so their numbers are equal.
      expect(new Set(delivered).size).toBe(1);
      // Each informer has listed once, at its start; it resumes its watch after every fault.
      expect(lists).toBe(checkers.length);
    },
    SECONDS * 1_000 + 120_000,
  );

  /** Kills and restarts a replica, or pauses it, and then lets it serve for a while. */
  async function disturb(index: number, action: 'kill' | 'pause'): Promise<void> {
    const { process } = replicaAt(replicas(), index);
    if (action === 'kill') {
      await process.kill();
      await systemClock.sleep(DOWN_MS);
      await replicas().restart(index);
    } else {
      process.pause();
      await systemClock.sleep(PAUSE_MS);
      process.resume();
    }
    await systemClock.sleep(RECOVERY_MS);
  }
});

/**
 * Increments the count of an object, and deletes and recreates it in between, until `isOver`. Resolves with the number of
 * acknowledged changes.
 */
async function writeUntil(client: RestClient, name: string, isOver: () => boolean): Promise<number> {
  let acknowledged = 0;
  while (!isOver()) {
    try {
      await writeOnce(client, name);
      acknowledged += 1;
    } catch (error) {
      if (!isExpectedFailure(error)) throw error;
      // The next write starts from the current object.
    }
    await systemClock.sleep(WRITE_PAUSE_MS);
  }
  return acknowledged;
}

/**
 * Whether a write may fail so while replicas are killed and paused: its outcome or that of an earlier write is unknown, or the server
 * rejects it as overloaded.
 */
function isExpectedFailure(error: unknown): boolean {
  if (error instanceof ConnectionError || isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return true;
  const code = ownMember(Object(error), 'code');
  return code === 504 || code === 429;
}

/** Makes the next change of an object: creates it with count 0, increments the count, or deletes it at the highest count. */
async function writeOnce(client: RestClient, name: string): Promise<void> {
  const timeoutMs = 5_000;
  const maps = client.of(MAPS).namespace('default');
  const existing = await undefinedIfNotFound(maps.get(name, { timeoutMs }));
  if (existing === undefined) await maps.create({ metadata: { name }, data: { count: '0' } }, { timeoutMs });
  else if (countOf(existing) >= CHANGES_PER_OBJECT) await maps.delete(name, { preconditions: { uid: existing.uid }, timeoutMs });
  else await maps.update({ ...existing.body, data: { count: String(countOf(existing) + 1) } }, { timeoutMs });
}
