/**
 * How fast the garbage collector deletes objects after their owners (a chain of fifty, and five thousand children of one
 * owner), and what it costs with many objects.
 */
import { startControllers } from '../../support/control-plane';
import { anonymousMegabytes, cpuSeconds } from '../../support/process-usage';
import { withServer } from '../harness/bench-server';
import { BenchClient } from '../harness/client';
import { numberOption, textOption } from '../harness/settings';
import { forEachNumber, measureMs, pause } from '../harness/timing';
import { waitUntil, type ApiServer } from '../../support/programs';

/** Owners of owners: each deletion can only follow that of its owner. */
const CHAIN = 50;
/** Dependents of one owner. */
const FAN_OUT = 5_000;
/** Requests in flight while objects are created. */
const WORKERS = 16;
/** The collection of all objects takes minutes on a slow machine. */
const POLLS = { pollMs: 100, timeoutMs: 900_000 };

/**
 * Deletions by the garbage collector, and its memory with `--objects` objects. `--server` measures a running cluster
 * instead.
 */
export async function garbage(): Promise<void> {
  const origin = textOption('server');
  if (origin !== undefined) {
    const client = new BenchClient(Number(new URL(origin).port), textOption('token') ?? '');
    await printCollections(client);
    client.close();
    return;
  }
  const count = numberOption('objects', 100_000);
  await withServer(async ({ client, server }) => {
    const controllers = startControllers(server);
    await printCollections(client);
    await controllers.stop();
    await createFamilies(client, 'families', count);
    for (const enabled of ['-*,garbage-collector', '*']) await printMemory(server, enabled, count);
  });
}

/**
 * The memory and CPU of controllers until they know `count` objects, and for a minute more. `enabled`: the value of
 * `--controllers`, in which `-*` disables those that are not named.
 */
async function printMemory(server: ApiServer, enabled: string, count: number): Promise<void> {
  const controllers = startControllers(server, `--controllers=${enabled}`);
  const { pid } = controllers;
  while (!controllers.output.includes('the dependency graph is built')) await pause(200);
  const cpu = cpuSeconds(pid);
  const before = anonymousMegabytes(pid);
  let peak = before;
  for (let second = 0; second < 60; second += 1) {
    await pause(1000);
    peak = Math.max(peak, anonymousMegabytes(pid));
  }
  const after = anonymousMegabytes(pid);
  console.log(
    `${count} objects under --controllers=${enabled}: known after ${cpu.toFixed(1)} s of CPU, ${before.toFixed(0)} MB, ` +
      `at most ${peak.toFixed(0)} MB, a minute later ${after.toFixed(0)} MB`,
  );
  await controllers.stop();
}

/** The seconds to delete chains and families by each policy. Uses a namespace of its own, which it deletes at the end. */
async function printCollections(client: BenchClient): Promise<void> {
  const namespace = `garbage-${Math.random().toString(36).slice(2, 8)}`;
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  try {
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    for (const policy of ['Background', 'Foreground']) {
      let parentUid: string | undefined;
      for (let index = 0; index < CHAIN; index += 1) {
        const owner = parentUid === undefined ? undefined : { name: `link-${index - 1}`, uid: parentUid };
        parentUid = await createOwned(client, maps, `link-${index}`, owner);
      }
      const seconds = await measureDeletion(client, maps, 'link-', () => deleteOwner(client, `${maps}/link-0`, policy));
      printSeconds(`a chain of ${CHAIN}, ${policy}`, seconds);
    }
    for (const policy of ['Background', 'Foreground', 'Orphan']) {
      const uid = await createOwned(client, maps, 'owner');
      const owner = { name: 'owner', uid };
      await forEachNumber({ to: FAN_OUT, workers: WORKERS }, (index) => createOwned(client, maps, `child-${index}`, owner));
      // Orphans stay: then only the owner is deleted.
      const prefix = policy === 'Orphan' ? 'owner' : '';
      const seconds = await measureDeletion(client, maps, prefix, () => deleteOwner(client, `${maps}/owner`, policy));
      printSeconds(`${FAN_OUT} children of one, ${policy}`, seconds);
    }
  } finally {
    await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
  }
}

const printSeconds = (name: string, seconds: number): void => console.log(`${name.padEnd(46)} ${seconds.toFixed(1).padStart(7)} s`);

interface OwnerName {
  readonly name: string;
  readonly uid: string;
}

/** Creates a ConfigMap and returns its uid. */
async function createOwned(client: BenchClient, path: string, name: string, owner?: OwnerName): Promise<string> {
  const ownerReferences = owner === undefined ? [] : [{ apiVersion: 'v1', kind: 'ConfigMap', blockOwnerDeletion: true, ...owner }];
  const created = await client.text('POST', path, { metadata: { name, ownerReferences } });
  // The uid of the object itself precedes its resourceVersion; those of its owner references do not.
  return /"uid":"([^"]+)","resourceVersion"/.exec(created.replace(/\s/g, ''))?.[1] ?? '';
}

const deleteOwner = async (client: BenchClient, path: string, propagationPolicy: string): Promise<void> =>
  void (await client.send('DELETE', path, { propagationPolicy }));

/** Seconds from the request of `startDeletion` until no object with this name prefix is left. */
async function measureDeletion(client: BenchClient, path: string, prefix: string, startDeletion: () => Promise<void>): Promise<number> {
  const headers = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
  const areDeleted = async (): Promise<boolean> => {
    const text = await client.text('GET', `${path}?resourceVersion=0`, undefined, headers);
    const names = [...text.matchAll(/"name":\s*"((?:link|child|owner)[^"]*)"/g)].map(([, name = '']) => name);
    return !names.some((name) => name.startsWith(prefix));
  };
  const ms = await measureMs(async () => {
    await startDeletion();
    await waitUntil('the objects to be deleted', areDeleted, POLLS);
  });
  return ms / 1000;
}

/** ConfigMaps of a family: an owner and its children. */
const FAMILY_SIZE = 10;

/** Creates a namespace with `count` ConfigMaps in families. */
async function createFamilies(client: BenchClient, namespace: string, count: number): Promise<void> {
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  await forEachNumber({ to: count / FAMILY_SIZE, workers: WORKERS }, async (family) => {
    const name = `family-${family}`;
    const uid = await createOwned(client, path, name);
    for (let index = 1; index < FAMILY_SIZE; index += 1) await createOwned(client, path, `${name}-child-${index}`, { name, uid });
  });
}
