/**
 * Job strategy: the generated selector, the spec and the status (the rules of both are in the folder job). The template
 * is immutable, except for the scheduling fields of a suspended Job that never started. Creating Pods is left to the
 * controller.
 */
import { invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { checkDnsLabel } from '../../../shared/values/name-formats';
import type { Errors } from '../rules/checks';
import { checkJobUpdate } from './job/update';
import { checkGeneratedSelector, checkJobSelector, defaultJobLabels, generateSelector } from './job/selector';
import { checkJobSpec, isIndexed, manyIndexesWarnings } from './job/spec';
import { validateJobStatus } from './job/status';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type { DeleteOptions } from '../../registry/verbs';
import { createWorkloadWarnings } from '../core/workload/template-warnings';
import type { BatchV1Job } from '../../../shared/api/types/generated/members';

export const job: Strategy<BatchV1Job> = {
  prepareForCreate(object, { names }) {
    // Drops the field of a disabled feature. Updates and Job templates keep it, and it is immutable (upstream
    // behaviour).
    if (object.spec !== undefined) delete object.spec.managedBy;
    generateSelector(object, names);
  },
  applyStoredDefaults: defaultJobLabels,
  validate(object, old, { names }) {
    const errors: Errors = [];
    checkGeneratedSelector(object, old, names, errors);
    checkSpec(object, old, errors);
    if (old === undefined) checkPodName(object, errors);
    return errors;
  },
  // Upstream validates the whole object twice, which shows in the causes.
  update: { stages: UPDATE.objectThenChange, validate: validateUpdate },
  status: { validate: validateJobStatus },
  ...createWorkloadWarnings((object: BatchV1Job) => object.spec, 'spec', manyIndexesWarnings),
  deletion: { warnings: orphanWarnings },
};

/** Jobs orphan their Pods by default, unlike other workloads. */
function orphanWarnings({ propagationPolicy, orphanDependents }: DeleteOptions): readonly string[] {
  if (propagationPolicy !== undefined || orphanDependents !== undefined) return [];
  return [
    'child pods are preserved by default when jobs are deleted; ' +
      'set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  ];
}

function validateUpdate(object: BatchV1Job, old: BatchV1Job): readonly FieldError[] {
  const errors: Errors = [];
  checkSpec(object, old, errors);
  checkJobUpdate(object, old, errors);
  return errors;
}

function checkSpec({ spec = {} }: BatchV1Job, old: BatchV1Job | undefined, errors: Errors): void {
  checkJobSpec(spec, 'spec', errors);
  checkJobSelector(spec, old?.spec, errors);
}

/** Pods of an indexed Job are called after it, and the last has the longest name. */
function checkPodName({ metadata, spec = {} }: BatchV1Job, errors: Errors): void {
  const { completions = 0 } = spec;
  if (!isIndexed(spec) || completions <= 0) return;
  const name = metadata?.name ?? '';
  const pod = `${name}-${completions - 1}`;
  if (checkDnsLabel(pod).length === 0) return;
  errors.push(invalidValue('metadata.name', name, `will not able to create pod with invalid DNS label: ${pod}`));
}
