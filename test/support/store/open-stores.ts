/** Opens stores of each kind, for tests that run on all of them. */
import { openEmbeddedStore } from '../../../apiserver/storage/embedded/open';
import { openEtcdStore } from '../../../apiserver/storage/etcd/open';
import type { Store } from '../../../apiserver/storage/store';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { systemRandom as random } from '../../../shared/runtime/random';
import { startEtcd } from '../external/etcd';
import { MemoryStore } from './memory-store';
import { removeFolder, temporaryFolder } from '../programs';

/** An embedded store with the clock and the random source of the system. The caller closes it. */
export const openEmbedded = (directory: string): Promise<Store> => openEmbeddedStore({ directory, clock, random });

/** A client of these etcd members with the clock and the random source of the system. The caller closes it. */
export const openEtcd = (...endpoints: readonly string[]): Promise<Store> => openEtcdStore({ endpoints, clock, random });

export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

/** `dispose` closes the store; there is nothing to delete. */
export async function openMemoryStore(): Promise<OpenedStore> {
  const store = new MemoryStore();
  return { store, dispose: () => store.close() };
}

/** `dispose` closes the store and deletes its folder. */
export async function openTemporaryEmbeddedStore(): Promise<OpenedStore & { readonly directory: string }> {
  const directory = temporaryFolder('embedded-store');
  const store = await openEmbedded(directory);
  return {
    store,
    directory,
    async dispose() {
      await store.close();
      removeFolder(directory);
    },
  };
}

/** On an etcd server of its own. */
export async function openTemporaryEtcdStore(): Promise<OpenedStore> {
  const server = await startEtcd();
  const store = await openEtcd(server.endpoint);
  return {
    store,
    async dispose() {
      await store.close();
      await server.dispose();
    },
  };
}
