/**
 * The Services and pods of one namespace, indexed by labels. A Service is found by the first label of its selector, and a
 * pod by those of its labels that have the key of such a label. A changed pod is therefore not compared with all
 * Services, nor a Service with all pods. The keys of labels are in canonical spelling, because a selector selects labels
 * in either spelling.
 */
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { isSelected, type PodView } from './pod-view';
import type { ServiceView } from './service-view';

/** The Services and pods with one label. */
interface LabelledItems {
  /** By their keys. */
  readonly services: Map<string, ServiceView>;
  readonly pods: Map<string, PodView>;
}

/** The items with a label of one key. */
interface KeyItems {
  readonly byValue: Map<string, LabelledItems>;
  /** The number of Services that are found by the key. */
  serviceCount: number;
}

interface Label {
  readonly key: string;
  readonly value: string;
}

/** Services and pods are named by their keys. */
export class SelectionIndex {
  readonly services = new Map<string, ServiceView>();
  readonly pods = new Map<string, PodView>();
  /** By the keys of labels by which Services are found; a key is removed with its last Service. */
  private readonly byKey = new Map<string, KeyItems>();

  /** Whether it holds neither a Service nor a pod. */
  get isEmpty(): boolean {
    return this.services.size === 0 && this.pods.size === 0;
  }

  /** The number of entries below the labels, for the test of the bound. */
  get labelledItems(): number {
    let items = 0;
    for (const { byValue } of this.byKey.values()) for (const { services, pods } of byValue.values()) items += services.size + pods.size;
    return items;
  }

  /** Adds the Service, or replaces the view that it had. */
  setService(key: string, service: ServiceView): void {
    this.deleteService(key);
    this.services.set(key, service);
    const label = labelOf(service);
    if (label === undefined) return;
    const items = this.itemsOfKey(label.key);
    items.serviceCount += 1;
    itemsWith(items, label.value).services.set(key, service);
  }

  deleteService(key: string): void {
    const service = this.services.get(key);
    this.services.delete(key);
    const label = service === undefined ? undefined : labelOf(service);
    const items = label === undefined ? undefined : this.byKey.get(label.key);
    if (label === undefined || items === undefined) return;
    items.byValue.get(label.value)?.services.delete(key);
    items.serviceCount -= 1;
    removeIfEmpty(items, label.value);
    if (items.serviceCount === 0) this.byKey.delete(label.key);
  }

  /** Adds the pod, or replaces the view that it had. */
  setPod(key: string, pod: PodView): void {
    const previous = this.pods.get(key);
    if (previous !== undefined) this.unlinkPod(key, previous, pod);
    this.pods.set(key, pod);
    for (const [items, value] of this.pairsOfPod(pod)) itemsWith(items, value).pods.set(key, pod);
  }

  /** Returns the view that the pod had; undefined when it was unknown. */
  deletePod(key: string): PodView | undefined {
    const previous = this.pods.get(key);
    if (previous !== undefined) this.unlinkPod(key, previous);
    this.pods.delete(key);
    return previous;
  }

  /** The keys of the Services that select one of the views. */
  servicesOf(pods: readonly PodView[]): ReadonlySet<string> {
    const selecting = new Set<string>();
    for (const pod of pods) this.addServicesOfPod(pod, selecting);
    return selecting;
  }

  private addServicesOfPod(pod: PodView, selecting: Set<string>): void {
    for (const [{ byValue }, value] of this.pairsOfPod(pod)) {
      for (const [key, service] of byValue.get(value)?.services ?? []) if (isSelected(pod, service)) selecting.add(key);
    }
  }

  /** The pods that the Service selects; empty for a Service without a selector. */
  podsOf(service: ServiceView): readonly PodView[] {
    const label = labelOf(service);
    if (label === undefined) return [];
    const items = this.byKey.get(label.key);
    // A Service that has been deleted meanwhile may have been the last one with the key.
    const candidates = items === undefined ? this.pods : items.byValue.get(label.value)?.pods;
    return [...(candidates?.values() ?? [])].filter((pod) => isSelected(pod, service));
  }

  /** The items of a label key; all pods are searched for a new one. */
  private itemsOfKey(key: string): KeyItems {
    const existing = this.byKey.get(key);
    if (existing !== undefined) return existing;
    const items: KeyItems = { byValue: new Map(), serviceCount: 0 };
    this.byKey.set(key, items);
    for (const [podKey, pod] of this.pods) {
      for (const [labelKey, value] of Object.entries(pod.labels)) {
        if (canonicalQualifiedName(labelKey) === key) itemsWith(items, value).pods.set(podKey, pod);
      }
    }
    return items;
  }

  /** The label keys by which Services are found, with the value that the pod has. */
  private *pairsOfPod({ labels }: PodView): Generator<readonly [KeyItems, string]> {
    for (const [key, value] of Object.entries(labels)) {
      const items = this.byKey.get(canonicalQualifiedName(key));
      if (items !== undefined) yield [items, value];
    }
  }

  /** Removes the entries of the pod. Those that `next`, its new view, has too stay, and keep their position. */
  private unlinkPod(key: string, pod: PodView, next?: PodView): void {
    const kept = next === undefined ? [] : [...this.pairsOfPod(next)];
    for (const [items, value] of this.pairsOfPod(pod)) {
      if (kept.some((pair) => pair[0] === items && pair[1] === value)) continue;
      items.byValue.get(value)?.pods.delete(key);
      removeIfEmpty(items, value);
    }
  }
}

/** The label by which a Service is found; undefined when it selects no pods. */
function labelOf({ selector }: ServiceView): Label | undefined {
  const [first] = Object.entries(selector ?? {});
  return first === undefined ? undefined : { key: canonicalQualifiedName(first[0]), value: first[1] };
}

function itemsWith({ byValue }: KeyItems, value: string): LabelledItems {
  const items = byValue.get(value) ?? { services: new Map<string, ServiceView>(), pods: new Map<string, PodView>() };
  byValue.set(value, items);
  return items;
}

function removeIfEmpty({ byValue }: KeyItems, value: string): void {
  const items = byValue.get(value);
  if (items?.services.size === 0 && items.pods.size === 0) byValue.delete(value);
}
