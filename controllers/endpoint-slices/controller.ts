/** Keeps the EndpointSlices of every Service that selects pods: reconcile.ts says which, this file looks and writes. */
import { ApiError, isConflict } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { labelOf } from '../service-pods/labels';
import { ClusterView } from '../service-pods/cluster-view';
import type { ServiceView } from '../service-pods/service';
import { TriggerTimes } from '../service-pods/trigger-times';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { wantedEndpoints } from './endpoints';
import type { Hints } from './hints';
import { Nodes } from './nodes';
import { reconcileSlices, type Writes } from './reconcile';
import { serviceOwner, sliceNames, type SliceNames } from './slice';
import { SliceKeeper } from './slice-keeper';

const SERVICES = resourceOf('core.v1.Service');
const PODS = resourceOf('core.v1.Pod');
const NODES = resourceOf('core.v1.Node');
/** A slice that somebody else has changed is looked at again so much later. Milliseconds. */
const FOREIGN_CHANGE_MS = 1_000;
/** Until the informer has told what was written. Milliseconds. */
const STALE_MS = 20;

const ENABLED = 'Topology Aware Hints has been enabled';
const DISABLED = 'Topology Aware Hints has been disabled';

export const endpointSliceController: Controller = {
  name: 'endpointslice',
  aliases: ['endpointslice-controller'],
  description: 'says in EndpointSlices which pods Services lead to',
  isOnByDefault: true,
  account: 'endpointslice-controller',
  component: 'endpoint-slice-controller',
  run: (context) => new EndpointSlices(context).run(),
};

class EndpointSlices {
  private readonly names: SliceNames;
  private readonly queue: WorkQueue;
  private readonly view: ClusterView;
  private readonly nodes: Nodes;
  private readonly keeper: SliceKeeper;
  private readonly informers: Readonly<Record<'services' | 'pods' | 'nodes', Informer>>;
  private readonly times = new TriggerTimes();
  /** What was told of hints last, by the Service's key and the address type. */
  private readonly hinted = new Map<string, string>();
  private readonly count: (labels: { readonly result: string }) => void;

  constructor(private readonly context: ControllerContext) {
    const { informers, names, settings, metrics } = context;
    this.names = sliceNames(names);
    this.queue = context.queue({ name: 'endpoint_slice', firstMs: 1_000, longestMs: 1_000_000 });
    this.informers = {
      services: informers.of(SERVICES),
      pods: informers.of(PODS),
      nodes: informers.of(NODES),
    };
    this.keeper = new SliceKeeper(context, this.names, (key) => this.queue.addAfter(key, FOREIGN_CHANGE_MS));
    this.nodes = new Nodes(this.informers.nodes, names.prefix);
    this.view = new ClusterView(names.prefix, {
      service: (key) => this.queue.add(key),
      pods: (key) => this.queue.addAfter(key, settings.endpointSliceBatchMs),
    });
    this.count = metrics.counter('endpoint_slice_controller_syncs', 'Services looked at, by what it came to.', ['result']);
  }

  async run(): Promise<void> {
    const { logger, signal, settings } = this.context;
    const { services, pods, nodes } = this.informers;
    const unhandle = [this.view.follow(services, pods), this.keeper.follow(), this.followNodes()];
    const work = (key: string): Promise<WorkOutcome> => this.lookAt(key);
    const concurrency = settings.concurrentEndpointSliceSyncs;
    if (await waitForSync([services, pods, nodes, this.keeper.informer], signal))
      await runWorkers({ queue: this.queue, concurrency, logger, signal, work });
    for (const remove of unhandle) remove();
  }

  private async lookAt(key: string): Promise<WorkOutcome> {
    const { settings } = this.context;
    const [namespace = ''] = key.split('/');
    const service = this.view.service(namespace, key);
    if (service?.selector === undefined) {
      this.forget(key);
      return DONE;
    }
    if (this.keeper.areStale(key)) {
      this.count({ result: 'stale' });
      return { type: 'again', afterMs: STALE_MS };
    }
    const pods = this.view.podsOf(service);
    const { groups, skipped } = wantedEndpoints(service, pods, (name) => this.nodes.get(name));
    const trigger = this.times.next(key, service, pods);
    const cpus = service.topology === 'auto' ? this.nodes.cpus() : undefined;
    const limits = { most: settings.maxEndpointsPerSlice, names: this.names };
    const writes = reconcileSlices(
      {
        owner: serviceOwner(service, this.names),
        families: service.families,
        topology: service.topology,
        keepsPlace: true,
        slices: this.keeper.of(key),
        groups,
        trigger,
        cpus,
      },
      limits,
    );
    await this.write(key, service, writes);
    this.tellHints(key, service, writes.hints);
    const [first] = skipped;
    this.count({ result: first === undefined ? 'success' : 'error' });
    if (first === undefined) return DONE;
    this.tell(service, `skipping Pod ${first.pod} for Service ${key}: ${first.why}`);
    return { type: 'wait' };
  }

  /** A node that comes lets pods in that were left out; one that moves takes its endpoints with it. */
  private followNodes(): () => void {
    const { prefix } = this.context.names;
    const zoneText = ({ body }: ApiObject): string => labelOf(body, `topology.${prefix}/zone`) ?? '';
    const again = (): void => {
      for (const service of this.informers.services.list()) this.queue.add(keyOf(service));
    };
    return this.informers.nodes.handle({
      added: again,
      updated: (before, now) => {
        if (zoneText(before) !== zoneText(now)) again();
      },
    });
  }

  /** Slices of a Service that is gone go with it: they are owned by it. */
  private forget(key: string): void {
    this.times.forget(key);
    this.keeper.forget(key);
    for (const family of ['IPv4', 'IPv6']) this.hinted.delete(`${key} ${family}`);
  }

  private async write(key: string, service: ServiceView, writes: Writes): Promise<void> {
    try {
      await this.keeper.write(key, writes, !service.isTerminating);
    } catch (error) {
      if (!isConflict(error) && error instanceof ApiError) this.tell(service, error.message);
      throw error;
    }
  }

  private tell(service: ServiceView, what: string): void {
    this.report(
      service,
      'Warning',
      'FailedToUpdateEndpointSlices',
      `Error updating Endpoint Slices for Service ${keyOf(service)}: ${what}`,
    );
  }

  /** When hints begin, end, or cannot be given, and why. */
  private tellHints(key: string, service: ServiceView, hints: readonly Hints[]): void {
    for (const { type, zones, refusal } of hints) {
      const name = `${key} ${type}`;
      const before = this.hinted.get(name);
      const isAuto = service.topology === 'auto';
      const now = !isAuto ? undefined : zones.size > 0 ? ENABLED : refusal;
      if (now === undefined) this.hinted.delete(name);
      else this.hinted.set(name, now);
      const text = now ?? (before === ENABLED ? DISABLED : undefined);
      if (text === undefined || text === before) continue;
      const [kind, reason] =
        text === ENABLED ? (['Normal', 'TopologyAwareHintsEnabled'] as const) : (['Warning', 'TopologyAwareHintsDisabled'] as const);
      this.report(service, kind, reason, `${text}, addressType: ${type}`);
    }
  }

  private report({ namespace, name, uid }: ServiceView, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.context.events.record({ about: { apiVersion: 'v1', kind: 'Service', namespace, name, uid }, type, reason, message });
  }
}
