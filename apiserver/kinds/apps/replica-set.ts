/**
 * ReplicaSet strategy: replicas, selector and template. The selector is immutable and must match the template. Creating
 * Pods is left to the controller.
 */
import { invalidShownValue, type FieldError } from '../../../shared/api/errors/field-error';
import { formatGoLabelSelector } from '../../../shared/values/go-values';
import type { Errors } from '../rules/checks';
import { checkNonNegative } from '../rules/numbers';
import { checkPodTemplate } from '../core/pod-template/pod-template';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import { REPLICA_COUNTS, validateStatusCounts } from '../core/workload/status-counts';
import {
  checkAlwaysRestarts,
  checkSelectorMatchesTemplate,
  checkSelectorImmutable,
  checkWorkloadSelector,
  type WorkloadSpec,
} from '../core/workload/workload-selector';
import { createWorkloadWarnings } from '../core/workload/template-warnings';
import type { AppsV1ReplicaSet } from '../../../shared/api/types/generated/members';

export const replicaSet: Strategy<AppsV1ReplicaSet> = {
  validate: (object) => validateSpec(object),
  // Upstream validates the whole object twice, which shows in the causes.
  update: { stages: UPDATE.objectThenChange, validate: validateSpec },
  status: { validate: (object, old) => validateStatusCounts(REPLICA_COUNTS, object.status, old.status) },
  ...createWorkloadWarnings((object: AppsV1ReplicaSet) => object.spec, 'spec'),
};

/** `old` is set in the stage `change` of an update, where immutable fields are checked. */
function validateSpec(object: AppsV1ReplicaSet, old?: AppsV1ReplicaSet): readonly FieldError[] {
  const spec = object.spec ?? {};
  const errors: Errors = [];
  checkNonNegative(spec, 'replicas', 'spec', errors);
  checkNonNegative(spec, 'minReadySeconds', 'spec', errors);
  checkReplicaSetTemplate(spec, errors);
  if (old !== undefined) checkSelectorImmutable(spec, old.spec ?? {}, errors);
  return errors;
}

/**
 * Validates selector and template, for ReplicaSets and Deployments. The template is skipped when the selector is
 * invalid.
 */
export function checkReplicaSetTemplate(spec: WorkloadSpec, errors: Errors): void {
  // Upstream's message names deployments for ReplicaSets too.
  const { isValid, isEmpty } = checkWorkloadSelector(spec, 'deployment', errors);
  if (!isValid) {
    errors.push(invalidShownValue('spec.selector', formatGoLabelSelector(spec.selector ?? {}), 'invalid label selector'));
    return;
  }
  const template = spec.template ?? {};
  if (!isEmpty) checkSelectorMatchesTemplate(spec, errors);
  checkPodTemplate(template, 'spec.template', errors);
  checkAlwaysRestarts(template, 'ReplicaSet', errors);
}
