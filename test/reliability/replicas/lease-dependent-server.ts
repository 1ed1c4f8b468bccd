/**
 * The parts of an API server that depend on leases, in a process that a test deprives of CPU time: its replica key, the
 * endpoints of the default Service and its identity Lease. Started with test/support/clock/accelerated-clock, so that its timers
 * and its leases of the store run eight times as fast. Writes its state as a line of JSON every second of its clock.
 * Arguments: `embedded` and a folder, or `etcd` and an endpoint.
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
import { openReplica } from '../../support/store/replica';
import { objectOf, PREFIX } from '../../support/store/write-fixture';

export interface LeaseServerState {
  /** Milliseconds of the clock of the process. */
  readonly clockMs: number;
  readonly leasesGranted: number;
  readonly replicaKeys: number;
  /** Whether the Endpoints of the default Service have subsets. */
  readonly hasEndpointSubsets: boolean;
  readonly endpointSlices: number;
  /** The renewTime of the identity Lease; `undefined` when there is no Lease. */
  readonly renewTime: string | undefined;
}

/** How much faster the accelerated clock runs. */
const SPEED_UP = 8;
const PORT = 6443;
const REPORT_INTERVAL_MS = 1_000;
const STANDARD_OUTPUT = 1;

async function main(type: string, location: string): Promise<void> {
  const common = { clock: systemClock, random: systemRandom };
  const store = await (type === 'embedded'
    ? openEmbeddedStore({ ...common, directory: location })
    : openEtcdStore({ ...common, endpoints: [location] }));
  const grantLease = store.grantLease.bind(store);
  let leasesGranted = 0;
  store.grantLease = (ttlSeconds, call) => {
    leasesGranted += 1;
    // The embedded store uses the fast clock; etcd does not.
    return grantLease(type === 'embedded' ? ttlSeconds : Math.ceil(ttlSeconds / SPEED_UP), call);
  };
  const replica = await openReplica(store, systemClock);
  const names = GENERATED_NAMES.platform;
  for (const name of [names.systemNamespace, 'default']) await replica.create('namespaces', { metadata: { name } });
  const { resources, cache } = replica;
  const dependencies = { ...replica, ...common, names, port: PORT, onFailure: () => undefined };
  const endpoints = resources.require('endpoints');
  const slices = resources.require('endpointslices.discovery.platform.io');
  const leases = resources.require('leases.coordination.platform.io');
  startDefaultServiceReconciler({ ...dependencies, services: resources.require('services'), endpoints, slices });
  startIdentityLeaseReconciler({ ...dependencies, leases, hostname: 'starved', worker: 1, settings: () => ({}) });
  replica.replicas.join({ ip: '192.0.2.1', port: PORT });
  const report = async (): Promise<void> => {
    const defaultEndpoints = cache.get(endpoints.stored, `default/${names.defaultService}`);
    const [lease] = cache.snapshot(leases.stored).range(`${names.systemNamespace}/`);
    const state: LeaseServerState = {
      clockMs: systemClock.monotonic(),
      leasesGranted,
      replicaKeys: await countReplicaKeys(store),
      hasEndpointSubsets: defaultEndpoints !== undefined && Array.isArray(objectOf(defaultEndpoints)['subsets']),
      endpointSlices: [...cache.snapshot(slices.stored).range('default/')].length,
      renewTime: lease === undefined ? undefined : stringAt(objectAt(objectOf(lease), 'spec'), 'renewTime'),
    };
    writeSync(STANDARD_OUTPUT, `${JSON.stringify(state)}\n`);
  };
  for (;;) {
    await report().catch(() => undefined);
    await systemClock.sleep(REPORT_INTERVAL_MS);
  }
}

const countReplicaKeys = async (store: Store): Promise<number> => (await store.range(prefixRange(`${PREFIX}/replicas/`))).kvs.length;

const [type, location] = process.argv.slice(2);
if (type === undefined || location === undefined) throw new Error('usage: lease-dependent-server embedded <folder> | etcd <endpoint>');
void main(type, location).catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = 1;
});
