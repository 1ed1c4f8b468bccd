/** ReplicaSet: a number of like Pods. */
import { invalidAs, type FieldError } from '../../../shared/api/field-error';
import { goLabelSelector } from '../../../shared/api/go-values';
import { objectAt, type JsonObject } from '../../../shared/api/json';
import { negativeErrors } from './field-rules';
import { podTemplateErrors } from './pod-template/pod-template';
import type { Strategy } from './strategy';
import { countErrors, type CountRules } from './workload/counts';
import { lastingErrors, mismatchErrors, selectorChangeErrors, selectorOf, type SelectorPart } from './workload/selected-template';
import { workloadWarnings } from './workload/template-warnings';

export const REPLICA_COUNTS: CountRules = {
  counts: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
  parts: [
    ['fullyLabeledReplicas', 'replicas', 'status.replicas'],
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas', 'readyReplicas'],
  ],
};

export const replicaSet: Strategy = {
  validate: (object) => specErrors(specOf(object)),
  // The whole object is judged twice (upstream behaviour, visible in the causes).
  update: {
    state: 'first',
    validate: (object, old) => [...specErrors(specOf(object)), ...selectorChangeErrors(specOf(object), specOf(old))],
  },
  status: { validate: (object, old) => countErrors(REPLICA_COUNTS, object, old) },
  warnings: workloadWarnings(['spec']),
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
