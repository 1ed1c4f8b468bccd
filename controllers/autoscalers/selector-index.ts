/**
 * Indexes pods by the selectors of the targets of autoscalers, to find the pods of an autoscaler and the other
 * autoscalers that select one of them. Updated with each change of a pod or selector, so that a reconciliation scans
 * neither all pods nor all autoscalers. The controller sets the selectors after it has read the scales.
 */
import {
  compileLabelSelector,
  parseLabelSelector,
  type LabelMatcher,
  type LabelRequirement,
} from '../../shared/api/selectors/label-selector';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import type { CoreV1Pod } from '../../shared/api/types/generated/members';
import { otherQualifiedName } from '../../shared/names/dialect';
import type { Steps } from '../../shared/scheduling/steps';
import { labelsOf } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';

/** A selector of one or several autoscalers in a namespace. */
interface IndexedSelector {
  readonly selector: string;
  readonly matches: LabelMatcher;
  /** A label that every selected pod has (`app=a`); undefined when the selector requires no such label. */
  readonly requiredLabel: string | undefined;
  /** By name. */
  readonly pods: Map<string, Pod>;
  /** Names of the autoscalers. */
  readonly autoscalers: Set<string>;
  /** Whether the scan of the existing pods is complete. */
  isFilled: boolean;
}

/** The selectors of the autoscalers of one namespace. Autoscalers and pods are named without it. */
interface NamespaceIndex {
  readonly byAutoscaler: Map<string, IndexedSelector>;
  readonly bySelector: Map<string, IndexedSelector>;
  readonly byRequiredLabel: Map<string, Set<IndexedSelector>>;
  readonly withoutRequiredLabel: Set<IndexedSelector>;
  /** The selectors that match a pod, by the pod's name. */
  readonly byPod: Map<string, readonly IndexedSelector[]>;
}

/** The pods of one autoscaler. */
export interface SelectedPods {
  readonly pods: readonly Pod[];
  /** Keys of the autoscalers that select one of the pods; empty without pods. */
  readonly selectingAutoscalers: readonly string[];
}

/** The number of pods that are scanned in one step; between steps the caller may yield to the event loop. */
const PODS_PER_STEP = 256;

type NamespacedName = Pick<ApiObject, 'namespace' | 'name'>;

/** `pods`: the informer of all pods, which is scanned for new selectors. */
export class SelectorIndex {
  private readonly namespaces = new Map<string, NamespaceIndex>();

  constructor(private readonly pods: Pick<Informer<CoreV1Pod>, 'list' | 'byKey'>) {}

  /** Number of entries, for the test of the bound. */
  get size(): number {
    let size = 0;
    for (const { byAutoscaler, bySelector, byRequiredLabel, withoutRequiredLabel, byPod } of this.namespaces.values()) {
      size += 1 + byAutoscaler.size + bySelector.size + byRequiredLabel.size + withoutRequiredLabel.size + byPod.size;
    }
    return size;
  }

  /**
   * Sets the autoscaler's selector, which must be valid. A selector that no autoscaler of the namespace had before is
   * matched against all pods, in steps.
   */
  *set(autoscaler: NamespacedName, selector: string): Steps<void> {
    const { namespace, name } = autoscaler;
    const previous = this.namespaces.get(namespace)?.byAutoscaler.get(name);
    if (previous?.selector === selector && previous.isFilled) return;
    this.forget(autoscaler);
    const index = this.namespaces.get(namespace) ?? newNamespaceIndex();
    this.namespaces.set(namespace, index);
    const entry = index.bySelector.get(selector) ?? newEntry(selector);
    entry.autoscalers.add(name);
    index.byAutoscaler.set(name, entry);
    addEntry(index, entry);
    if (!entry.isFilled) yield* this.fill(namespace, index, entry);
  }

  /** Removes the autoscaler, and its selector unless another autoscaler of the namespace has the same. */
  forget({ namespace, name }: NamespacedName): void {
    const index = this.namespaces.get(namespace);
    const entry = index?.byAutoscaler.get(name);
    if (index === undefined || entry === undefined) return;
    index.byAutoscaler.delete(name);
    entry.autoscalers.delete(name);
    if (entry.autoscalers.size === 0) removeEntry(index, entry);
    if (index.byAutoscaler.size === 0) this.namespaces.delete(namespace);
  }

  /** Call it for each added or updated pod. */
  setPod(pod: Pod): void {
    const index = this.namespaces.get(pod.namespace);
    if (index === undefined) return;
    unlinkPod(index, pod.name);
    const labels = labelsOf(pod);
    for (const entry of candidateEntries(index, labels)) if (entry.matches(labels)) linkPod(index, entry, pod);
  }

  /** Call it for each deleted pod. */
  removePod({ namespace, name }: NamespacedName): void {
    const index = this.namespaces.get(namespace);
    if (index !== undefined) unlinkPod(index, name);
  }

