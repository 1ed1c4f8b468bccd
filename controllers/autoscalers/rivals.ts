/** Which autoscalers scale the same pods: known from the selectors of the targets that were asked, by namespace. Never asks anybody. */
import { compileLabelSelector, parseLabelSelector, type LabelMatcher } from '../../shared/api/selectors/label-selector';
import { keyOf, type ApiObject } from '../../shared/client/api-object';
import type { Steps } from '../../shared/values/steps';
import { labelsOf } from '../runtime/pods';

interface Selecting {
  readonly selector: string;
  readonly matches: LabelMatcher;
}

export interface SelectedPods {
  readonly pods: readonly ApiObject[];
  /** Keys of all that select one of them. */
  readonly rivals: readonly string[];
}

/** Pods that are looked at before others have their turn. */
const STRIDE = 256;

export class Rivals {
  /** By namespace, then by name. */
  private readonly known = new Map<string, Map<string, Selecting>>();

  /** The selector is one that can be read. */
  set({ namespace, name }: ApiObject, selector: string): void {
    const names = this.known.get(namespace) ?? new Map<string, Selecting>();
    this.known.set(namespace, names);
    if (names.get(name)?.selector !== selector) names.set(name, { selector, matches: matcherOf(selector) });
  }

  forget({ namespace, name }: Pick<ApiObject, 'namespace' | 'name'>): void {
    const names = this.known.get(namespace);
    names?.delete(name);
    if (names?.size === 0) this.known.delete(namespace);
  }

  /** Of the pods of its namespace those that an autoscaler scales, and who else does. */
  *select({ namespace, name }: ApiObject, all: readonly ApiObject[]): Steps<SelectedPods> {
    const names = this.known.get(namespace) ?? new Map<string, Selecting>();
    const own = names.get(name);
    if (own === undefined) return { pods: [], rivals: [] };
    const selected = yield* matching(all, own.matches);
    const rivals: string[] = [];
    for (const [other, { selector, matches }] of names) {
      const isRival = selected.length > 0 && (selector === own.selector || (yield* matchesOne(selected, matches)));
      if (isRival) rivals.push(keyOf({ namespace, name: other }));
    }
    return { pods: selected.map(({ pod }) => pod), rivals };
  }
}

interface Labelled {
  readonly pod: ApiObject;
  readonly labels: Readonly<Record<string, string>>;
}

function* matching(pods: readonly ApiObject[], matches: LabelMatcher): Steps<readonly Labelled[]> {
  const found: Labelled[] = [];
  for (const [index, pod] of pods.entries()) {
    const labels = labelsOf(pod);
    if (matches(labels)) found.push({ pod, labels });
    if (index % STRIDE === STRIDE - 1) yield;
  }
  return found;
}

function* matchesOne(pods: readonly Labelled[], matches: LabelMatcher): Steps<boolean> {
  for (const [index, { labels }] of pods.entries()) {
    if (matches(labels)) return true;
    if (index % STRIDE === STRIDE - 1) yield;
  }
  yield;
  return false;
}

/** Nothing without a selector. */
const matcherOf = (selector: string): LabelMatcher => (selector === '' ? () => false : compileLabelSelector(parseLabelSelector(selector)));
