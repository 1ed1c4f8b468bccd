/** ReplicationController: a number of like Pods, chosen by plain labels. */
import { required, type FieldError } from '../../../../shared/api/errors/field-error';
import { isEmptyObject, objectAt, type JsonObject } from '../../../../shared/values/json';
import { selects } from '../../../../shared/api/selectors/object-selector';
import { negativeErrors } from '../../rules/field-rules';
import { podTemplateErrors } from '../pod-template/pod-template';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import { countErrors, REPLICA_COUNTS } from './counts';
import { labelsOf, lastingErrors, mismatch } from './selected-template';
import { nameWarnings } from './name-warnings';
import { isWishedAnew, templateWarnings } from './template-warnings';

const ofTemplate = templateWarnings(['spec']);

export const replicationController: Strategy = {
  validate: specErrors,
  // The whole object is judged twice (upstream behaviour, visible in the causes).
  update: { stages: UPDATE.objectThenChange, validate: specErrors },
  status: { validate: (object, old) => countErrors(REPLICA_COUNTS, object, old) },
  warningsOnCreate: (object) => [...nameWarnings(object), ...ofTemplate.warningsOnCreate(object)],
  // Of the template that is replaced (upstream behaviour).
  warningsOnUpdate: (object, old) => (isWishedAnew(object, old) ? ofTemplate.warningsOnCreate(old) : []),
};

function specErrors(object: JsonObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const selector = objectAt(spec, 'selector') ?? {};
  const isEmpty = isEmptyObject(selector);
  const template = objectAt(spec, 'template');
  return [
    ...negativeErrors(spec, 'spec', ['minReadySeconds']),
    ...(isEmpty ? [required('spec.selector')] : []),
    ...negativeErrors(spec, 'spec', ['replicas']),
    ...(template === undefined ? [required('spec.template')] : templateErrors(template, isEmpty ? undefined : selector)),
  ];
}

function templateErrors(template: JsonObject, selector: JsonObject | undefined): readonly FieldError[] {
  const labels = labelsOf(template);
  const isMissed = selector !== undefined && !selects({ matchLabels: selector }, labels ?? {});
  return [
    ...(isMissed ? [mismatch(labels)] : []),
    ...podTemplateErrors(template, 'spec.template'),
    ...lastingErrors(template, 'ReplicationController'),
  ];
}
