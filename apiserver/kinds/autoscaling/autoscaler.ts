/**
 * HorizontalPodAutoscaler strategy: bounds of the replicas and the reference to the scaled object; metrics.ts and
 * behavior.ts validate the rest of the spec. That the scaled object exists is not checked.
 */
import { forbiddenField, invalidShownValue, type FieldError } from '../../../shared/api/errors/field-error';
import { checkBehavior } from './behavior';
import { checkMetrics, canScaleToZero } from './metrics';
import type { Errors } from '../rules/checks';
import { checkNonNegative } from '../rules/numbers';
import { checkReference } from '../rules/references';
import type { Strategy } from '../../registry/strategy';
import type {
  AutoscalingV2HorizontalPodAutoscaler,
  AutoscalingV2HorizontalPodAutoscalerSpec,
} from '../../../shared/api/types/generated/members';

const MIN_REPLICAS = 1;
const ZERO_REPLICAS_TEXT = 'must specify at least one Object or External metric to support scaling to zero replicas';

export const horizontalPodAutoscaler: Strategy<AutoscalingV2HorizontalPodAutoscaler> = {
  validate: validateSpec,
  update: { validate: validateSpec },
  status: {
    validate(object) {
      const status = object.status ?? {};
      const errors: Errors = [];
      checkNonNegative(status, 'currentReplicas', 'status', errors);
      checkNonNegative(status, 'desiredReplicas', 'status', errors);
      return errors;
    },
  },
};

function validateSpec(object: AutoscalingV2HorizontalPodAutoscaler): readonly FieldError[] {
  const spec = object.spec ?? {};
  const errors: Errors = [];
  checkReplicaBounds(spec, errors);
  checkReference(spec.scaleTargetRef ?? {}, 'spec.scaleTargetRef', errors);
  checkMetrics(spec.metrics ?? [], 'spec.metrics', errors);
  checkBehavior(spec.behavior ?? {}, 'spec.behavior', errors);
  // With zero replicas, only Object and External metrics can trigger a scale-up.
  if (spec.minReplicas === 0 && !canScaleToZero(spec)) errors.push(forbiddenField('spec.metrics', ZERO_REPLICAS_TEXT));
  return errors;
}

function checkReplicaBounds(spec: AutoscalingV2HorizontalPodAutoscalerSpec, errors: Errors): void {
  const min = spec.minReplicas;
  const max = spec.maxReplicas ?? 0;
  const field = 'spec.maxReplicas';
  if (min !== undefined && min < MIN_REPLICAS) {
    errors.push(invalidShownValue('spec.minReplicas', String(min), `must be greater than or equal to ${MIN_REPLICAS}`));
  }
  if (max < 1) errors.push(invalidShownValue(field, String(max), 'must be greater than 0'));
  if (min !== undefined && max < min) {
    errors.push(invalidShownValue(field, String(max), 'must be greater than or equal to `minReplicas`'));
  }
}
