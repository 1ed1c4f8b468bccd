/** Job: Pods that come to an end, with a selector that only they match. */
import { invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { dnsLabel } from '../../../shared/values/name-formats';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { numberAt } from '../rules/field-rules';
import { jobChangeErrors } from './job/change';
import { generateSelector, generatedSelectorErrors, jobSelectorErrors } from './job/selector';
import { isIndexed, jobSpecErrors, manyIndexesWarnings } from './job/spec';
import { jobStatusErrors } from './job/status';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type { DeleteOptions } from '../../registry/verbs';
import { workloadWarnings } from '../core/workload/template-warnings';
import type { BatchV1Job } from '../../../shared/api/types/generated/members';

export const job: Strategy = {
  prepareForCreate: (object, { names }) => generateSelector(object, names),
  validate: (object, old, { names }) => [
    ...generatedSelectorErrors(object, old, names),
    ...stateErrors(object, old),
    ...(old === undefined ? podNameErrors(object) : []),
  ],
  // The whole object is judged twice (upstream behaviour, visible in the causes).
  update: { stages: UPDATE.objectThenChange, validate: (object, old) => [...stateErrors(object, old), ...jobChangeErrors(object, old)] },
  status: { validate: jobStatusErrors },
  ...workloadWarnings((object: BatchV1Job) => object.spec, 'spec', manyIndexesWarnings),
  deletion: { warnings: orphanWarnings },
};

/** Pods of Jobs outlast them unless the client says otherwise, which surprises who knows other workloads. */
function orphanWarnings({ propagationPolicy, orphanDependents }: DeleteOptions): readonly string[] {
  if (propagationPolicy !== undefined || orphanDependents !== undefined) return [];
  return [
    'child pods are preserved by default when jobs are deleted; ' +
      'set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  ];
}

const specOf = (object: JsonObject | undefined): JsonObject => objectAt(object, 'spec') ?? {};

function stateErrors(object: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const [spec, before] = [specOf(object), old === undefined ? undefined : specOf(old)];
  return [...jobSpecErrors(spec, 'spec'), ...jobSelectorErrors(spec, before)];
}

/** Pods of an indexed Job are called after it, and the last has the longest name. */
function podNameErrors(object: JsonObject): readonly FieldError[] {
  const completions = numberAt(specOf(object), 'completions');
  if (!isIndexed(specOf(object)) || completions <= 0) return [];
  const name = stringAt(readMetadata(object), 'name') ?? '';
  const pod = `${name}-${completions - 1}`;
  return dnsLabel(pod).length === 0
    ? []
    : [invalidValue('metadata.name', name, `will not able to create pod with invalid DNS label: ${pod}`)];
}
