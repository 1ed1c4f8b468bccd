/**
 * ReplicationController strategy: replicas, selector and template. The selector is a plain map of labels, which must
 * match the template and may change. Creating Pods is left to the controller.
 */
import { requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { isEmptyObject } from '../../../../shared/values/json';
import { selectorMatches } from '../../../../shared/api/selectors/object-selector';
import type { Errors } from '../../rules/checks';
import { checkNonNegative } from '../../rules/numbers';
import { checkPodTemplate } from '../pod-template/pod-template';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import { REPLICA_COUNTS, validateStatusCounts } from './status-counts';
import { checkAlwaysRestarts, templateLabels, selectorMismatch } from './workload-selector';
import { podNameWarnings } from './name-warnings';
import { isSpecChanged, createTemplateWarnings } from './template-warnings';
import type { CoreV1ReplicationController } from '../../../../shared/api/types/generated/members';

const podTemplateWarnings = createTemplateWarnings((object: CoreV1ReplicationController) => object.spec, 'spec');

export const replicationController: Strategy<CoreV1ReplicationController> = {
  validate: validateSpec,
  // Upstream validates the whole object twice, which shows in the causes.
  update: { stages: UPDATE.objectThenChange, validate: validateSpec },
  status: { validate: (object, old) => validateStatusCounts(REPLICA_COUNTS, object.status, old.status) },
  warningsOnCreate: (object) => [...podNameWarnings(object), ...podTemplateWarnings.warningsOnCreate(object)],
  // The warnings describe the old template (upstream behaviour).
  warningsOnUpdate: (object, old) => (isSpecChanged(object, old) ? podTemplateWarnings.warningsOnCreate(old) : []),
};

function validateSpec(object: CoreV1ReplicationController): readonly FieldError[] {
  const spec = object.spec ?? {};
  const selector = spec.selector ?? {};
  const { template } = spec;
  const errors: Errors = [];
  checkNonNegative(spec, 'minReadySeconds', 'spec', errors);
  if (isEmptyObject(selector)) errors.push(requiredValue('spec.selector'));
  checkNonNegative(spec, 'replicas', 'spec', errors);
  if (template === undefined) {
    errors.push(requiredValue('spec.template'));
    return errors;
  }
  const labels = templateLabels(template);
  if (!isEmptyObject(selector) && !selectorMatches({ matchLabels: selector }, labels ?? {})) errors.push(selectorMismatch(labels));
  checkPodTemplate(template, 'spec.template', errors);
  checkAlwaysRestarts(template, 'ReplicationController', errors);
  return errors;
}
