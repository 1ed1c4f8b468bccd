/** Shows Endpoints that somebody writes by hand, for a Service without a selector, as EndpointSlices: who reads slices need not read Endpoints. */
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { valueInEitherSpelling, omitNames } from '../../shared/names/spellings';
import { objectAt } from '../../shared/values/json';
import { reconcileSlices } from '../endpoint-slices/reconcile';
import { labelsFor, sliceNames, type SliceNames, type SliceOwner } from '../endpoint-slices/slice';
import { SliceKeeper } from '../endpoint-slices/slice-keeper';
import { serviceView, textsAt } from '../service-pods/service';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { isMirrored, mirrored, mirrorNames, type Mirrored, type MirrorNames } from './reconcile';

const SERVICES = resourceOf('core.v1.Service');
const ENDPOINTS = resourceOf('core.v1.Endpoints');
const FOREIGN_CHANGE_MS = 1_000;
const STALE_MS = 20;
/** Endpoints in a slice: addresses that stand together stay together. */
const MOST_IN_A_SLICE = 1_000;

export const endpointSliceMirroringController: Controller = {
  name: 'endpointslicemirroring',
  aliases: ['endpointslice-mirroring-controller', 'endpointslicemirroring-controller'],
  description: 'shows Endpoints that somebody writes by hand as EndpointSlices',
  isOnByDefault: true,
  account: 'endpointslicemirroring-controller',
  component: 'endpoint-slice-mirroring-controller',
  run: (context) => new EndpointsMirror(context).run(),
};

class EndpointsMirror {
  private readonly names: SliceNames;
  private readonly mirror: MirrorNames;
  private readonly queue: WorkQueue;
  private readonly services: Informer;
  private readonly endpoints: Informer;
  private readonly keeper: SliceKeeper;

  constructor(private readonly context: ControllerContext) {
    const { names, informers } = context;
    this.names = sliceNames(names, 'endpointslicemirroring-controller');
    this.mirror = mirrorNames(names.prefix);
    this.queue = context.queue({ name: 'endpoint_slice_mirroring', firstMs: 1_000, longestMs: 1_000_000 });
    this.services = informers.of(SERVICES);
    this.endpoints = informers.of(ENDPOINTS);
    this.keeper = new SliceKeeper(context, this.names, (key) => this.queue.addAfter(key, FOREIGN_CHANGE_MS));
  }

  async run(): Promise<void> {
    const { logger, signal, settings } = this.context;
    const { queue, services, endpoints, keeper } = this;
    const look = (object: ApiObject): void => {
      queue.addAfter(keyOf(object), settings.mirroringBatchMs);
    };
    const handlers = { added: look, updated: (_: ApiObject, object: ApiObject) => look(object), deleted: look };
    const unhandle = [services.handle(handlers), endpoints.handle(handlers), keeper.follow()];
    const work = (key: string): Promise<WorkOutcome> => this.lookAt(key);
    const concurrency = settings.concurrentMirrorSyncs;
    if (await waitForSync([services, endpoints, keeper.informer], signal)) await runWorkers({ queue, concurrency, logger, signal, work });
    for (const remove of unhandle) remove();
  }

  private async lookAt(key: string): Promise<WorkOutcome> {
    const { names, settings } = this.context;
    if (this.keeper.areStale(key)) return { type: 'again', afterMs: STALE_MS };
    const slices = this.keeper.of(key);
    const found = this.endpoints.byKey(key);
    const service = this.services.byKey(key);
    const view = service === undefined ? undefined : serviceView(service, names.prefix);
    if (found === undefined || !isMirrored(found, view, this.mirror)) {
      await this.keeper.write(key, { creates: [], updates: [], deletes: slices.map(({ object }) => object), hints: [] }, false);
      return DONE;
    }
    const shown = mirrored(found, settings.mirroringMaxEndpoints);
    this.tell(found, shown);
    const trigger = valueInEitherSpelling(textsAt(objectAt(found.body, 'metadata'), 'annotations'), this.names.triggerTime);
    const writes = reconcileSlices(
      {
        owner: this.ownerOf(found),
        families: ['IPv4', 'IPv6'],
        topology: 'none',
        keepsPlace: false,
        slices,
        groups: shown.groups,
        trigger,
        cpus: undefined,
      },
      { most: MOST_IN_A_SLICE, names: this.names },
    );
    await this.keeper.write(key, writes, true);
    return DONE;
  }

  private ownerOf({ namespace, name, uid, body }: ApiObject): SliceOwner {
    const metadata = objectAt(body, 'metadata');
    const annotations = omitNames(textsAt(metadata, 'annotations'), [this.mirror.lastApplied]);
    const labels = labelsFor(textsAt(metadata, 'labels'), name, false, this.names);
    return { kind: 'Endpoints', namespace, name, uid, labels, annotations };
  }

  private tell({ namespace, name, uid }: ApiObject, { unreadable, left }: Mirrored): void {
    const about = { apiVersion: 'v1', kind: 'Endpoints', namespace, name, uid };
    const report = (reason: string, message: string): void => this.context.events.record({ about, type: 'Warning', reason, message });
    if (unreadable.length > 0)
      report('InvalidIPAddress', `Skipped ${unreadable.length} invalid IP addresses when mirroring to EndpointSlices`);
    if (left > 0)
      report(
        'TooManyAddressesToMirror',
        `A max of ${this.context.settings.mirroringMaxEndpoints} addresses can be mirrored to EndpointSlices per Endpoints subset. ${left} addresses were skipped`,
      );
  }
}
