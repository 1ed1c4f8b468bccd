/**
 * Locations of stores of either kind, for backup tests: their flags for `platform backup` and `restore`, API servers on
 * them, and the number of keys while another process writes. Also functions that create and list the objects of these
 * tests and decode a backup in memory.
 */
import path from 'node:path';
import { decodeBackup } from '../../../apiserver/backup/backup-format';
import { openStoreView } from '../../../apiserver/storage/embedded/store-view';
import { prefixRange } from '../../../apiserver/storage/store';
import { withConcurrencyLimit } from '../../../shared/scheduling/concurrency-limit';
import type { ApiClient, ApiObject } from '../../support/http/api-client';
import { startEtcd } from '../../support/external/etcd';
import { openEtcd } from '../../support/store/open-stores';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../../support/programs';

export interface StoreLocation {
  /** For files of the test; `dispose` deletes it. */
  readonly folder: string;
  /** Flags of `platform backup` and `restore` for the store. */
  readonly flags: readonly string[];
  startServer(): Promise<ApiServer>;
  /** Number of stored keys. Works while another process writes. */
  countKeys(): Promise<number>;
  /** Servers on the store must have stopped before. */
  dispose(): Promise<void>;
}

export type OpenLocation = () => Promise<StoreLocation>;

const ALL_KEYS = prefixRange('/registry/');

/** An embedded store in a new folder, which does not exist before the first server or restore creates it. */
export async function openEmbeddedLocation(): Promise<StoreLocation> {
  const folder = temporaryFolder('backup-embedded');
  const directory = path.join(folder, 'store');
  return {
    folder,
    flags: [`--storage-dir=${directory}`],
    startServer: async () => startApiServer({ folder, securePort: await freePort() }),
    countKeys: () => countEmbeddedKeys(directory),
    dispose: () => Promise.resolve(removeFolder(folder)),
  };
}

/** Zero while the store cannot be read. */
async function countEmbeddedKeys(directory: string): Promise<number> {
  let view;
  try {
    view = await openStoreView(directory);
  } catch {
    // The process that creates the store has not created its files yet.
    return 0;
  }
  const keys: string[] = [];
  for await (const { key } of view.entries(ALL_KEYS)) keys.push(key);
  await view.close();
  return keys.length;
}

/** A new etcd, which `dispose` of the result stops. */
export async function openEtcdLocation(): Promise<StoreLocation> {
  const folder = temporaryFolder('backup-etcd');
  const etcd = await startEtcd();
  const store = await openEtcd(etcd.endpoint);
  return {
    folder,
    flags: [`--etcd-servers=${etcd.endpoint}`],
    startServer: async () => startApiServer({ folder, securePort: await freePort(), etcdServers: etcd.endpoint }),
    countKeys: async () => (await store.count(ALL_KEYS)).count,
    dispose: async () => {
      await store.close();
      await etcd.dispose();
      removeFolder(folder);
    },
  };
}

/** Decodes a backup that is in memory. Rejects with a BackupFormatError when its beginning is not that of a backup. */
export function decodeBackupBytes(bytes: Buffer): ReturnType<typeof decodeBackup> {
  async function* oneChunk(): AsyncGenerator<Buffer, void, undefined> {
    await Promise.resolve();
    yield bytes;
  }
  return decodeBackup(oneChunk());
}

/** The collection in which the tests create their objects. */
export const MAPS = '/api/v1/namespaces/default/configmaps';

/** Creates ConfigMaps with `size` characters each, eight at a time. */
export async function createConfigMaps(client: ApiClient, count: number, size: number): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  await withConcurrencyLimit(8, indexes, async (index) => {
    const data = { number: String(index), filler: 'x'.repeat(size) };
    const { status, text } = await client.send('POST', MAPS, { metadata: { name: `map-${String(index).padStart(5, '0')}` }, data });
    if (status !== 201) throw new Error(text);
  });
}

/** The objects of the list at a path. Throws when the response is not 200. */
export async function listObjects(client: ApiClient, list: string): Promise<readonly ApiObject[]> {
  const response = await client.get(list);
  if (response.status !== 200) throw new Error(`${list}: ${response.text}`);
  return response.json().items ?? [];
}

/** Clears the resourceVersion, the only part of an object that depends on the store. */
export function withoutVersion(object: ApiObject): ApiObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: '' } };
}
