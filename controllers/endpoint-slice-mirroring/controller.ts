/**
 * EndpointSliceMirroring controller: watches Services, Endpoints and its own EndpointSlices, and mirrors the Endpoints
 * of Services without a selector to EndpointSlices. Records Events about the Endpoints when addresses are not mirrored.
 * Endpoints are synced after the batch period when they or their Service changed, and after a second when one of their
 * slices was deleted or changed by another client. Unlike upstream's controller, Endpoints are requeued without back-off
 * while the informer does not show their slices yet.
 */
import type { CoreV1Endpoints, CoreV1Service } from '../../shared/api/types/generated/members';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { valueInEitherSpelling, omitNames } from '../../shared/names/spellings';
import { reconcileSlices } from '../endpoint-slices/reconcile';
import { sliceLabels, sliceNames, type SliceNames, type SliceOwner } from '../endpoint-slices/slice';
import { SliceStore } from '../endpoint-slices/slice-store';
import { serviceView } from '../service-pods/service-view';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { mirroredEndpoints, mirroringNames, shouldMirror, type MirroredEndpoints, type MirroringNames } from './reconcile';
import type { Endpoints } from '../../shared/client/rest/typed-objects';

const SERVICES = resourceOf('core.v1.Service');
const ENDPOINTS = resourceOf('core.v1.Endpoints');
/** The delay after a slice was deleted, or changed by another client. Milliseconds. */
const SLICE_CHANGE_MS = 1_000;
/** The delay while the informer does not show what was written. Milliseconds. */
const STALE_MS = 20;
/** The maximum that the API allows: the addresses of a subset stay together. */
const MAX_ENDPOINTS_PER_SLICE = 1_000;

export const endpointSliceMirroringController: Controller = {
  name: 'endpointslicemirroring',
  aliases: ['endpointslice-mirroring-controller', 'endpointslicemirroring-controller'],
  description: 'mirrors the Endpoints of Services without a selector to EndpointSlices',
  isOnByDefault: true,
  account: 'endpointslicemirroring-controller',
  component: 'endpoint-slice-mirroring-controller',
  run: (context) => new EndpointSliceMirroringController(context).run(),
};

/** Runs once, for the time during which this process leads. The next time has a new instance. */
class EndpointSliceMirroringController {
  private readonly sliceNames: SliceNames;
  private readonly mirroringNames: MirroringNames;
  private readonly queue: WorkQueue;
  private readonly services: Informer<CoreV1Service>;
  private readonly endpoints: Informer<CoreV1Endpoints>;
  private readonly slices: SliceStore;

  constructor(private readonly context: ControllerContext) {
    const { names, informers } = context;
    this.sliceNames = sliceNames(names, 'endpointslicemirroring-controller');
    this.mirroringNames = mirroringNames(names.prefix);
    // Upstream's back-off for this queue.
    this.queue = context.queue({ name: 'endpoint_slice_mirroring', initialMs: 1_000, maxMs: 1_000_000 });
    this.services = informers.of(SERVICES);
    this.endpoints = informers.of(ENDPOINTS);
    this.slices = new SliceStore(context, this.sliceNames, (key) => this.queue.addAfter(key, SLICE_CHANGE_MS));
  }

  async run(): Promise<void> {
    const { logger, signal, settings } = this.context;
    const { queue, services, endpoints, slices } = this;
    const enqueue = (object: ApiObject): void => queue.addAfter(keyOf(object), settings.mirroringBatchMs);
    const handlers = { added: enqueue, updated: (_: ApiObject, object: ApiObject) => enqueue(object), deleted: enqueue };
    const removeHandlers = [services.handle(handlers), endpoints.handle(handlers), slices.watch()];
    const work = (key: string): Promise<WorkOutcome> => this.syncEndpoints(key);
    const concurrency = settings.concurrentMirrorSyncs;
    if (await waitForSync([services, endpoints, slices.informer], signal)) await runWorkers({ queue, concurrency, logger, signal, work });
    for (const removeHandler of removeHandlers) removeHandler();
  }

  private async syncEndpoints(key: string): Promise<WorkOutcome> {
    const { names, settings } = this.context;
    if (this.slices.areStale(key)) return { type: 'again', afterMs: STALE_MS };
    const slices = this.slices.slicesOf(key);
    const endpoints = this.endpoints.byKey(key);
    const service = this.services.byKey(key);
    const view = service === undefined ? undefined : serviceView(service, names.prefix);
    if (endpoints === undefined || !shouldMirror(endpoints, view, this.mirroringNames)) {
      await this.slices.apply(
        key,
        { creates: [], updates: [], deletes: slices.map(({ object }) => object), hints: [] },
        { mayCreate: false },
      );
      return DONE;
    }
    const mirrored = mirroredEndpoints(endpoints, settings.mirroringMaxEndpoints);
    this.recordSkippedAddresses(endpoints, mirrored);
    const actions = reconcileSlices(
      {
        owner: this.ownerOf(endpoints),
        addressTypes: ['IPv4', 'IPv6'],
        topology: 'none',
        needsPlaceholder: false,
        slices,
        groups: mirrored.groups,
        triggerTime: valueInEitherSpelling(endpoints.metadata.annotations ?? {}, this.sliceNames.triggerTime),
        cpus: undefined,
      },
      { maxEndpointsPerSlice: MAX_ENDPOINTS_PER_SLICE, names: this.sliceNames },
    );
    await this.slices.apply(key, actions, { mayCreate: true });
    return DONE;
  }

  private ownerOf({ namespace, name, uid, metadata }: Endpoints): SliceOwner {
    const annotations = omitNames(metadata.annotations ?? {}, [this.mirroringNames.lastApplied]);
    const labels = sliceLabels(metadata.labels ?? {}, { service: name, isHeadless: false }, this.sliceNames);
    return { kind: 'Endpoints', namespace, name, uid, labels, annotations };
  }

  private recordSkippedAddresses({ namespace, name, uid }: Endpoints, { invalidAddresses, addressesSkipped }: MirroredEndpoints): void {
    const { events, settings } = this.context;
    const about = { apiVersion: 'v1', kind: 'Endpoints', namespace, name, uid };
    const recordWarning = (reason: string, message: string): void => events.record({ about, type: 'Warning', reason, message });
    if (invalidAddresses.length > 0) {
      const message = `Skipped ${invalidAddresses.length} invalid IP addresses when mirroring to EndpointSlices`;
      recordWarning('InvalidIPAddress', message);
    }
    if (addressesSkipped > 0) {
      const limit = `A max of ${settings.mirroringMaxEndpoints} addresses can be mirrored to EndpointSlices per Endpoints subset.`;
      recordWarning('TooManyAddressesToMirror', `${limit} ${addressesSkipped} addresses were skipped`);
    }
  }
}
