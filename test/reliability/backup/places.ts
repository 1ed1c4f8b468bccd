/** Stores of either kind as an operator knows them: by flags, with servers on them; and what an outsider sees of them while they are used. */
import path from 'node:path';
import { openStoreView } from '../../../apiserver/storage/embedded/store-view';
import { openEtcdStore } from '../../../apiserver/storage/etcd/open';
import { prefixRange } from '../../../apiserver/storage/store';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import type { ApiClient, ApiObject } from '../../support/api-client';
import { startEtcd } from '../../support/etcd';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../../support/programs';

export interface Place {
  readonly folder: string;
  /** Where it is, for `platform-migrate`. */
  readonly flags: readonly string[];
  startServer(): Promise<ApiServer>;
  /** Keys that are stored at the moment. Works beside whoever writes. */
  count(): Promise<number>;
  dispose(): Promise<void>;
}

export type MakePlace = () => Promise<Place>;

const EVERYTHING = prefixRange('/registry/');

export async function embeddedPlace(): Promise<Place> {
  const folder = temporaryFolder('backup-embedded');
  const directory = path.join(folder, 'store');
  return {
    folder,
    flags: [`--storage-dir=${directory}`],
    startServer: async () => startApiServer({ folder, securePort: await freePort() }),
    count: () => countViewed(directory),
    dispose: () => Promise.resolve(removeFolder(folder)),
  };
}

/** Zero while there is nothing to be read. */
async function countViewed(directory: string): Promise<number> {
  let view;
  try {
    view = await openStoreView(directory);
  } catch {
    // Whoever makes it has not got so far.
    return 0;
  }
  let count = 0;
  for await (const { key } of view.entries(EVERYTHING)) count += key === '' ? 0 : 1;
  await view.close();
  return count;
}

export async function etcdPlace(): Promise<Place> {
  const folder = temporaryFolder('backup-etcd');
  const etcd = await startEtcd();
  const store = await openEtcdStore({ endpoints: [etcd.endpoint], clock: systemClock, random: systemRandom });
  return {
    folder,
    flags: [`--etcd-servers=${etcd.endpoint}`],
    startServer: async () => startApiServer({ folder, securePort: await freePort(), etcdServers: etcd.endpoint }),
    count: async () => (await store.count(EVERYTHING)).count,
    dispose: async () => {
      await store.close();
      await etcd.dispose();
      removeFolder(folder);
    },
  };
}

export const MAPS = '/api/v1/namespaces/default/configmaps';

/** ConfigMaps with so many characters in each, many at a time. */
export async function makeMaps(client: ApiClient, count: number, size: number): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const data = { number: String(index), filler: 'x'.repeat(size) };
      const { status, text } = await client.send('POST', MAPS, { metadata: { name: `map-${String(index).padStart(5, '0')}` }, data });
      if (status !== 201) throw new Error(text);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

export async function listOf(client: ApiClient, list: string): Promise<readonly ApiObject[]> {
  const answer = await client.get(list);
  if (answer.status !== 200) throw new Error(`${list}: ${answer.text}`);
  return answer.json().items ?? [];
}

/** What is the same wherever an object is stored. */
export function withoutVersion(object: ApiObject): ApiObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: '' } };
}
