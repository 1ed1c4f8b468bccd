/**
 * Endpoints controller: watches Services, pods and Endpoints, and writes the Endpoints of each Service with a selector.
 * Deletes Endpoints without a Service, except records of leader elections; at the start all existing Endpoints are
 * enqueued for that. A Service is synced at once when it changed, and after the batch period when one of its pods changed,
 * or later when its syncs take long (sync-pacing.ts).
 * As in upstream's controller, Endpoints that another client changed are restored at the next change of the Service or its
 * pods; deleted Endpoints at once.
 */
import type { CoreV1Endpoints, CoreV1Pod, CoreV1Service } from '../../shared/api/types/generated/members';
import { ApiError, ignoreNotFound, isNamespaceTerminating } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { valueInEitherSpelling } from '../../shared/names/spellings';
import { ServicePodIndex } from '../service-pods/service-pod-index';
import { SyncPacing } from '../service-pods/sync-pacing';
import { TriggerTimeTracker } from '../service-pods/trigger-time-tracker';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { desiredSubsets, endpointsAction, endpointsNames, type EndpointsAction, type EndpointsNames } from './reconcile';
import type { Endpoints } from '../../shared/client/rest/typed-objects';

const SERVICES = resourceOf('core.v1.Service');
const PODS = resourceOf('core.v1.Pod');
const ENDPOINTS = resourceOf('core.v1.Endpoints');

export const endpointsController: Controller = {
  name: 'endpoints',
  aliases: ['endpoints-controller', 'endpoint'],
  description: 'writes the Endpoints of Services',
  isOnByDefault: true,
  account: 'endpoint-controller',
  component: 'endpoint-controller',
  run: (context) => new EndpointsController(context).run(),
};

/** Runs once, for the time during which this process leads. The next time has a new instance. */
class EndpointsController {
  private readonly names: EndpointsNames;
  private readonly queue: WorkQueue;
  private readonly index: ServicePodIndex;
  private readonly services: Informer<CoreV1Service>;
  private readonly pods: Informer<CoreV1Pod>;
  private readonly endpoints: Informer<CoreV1Endpoints>;
  private readonly triggerTimes = new TriggerTimeTracker();
  private readonly pacing: SyncPacing;

  constructor(private readonly context: ControllerContext) {
    const { informers, names, settings, clock } = context;
    this.names = endpointsNames(names);
    // Upstream's back-off for this queue.
    this.queue = context.queue({ name: 'endpoint', initialMs: 1_000, maxMs: 1_000_000 });
    this.services = informers.of(SERVICES);
    this.pods = informers.of(PODS);
    this.endpoints = informers.of(ENDPOINTS);
    this.index = new ServicePodIndex(names.prefix, {
      serviceChanged: (key) => this.queue.add(key),
      podsChanged: (key) => this.queue.addAfter(key, Math.max(settings.endpointBatchMs, this.pacing.waitMs(key))),
    });
    this.pacing = new SyncPacing(clock);
  }

  async run(): Promise<void> {
    const { logger, signal, settings } = this.context;
    const { services, pods, endpoints, queue } = this;
    const removeHandlers = [this.index.watch(services, pods), endpoints.handle({ deleted: (object) => queue.add(keyOf(object)) })];
    if (await waitForSync([services, pods, endpoints], signal)) {
      // Services may have been deleted while the controller was not running.
      for (const object of endpoints.list()) queue.add(keyOf(object));
      const work = (key: string): Promise<WorkOutcome> => this.syncService(key);
      await runWorkers({ queue, concurrency: settings.concurrentEndpointSyncs, logger, signal, work });
    }
    for (const removeHandler of removeHandlers) removeHandler();
  }

  private async syncService(key: string): Promise<WorkOutcome> {
    const [namespace = ''] = key.split('/');
    const service = this.index.service(namespace, key);
    const existing = this.endpoints.byKey(key);
    if (service === undefined) {
      this.triggerTimes.forget(key);
      this.pacing.forget(key);
      if (existing !== undefined && !this.isLeaderElectionRecord(existing)) await this.deleteEndpoints(existing);
      return DONE;
    }
    if (service.selector === undefined) return DONE;
    const { action, skipped: skippedPods } = this.pacing.measure(key, () => {
      const pods = this.index.podsOf(service);
      const desired = desiredSubsets(service, pods);
      const triggerTime = this.triggerTimes.computeTriggerTime(key, service, pods);
      return {
        action: endpointsAction({ service, existing, desired, names: this.names, triggerTime }),
        skipped: desired.skipped,
      };
    });
    await this.apply(key, action);
    const [skipped] = skippedPods;
    if (skipped !== undefined) {
      const message = `Failed to update endpoint ${key}: pod ${skipped.pod} is left out: ${skipped.reason}`;
      this.recordEvent(key, 'FailedToUpdateEndpoint', message);
    }
    return DONE;
  }

  /** Old leader elections store their record in Endpoints without a Service. */
  private isLeaderElectionRecord({ metadata }: Endpoints): boolean {
    return valueInEitherSpelling(metadata.annotations ?? {}, `control-plane.alpha.${this.context.names.prefix}/leader`) !== undefined;
  }

  private async deleteEndpoints({ namespace, name, uid }: Endpoints): Promise<void> {
    const { client, signal } = this.context;
    await client.of(ENDPOINTS).namespace(namespace).delete(name, { preconditions: { uid }, signal }).catch(ignoreNotFound);
  }

  private async apply(key: string, action: EndpointsAction): Promise<void> {
    const { client, signal } = this.context;
    const [namespace = ''] = key.split('/');
    const endpoints = client.of(ENDPOINTS).namespace(namespace);
    try {
      switch (action.type) {
        case 'none':
          return;
        case 'create':
          await endpoints.create(action.body, { signal });
          return;
        case 'update':
          await endpoints.update(action.body, { signal });
          return;
      }
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      // 409: the informer is behind, and shows neither the created nor the changed Endpoints yet.
      if (error instanceof ApiError && error.code !== 409) {
        if (action.type === 'create') {
          this.recordEvent(key, 'FailedToCreateEndpoint', `Failed to create endpoint for service ${key}: ${error.message}`);
        } else this.recordEvent(key, 'FailedToUpdateEndpoint', `Failed to update endpoint ${key}: ${error.message}`);
      }
      throw error;
    }
  }

  private recordEvent(key: string, reason: string, message: string): void {
    const [namespace = '', name = ''] = key.split('/');
    const uid = this.endpoints.byKey(key)?.uid ?? '';
    this.context.events.record({ about: { apiVersion: 'v1', kind: 'Endpoints', namespace, name, uid }, type: 'Warning', reason, message });
  }
}
