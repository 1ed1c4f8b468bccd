/** Two replicas over one store of each kind, and the outcomes of calls to both at once. */
import type { Store } from '../../../apiserver/storage/store';
import { StatusError } from '../../../shared/api/errors/status';
import { systemClock as clock } from '../../../shared/runtime/clock';
import type { JsonObject } from '../../../shared/values/json';
import { openMemoryStore, openTemporaryEmbeddedStore, openTemporaryEtcdStore } from '../../support/store/open-stores';
import { openReplica, type Replica } from '../../support/store/replica';

const STORES = { memory: openMemoryStore, embedded: openTemporaryEmbeddedStore, etcd: openTemporaryEtcdStore };

export type StoreKind = keyof typeof STORES;

export interface TwoReplicas {
  readonly first: Replica;
  readonly second: Replica;
  readonly store: Store;
  /** The first replica for even numbers, the second for odd ones. */
  replicaFor(index: number): Replica;
}

interface ReplicaOptions {
  /** CIDRs of Services. */
  readonly ranges?: string;
  /** Ports of Services, such as `30000-30019`. */
  readonly nodePorts?: string;
  /** Wraps the store before the replicas use it. */
  readonly wrapStore?: (store: Store) => Store;
}

/** Runs `use` with two replicas and the namespace `default`, then closes them and the store. */
export async function withReplicas(
  kind: StoreKind,
  use: (replicas: TwoReplicas) => Promise<void>,
  { wrapStore = (store) => store, ...allocationOptions }: ReplicaOptions = {},
): Promise<void> {
  const opened = await STORES[kind]();
  const store = wrapStore(opened.store);
  const [first, second] = await Promise.all([openReplica(store, clock, allocationOptions), openReplica(store, clock, allocationOptions)]);
  try {
    await first.create('namespaces', { metadata: { name: 'default' } });
    await use({ first, second, store, replicaFor: (index) => (index % 2 === 0 ? first : second) });
  } finally {
    await first.cache.close();
    await second.cache.close();
    await opened.dispose();
  }
}

export interface Outcomes<T = JsonObject> {
  readonly created: T[];
  /** The messages of the rejections. */
  readonly rejected: string[];
}

/** Awaits all calls and separates results from rejections by the server. Other errors are thrown. */
export async function collectOutcomes<T>(calls: readonly Promise<T>[]): Promise<Outcomes<T>> {
  const created: T[] = [];
  const rejected: string[] = [];
  for (const outcome of await Promise.allSettled(calls)) {
    if (outcome.status === 'fulfilled') created.push(outcome.value);
    else if (outcome.reason instanceof StatusError) rejected.push(outcome.reason.message);
    else throw outcome.reason;
  }
  return { created, rejected };
}
