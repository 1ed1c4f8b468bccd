/** ReplicaSet: a number of like Pods. */
import { invalidAs, type FieldError } from '../../../shared/api/errors/field-error';
import { goLabelSelector } from '../../../shared/values/go-values';
import { objectAt, type JsonObject } from '../../../shared/values/json';
import { negativeErrors } from '../rules/field-rules';
import { podTemplateErrors } from '../core/pod-template/pod-template';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import { countErrors, REPLICA_COUNTS } from '../core/workload/counts';
import { lastingErrors, mismatchErrors, selectorChangeErrors, selectorOf, type SelectorPart } from '../core/workload/selected-template';
import { workloadWarnings } from '../core/workload/template-warnings';

export const replicaSet: Strategy = {
  validate: (object) => specErrors(specOf(object)),
  // The whole object is judged twice (upstream behaviour, visible in the causes).
  update: {
    stages: UPDATE.objectThenChange,
    validate: (object, old) => [...specErrors(specOf(object)), ...selectorChangeErrors(specOf(object), specOf(old))],
  },
  status: { validate: (object, old) => countErrors(REPLICA_COUNTS, object, old) },
  ...workloadWarnings(['spec']),
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

function specErrors(spec: JsonObject): readonly FieldError[] {
  return [
    ...negativeErrors(spec, 'spec', ['replicas', 'minReadySeconds']),
    ...replicaTemplateErrors(spec, selectorOf(spec, undefined, 'deployment')),
  ];
}

/** Of the selector and the template of a ReplicaSet, or of what makes ReplicaSets. A template whose selector cannot be read is not looked at. */
export function replicaTemplateErrors(spec: JsonObject, selector: SelectorPart): readonly FieldError[] {
  if (!selector.isReadable) {
    const shown = goLabelSelector(objectAt(spec, 'selector') ?? {});
    return [...selector.errors, invalidAs('spec.selector', shown, 'invalid label selector')];
  }
  const template = objectAt(spec, 'template') ?? {};
  return [
    ...selector.errors,
    ...(selector.isEmpty ? [] : mismatchErrors(spec)),
    ...podTemplateErrors(template, 'spec.template'),
    ...lastingErrors(template, 'ReplicaSet'),
  ];
}
