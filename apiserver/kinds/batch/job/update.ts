/**
 * Validates updates of Jobs: immutable fields, the scheduling fields of a suspended Job that never started, and
 * completions that follow the parallelism of an indexed Job.
 */
import { invalidShownValue, invalidValue } from '../../../../shared/api/errors/field-error';
import { equalJson, type JsonValue } from '../../../../shared/values/json';
import type { Errors } from '../../rules/checks';
import { withMembersOf } from '../../rules/with-members-of';
import { checkSelectorImmutable } from '../../core/workload/workload-selector';
import { isIndexed } from './spec';
import type {
  BatchV1Job,
  BatchV1JobSpec,
  CoreV1Affinity,
  CoreV1PodSpec,
  CoreV1PodTemplateSpec,
} from '../../../../shared/api/types/generated/members';

const IMMUTABLE = 'field is immutable';
/** In the order of errors, after selector and template. */
const IMMUTABLE_MEMBERS = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;

export function checkJobUpdate({ spec = {} }: BatchV1Job, old: BatchV1Job, errors: Errors): void {
  const before = old.spec ?? {};
  checkCompletions(spec, before, errors);
  checkSelectorImmutable(spec, before, errors);
  const wasNeverStarted = before.suspend === true && old.status?.startTime === undefined;
  const template = spec.template ?? {};
  const oldTemplate = before.template ?? {};
  if (!equalJson(template, wasNeverStarted ? withSchedulingOf(oldTemplate, template) : oldTemplate)) {
    errors.push(invalidValue('spec.template', template, IMMUTABLE));
  }
  for (const member of IMMUTABLE_MEMBERS) checkImmutableField(spec, before, member, errors);
}

function checkCompletions(spec: BatchV1JobSpec, old: BatchV1JobSpec, errors: Errors): void {
  const { completions, parallelism } = spec;
  if (!isIndexed(spec)) checkImmutableField(spec, old, 'completions', errors);
  else if (completions !== undefined && completions !== old.completions && completions !== parallelism) {
    errors.push(invalidShownValue('spec.completions', shown(completions), 'can only be modified in tandem with spec.parallelism'));
  }
}

function checkImmutableField(spec: BatchV1JobSpec, old: BatchV1JobSpec, member: keyof BatchV1JobSpec, errors: Errors): void {
  const value = spec[member];
  if (!equalJson(value, old[member])) errors.push(invalidShownValue(`spec.${member}`, shown(value), IMMUTABLE));
}

/** An absent value is shown as a quoted null (upstream behaviour). */
const shown = (value: JsonValue | undefined): string => (value === undefined ? '"null"' : JSON.stringify(value));

const MUTABLE_SCHEDULING_MEMBERS = ['nodeSelector', 'tolerations', 'schedulingGates'] as const;

/** The old template with the labels, annotations and scheduling fields of the new one. */
function withSchedulingOf(old: CoreV1PodTemplateSpec, template: CoreV1PodTemplateSpec): CoreV1PodTemplateSpec {
  const metadata = withMembersOf(old.metadata ?? {}, template.metadata ?? {}, ['labels', 'annotations']);
  const podSpec = template.spec ?? {};
  const spec = withMembersOf<CoreV1PodSpec>(old.spec ?? {}, podSpec, MUTABLE_SCHEDULING_MEMBERS);
  const affinity = withMembersOf<CoreV1Affinity>(spec.affinity ?? {}, podSpec.affinity ?? {}, ['nodeAffinity']);
  if (podSpec.affinity !== undefined || Object.keys(affinity).length > 0) spec.affinity = affinity;
  else delete spec.affinity;
  return { ...old, metadata, spec };
}
