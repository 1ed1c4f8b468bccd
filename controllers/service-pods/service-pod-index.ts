/**
 * Holds the views of all Services and pods, parsed once per change, and calls back for each Service that changed or has
 * changed pods: a changed pod concerns the Services that select it now or selected it before.
 */
import type { CoreV1Pod, CoreV1Service } from '../../shared/api/types/generated/members';
import { keyOf } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { podView, type PodView } from './pod-view';
import { SelectionIndex } from './selection-index';
import type { Pod, Service } from '../../shared/client/rest/typed-objects';
import { serviceView, type ServiceView } from './service-view';

/** Receives the keys of Services. Both are called while an event of an informer is handled. */
export interface ServiceHandlers {
  /** The Service was added, changed or deleted. */
  serviceChanged(key: string): void;
  /** A pod that it selects, or selected before, changed. */
  podsChanged(key: string): void;
}

/** One index for each controller of Services; it holds all namespaces. */
export class ServicePodIndex {
  private readonly namespaces = new Map<string, SelectionIndex>();

  constructor(
    /** The prefix of label and annotation keys in the server's dialect. */
    private readonly prefix: string,
    private readonly handlers: ServiceHandlers,
  ) {}

  /** Follows the informers. Returns a function that ends this. */
  watch(services: Informer<CoreV1Service>, pods: Informer<CoreV1Pod>): () => void {
    const removeHandlers = [
      services.handle({
        added: (service) => this.setService(service),
        updated: (_, service) => this.setService(service),
        deleted: (service) => this.deleteService(service),
      }),
      pods.handle({
        added: (pod) => this.setPod(pod),
        updated: (_, pod) => this.setPod(pod),
        deleted: (pod) => this.deletePod(pod),
      }),
    ];
    return () => {
      for (const removeHandler of removeHandlers) removeHandler();
    };
  }

  /** `key`: of the Service. Undefined when it does not exist. */
  service(namespace: string, key: string): ServiceView | undefined {
    return this.namespaces.get(namespace)?.services.get(key);
  }

  /** The pods that the Service selects, in any order; empty when it selects none. */
  podsOf(service: ServiceView): readonly PodView[] {
    return this.namespaces.get(service.namespace)?.podsOf(service) ?? [];
  }

  private setService(service: Service): void {
    const key = keyOf(service);
    this.indexOf(service.namespace).setService(key, serviceView(service, this.prefix));
    this.handlers.serviceChanged(key);
  }

  private deleteService(service: Service): void {
    this.namespaces.get(service.namespace)?.deleteService(keyOf(service));
    this.removeIfEmpty(service.namespace);
    this.handlers.serviceChanged(keyOf(service));
  }

  private setPod(pod: Pod): void {
    const view = podView(pod);
    const index = this.indexOf(pod.namespace);
    const previous = index.pods.get(keyOf(pod));
    // Most changes of a pod do not change its view. Keeping the same view keeps what was cached for it.
    if (previous !== undefined && JSON.stringify(previous) === JSON.stringify(view)) return;
    index.setPod(keyOf(pod), view);
    this.notify(index, previous === undefined ? [view] : [previous, view]);
  }

  private deletePod(pod: Pod): void {
    const index = this.namespaces.get(pod.namespace);
    const previous = index?.deletePod(keyOf(pod));
    if (index !== undefined && previous !== undefined) this.notify(index, [previous]);
    this.removeIfEmpty(pod.namespace);
  }

  private notify(index: SelectionIndex, views: readonly PodView[]): void {
    for (const key of index.servicesOf(views)) this.handlers.podsChanged(key);
  }

  private indexOf(namespace: string): SelectionIndex {
    const index = this.namespaces.get(namespace) ?? new SelectionIndex();
    this.namespaces.set(namespace, index);
    return index;
  }

  private removeIfEmpty(namespace: string): void {
    if (this.namespaces.get(namespace)?.isEmpty === true) this.namespaces.delete(namespace);
  }
}
