/** PodDisruptionBudget: one of two bounds, the pods that it speaks of, and what it says of them. */
import { append } from '../../../shared/values/append';
import { invalidValue, notSupported, type FieldError } from '../../../shared/api/errors/field-error';
import { objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { conditionsErrors } from '../../../shared/api/metadata/conditions';
import { countOrShareErrors, negativeErrors, notMoreThanAll, selectorErrors } from '../rules/field-rules';
import { CREATE, UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';

const POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];
const BOUNDS = ['minAvailable', 'maxUnavailable'];
const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

export const disruptionBudget: Strategy = {
  createStages: CREATE.objectAlone,
  validate: (object) => specErrors(specOf(object), undefined),
  update: { stages: UPDATE.changeAlone, validate: (object, old) => specErrors(specOf(object), specOf(old)) },
  status: {
    stages: UPDATE.changeAlone,
    validate(object) {
      const status = objectAt(object, 'status') ?? {};
      return [...conditionsErrors(status, 'status.conditions'), ...negativeErrors(status, 'status', COUNTS)];
    },
  },
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

function specErrors(spec: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  const bounds = BOUNDS.filter((member) => (own(spec, member) ?? null) !== null);
  if (bounds.length > 1) errors.push(invalidValue('spec', spec, 'minAvailable and maxUnavailable cannot be both set'));
  for (const member of bounds) {
    append(errors, [...countOrShareErrors(spec, member, 'spec'), ...notMoreThanAll(spec, member, 'spec')]);
  }
  append(errors, selectorErrors(spec, old, 'spec'));
  const policy = stringAt(spec, 'unhealthyPodEvictionPolicy');
  if (policy !== undefined && !POLICIES.includes(policy)) errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, POLICIES));
  return errors;
}
