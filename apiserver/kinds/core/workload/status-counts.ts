/**
 * Validates the counts in a workload's status: they are not negative, no part exceeds its total, and `collisionCount`
 * never decreases.
 */
import { invalidShownValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { ownMember, type JsonObject } from '../../../../shared/values/json';
import type { Errors, MemberOf } from '../../rules/checks';
import { checkNonNegative, type Integer } from '../../rules/numbers';
import type { CoreV1ReplicationControllerStatus } from '../../../../shared/api/types/generated/members';

/** The counts of one kind. */
export interface StatusCountRules<T> {
  /** In the order in which errors are reported. */
  readonly counts: readonly MemberOf<T, Integer>[];
  readonly limits?: readonly CountLimit<T>[];
}

/** A count that must not exceed another one. */
interface CountLimit<T> {
  readonly part: MemberOf<T, number>;
  readonly whole: MemberOf<T, number>;
  /** The name of `whole` in messages. */
  readonly shown: string;
}

/** Shared by ReplicaSet and ReplicationController. */
export const REPLICA_COUNTS: StatusCountRules<CoreV1ReplicationControllerStatus> = {
  counts: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
  limits: [
    { part: 'fullyLabeledReplicas', whole: 'replicas', shown: 'status.replicas' },
    { part: 'readyReplicas', whole: 'replicas', shown: 'status.replicas' },
    { part: 'availableReplicas', whole: 'replicas', shown: 'status.replicas' },
    { part: 'availableReplicas', whole: 'readyReplicas', shown: 'readyReplicas' },
  ],
};

type StatusWithCollisions = JsonObject & { readonly collisionCount?: number };

/** `old` is the stored status, which only the rule for `collisionCount` needs. */
export function validateStatusCounts<T extends StatusWithCollisions>(
  { counts, limits = [] }: StatusCountRules<T>,
  status: T | undefined,
  old: T | undefined,
): readonly FieldError[] {
  const errors: Errors = [];
  if (status !== undefined) {
    for (const member of counts) checkNonNegative<T>(status, member, 'status', errors);
    for (const { part, whole, shown } of limits) {
      const value = countAt(status, part);
      if (value > countAt(status, whole)) {
        errors.push(invalidShownValue(`status.${part}`, String(value), `cannot be greater than ${shown}`));
      }
    }
  }
  const before = old?.collisionCount;
  const collisions = status?.collisionCount ?? 0;
  if (before !== undefined && collisions < before) {
    errors.push(invalidShownValue('status.collisionCount', String(collisions), 'cannot be decremented'));
  }
  return errors;
}

function countAt(status: JsonObject, member: string): number {
  const value = ownMember(status, member);
  return typeof value === 'number' ? value : 0;
}
