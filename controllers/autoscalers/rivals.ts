/**
 * Which pods each autoscaler scales, and which others scale the same ones: known from the selectors of the targets that were asked, and kept up to date change by change, so
 * that a look at one autoscaler costs no look at all pods or at all autoscalers. Never asks anybody.
 */
import {
  compileLabelSelector,
  parseLabelSelector,
  type LabelMatcher,
  type LabelRequirement,
} from '../../shared/api/selectors/label-selector';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { otherQualifiedName } from '../../shared/names/dialect';
import type { Steps } from '../../shared/scheduling/steps';
import { labelsOf } from '../runtime/pods';

/** A selector, of one autoscaler or of several. */
interface Selecting {
  readonly selector: string;
  readonly matches: LabelMatcher;
  /** A label that all of its pods bear (`app=a`); undefined = there is none that is known. */
  readonly mark: string | undefined;
  /** By name. */
  readonly pods: Map<string, ApiObject>;
  /** Of autoscalers. */
  readonly names: Set<string>;
  /** All pods that were there have been looked at. */
  isFilled: boolean;
}

interface Scope {
  /** By the autoscalers' names. */
  readonly scalers: Map<string, Selecting>;
  readonly selectors: Map<string, Selecting>;
  readonly marked: Map<string, Set<Selecting>>;
  readonly unmarked: Set<Selecting>;
  /** Which of them select a pod, by its name. */
  readonly covered: Map<string, readonly Selecting[]>;
}

export interface SelectedPods {
  readonly pods: readonly ApiObject[];
  /** Keys of all that select one of them. */
  readonly rivals: readonly string[];
}

/** Pods that are looked at before others have their turn. */
const STRIDE = 256;

export class Rivals {
  /** By namespace. */
  private readonly scopes = new Map<string, Scope>();

  constructor(private readonly known: Pick<Informer, 'list' | 'byKey'>) {}

  /** Entries of all kinds, for the bound that is tested. */
  get size(): number {
    let size = 0;
    for (const { scalers, selectors, marked, unmarked, covered } of this.scopes.values()) {
      size += 1 + scalers.size + selectors.size + marked.size + unmarked.size + covered.size;
    }
    return size;
  }

  /** The selector is one that can be read. All pods are looked at where nobody has had it. */
  *set(autoscaler: ApiObject, selector: string): Steps<void> {
    const { namespace, name } = autoscaler;
    const before = this.scopes.get(namespace)?.scalers.get(name);
    if (before?.selector === selector && before.isFilled) return;
    this.forget(autoscaler);
    const scope = this.scopes.get(namespace) ?? newScope();
    this.scopes.set(namespace, scope);
    const selecting = scope.selectors.get(selector) ?? newSelecting(selector);
    selecting.names.add(name);
    scope.scalers.set(name, selecting);
    addTo(scope, selecting);
    if (!selecting.isFilled) yield* this.fill(namespace, scope, selecting);
  }

  forget({ namespace, name }: Pick<ApiObject, 'namespace' | 'name'>): void {
    const scope = this.scopes.get(namespace);
    const selecting = scope?.scalers.get(name);
    if (scope === undefined || selecting === undefined) return;
    scope.scalers.delete(name);
    selecting.names.delete(name);
    if (selecting.names.size === 0) removeFrom(scope, selecting);
    if (scope.scalers.size === 0) this.scopes.delete(namespace);
  }

  setPod(pod: ApiObject): void {
    const scope = this.scopes.get(pod.namespace);
    if (scope === undefined) return;
    uncover(scope, pod.name);
    const labels = labelsOf(pod);
    for (const one of candidates(scope, labels)) if (one.matches(labels)) cover(scope, one, pod);
  }

  removePod({ namespace, name }: Pick<ApiObject, 'namespace' | 'name'>): void {
    const scope = this.scopes.get(namespace);
    if (scope !== undefined) uncover(scope, name);
  }

