/**
 * What a change costs with many watches: in the cache alone, while nodes watch their own Pods and the change concerns one
 * of them; and in a server with many watches of one object, which all get it, beside a server that only sends.
 */
import type { IncomingMessage } from 'node:http';
import { NO_CONVERSIONS } from '../../../apiserver/registry/conversions';
import { createReader } from '../../../apiserver/registry/read/reader';
import { selectionFor } from '../../../apiserver/registry/read/selection';
import { buildResources } from '../../../apiserver/registry/resources';
import { systemClock } from '../../../shared/runtime/clock';
import { storedValue } from '../../support/store/cache-fixture';
import { MemoryStore } from '../../support/store/memory-store';
import { openTestCache } from '../../support/store/test-cache';
import { cpuSeconds } from '../../support/process-usage';
import { BareServer } from '../harness/bare-server';
import { createConfigMaps, printRow, withServer, type BenchServer } from '../harness/bench-server';
import { configMap } from '../harness/client';
import { EventCounter } from '../harness/event-counter';

/** Changes after which V8 has compiled what they run, and changes that are measured. */
const WARM_UP = 5000;
const ROUNDS = 20_000;

/** Watches of one object, and the events of each that are measured. */
const STREAMS = 1000;
const EVENTS = 100;
/** About as many bytes as an event of the ConfigMap has. */
const EVENT_BYTES = 1400;

/** Prints the cost of a change in the cache, and of an event to one of many watches. */
export async function watches(): Promise<void> {
  console.log();
  // The first call includes compilation.
  await podChangeMicros(1);
  const alone = await podChangeMicros(1);
  printRow(
    'change of a Pod, 1,000 nodes watching their own',
    { cpuMicros: await podChangeMicros(1000) },
    { name: 'one node watching', cpuMicros: alone },
  );
  const bare = await BareServer.start();
  try {
    await withServer((opened) => printFanOut(opened, bare));
  } finally {
    bare.stop();
  }
}

/** Microseconds of CPU time per change of a Pod, while `nodes` watches each select the Pods of another node. */
async function podChangeMicros(nodes: number): Promise<number> {
  const store = new MemoryStore();
  const pods = buildResources().require('pods');
  const cache = openTestCache({ store, types: [pods.stored], clock: systemClock });
  await cache.whenReady();
  const reader = createReader({ cache, store, clock: systemClock, gates: { isEnabled: () => false }, conversions: NO_CONVERSIONS });
  const context = { user: { name: 'bench', groups: [] }, deadline: Infinity, warn: (): void => undefined };
  let delivered = 0;
  const sink = { event: (): void => void (delivered += 1), bookmark: (): void => undefined, end: (): void => undefined };
  for (let node = 0; node < nodes; node += 1) {
    const selection = selectionFor(pods.row, '', `spec.nodeName=n-${node}`);
    await reader.watch(context, pods, '', { selection, bookmarks: false, resourceVersion: cache.revision }, sink);
  }
  const stored = storedValue({ fields: { 'spec.nodeName': 'n-0' }, data: 'x'.repeat(1000) });
  const change = (): void => void store.put(`/registry/${pods.stored.segment}/bench/p`, stored);
  for (let round = 0; round < WARM_UP; round += 1) change();
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) change();
  const { user, system } = process.cpuUsage(before);
  await cache.close();
  if (delivered !== WARM_UP + ROUNDS) throw new Error(`${delivered} events were delivered`);
  return (user + system) / ROUNDS;
}

async function printFanOut({ client, pid }: BenchServer, bare: BareServer): Promise<void> {
  await createConfigMaps({ client, pid }, { namespace: 'bench', count: 1 });
  const target = '/api/v1/namespaces/bench/configmaps';
  const floor = await measureFanOut({
    pid: bare.pid,
    open: () => bare.watch(),
    push: async () => bare.send({ push: EVENT_BYTES }),
  });
  const watch = await measureFanOut({
    pid,
    open: () => client.open('GET', `${target}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Do-0`),
    push: async (index) => void (await client.send('PUT', `${target}/o-0`, configMap('bench', 'o-0', String(index)))),
  });
  printRow('one event to one of 1,000 watchers', { cpuMicros: watch }, { name: 'bare TLS', cpuMicros: floor });
}

interface FanOut {
  /** The process that delivers the events. */
  readonly pid: number;
  open(): Promise<IncomingMessage>;
  /** Causes one event on every stream. */
  push(index: number): Promise<void>;
}

/** Microseconds of CPU per delivered event. Causes each event after every stream has received the previous one. */
async function measureFanOut({ pid, open, push }: FanOut): Promise<number> {
  const counter = new EventCounter();
  for (let stream = 0; stream < STREAMS; stream += 1) counter.addStream(await open());
  await push(0);
  await counter.waitFor(STREAMS);
  const cpuBefore = cpuSeconds(pid);
  const receivedBefore = counter.received;
  for (let event = 1; event <= EVENTS; event += 1) {
    const total = counter.received + STREAMS;
    await push(event);
    await counter.waitFor(total);
  }
  const delivered = counter.received - receivedBefore;
  counter.close();
  return ((cpuSeconds(pid) - cpuBefore) * 1e6) / delivered;
}
