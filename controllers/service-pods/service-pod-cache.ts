/**
 * Caches a value that is computed from the views of a Service and of a pod, until either view changes. Most syncs of a
 * Service follow a change of one of its pods, so the values of the other pods are reused.
 */
import type { PodView } from './pod-view';
import type { ServiceView } from './service-view';

/** Entries end with the views: nothing has to be removed. */
export class ServicePodCache<T> {
  private readonly values = new WeakMap<ServiceView, WeakMap<PodView, T>>();

  /** `compute` must depend on the two views only. */
  constructor(private readonly compute: (service: ServiceView, pod: PodView) => T) {}

  get(service: ServiceView, pod: PodView): T {
    const byPod = this.values.get(service) ?? this.addService(service);
    const cached = byPod.get(pod);
    if (cached !== undefined) return cached;
    const value = this.compute(service, pod);
    byPod.set(pod, value);
    return value;
  }

  private addService(service: ServiceView): WeakMap<PodView, T> {
    const byPod = new WeakMap<PodView, T>();
    this.values.set(service, byPod);
    return byPod;
  }
}
