/**
 * The result of an attempt to delete the content of a namespace, and the conditions that report it. Their types, reasons
 * and messages are upstream's, except the message about versions that cannot be parsed. The functions are pure.
 */
import type { CoreV1Namespace, CoreV1NamespaceCondition } from '../../shared/api/types/generated/members';
import { equalJson } from '../../shared/values/json';
import { conditionsOf, transitionTime } from '../runtime/conditions';

/** The objects of one resource that remain after an attempt. */
export interface RemainingContent {
  /** `pods.`, `deployments.apps`: the dot precedes an empty group as well. */
  readonly resource: string;
  readonly count: number;
  /** Number of objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** The longest grace period of the objects, in seconds; 0 when they have none. */
  readonly graceSeconds: number;
  /** Some of the objects with their finalizers, for the log: `a (x.y/z)`. */
  readonly examples: readonly string[];
}

/** The outcome of one attempt over all resources. */
export interface DeletionAttempt {
  /** The versions, as `group/version`, that discovery could not describe. */
  readonly staleVersions: readonly string[];
  /** The texts in discovery that are no `group/version`. */
  readonly malformedVersions: readonly string[];
  /** A message for each resource that could not be listed or deleted. */
  readonly failures: readonly string[];
  readonly remaining: readonly RemainingContent[];
}

/** Whether nothing remains and nothing failed, so that the namespace can be finalized. */
export function isContentDeleted(attempt: DeletionAttempt): boolean {
  return !hasFailed(attempt) && attempt.remaining.length === 0;
}

/** Whether discovery, a list or a deletion failed. Remaining objects are no failure. */
export function hasFailed({ staleVersions, malformedVersions, failures }: DeletionAttempt): boolean {
  return staleVersions.length > 0 || malformedVersions.length > 0 || failures.length > 0;
}

/**
 * The longest grace period of all remaining objects, in seconds, from its start and not from now; 0 when no object has
 * one.
 */
export function longestGraceSeconds({ remaining }: DeletionAttempt): number {
  return Math.max(0, ...remaining.map(({ graceSeconds }) => graceSeconds));
}

/** A condition without its transition time. */
interface DeletionCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The five conditions, in the order in which upstream appends them. */
function deletionConditions({ staleVersions, malformedVersions, failures, remaining }: DeletionAttempt): readonly DeletionCondition[] {
  const finalizers = new Map<string, number>();
  for (const content of remaining) {
    for (const [name, count] of content.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  }
  const remainingCounts = remaining.map(({ resource, count }) => [resource, count] as const);
  return [
    newCondition('NamespaceDeletionDiscoveryFailure', staleVersions, {
      whenTrue: ['DiscoveryFailed', discoveryMessage(staleVersions)],
      whenFalse: ['ResourcesDiscovered', 'All resources successfully discovered'],
    }),
    newCondition('NamespaceDeletionGroupVersionParsingFailure', malformedVersions, {
      whenTrue: ['GroupVersionParsingFailed', `Group versions that cannot be parsed: ${[...malformedVersions].sort().join(', ')}`],
      whenFalse: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    }),
    newCondition('NamespaceDeletionContentFailure', failures, {
      whenTrue: [
        'ContentDeletionFailed',
        `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`,
      ],
      whenFalse: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    }),
    newCondition('NamespaceContentRemaining', remaining, {
      whenTrue: ['SomeResourcesRemain', `Some resources are remaining: ${instanceCounts(remainingCounts, 'has')}`],
      whenFalse: ['ContentRemoved', 'All content successfully removed'],
    }),
    newCondition('NamespaceFinalizersRemaining', [...finalizers], {
      whenTrue: [
        'SomeFinalizersRemain',
        `Some content in the namespace has finalizers remaining: ${instanceCounts([...finalizers], 'in')}`,
      ],
      whenFalse: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    }),
  ];
}

type ReasonAndMessage = readonly [reason: string, message: string];

/** The condition is True when there are any problems. */
function newCondition(
  type: string,
  problems: readonly unknown[],
  { whenTrue, whenFalse }: { readonly whenTrue: ReasonAndMessage; readonly whenFalse: ReasonAndMessage },
): DeletionCondition {
  const isTrue = problems.length > 0;
  const [reason, message] = isTrue ? whenTrue : whenFalse;
  return { type, status: isTrue ? 'True' : 'False', reason, message };
}

function discoveryMessage(staleVersions: readonly string[]): string {
  const details = [...staleVersions]
    .sort()
    .map((groupVersion) => `${groupVersion}: stale GroupVersion discovery: ${groupVersion}`)
    .join(', ');
  return `Discovery failed for some groups, ${staleVersions.length} failing: unable to retrieve the complete list of server APIs: ${details}`;
}

function instanceCounts(counts: readonly (readonly [name: string, count: number])[], verb: 'has' | 'in'): string {
  return [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
    .sort()
    .join(', ');
}

/**
 * The namespace with the conditions of the attempt; undefined when it has them already. A condition's transition time
 * changes only with its status, and conditions of other types stay. `now`: RFC 3339.
 */
export function withDeletionConditions(namespace: CoreV1Namespace, attempt: DeletionAttempt, now: string): CoreV1Namespace | undefined {
  const observed = conditionsOf(namespace);
  const desired = deletionConditions(attempt);
  const types = new Set(desired.map(({ type }) => type));
  const conditions: CoreV1NamespaceCondition[] = [
    ...observed.filter(({ type = '' }) => !types.has(type)),
    ...desired.map(({ type, status, reason, message }) => ({
      type,
      status,
      lastTransitionTime: transitionTime(observed, type, status, now),
      reason,
      message,
    })),
  ];
  if (equalJson([...observed], conditions)) return undefined;
  return { ...namespace, status: { ...namespace.status, conditions } };
}