  /** The pods that an autoscaler scales, and who else does. */
  *select({ namespace, name }: ApiObject): Steps<SelectedPods> {
    const scope = this.scopes.get(namespace);
    const own = scope?.scalers.get(name);
    if (scope === undefined || own === undefined || own.pods.size === 0) return { pods: [], rivals: [] };
    const pods = [...own.pods.values()];
    const all = new Set([own]);
    for (const [index, pod] of pods.entries()) {
      for (const one of scope.covered.get(pod.name) ?? []) all.add(one);
      if (index % STRIDE === STRIDE - 1) yield;
    }
    return { pods, rivals: [...all].flatMap(({ names }) => [...names].map((other) => keyOf({ namespace, name: other }))) };
  }

  /** What changes meanwhile is told by its own change. */
  private *fill(namespace: string, scope: Scope, selecting: Selecting): Steps<void> {
    for (const [index, { name, namespace: whose }] of this.known.list().entries()) {
      // Nobody has it any more.
      if (selecting.names.size === 0) return;
      const pod = whose === namespace ? this.known.byKey(keyOf({ namespace, name })) : undefined;
      if (pod !== undefined && selecting.matches(labelsOf(pod))) cover(scope, selecting, pod);
      if (index % STRIDE === STRIDE - 1) yield;
    }
    selecting.isFilled = true;
  }
}

const newScope = (): Scope => ({ scalers: new Map(), selectors: new Map(), marked: new Map(), unmarked: new Set(), covered: new Map() });

/** Nothing is selected without a selector. */
function newSelecting(selector: string): Selecting {
  const requirements = parseLabelSelector(selector);
  const matches = selector === '' ? () => false : compileLabelSelector(requirements);
  return { selector, matches, mark: markIn(requirements), pods: new Map(), names: new Set(), isFilled: selector === '' };
}

/** Keys of two spellings are none: pods may bear the other one. */
function markIn(requirements: readonly LabelRequirement[]): string | undefined {
  const found = requirements.find(
    ({ key, operator, values }) => (operator === '=' || operator === 'in') && values.length === 1 && otherQualifiedName(key) === undefined,
  );
  return found === undefined ? undefined : mark(found.key, found.values[0] ?? '');
}

const mark = (key: string, value: string): string => `${key}=${value}`;

function addTo({ selectors, marked, unmarked }: Scope, selecting: Selecting): void {
  selectors.set(selecting.selector, selecting);
  if (selecting.mark === undefined) unmarked.add(selecting);
  else marked.set(selecting.mark, (marked.get(selecting.mark) ?? new Set()).add(selecting));
}

function removeFrom(scope: Scope, selecting: Selecting): void {
  const { selectors, marked, unmarked, covered } = scope;
  selectors.delete(selecting.selector);
  unmarked.delete(selecting);
  const beside = selecting.mark === undefined ? undefined : marked.get(selecting.mark);
  beside?.delete(selecting);
  if (selecting.mark !== undefined && beside?.size === 0) marked.delete(selecting.mark);
  for (const name of selecting.pods.keys()) {
    const others = (covered.get(name) ?? []).filter((one) => one !== selecting);
    if (others.length === 0) covered.delete(name);
    else covered.set(name, others);
  }
}

function cover({ covered }: Scope, selecting: Selecting, pod: ApiObject): void {
  const known = covered.get(pod.name) ?? [];
  if (!known.includes(selecting)) covered.set(pod.name, [...known, selecting]);
  selecting.pods.set(pod.name, pod);
}

function uncover({ covered }: Scope, name: string): void {
  for (const { pods } of covered.get(name) ?? []) pods.delete(name);
  covered.delete(name);
}

function* candidates({ marked, unmarked }: Scope, labels: Readonly<Record<string, string>>): Generator<Selecting> {
  for (const [key, value] of Object.entries(labels)) yield* marked.get(mark(key, value)) ?? [];
  yield* unmarked;
}
