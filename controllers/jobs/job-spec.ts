/** What a Job asks for, with what stands for what it does not say. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { objectAt, stringAt } from '../../shared/values/json';
import { numberAt } from '../workload/spec';

export interface JobWishes {
  readonly parallelism: number;
  /** Undefined = one that succeeds says that all is done. */
  readonly completions: number | undefined;
  readonly isIndexed: boolean;
  readonly isSuspended: boolean;
  readonly backOffLimit: number;
  /** Of each index; undefined = none has its own. */
  readonly indexLimit: number | undefined;
  readonly maxFailedIndexes: number | undefined;
  /** Milliseconds. */
  readonly deadlineMs: number | undefined;
  /** A pod is replaced when it has ended, and not when it begins to go. */
  readonly isPatient: boolean;
  readonly hasFailurePolicy: boolean;
  readonly restartsInPlace: boolean;
}

const MOST = 2_147_483_647;

export function wishesOf({ body }: ApiObject): JobWishes {
  const spec = objectAt(body, 'spec');
  const number = (member: string): number | undefined => numberAt(spec, member);
  const deadline = number('activeDeadlineSeconds');
  const indexLimit = number('backoffLimitPerIndex');
  const hasFailurePolicy = objectAt(spec, 'podFailurePolicy') !== undefined;
  return {
    parallelism: number('parallelism') ?? 1,
    completions: number('completions'),
    isIndexed: stringAt(spec, 'completionMode') === 'Indexed',
    isSuspended: spec?.['suspend'] === true,
    backOffLimit: number('backoffLimit') ?? (indexLimit === undefined ? 6 : MOST),
    indexLimit,
    maxFailedIndexes: number('maxFailedIndexes'),
    deadlineMs: deadline === undefined ? undefined : deadline * 1_000,
    isPatient: hasFailurePolicy || stringAt(spec, 'podReplacementPolicy') === 'Failed',
    hasFailurePolicy,
    restartsInPlace: stringAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy') === 'OnFailure',
  };
}
