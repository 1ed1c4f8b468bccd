/**
 * Services and pods as controllers see them that lead the ones to the others: parsed once at each change, and which Services a changed pod belongs to or
 * belonged to. Says whose state has to be looked at; never looks itself.
 */
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { isSelected, podView, type PodView } from './pod';
import { serviceView, type ServiceView } from './service';

export interface ServiceChanges {
  /** Of a Service, by its key. */
  service(key: string): void;
  /** What this Service leads to may be another. */
  pods(key: string): void;
}

export class ClusterView {
  private readonly services = new Map<string, Map<string, ServiceView>>();
  private readonly pods = new Map<string, Map<string, PodView>>();

  constructor(
    private readonly prefix: string,
    private readonly changes: ServiceChanges,
  ) {}

  /** Returns what ends it. */
  follow(services: Informer, pods: Informer): () => void {
    const unhandle = [
      services.handle({
        added: (object) => this.putService(object),
        updated: (_, object) => this.putService(object),
        deleted: (object) => this.dropService(object),
      }),
      pods.handle({
        added: (object) => this.putPod(object),
        updated: (_, object) => this.putPod(object),
        deleted: (object) => this.dropPod(object),
      }),
    ];
    return () => {
      for (const remove of unhandle) remove();
    };
  }

  service(namespace: string, key: string): ServiceView | undefined {
    return this.services.get(namespace)?.get(key);
  }

  podsOf(service: ServiceView): readonly PodView[] {
    return [...(this.pods.get(service.namespace)?.values() ?? [])].filter((pod) => isSelected(pod, service));
  }

  private putService(object: ApiObject): void {
    const key = keyOf(object);
    put(this.services, object.namespace, key, serviceView(object, this.prefix));
    this.changes.service(key);
  }

  private dropService(object: ApiObject): void {
    drop(this.services, object.namespace, keyOf(object));
    this.changes.service(keyOf(object));
  }

  private putPod(object: ApiObject): void {
    const view = podView(object);
    const before = this.pods.get(object.namespace)?.get(keyOf(object));
    // Most of what changes in a pod leads nowhere, and what was made of its view stays of use.
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(view)) return;
    put(this.pods, object.namespace, keyOf(object), view);
    this.tell(before, view);
  }

  private dropPod(object: ApiObject): void {
    this.tell(drop(this.pods, object.namespace, keyOf(object)), undefined);
  }

  private tell(before: PodView | undefined, now: PodView | undefined): void {
    const namespace = (now ?? before)?.namespace ?? '';
    for (const [key, service] of this.services.get(namespace) ?? []) {
      if ([before, now].some((pod) => pod !== undefined && isSelected(pod, service))) this.changes.pods(key);
    }
  }
}

type ByNamespace<V> = Map<string, Map<string, V>>;

function put<V>(all: ByNamespace<V>, namespace: string, key: string, value: V): void {
  const some = all.get(namespace) ?? new Map<string, V>();
  all.set(namespace, some);
  some.set(key, value);
}

function drop<V>(all: ByNamespace<V>, namespace: string, key: string): V | undefined {
  const some = all.get(namespace);
  const before = some?.get(key);
  some?.delete(key);
  if (some?.size === 0) all.delete(namespace);
  return before;
}
