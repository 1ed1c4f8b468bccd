/**
 * The load balancer for development, with the permissions of its own ServiceAccount and a range of two addresses. The
 * tests build on each other: the first one allocates both.
 */
import type { CoreV1ServiceSpec } from '../../../shared/api/types/generated/members';
import { finalizersOf, type ApiObject } from '../../../shared/client/rest/api-object';
import { undefinedIfNotFound } from '../../../shared/client/rest/api-error';
import type { Service } from '../../../shared/client/rest/typed-objects';
import { resourceOf } from '../../../shared/client/rest/resource';
import { addressesOf } from '../../../controllers/service-load-balancer/reconcile';
import { waitUntil } from '../../support/programs';
import { useSimulatedCluster } from '../../support/scenarios/use-simulated-cluster';

const SERVICES = resourceOf('core.v1.Service');
const EVENTS = resourceOf('core.v1.Event');
const NAMESPACE = 'default';

const { cluster, client } = useSimulatedCluster(() => ({
  controllerArgs: [
    '--controllers=-*,service-lb,serviceaccount',
    '--use-service-account-credentials',
    '--development-load-balancer-addresses=192.0.2.0/30',
  ],
}));
const services = () => client().of(SERVICES).namespace(NAMESPACE);

const createService = (name: string, spec: CoreV1ServiceSpec = {}): Promise<Service> =>
  services().create({
    metadata: { name },
    spec: { type: 'LoadBalancer', loadBalancerClass: 'platform.io/development', ports: [{ port: 80 }], ...spec },
  });
const read = (name: string): Promise<Service> => services().get(name);
const until = (description: string, isReached: () => Promise<boolean>): Promise<boolean> =>
  waitUntil(description, isReached, { timeoutMs: 60_000, clock: cluster().clock });
const untilAddress = (name: string, address: string): Promise<boolean> =>
  until(`${name} has the address`, async () => addressesOf(await read(name)).join() === address);
const eventsOf = async ({ uid }: Service): Promise<readonly string[]> => {
  const { items } = await client().of(EVENTS).namespace(NAMESPACE).list();
  const own = items.filter(({ body }) => body.involvedObject?.uid === uid);
  return own.map(
    ({ body }: ApiObject<{ type?: string; reason?: string; message?: string }>) => `${body.type} ${body.reason} ${body.message}`,
  );
};

test('a Service of type LoadBalancer gets a free address and the finalizer', async () => {
  await createService('first');
  await untilAddress('first', '192.0.2.1');
  expect(finalizersOf(await read('first'))).toEqual(['service.platform.io/load-balancer-cleanup']);
  await createService('second');
  await untilAddress('second', '192.0.2.2');
});

test('a Service without a free address gets a warning Event', async () => {
  const third = await createService('third');
  const problem = 'Warning SyncLoadBalancerFailed Error syncing load balancer: failed to ensure load balancer: no free address';
  await until('the Event of the third Service', async () => (await eventsOf(third)).includes(problem));
});

test('a Service that changes its type loses its address to a waiting Service', async () => {
  const first = await read('first');
  await services().patch('first', 'merge', { spec: { type: 'ClusterIP' } });
  await until('the finalizer is removed', async () => finalizersOf(await read('first')).length === 0);
  expect(addressesOf(await read('first'))).toEqual([]);
  await untilAddress('third', '192.0.2.1');
  await until('all Events of the first Service', async () => (await eventsOf(first)).length === 4);
  expect([...(await eventsOf(first))].sort()).toEqual([
    'Normal DeletedLoadBalancer Deleted load balancer',
    'Normal DeletingLoadBalancer Deleting load balancer',
    'Normal EnsuredLoadBalancer Ensured load balancer',
    'Normal EnsuringLoadBalancer Ensuring load balancer',
  ]);
});

test('a deleted Service is gone once its finalizer is removed', async () => {
  await services().delete('second');
  await until('the Service is gone', async () => (await undefinedIfNotFound(read('second'))) === undefined);
});

test('a Service of another load balancer class gets neither an address nor the finalizer', async () => {
  await createService('other', { loadBalancerClass: 'example.com/lb' });
  // A Service that is created later and gets an address proves that the controller has seen the other one.
  await createService('later');
  await untilAddress('later', '192.0.2.2');
  expect([addressesOf(await read('other')), finalizersOf(await read('other'))]).toEqual([[], []]);
});
