/**
 * Deployment strategy: replicas, selector, template and rollout. The selector is immutable and must match the
 * template; the counts in the status are consistent with each other. Rollouts are left to the controller.
 */
import { createFieldError, forbiddenField, invalidShownValue, type FieldError } from '../../../shared/api/errors/field-error';
import { formatGoIntOrString } from '../../../shared/values/go-values';
import { quote } from '../../../shared/values/text/quote';
import type { Errors } from '../rules/checks';
import { intOrPercentValue, checkIntOrPercent, checkNotMoreThan100Percent, checkNonNegative } from '../rules/numbers';
import { checkReplicaSetTemplate } from './replica-set';
import type { Strategy } from '../../registry/strategy';
import { validateStatusCounts, type StatusCountRules } from '../core/workload/status-counts';
import { checkSelectorImmutable } from '../core/workload/workload-selector';
import { createWorkloadWarnings } from '../core/workload/template-warnings';
import type {
  AppsV1Deployment,
  AppsV1DeploymentSpec,
  AppsV1DeploymentStatus,
  AppsV1DeploymentStrategy,
  AppsV1RollingUpdateDeployment,
} from '../../../shared/api/types/generated/members';

const COUNTS: StatusCountRules<AppsV1DeploymentStatus> = {
  counts: [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'collisionCount',
  ],
  limits: [
    { part: 'updatedReplicas', whole: 'replicas', shown: 'status.replicas' },
    { part: 'readyReplicas', whole: 'replicas', shown: 'status.replicas' },
    { part: 'availableReplicas', whole: 'replicas', shown: 'status.replicas' },
    { part: 'availableReplicas', whole: 'readyReplicas', shown: 'readyReplicas' },
  ],
};

export const deployment: Strategy<AppsV1Deployment> = {
  validate: (object) => validateSpec(object),
  update: { validate: validateSpec },
  status: { validate: (object, old) => validateStatusCounts(COUNTS, object.status, old.status) },
  ...createWorkloadWarnings((object: AppsV1Deployment) => object.spec, 'spec'),
};

/** `old` is set in the stage `change` of an update, where immutable fields are checked. */
function validateSpec(object: AppsV1Deployment, old?: AppsV1Deployment): readonly FieldError[] {
  const spec = object.spec ?? {};
  const errors: Errors = [];
  checkNonNegative(spec, 'replicas', 'spec', errors);
  checkReplicaSetTemplate(spec, errors);
  checkStrategy(spec.strategy ?? {}, errors);
  checkNonNegative(spec, 'minReadySeconds', 'spec', errors);
  checkNonNegative(spec, 'revisionHistoryLimit', 'spec', errors);
  checkDeadline(spec, errors);
  if (old !== undefined) checkSelectorImmutable(spec, old.spec ?? {}, errors);
  return errors;
}

const STRATEGY_FIELD = 'spec.strategy';
const ROLLING_UPDATE_FIELD = `${STRATEGY_FIELD}.rollingUpdate`;

function checkStrategy({ type = '', rollingUpdate }: AppsV1DeploymentStrategy, errors: Errors): void {
  switch (type) {
    case 'Recreate':
      if (rollingUpdate !== undefined) {
        errors.push(forbiddenField(ROLLING_UPDATE_FIELD, "may not be specified when strategy `type` is 'Recreate'"));
      }
      return;
    case 'RollingUpdate':
      checkRolling(rollingUpdate ?? {}, errors);
      return;
    default: {
      const shown = `apps.DeploymentStrategy{Type:${quote(type)}, RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}`;
      errors.push(createFieldError('FieldValueNotSupported', STRATEGY_FIELD, shown, 'supported values: "Recreate", "RollingUpdate"'));
    }
  }
}

function checkRolling(rolling: AppsV1RollingUpdateDeployment, errors: Errors): void {
  const { maxUnavailable, maxSurge } = rolling;
  checkIntOrPercent(rolling, 'maxUnavailable', ROLLING_UPDATE_FIELD, errors);
  checkIntOrPercent(rolling, 'maxSurge', ROLLING_UPDATE_FIELD, errors);
  if (intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0) {
    errors.push(
      invalidShownValue(`${ROLLING_UPDATE_FIELD}.maxUnavailable`, formatGoIntOrString(maxUnavailable), 'may not be 0 when `maxSurge` is 0'),
    );
  }
  checkNotMoreThan100Percent(maxUnavailable, `${ROLLING_UPDATE_FIELD}.maxUnavailable`, errors);
}

function checkDeadline(spec: AppsV1DeploymentSpec, errors: Errors): void {
  const deadline = spec.progressDeadlineSeconds;
  if (deadline === undefined) return;
  checkNonNegative(spec, 'progressDeadlineSeconds', 'spec', errors);
  if (deadline > (spec.minReadySeconds ?? 0)) return;
  errors.push(invalidShownValue('spec.progressDeadlineSeconds', String(deadline), 'must be greater than minReadySeconds'));
}
