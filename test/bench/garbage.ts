/**
 * Measures how fast the garbage collector deletes objects after their owners: a chain of fifty, and five thousand
 * children of one owner. Works on any server with a garbage collector.
 */
import type { BenchClient } from './harness/client';

export interface CollectionTimes {
  readonly name: string;
  /** Seconds from the deletion of the owner until the last object is deleted. */
  readonly seconds: number;
}

const CHAIN = 50;
const FAN_OUT = 5_000;
const POLL_MS = 100;
const TIMEOUT_MS = 900_000;

/** Uses a namespace of its own, which it deletes at the end. */
export async function measureCollections(client: BenchClient, onResult: (times: CollectionTimes) => void): Promise<void> {
  const namespace = `garbage-${Math.random().toString(36).slice(2, 8)}`;
  await client.send('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }));
  try {
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    for (const policy of ['Background', 'Foreground']) {
      let parent: string | undefined;
      for (let index = 0; index < CHAIN; index += 1) {
        parent = await createOwned(
          client,
          maps,
          `link-${index}`,
          parent === undefined ? undefined : { name: `link-${index - 1}`, uid: parent },
        );
      }
      const seconds = await measureDeletion(client, maps, 'link-', () => remove(client, `${maps}/link-0`, policy));
      onResult({ name: `a chain of ${CHAIN}, ${policy}`, seconds });
    }
    for (const policy of ['Background', 'Foreground', 'Orphan']) {
      const uid = await createOwned(client, maps, 'owner');
      await createChildren(client, maps, FAN_OUT, { name: 'owner', uid });
      const prefix = policy === 'Orphan' ? 'owner' : '';
      const seconds = await measureDeletion(client, maps, prefix, () => remove(client, `${maps}/owner`, policy));
      onResult({ name: `${FAN_OUT} children of one, ${policy}`, seconds });
    }
  } finally {
    await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
  }
}

interface OwnerName {
  readonly name: string;
  readonly uid: string;
}

/** Creates a ConfigMap and returns its uid. */
async function createOwned(client: BenchClient, path: string, name: string, owner?: OwnerName): Promise<string> {
  const ownerReferences = owner === undefined ? [] : [{ apiVersion: 'v1', kind: 'ConfigMap', blockOwnerDeletion: true, ...owner }];
  const made = await client.text('POST', path, JSON.stringify({ metadata: { name, ownerReferences } }));
  return /"uid":"([^"]+)","resourceVersion"/.exec(made.replace(/\s/g, ''))?.[1] ?? '';
}

async function createChildren(client: BenchClient, path: string, count: number, owner: OwnerName): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await createOwned(client, path, `child-${next++}`, owner);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

const remove = async (client: BenchClient, path: string, propagationPolicy: string): Promise<void> =>
  void (await client.send('DELETE', path, JSON.stringify({ propagationPolicy })));

/**
 * Seconds until no object with this name prefix is left; the namespace's own ConfigMap with the root certificate stays.
 */
async function measureDeletion(client: BenchClient, path: string, prefix: string, act: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await act();
  const headers = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
  while (performance.now() - started < TIMEOUT_MS) {
    const text = await client.text('GET', `${path}?resourceVersion=0&limit=5`, undefined, headers);
    const names = [...text.matchAll(/"name":\s*"((?:link|child|owner)[^"]*)"/g)].map(([, name = '']) => name);
    if (!names.some((name) => name.startsWith(prefix))) return (performance.now() - started) / 1000;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('the objects are not deleted');
}

/** Creates `count` ConfigMaps: families of an owner and nine children. */
export async function createFamilies(client: BenchClient, namespace: string, count: number): Promise<void> {
  await client.send('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }));
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const owners = count / 10;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < owners) {
      const name = `family-${next++}`;
      const uid = await createOwned(client, path, name);
      for (let index = 1; index < 10; index += 1) await createOwned(client, path, `${name}-child-${index}`, { name, uid });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
