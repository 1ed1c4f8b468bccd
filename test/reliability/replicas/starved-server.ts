/**
 * The parts of an API server that depend on leases, in a process that a test starves: its replica key, the default Service's endpoints and its identity Lease.
 * Loaded with test/support/hasty-clock, so that its waits pass eight times as fast; a lease of the store then lasts an eighth as well. Writes one line of JSON
 * about its state every second of its clock. Arguments: `embedded` and a folder, or `etcd` and an endpoint.
 */
import { writeSync } from 'node:fs';
import { openEmbeddedStore } from '../../../apiserver/storage/embedded/open';
import { openEtcdStore } from '../../../apiserver/storage/etcd/open';
import { prefixRange, type Store } from '../../../apiserver/storage/store';
import { startDefaultServiceReconciler } from '../../../apiserver/reconcilers/replicas/default-service-reconciler';
import { startIdentityLeaseReconciler } from '../../../apiserver/reconcilers/replicas/identity-leases';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import { systemRandom } from '../../../shared/runtime/random';
import { objectAt, stringAt } from '../../../shared/values/json';
import { openReplica } from '../../support/replica';
import { objectOf, PREFIX } from '../../support/write-fixture';

export interface StarvedState {
  /** Milliseconds of the process's own clock. */
  readonly at: number;
  readonly leasesGranted: number;
  readonly replicas: number;
  readonly subsets: number;
  readonly slices: number;
  readonly renewTime: string | undefined;
}

const HASTE = 8;
const PORT = 6443;
const EVERY_MS = 1_000;
const standardOutput = 1;

async function main(type: string, place: string): Promise<void> {
  const common = { clock: systemClock, random: systemRandom };
  const store = await (type === 'embedded'
    ? openEmbeddedStore({ ...common, directory: place })
    : openEtcdStore({ ...common, endpoints: [place] }));
  const grant = store.grantLease.bind(store);
  let leasesGranted = 0;
  store.grantLease = (ttlSeconds, call) => {
    leasesGranted += 1;
    // The embedded store runs on the fast clock, too.
    return grant(type === 'embedded' ? ttlSeconds : Math.ceil(ttlSeconds / HASTE), call);
  };
  const replica = await openReplica(store, systemClock);
  const names = GENERATED_NAMES.platform;
  for (const name of [names.systemNamespace, 'default']) await replica.create('namespaces', { metadata: { name } });
  const { resources, cache } = replica;
  const own = { ...replica, ...common, names, port: PORT, onFailure: () => undefined };
  const [endpoints, slices] = [resources.require('endpoints'), resources.require('endpointslices.discovery.platform.io')];
  const leases = resources.require('leases.coordination.platform.io');
  startDefaultServiceReconciler({ ...own, services: resources.require('services'), endpoints, slices });
  startIdentityLeaseReconciler({ ...own, leases, hostname: 'starved', settings: () => ({}) });
  replica.replicas.join({ ip: '192.0.2.1', port: PORT });
  const report = async (): Promise<void> => {
    const subsets = cache.get(endpoints.stored, `default/${names.defaultService}`);
    const [lease] = cache.snapshot(leases.stored).range(`${names.systemNamespace}/`);
    const state: StarvedState = {
      at: systemClock.monotonic(),
      leasesGranted,
      replicas: await countReplicas(store),
      subsets: subsets === undefined ? 0 : Number(Array.isArray(objectOf(subsets)['subsets'])),
      slices: [...cache.snapshot(slices.stored).range('default/')].length,
      renewTime: lease === undefined ? undefined : stringAt(objectAt(objectOf(lease), 'spec'), 'renewTime'),
    };
    writeSync(standardOutput, `${JSON.stringify(state)}\n`);
  };
  for (;;) {
    await report().catch(() => undefined);
    await systemClock.sleep(EVERY_MS);
  }
}

const countReplicas = async (store: Store): Promise<number> => (await store.range(prefixRange(`${PREFIX}/replicas/`))).kvs.length;

const [type, place] = process.argv.slice(2);
if (type === undefined || place === undefined) throw new Error('usage: starved-server embedded <folder> | etcd <endpoint>');
void main(type, place).catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = 1;
});
