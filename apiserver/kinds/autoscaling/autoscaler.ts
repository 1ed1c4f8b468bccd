/** HorizontalPodAutoscaler: its target and bounds. Metrics and behavior have files of their own. */
import { forbiddenField, invalidShownValue, type FieldError } from '../../../shared/api/errors/field-error';
import { checkBehavior } from './behavior';
import { checkMetrics, scalesToZero } from './metrics';
import type { Errors } from '../rules/checks';
import { checkNotNegative } from '../rules/numbers';
import { checkReference } from '../rules/references';
import type { Strategy } from '../../registry/strategy';
import type {
  AutoscalingV2HorizontalPodAutoscaler,
  AutoscalingV2HorizontalPodAutoscalerSpec,
} from '../../../shared/api/types/generated/members';

const FEWEST = 1;
const ZERO = 'must specify at least one Object or External metric to support scaling to zero replicas';

export const autoscaler: Strategy<AutoscalingV2HorizontalPodAutoscaler> = {
  validate: validateSpec,
  update: { validate: validateSpec },
  status: {
    validate(object) {
      const status = object.status ?? {};
      const errors: Errors = [];
      checkNotNegative(status, 'currentReplicas', 'status', errors);
      checkNotNegative(status, 'desiredReplicas', 'status', errors);
      return errors;
    },
  },
};

function validateSpec(object: AutoscalingV2HorizontalPodAutoscaler): readonly FieldError[] {
  const spec = object.spec ?? {};
  const errors: Errors = [];
  checkBounds(spec, errors);
  checkReference(spec.scaleTargetRef ?? {}, 'spec.scaleTargetRef', errors);
  checkMetrics(spec.metrics ?? [], 'spec.metrics', errors);
  checkBehavior(spec.behavior ?? {}, 'spec.behavior', errors);
  // Where nothing runs, only what is measured elsewhere can ask for something to run.
  if (spec.minReplicas === 0 && !scalesToZero(spec)) errors.push(forbiddenField('spec.metrics', ZERO));
  return errors;
}

function checkBounds(spec: AutoscalingV2HorizontalPodAutoscalerSpec, errors: Errors): void {
  const fewest = spec.minReplicas;
  const most = spec.maxReplicas ?? 0;
  const field = 'spec.maxReplicas';
  if (fewest !== undefined && fewest < FEWEST) {
    errors.push(invalidShownValue('spec.minReplicas', String(fewest), `must be greater than or equal to ${FEWEST}`));
  }
  if (most < 1) errors.push(invalidShownValue(field, String(most), 'must be greater than 0'));
  if (fewest !== undefined && most < fewest) {
    errors.push(invalidShownValue(field, String(most), 'must be greater than or equal to `minReplicas`'));
  }
}
