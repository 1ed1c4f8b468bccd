/**
 * EndpointSlice controller: writes the EndpointSlices of each Service with a selector, and Events about the Service. A
 * Service is synced at once when it changed, a node was added or the zone of one changed; after the batch period when one
 * of its pods changed; and after a second when one of its slices was deleted or changed by another client. Slices of a
 * deleted Service are left to the garbage collector.
 * Unlike upstream's controller, a Service is requeued without back-off while the informer does not show its slices yet.
 */
import type { CoreV1Node, CoreV1Pod, CoreV1Service } from '../../shared/api/types/generated/members';
import { ApiError, isConflict } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { ServicePodIndex } from '../service-pods/service-pod-index';
import type { ServiceView } from '../service-pods/service-view';
import { TriggerTimeTracker } from '../service-pods/trigger-time-tracker';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { desiredEndpoints } from './desired-endpoints';
import { NodeTopology, zoneOf } from './node-topology';
import { reconcileSlices, type SliceActions } from './reconcile';
import { serviceOwner, sliceNames, type SliceNames } from './slice';
import { SliceStore } from './slice-store';
import type { TopologyHints } from './topology-hints';

const SERVICES = resourceOf('core.v1.Service');
const PODS = resourceOf('core.v1.Pod');
const NODES = resourceOf('core.v1.Node');
/** The delay after a slice was deleted, or changed by another client. Milliseconds. */
const SLICE_CHANGE_MS = 1_000;
/** The delay while the informer does not show what was written. Milliseconds. */
const STALE_MS = 20;

const HINTS_ENABLED = 'Topology Aware Hints has been enabled';
const HINTS_DISABLED = 'Topology Aware Hints has been disabled';

export const endpointSliceController: Controller = {
  name: 'endpointslice',
  aliases: ['endpointslice-controller'],
  description: 'writes the EndpointSlices of Services',
  isOnByDefault: true,
  account: 'endpointslice-controller',
  component: 'endpoint-slice-controller',
  run: (context) => new EndpointSliceController(context).run(),
};

/**
 * Runs once, for the time during which this process leads; the next time has a new instance. Hints keep no state between
 * syncs, except for the Events about them.
 */
class EndpointSliceController {
  private readonly names: SliceNames;
  private readonly queue: WorkQueue;
  private readonly index: ServicePodIndex;
  private readonly nodeTopology: NodeTopology;
  private readonly slices: SliceStore;
  private readonly services: Informer<CoreV1Service>;
  private readonly pods: Informer<CoreV1Pod>;
  private readonly nodes: Informer<CoreV1Node>;
  private readonly triggerTimes = new TriggerTimeTracker();
  /** The messages of the latest Events about hints, by the Service's key and the address type. */
  private readonly hintMessages = new Map<string, string>();
  private readonly countSync: (labels: { readonly result: string }) => void;

  constructor(private readonly context: ControllerContext) {
    const { informers, names, settings, metrics } = context;
    this.names = sliceNames(names);
    // Upstream's back-off for this queue.
    this.queue = context.queue({ name: 'endpoint_slice', initialMs: 1_000, maxMs: 1_000_000 });
    this.services = informers.of(SERVICES);
    this.pods = informers.of(PODS);
    this.nodes = informers.of(NODES);
    this.slices = new SliceStore(context, this.names, (key) => this.queue.addAfter(key, SLICE_CHANGE_MS));
    this.nodeTopology = new NodeTopology(this.nodes, names.prefix);
    this.index = new ServicePodIndex(names.prefix, {
      serviceChanged: (key) => this.queue.add(key),
      podsChanged: (key) => this.queue.addAfter(key, settings.endpointSliceBatchMs),
    });
    this.countSync = metrics.counter('endpoint_slice_controller_syncs', 'Reconciliations of Services, by result.', ['result']);
  }

  async run(): Promise<void> {
    const { logger, signal, settings } = this.context;
    const { services, pods, nodes, slices, queue } = this;
    const removeHandlers = [this.index.watch(services, pods), slices.watch(), this.handleNodes()];
    const work = (key: string): Promise<WorkOutcome> => this.syncService(key);
    const concurrency = settings.concurrentEndpointSliceSyncs;
    if (await waitForSync([services, pods, nodes, slices.informer], signal)) await runWorkers({ queue, concurrency, logger, signal, work });
    for (const removeHandler of removeHandlers) removeHandler();
  }

