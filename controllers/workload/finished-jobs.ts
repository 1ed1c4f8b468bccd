/** How a Job has finished, by its conditions. */
import type { BatchV1Job } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { conditionStatus } from '../runtime/conditions';

/** The types of the conditions that end a Job. */
export type FinishedCondition = 'Complete' | 'Failed';

/** `undefined` for a Job that has not finished. */
export function finishedConditionOf({ body }: ApiObject<BatchV1Job>): FinishedCondition | undefined {
  if (conditionStatus(body, 'Complete') === 'True') return 'Complete';
  return conditionStatus(body, 'Failed') === 'True' ? 'Failed' : undefined;
}
