/**
 * PodDisruptionBudget strategy: at most one of `minAvailable` and `maxUnavailable`, the selector, and the counts of the
 * status. Counting Pods is left to the controller, and refusing evictions to the eviction operation.
 */
import { appendAll } from '../../../shared/values/append';
import { invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { conditionsErrors } from '../../../shared/api/metadata/conditions';
import { checkEnum, isSet, type Errors } from '../rules/checks';
import { checkIntOrPercent, checkNotMoreThan100Percent, checkNonNegative } from '../rules/numbers';
import { checkSelectorUpdate } from '../rules/selectors';
import { CREATE, UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type { PolicyV1PodDisruptionBudget, PolicyV1PodDisruptionBudgetSpec } from '../../../shared/api/types/generated/members';

const POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];
const BOUNDS = ['minAvailable', 'maxUnavailable'] as const;
const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

export const podDisruptionBudget: Strategy<PolicyV1PodDisruptionBudget> = {
  createStages: CREATE.bareObjectThenMetadata,
  validate: (object) => validateSpec(object.spec ?? {}, undefined),
  update: { stages: UPDATE.changeAlone, validate: (object, old) => validateSpec(object.spec ?? {}, old.spec) },
  status: {
    stages: UPDATE.changeAlone,
    validate(object) {
      const status = object.status ?? {};
      const errors: Errors = [];
      appendAll(errors, conditionsErrors(status, 'status.conditions'));
      for (const member of COUNTS) checkNonNegative(status, member, 'status', errors);
      return errors;
    },
  },
};

function validateSpec(spec: PolicyV1PodDisruptionBudgetSpec, old: PolicyV1PodDisruptionBudgetSpec | undefined): readonly FieldError[] {
  const errors: Errors = [];
  const bounds = BOUNDS.filter((member) => isSet(spec, member));
  if (bounds.length > 1) errors.push(invalidValue('spec', spec, 'minAvailable and maxUnavailable cannot be both set'));
  for (const member of bounds) {
    checkIntOrPercent(spec, member, 'spec', errors);
    checkNotMoreThan100Percent(spec[member], `spec.${member}`, errors);
  }
  checkSelectorUpdate(spec.selector, old?.selector, 'spec.selector', errors);
  checkEnum(spec, 'unhealthyPodEvictionPolicy', 'spec', POLICIES, errors);
  return errors;
}