  /** The pods that the autoscaler's selector matches; none before {@link set}. */
  *select({ namespace, name }: NamespacedName): Steps<SelectedPods> {
    const index = this.namespaces.get(namespace);
    const entry = index?.byAutoscaler.get(name);
    if (index === undefined || entry === undefined || entry.pods.size === 0) return { pods: [], selectingAutoscalers: [] };
    const pods = [...entry.pods.values()];
    const entries = new Set([entry]);
    for (const [position, pod] of pods.entries()) {
      for (const selecting of index.byPod.get(pod.name) ?? []) entries.add(selecting);
      if (position % PODS_PER_STEP === PODS_PER_STEP - 1) yield;
    }
    const names = [...entries].flatMap(({ autoscalers }) => [...autoscalers]);
    return { pods, selectingAutoscalers: names.map((autoscaler) => keyOf({ namespace, name: autoscaler })) };
  }

  /**
   * Matches all pods of the namespace. Pods that change during the scan are updated by {@link setPod} and {@link
   * removePod}.
   */
  private *fill(namespace: string, index: NamespaceIndex, entry: IndexedSelector): Steps<void> {
    for (const [position, listed] of this.pods.list().entries()) {
      // The last autoscaler with the selector was forgotten during the scan.
      if (entry.autoscalers.size === 0) return;
      const pod = listed.namespace === namespace ? this.pods.byKey(keyOf(listed)) : undefined;
      if (pod !== undefined && entry.matches(labelsOf(pod))) linkPod(index, entry, pod);
      if (position % PODS_PER_STEP === PODS_PER_STEP - 1) yield;
    }
    entry.isFilled = true;
  }
}

const newNamespaceIndex = (): NamespaceIndex => ({
  byAutoscaler: new Map(),
  bySelector: new Map(),
  byRequiredLabel: new Map(),
  withoutRequiredLabel: new Set(),
  byPod: new Map(),
});

/** An empty selector matches no pod. Throws SelectorError for an invalid one. */
function newEntry(selector: string): IndexedSelector {
  const requirements = parseLabelSelector(selector);
  const matches = selector === '' ? () => false : compileLabelSelector(requirements);
  const requiredLabel = requiredLabelOf(requirements);
  return { selector, matches, requiredLabel, pods: new Map(), autoscalers: new Set(), isFilled: selector === '' };
}

/**
 * The label that every selected pod has, as `key=value`. Skips keys that have two spellings: a pod may have either of
 * them.
 */
function requiredLabelOf(requirements: readonly LabelRequirement[]): string | undefined {
  const requirement = requirements.find(
    ({ key, operator, values }) => (operator === '=' || operator === 'in') && values.length === 1 && otherQualifiedName(key) === undefined,
  );
  return requirement === undefined ? undefined : formatLabel(requirement.key, requirement.values[0] ?? '');
}

const formatLabel = (key: string, value: string): string => `${key}=${value}`;

function addEntry({ bySelector, byRequiredLabel, withoutRequiredLabel }: NamespaceIndex, entry: IndexedSelector): void {
  const { selector, requiredLabel } = entry;
  bySelector.set(selector, entry);
  if (requiredLabel === undefined) withoutRequiredLabel.add(entry);
  else byRequiredLabel.set(requiredLabel, (byRequiredLabel.get(requiredLabel) ?? new Set()).add(entry));
}

function removeEntry(index: NamespaceIndex, entry: IndexedSelector): void {
  const { bySelector, byRequiredLabel, withoutRequiredLabel, byPod } = index;
  bySelector.delete(entry.selector);
  withoutRequiredLabel.delete(entry);
  const sameLabel = entry.requiredLabel === undefined ? undefined : byRequiredLabel.get(entry.requiredLabel);
  sameLabel?.delete(entry);
  if (entry.requiredLabel !== undefined && sameLabel?.size === 0) byRequiredLabel.delete(entry.requiredLabel);
  for (const name of entry.pods.keys()) {
    const others = (byPod.get(name) ?? []).filter((other) => other !== entry);
    if (others.length === 0) byPod.delete(name);
    else byPod.set(name, others);
  }
}

function linkPod({ byPod }: NamespaceIndex, entry: IndexedSelector, pod: Pod): void {
  const entries = byPod.get(pod.name) ?? [];
  if (!entries.includes(entry)) byPod.set(pod.name, [...entries, entry]);
  entry.pods.set(pod.name, pod);
}

function unlinkPod({ byPod }: NamespaceIndex, name: string): void {
  for (const { pods } of byPod.get(name) ?? []) pods.delete(name);
  byPod.delete(name);
}

/** The entries that may match a pod with these labels. */
function* candidateEntries(
  { byRequiredLabel, withoutRequiredLabel }: NamespaceIndex,
  labels: Readonly<Record<string, string>>,
): Generator<IndexedSelector> {
  for (const [key, value] of Object.entries(labels)) yield* byRequiredLabel.get(formatLabel(key, value)) ?? [];
  yield* withoutRequiredLabel;
}
