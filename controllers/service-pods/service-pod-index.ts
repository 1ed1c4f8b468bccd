/**
 * Holds the views of all Services and pods, parsed once per change, and calls back for each Service that changed or has
 * changed pods: a changed pod concerns the Services that select it now or selected it before.
 */
import type { CoreV1Pod, CoreV1Service } from '../../shared/api/types/generated/members';
import { keyOf } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { isSelected, podView, type PodView } from './pod-view';
import type { Pod, Service } from '../../shared/client/rest/typed-objects';
import { serviceView, type ServiceView } from './service-view';

/** Called with the key of the Service. */
export interface ServiceHandlers {
  /** The Service was added, changed or deleted. */
  serviceChanged(key: string): void;
  /** A pod that it selects, or selected before, changed. */
  podsChanged(key: string): void;
}

export class ServicePodIndex {
  private readonly services = new Map<string, Map<string, ServiceView>>();
  private readonly pods = new Map<string, Map<string, PodView>>();

  constructor(
    /** The prefix of label and annotation keys in the server's dialect. */
    private readonly prefix: string,
    private readonly handlers: ServiceHandlers,
  ) {}

  /** Returns a function that removes the handlers from the informers. */
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

  service(namespace: string, key: string): ServiceView | undefined {
    return this.services.get(namespace)?.get(key);
  }

  podsOf(service: ServiceView): readonly PodView[] {
    return [...(this.pods.get(service.namespace)?.values() ?? [])].filter((pod) => isSelected(pod, service));
  }

  private setService(service: Service): void {
    const key = keyOf(service);
    setIn(this.services, service.namespace, key, serviceView(service, this.prefix));
    this.handlers.serviceChanged(key);
  }

  private deleteService(service: Service): void {
    deleteIn(this.services, service.namespace, keyOf(service));
    this.handlers.serviceChanged(keyOf(service));
  }

  private setPod(pod: Pod): void {
    const view = podView(pod);
    const previous = this.pods.get(pod.namespace)?.get(keyOf(pod));
    // Most changes of a pod do not change its view. Keeping the same view keeps what was cached for it.
    if (previous !== undefined && JSON.stringify(previous) === JSON.stringify(view)) return;
    setIn(this.pods, pod.namespace, keyOf(pod), view);
    this.notify(previous, view);
  }

  private deletePod(pod: Pod): void {
    this.notify(deleteIn(this.pods, pod.namespace, keyOf(pod)), undefined);
  }

  private notify(previous: PodView | undefined, current: PodView | undefined): void {
    const namespace = (current ?? previous)?.namespace ?? '';
    for (const [key, service] of this.services.get(namespace) ?? []) {
      if ([previous, current].some((pod) => pod !== undefined && isSelected(pod, service))) this.handlers.podsChanged(key);
    }
  }
}

type ByNamespace<V> = Map<string, Map<string, V>>;

function setIn<V>(namespaces: ByNamespace<V>, namespace: string, key: string, value: V): void {
  const values = namespaces.get(namespace) ?? new Map<string, V>();
  namespaces.set(namespace, values);
  values.set(key, value);
}

/** Returns the deleted value. */
function deleteIn<V>(namespaces: ByNamespace<V>, namespace: string, key: string): V | undefined {
  const values = namespaces.get(namespace);
  const previous = values?.get(key);
  values?.delete(key);
  if (values?.size === 0) namespaces.delete(namespace);
  return previous;
}
