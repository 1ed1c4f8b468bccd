/**
 * How far the deletion of a namespace has come, and how its conditions say so (types, reasons and texts: upstream behaviour).
 * Decided from what a pass has seen, without a server.
 */
import { arrayAt, equalJson, isObject, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';

/** What is left of one resource after a pass. */
export interface Remainder {
  /** `pods.`, `deployments.apps`: the group stands after a dot even when it is empty. */
  readonly label: string;
  readonly count: number;
  /** How many objects each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Seconds that the objects may still take to end by themselves. */
  readonly graceSeconds: number;
  /** Some of the objects and what holds them, for the log: `a (x.y/z)`. */
  readonly examples: readonly string[];
}

/** What a pass over a namespace has come to. */
export interface Pass {
  /** `group/version`s that the server could not describe. */
  readonly stale: readonly string[];
  readonly malformed: readonly string[];
  /** A text for each resource that could not be deleted or looked at. */
  readonly failures: readonly string[];
  /** Resources with something left. */
  readonly remainders: readonly Remainder[];
}

export function isEmptied(pass: Pass): boolean {
  return pass.stale.length === 0 && pass.malformed.length === 0 && pass.failures.length === 0 && pass.remainders.length === 0;
}

/** Whether the server or an object stood in the way, rather than time. */
export function hasFailed(pass: Pass): boolean {
  return pass.stale.length > 0 || pass.malformed.length > 0 || pass.failures.length > 0;
}

export function graceSeconds(pass: Pass): number {
  return Math.max(0, ...pass.remainders.map((remainder) => remainder.graceSeconds));
}

interface Finding {
  readonly type: string;
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The five conditions, in their order. */
function findings({ stale, malformed, failures, remainders }: Pass): readonly Finding[] {
  const finalizers = new Map<string, number>();
  for (const remainder of remainders) {
    for (const [name, count] of remainder.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  }
  return [
    finding('NamespaceDeletionDiscoveryFailure', stale, {
      bad: ['DiscoveryFailed', discoveryText(stale)],
      good: ['ResourcesDiscovered', 'All resources successfully discovered'],
    }),
    finding('NamespaceDeletionGroupVersionParsingFailure', malformed, {
      bad: ['GroupVersionParsingFailed', `Group versions that cannot be understood: ${[...malformed].sort().join(', ')}`],
      good: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    }),
    finding('NamespaceDeletionContentFailure', failures, {
      bad: [
        'ContentDeletionFailed',
        `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`,
      ],
      good: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    }),
    finding('NamespaceContentRemaining', remainders, {
      bad: [
        'SomeResourcesRemain',
        `Some resources are remaining: ${counts(
          remainders.map(({ label, count }) => [label, count]),
          'has',
        )}`,
      ],
      good: ['ContentRemoved', 'All content successfully removed'],
    }),
    finding('NamespaceFinalizersRemaining', [...finalizers], {
      bad: ['SomeFinalizersRemain', `Some content in the namespace has finalizers remaining: ${counts([...finalizers], 'in')}`],
      good: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    }),
  ];
}

function finding(
  type: string,
  problems: readonly unknown[],
  texts: { readonly bad: readonly [reason: string, message: string]; readonly good: readonly [reason: string, message: string] },
): Finding {
  const isTrue = problems.length > 0;
  const [reason, message] = isTrue ? texts.bad : texts.good;
  return { type, isTrue, reason, message };
}

function discoveryText(stale: readonly string[]): string {
  const each = [...stale]
    .sort()
    .map((groupVersion) => `${groupVersion}: stale GroupVersion discovery: ${groupVersion}`)
    .join(', ');
  return `Discovery failed for some groups, ${stale.length} failing: unable to retrieve the complete list of server APIs: ${each}`;
}

function counts(entries: readonly (readonly [name: string, count: number])[], word: 'has' | 'in'): string {
  return [...entries]
    .map(([name, count]) => `${name} ${word} ${count} resource instances`)
    .sort()
    .join(', ');
}

/**
 * The namespace with the conditions of the pass, or undefined when it says all of it already. A condition's time changes with its status
 * only; conditions of others stay. `now` = RFC 3339.
 */
export function withConditions(namespace: JsonObject, pass: Pass, now: string): JsonObject | undefined {
  const status = objectAt(namespace, 'status') ?? {};
  const before = (arrayAt(status, 'conditions') ?? []).filter(isObject);
  const found = findings(pass);
  const names = new Set(found.map(({ type }) => type));
  const conditions: JsonObject[] = [
    ...before.filter((condition) => !names.has(stringAt(condition, 'type') ?? '')),
    ...found.map(({ type, isTrue, reason, message }) => {
      const value = isTrue ? 'True' : 'False';
      const previous = before.find((condition) => stringAt(condition, 'type') === type);
      const changedAt = previous !== undefined && stringAt(previous, 'status') === value ? own(previous, 'lastTransitionTime') : undefined;
      return { type, status: value, lastTransitionTime: changedAt ?? now, reason, message };
    }),
  ];
  if (equalJson(before, conditions)) return undefined;
  return { ...namespace, status: { ...status, conditions } };
}
