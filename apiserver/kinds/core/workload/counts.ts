/** What a workload says of its Pods: numbers that are not negative, parts that are not more than the whole, and collisions that only grow. */
import { invalidAs, type FieldError } from '../../../../shared/api/errors/field-error';
import { objectAt, own, type JsonObject } from '../../../../shared/values/json';
import { negativeErrors, numberAt } from '../../rules/field-rules';

export interface CountRules {
  /** In the order in which they are told. */
  readonly counts: readonly string[];
  /** A part, what it is a part of, and what the message calls that. */
  readonly parts?: readonly (readonly [part: string, whole: string, shown: string])[];
}

/** Of what keeps a number of like Pods. */
export const REPLICA_COUNTS: CountRules = {
  counts: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
  parts: [
    ['fullyLabeledReplicas', 'replicas', 'status.replicas'],
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas', 'readyReplicas'],
  ],
};

export function countErrors({ counts, parts = [] }: CountRules, object: JsonObject, old: JsonObject): readonly FieldError[] {
  const status = objectAt(object, 'status') ?? {};
  const errors = [...negativeErrors(status, 'status', counts)];
  for (const [part, whole, shown] of parts) {
    const value = numberAt(status, part);
    if (value > numberAt(status, whole)) errors.push(invalidAs(`status.${part}`, String(value), `cannot be greater than ${shown}`));
  }
  const before = own(objectAt(old, 'status') ?? {}, 'collisionCount');
  const collisions = numberAt(status, 'collisionCount');
  if (typeof before === 'number' && collisions < before) {
    errors.push(invalidAs('status.collisionCount', String(collisions), 'cannot be decremented'));
  }
  return errors;
}
