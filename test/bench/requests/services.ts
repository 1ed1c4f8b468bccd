/**
 * What the creation of Services costs beside that of ConfigMaps of the same size, on the embedded store: server CPU and
 * store transactions per creation, with all addresses free and with 99 % of them allocated.
 */
import path from 'node:path';
import { ALLOCATIONS } from '../../../apiserver/allocation/service-allocator';
import { claimPrefix } from '../../../apiserver/reconcilers/claim-prefix';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { systemRandom as random } from '../../../shared/runtime/random';
import { openEmbedded } from '../../support/store/open-stores';
import { configMap } from '../harness/client';
import { measureLoop } from '../harness/measure';
import { printRow, withServer, type BenchServer } from '../harness/bench-server';

/** Services that are created in an empty range, a sixth of its addresses. */
const SERVICES = 10_000;
/** The addresses of {@link SERVICE_RANGE}, without the network's own and the broadcast address. */
const ADDRESSES = 65_534;
export const SERVICE_RANGE = '--service-cluster-ip-range=10.96.0.0/16';
/** The addresses that remain free in the full range. */
const FREE_ADDRESSES = Math.ceil(ADDRESSES / 100);
/** Claims stored in one transaction. */
const CLAIMS_PER_TRANSACTION = 1000;

/** Allocates 99 % of the addresses to an owner that does not exist, before a server opens the store. */
async function fillRange(folder: string): Promise<void> {
  const prefix = '/registry';
  const store = await openEmbedded(path.join(folder, 'store'));
  await claimPrefix({ store, prefix, naming: 'platform', clock, deadline: clock.monotonic() + 10_000 });
  const value = Buffer.from(JSON.stringify({ namespace: 'bench', name: 'nobody', uid: random.uuid() }));
  // The default Service has the first address.
  for (let from = 2; from <= ADDRESSES - FREE_ADDRESSES; from += CLAIMS_PER_TRANSACTION) {
    const numbers = Array.from(
      { length: Math.min(CLAIMS_PER_TRANSACTION, ADDRESSES - FREE_ADDRESSES + 1 - from) },
      (_, index) => from + index,
    );
    const operations = numbers.map(
      (number) => ({ type: 'put', key: `${prefix}/${ALLOCATIONS}ips/10.96.${number >> 8}.${number & 255}`, value }) as const,
    );
    await store.transact({ compare: [], operations });
  }
  await store.close();
}

/** The number of Services for which the filled range has room, with a reserve. */
const FREE_SERVICES = FREE_ADDRESSES - 100;

/** Creates Services in an empty and in an almost full range of addresses. */
export async function services(): Promise<void> {
  console.log();
  const args = [SERVICE_RANGE];
  await withServer((opened) => compareCreations(opened, 'create a Service', SERVICES), { args });
  await withServer((opened) => compareCreations(opened, 'create a Service, 99 % of the range taken', FREE_SERVICES), {
    args,
    prepare: fillRange,
  });
}

/** Creates `count` ConfigMaps and then as many Services, after an uncounted warm-up of both. */
async function compareCreations({ client, pid }: BenchServer, name: string, count: number): Promise<void> {
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: 'bench' } });
  const createMap = async (index: number): Promise<void> =>
    void (await client.send('POST', '/api/v1/namespaces/bench/configmaps', configMap('bench', `c-${index}`, '', 800)));
  const createService = async (index: number): Promise<void> =>
    void (await client.send('POST', '/api/v1/namespaces/bench/services', service(`s-${index}`)));
  const warmUp = Math.min(count / 10, 80);
  await measureLoop(pid, { workers: 16, count: warmUp }, (index) => createMap(index + count));
  await measureLoop(pid, { workers: 16, count: warmUp }, (index) => createService(index + count));
  const mapCost = await measureLoop(pid, { workers: 16, count }, createMap);
  const before = await client.revision('/api/v1/namespaces/bench/services?limit=1');
  const serviceCost = await measureLoop(pid, { workers: 16, count }, createService);
  const after = await client.revision('/api/v1/namespaces/bench/services?limit=1');
  printRow(name, serviceCost, { name: 'create a ConfigMap', ...mapCost });
  // Each transaction increments the store's revision.
  console.log(`  ${serviceCost.requests} of them took ${((after - before) / count).toFixed(3)} store transactions each`);
}

/** A Service that is about as large as the ConfigMap once it is stored. */
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
