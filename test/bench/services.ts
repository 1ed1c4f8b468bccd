/**
 * Measures the creation of Services beside ConfigMaps of the same size, on the embedded store: server CPU and store
 * transactions per creation, with all addresses free and with 99 % of them allocated.
 */
import path from 'node:path';
import { ALLOCATIONS } from '../../apiserver/allocation/service-allocator';
import { claimPrefix } from '../../apiserver/reconcilers/claim-prefix';
import { systemClock as clock } from '../../shared/runtime/clock';
import { systemRandom as random } from '../../shared/runtime/random';
import { openEmbedded } from '../support/store/open-stores';
import { configMap, type BenchClient } from './harness/client';
import { measureLoop, type Cost } from './harness/measure';

/** The addresses of {@link SERVICE_RANGE}, without the network's own and the broadcast address. */
const ADDRESSES = 65_534;
export const SERVICE_RANGE = '--service-cluster-ip-range=10.96.0.0/16';
const FREE_ADDRESSES = Math.ceil(ADDRESSES / 100);
/** Claims stored in one transaction. */
const PER_TRANSACTION = 1000;

/** Allocates 99 % of the addresses to an owner that does not exist, before a server opens the store. */
export async function fillRange(folder: string): Promise<void> {
  const prefix = '/registry';
  const store = await openEmbedded(path.join(folder, 'store'));
  await claimPrefix({ store, prefix, naming: 'platform', clock, deadline: clock.monotonic() + 10_000 });
  const value = Buffer.from(JSON.stringify({ namespace: 'bench', name: 'nobody', uid: random.uuid() }));
  // The default Service has the first address.
  for (let from = 2; from <= ADDRESSES - FREE_ADDRESSES; from += PER_TRANSACTION) {
    const numbers = Array.from({ length: Math.min(PER_TRANSACTION, ADDRESSES - FREE_ADDRESSES + 1 - from) }, (_, index) => from + index);
    const operations = numbers.map(
      (number) => ({ type: 'put', key: `${prefix}/${ALLOCATIONS}ips/10.96.${number >> 8}.${number & 255}`, value }) as const,
    );
    await store.transact({ compare: [], operations });
  }
  await store.close();
}

export interface ServiceCosts {
  readonly configMaps: Cost;
  readonly services: Cost;
  /** Store revisions per Service. */
  readonly transactions: number;
}

/** Creates `count` of each kind, one kind after the other, after an uncounted warm-up of both. */
export async function compareCreations(
  { client, pid }: { readonly client: BenchClient; readonly pid: number },
  count: number,
): Promise<ServiceCosts> {
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: 'bench' } });
  const maps = async (index: number): Promise<void> =>
    void (await client.send('POST', '/api/v1/namespaces/bench/configmaps', configMap('bench', `c-${index}`, '', 800)));
  const services = async (index: number): Promise<void> =>
    void (await client.send('POST', '/api/v1/namespaces/bench/services', service(`s-${index}`)));
  const warmUp = Math.min(count / 10, 80);
  await measureLoop(pid, { workers: 16, count: warmUp }, (index) => maps(index + count));
  await measureLoop(pid, { workers: 16, count: warmUp }, (index) => services(index + count));
  const mapCost = await measureLoop(pid, { workers: 16, count }, maps);
  const before = await client.revision('/api/v1/namespaces/bench/services?limit=1');
  const serviceCost = await measureLoop(pid, { workers: 16, count }, services);
  const after = await client.revision('/api/v1/namespaces/bench/services?limit=1');
  return { configMaps: mapCost, services: serviceCost, transactions: (after - before) / count };
}

/** The number of Services for which the filled range has room, with a reserve. */
export const FREE_SERVICES = FREE_ADDRESSES - 100;

/** About as large as the ConfigMap once it is stored. */
function service(name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: 'bench',
      labels: { app: 'bench', shard: `s${name.length % 7}` },
      annotations: { payload: 'x'.repeat(300) },
    },
    spec: { selector: { app: 'bench' }, ports: [{ name: 'http', port: 80 }] },
  };
}
