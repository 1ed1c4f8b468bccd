/** Keeps the Endpoints of every Service that selects pods, and takes those away whose Service is gone. */
import { ApiError, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { valueInEitherSpelling } from '../../shared/names/spellings';
import { objectAt } from '../../shared/values/json';
import { ClusterView } from '../service-pods/cluster-view';
import { textsAt } from '../service-pods/service';
import { TriggerTimes } from '../service-pods/trigger-times';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { endpointsAction, endpointsNames, wantedSubsets, type EndpointsAction, type EndpointsNames } from './reconcile';

const SERVICES = resourceOf('core.v1.Service');
const PODS = resourceOf('core.v1.Pod');
const ENDPOINTS = resourceOf('core.v1.Endpoints');

export const endpointsController: Controller = {
  name: 'endpoints',
  aliases: ['endpoints-controller', 'endpoint'],
  description: 'says in Endpoints which pods Services lead to',
  isOnByDefault: true,
  account: 'endpoint-controller',
  component: 'endpoint-controller',
  run: (context) => new EndpointsKeeper(context).run(),
};

class EndpointsKeeper {
  private readonly names: EndpointsNames;
  private readonly queue: WorkQueue;
  private readonly view: ClusterView;
  private readonly informers: Readonly<Record<'services' | 'pods' | 'endpoints', Informer>>;
  private readonly times = new TriggerTimes();

  constructor(private readonly context: ControllerContext) {
    const { informers, names, settings } = context;
    this.names = endpointsNames(names);
    this.queue = context.queue({ name: 'endpoint', firstMs: 1_000, longestMs: 1_000_000 });
    this.informers = {
      services: informers.of(SERVICES),
      pods: informers.of(PODS),
      endpoints: informers.of(ENDPOINTS),
    };
    this.view = new ClusterView(names.prefix, {
      service: (key) => this.queue.add(key),
      pods: (key) => this.queue.addAfter(key, settings.endpointBatchMs),
    });
  }

  async run(): Promise<void> {
    const { logger, signal, settings } = this.context;
    const { services, pods, endpoints } = this.informers;
    const unhandle = [this.view.follow(services, pods), endpoints.handle({ deleted: (object) => this.queue.add(keyOf(object)) })];
    if (await waitForSync([services, pods, endpoints], signal)) {
      // Those of Services that went while nobody looked.
      for (const object of endpoints.list()) this.queue.add(keyOf(object));
      const work = (key: string): Promise<WorkOutcome> => this.lookAt(key);
      await runWorkers({ queue: this.queue, concurrency: settings.concurrentEndpointSyncs, logger, signal, work });
    }
    for (const remove of unhandle) remove();
  }

  private async lookAt(key: string): Promise<WorkOutcome> {
    const [namespace = ''] = key.split('/');
    const service = this.view.service(namespace, key);
    const present = this.informers.endpoints.byKey(key);
    if (service === undefined) {
      this.times.forget(key);
      if (present !== undefined && !this.isElection(present)) await this.remove(present);
      return DONE;
    }
    if (service.selector === undefined) return DONE;
    const pods = this.view.podsOf(service);
    const wanted = wantedSubsets(service, pods);
    const trigger = this.times.next(key, service, pods);
    await this.act(key, endpointsAction(service, present, wanted, this.names, trigger));
    const [first] = wanted.skipped;
    if (first !== undefined)
      this.tell(key, 'FailedToUpdateEndpoint', `Failed to update endpoint ${key}: pod ${first.pod} is left out: ${first.why}`);
    return DONE;
  }

  /** Old elections kept what they agreed on in Endpoints without a Service. */
  private isElection({ body }: ApiObject): boolean {
    const { prefix } = this.context.names;
    return valueInEitherSpelling(textsAt(objectAt(body, 'metadata'), 'annotations'), `control-plane.alpha.${prefix}/leader`) !== undefined;
  }

  private async remove({ namespace, name, uid }: ApiObject): Promise<void> {
    const { client, signal } = this.context;
    await client.delete(ENDPOINTS, { namespace, name }, { preconditions: { uid }, signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  private async act(key: string, action: EndpointsAction): Promise<void> {
    const { client, signal } = this.context;
    try {
      switch (action.type) {
        case 'none':
          return;
        case 'create':
          await client.create(ENDPOINTS, action.object, { signal });
          return;
        case 'update':
          await client.update(ENDPOINTS, action.object, { signal });
          return;
      }
    } catch (error) {
      // Nothing new is made where all goes.
      if (error instanceof ApiError && error.code === 403 && error.message.includes('is being terminated')) return;
      if (error instanceof ApiError && error.code !== 409) {
        const isNew = action.type === 'create';
        const what = isNew ? `Failed to create endpoint for service ${key}` : `Failed to update endpoint ${key}`;
        this.tell(key, isNew ? 'FailedToCreateEndpoint' : 'FailedToUpdateEndpoint', `${what}: ${error.message}`);
      }
      throw error;
    }
  }

  private tell(key: string, reason: string, message: string): void {
    const [namespace = '', name = ''] = key.split('/');
    const uid = this.informers.endpoints.byKey(key)?.uid ?? '';
    this.context.events.record({ about: { apiVersion: 'v1', kind: 'Endpoints', namespace, name, uid }, type: 'Warning', reason, message });
  }
}
