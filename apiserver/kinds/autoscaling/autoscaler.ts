/** HorizontalPodAutoscaler: its target and bounds. Metrics and behavior have files of their own. */
import { forbiddenField, invalidAs, type FieldError } from '../../../shared/api/errors/field-error';
import { objectAt, own, type JsonObject } from '../../../shared/values/json';
import { behaviorErrors } from './behavior';
import { metricsErrors, scalesToZero } from './metrics';
import { negativeErrors, numberAt, referenceErrors } from '../rules/field-rules';
import type { Strategy } from '../../registry/strategy';

const FEWEST = 1;
const ZERO = 'must specify at least one Object or External metric to support scaling to zero replicas';

export const autoscaler: Strategy = {
  validate: specErrors,
  update: { validate: specErrors },
  status: {
    validate: (object) => negativeErrors(objectAt(object, 'status') ?? {}, 'status', ['currentReplicas', 'desiredReplicas']),
  },
};

function specErrors(object: JsonObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  return [
    ...boundErrors(spec),
    ...referenceErrors(objectAt(spec, 'scaleTargetRef') ?? {}, 'spec.scaleTargetRef'),
    ...metricsErrors(spec, 'spec.metrics'),
    ...behaviorErrors(objectAt(spec, 'behavior'), 'spec.behavior'),
    ...zeroErrors(spec),
  ];
}

function boundErrors(spec: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const fewest = own(spec, 'minReplicas');
  const most = numberAt(spec, 'maxReplicas');
  const field = 'spec.maxReplicas';
  if (typeof fewest === 'number' && fewest < FEWEST) {
    errors.push(invalidAs('spec.minReplicas', String(fewest), `must be greater than or equal to ${FEWEST}`));
  }
  if (most < 1) errors.push(invalidAs(field, String(most), 'must be greater than 0'));
  if (typeof fewest === 'number' && most < fewest) {
    errors.push(invalidAs(field, String(most), 'must be greater than or equal to `minReplicas`'));
  }
  return errors;
}

/** Where nothing runs, only what is measured elsewhere can ask for something to run. */
function zeroErrors(spec: JsonObject): readonly FieldError[] {
  return own(spec, 'minReplicas') === 0 && !scalesToZero(spec) ? [forbiddenField('spec.metrics', ZERO)] : [];
}
