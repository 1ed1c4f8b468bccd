/**
 * A load balancer for development, which runs with `--development-load-balancer-addresses` only: gives Services of type
 * LoadBalancer an address of a configured range in their status, and the finalizer
 * `service.{prefix}/load-balancer-cleanup`. No traffic is balanced. Steps, finalizer and Events are those of upstream's
 * service controller. Unlike that one, this controller changes the finalizer and the status in one write, and does not
 * change Services that another load balancer serves.
 */
import type { CoreV1Service } from '../../shared/api/types/generated/members';
import { ignoreNotFound } from '../../shared/client/rest/api-error';
import { creationTimestampOf, keyOf } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import type { Service } from '../../shared/client/rest/typed-objects';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import type { IpFamily } from '../../shared/values/network/ip-address';
import { adoptExisting } from '../runtime/adopt-existing';
import { waitForSync, type Controller, type ControllerContext, type LoadBalancerSettings } from '../runtime/controller';
import { AddressPool } from './address-pool';
import { addressesOf, isServed, reconcileService, type LoadBalancerRules, type ServiceUpdate } from './reconcile';

const SERVICES = resourceOf('core.v1.Service');
/** Services synced at the same time. */
const CONCURRENCY = 4;

export const serviceLoadBalancerController: Controller = {
  name: 'service-lb',
  aliases: ['service-lb-controller', 'service'],
  description: 'gives Services addresses of --development-load-balancer-addresses, for development',
  isOnByDefault: true,
  isEnabled: ({ developmentLoadBalancer }) => developmentLoadBalancer !== undefined,
  component: 'service-controller',
  account: 'service-controller',
  async run(context) {
    const { developmentLoadBalancer } = context.settings;
    if (developmentLoadBalancer !== undefined) await new ServiceLoadBalancer(context, developmentLoadBalancer).run();
  },
};

/** The part of the controller context that is used here. */
type ServiceLoadBalancerContext = Pick<ControllerContext, 'client' | 'events' | 'informers' | 'logger' | 'names' | 'queue' | 'signal'>;

/** Runs once, for the time during which this process leads; the next time has a new instance. Exported for tests. */
export class ServiceLoadBalancer {
  private readonly services: Informer<CoreV1Service>;
  private readonly queue: WorkQueue;
  private readonly pool: AddressPool;
  private readonly rules: LoadBalancerRules;
  /** Services for which no address was free, by key, in order of their first attempt. */
  private readonly waiting = new Map<string, { readonly uid: string; readonly families: readonly IpFamily[] }>();

  constructor(
    private readonly context: ServiceLoadBalancerContext,
    { ranges, servesDefaultClass }: LoadBalancerSettings,
  ) {
    this.services = context.informers.of(SERVICES);
    this.queue = context.queue({ name: 'service' });
    this.pool = new AddressPool(ranges);
    this.rules = { servesDefaultClass, finalizer: `service.${context.names.prefix}/load-balancer-cleanup` };
  }

  async run(): Promise<void> {
    const { logger, signal } = this.context;
    const enqueue = (service: Service): void => this.queue.add(keyOf(service));
    const removeHandler = this.services.handle({
      added: enqueue,
      updated: (_, service) => enqueue(service),
      deleted: (service) => this.release(service),
    });
    try {
      if (!(await waitForSync([this.services], signal))) return;
      await this.adoptAddresses();
      await runWorkers({ queue: this.queue, concurrency: CONCURRENCY, logger, signal, work: (key) => this.syncService(key) });
    } finally {
      removeHandler();
    }
  }

  /**
   * Holds the addresses that Services already have; the older of two Services with the same address keeps it. Reads
   * them from the API server, because the informer may lag behind the previous leader.
   */
  private adoptAddresses(): Promise<void> {
    const { client, signal } = this.context;
    const creationOf = (service: Service): string => `${creationTimestampOf(service)} ${service.uid}`;
    const byCreation = (a: Service, b: Service): number => (creationOf(a) < creationOf(b) ? -1 : 1);
    return adoptExisting({
      client,
      informer: this.services,
      signal,
      isSelected: (service) => isServed(service, this.rules) && addressesOf(service).length > 0,
      adopt: (services) => {
        for (const service of [...services].sort(byCreation)) this.pool.adopt(service.uid, addressesOf(service));
      },
    });
  }

  /** A Service without a free address is requeued with back-off. */
  private async syncService(key: string): Promise<WorkOutcome> {
    const service = this.services.byKey(key);
    if (service === undefined) return DONE;
    const action = reconcileService(service, this.pool, this.rules);
    switch (action.type) {
      case 'none':
        // With `needsAddress` the Service has its addresses.
        if (action.needsAddress) this.waiting.delete(key);
        else this.release(service);
        return DONE;
      case 'unavailable':
        if (action.families.length > 0) this.waiting.set(key, { uid: service.uid, families: action.families });
        else this.waiting.delete(key);
        this.recordEvent(
          service,
          'Warning',
          'SyncLoadBalancerFailed',
          `Error syncing load balancer: failed to ensure load balancer: ${action.problem}`,
        );
        return { type: 'wait' };
      case 'ensure':
        this.waiting.delete(key);
        this.recordEvent(service, 'Normal', 'EnsuringLoadBalancer', 'Ensuring load balancer');
        await this.writeUpdate(service, action.update);
        this.recordEvent(service, 'Normal', 'EnsuredLoadBalancer', 'Ensured load balancer');
        this.enqueueWaiting();
        return DONE;
      case 'clean-up':
        this.recordEvent(service, 'Normal', 'DeletingLoadBalancer', 'Deleting load balancer');
        await this.writeUpdate(service, action.update).catch(ignoreNotFound);
        this.recordEvent(service, 'Normal', 'DeletedLoadBalancer', 'Deleted load balancer');
        this.release(service);
        return DONE;
    }
  }

  /**
   * Rejects with a conflict when the Service has changed. The precondition is needed because the list of finalizers is
   * replaced as a whole.
   */
  private async writeUpdate({ namespace, name, uid, resourceVersion }: Service, { finalizers, addresses }: ServiceUpdate): Promise<void> {
    const { client, signal } = this.context;
    const ingress = addresses.length === 0 ? null : addresses.map((ip) => ({ ip, ipMode: 'VIP' }));
    const patch = { metadata: { uid, resourceVersion, finalizers: [...finalizers] }, status: { loadBalancer: { ingress } } };
    await client.of(SERVICES).namespace(namespace).patch(name, 'merge', patch, { subresource: 'status', signal });
  }

  /**
   * Releases the addresses. A Service that waited may have been enqueued for an address that another one can have now.
   */
  private release(service: Service): void {
    const hasWaited = this.waiting.delete(keyOf(service));
    if (this.pool.release(service.uid) || hasWaited) this.enqueueWaiting();
  }

  /**
   * Enqueues the first waiting Service that would get its addresses; the next one is enqueued when this one has them.
   */
  private enqueueWaiting(): void {
    for (const [key, { uid, families }] of this.waiting) {
      if (!this.pool.canAcquire(uid, families)) continue;
      this.queue.add(key);
      return;
    }
  }

  private recordEvent({ namespace, name, uid }: Service, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.context.events.record({ about: { apiVersion: 'v1', kind: 'Service', namespace, name, uid }, type, reason, message });
  }
}
