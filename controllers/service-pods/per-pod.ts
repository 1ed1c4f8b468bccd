/**
 * What was made of a pod for a Service, as long as neither has another view: most looks at a Service come because one of its pods has changed. Knows nothing of
 * what is made; it must follow from the two views alone.
 */
import type { PodView } from './pod';
import type { ServiceView } from './service';

export class PerPod<T> {
  private readonly known = new WeakMap<ServiceView, WeakMap<PodView, T>>();

  constructor(private readonly make: (service: ServiceView, pod: PodView) => T) {}

  of(service: ServiceView, pod: PodView): T {
    let pods = this.known.get(service);
    if (pods === undefined) this.known.set(service, (pods = new WeakMap()));
    let made = pods.get(pod);
    if (made === undefined) pods.set(pod, (made = this.make(service, pod)));
    return made;
  }
}