  /** A Service with skipped pods is retried with back-off. */
  private async syncService(key: string): Promise<WorkOutcome> {
    const { settings } = this.context;
    const [namespace = ''] = key.split('/');
    const service = this.index.service(namespace, key);
    if (service?.selector === undefined) {
      this.forget(key);
      return DONE;
    }
    if (this.slices.areStale(key)) {
      this.countSync({ result: 'stale' });
      return { type: 'again', afterMs: STALE_MS };
    }
    const pods = this.index.podsOf(service);
    const { groups, skipped } = desiredEndpoints(service, pods, (name) => this.nodeTopology.get(name));
    const triggerTime = this.triggerTimes.computeTriggerTime(key, service, pods);
    const actions = reconcileSlices(
      {
        owner: serviceOwner(service, this.names),
        addressTypes: service.ipFamilies,
        topology: service.topology,
        needsPlaceholder: true,
        slices: this.slices.slicesOf(key),
        groups,
        triggerTime,
        cpus: service.topology === 'auto' ? this.nodeTopology.cpusByZone() : undefined,
      },
      { maxEndpointsPerSlice: settings.maxEndpointsPerSlice, names: this.names },
    );
    await this.apply(key, service, actions);
    this.recordHints(key, service, actions.hints);
    const [firstSkipped] = skipped;
    this.countSync({ result: firstSkipped === undefined ? 'success' : 'error' });
    if (firstSkipped === undefined) return DONE;
    this.recordFailure(service, `skipping Pod ${firstSkipped.pod} for Service ${key}: ${firstSkipped.reason}`);
    return { type: 'wait' };
  }

  /** Pods on an unknown node may have been skipped until the node is added; a changed zone changes the endpoints. */
  private handleNodes(): () => void {
    const { prefix } = this.context.names;
    const enqueueAllServices = (): void => {
      for (const service of this.services.list()) this.queue.add(keyOf(service));
    };
    return this.nodes.handle({
      added: enqueueAllServices,
      updated: (previous, current) => {
        if ((zoneOf(previous, prefix) ?? '') !== (zoneOf(current, prefix) ?? '')) enqueueAllServices();
      },
    });
  }

  private forget(key: string): void {
    this.triggerTimes.forget(key);
    this.slices.forget(key);
    for (const addressType of ['IPv4', 'IPv6']) this.hintMessages.delete(`${key} ${addressType}`);
  }

  private async apply(key: string, service: ServiceView, actions: SliceActions): Promise<void> {
    try {
      await this.slices.apply(key, actions, { mayCreate: !service.isTerminating });
    } catch (error) {
      if (!isConflict(error) && error instanceof ApiError) this.recordFailure(service, error.message);
      throw error;
    }
  }

  private recordFailure(service: ServiceView, error: string): void {
    const message = `Error updating Endpoint Slices for Service ${keyOf(service)}: ${error}`;
    this.recordEvent(service, 'Warning', 'FailedToUpdateEndpointSlices', message);
  }

  /** Records for each address type when hints are enabled or disabled, and each new reason why there are none. */
  private recordHints(key: string, service: ServiceView, hints: readonly TopologyHints[]): void {
    for (const { addressType, zones, error } of hints) {
      const messageKey = `${key} ${addressType}`;
      const previous = this.hintMessages.get(messageKey);
      const hintsOrError = zones.size > 0 ? HINTS_ENABLED : error;
      // Without the topology `auto` there is nothing to report, except that hints have ended.
      const current = service.topology === 'auto' ? hintsOrError : undefined;
      if (current === undefined) this.hintMessages.delete(messageKey);
      else this.hintMessages.set(messageKey, current);
      const message = current ?? (previous === HINTS_ENABLED ? HINTS_DISABLED : undefined);
      if (message === undefined || message === previous) continue;
      const text = `${message}, addressType: ${addressType}`;
      if (message === HINTS_ENABLED) this.recordEvent(service, 'Normal', 'TopologyAwareHintsEnabled', text);
      else this.recordEvent(service, 'Warning', 'TopologyAwareHintsDisabled', text);
    }
  }

  private recordEvent({ namespace, name, uid }: ServiceView, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.context.events.record({ about: { apiVersion: 'v1', kind: 'Service', namespace, name, uid }, type, reason, message });
  }
}
