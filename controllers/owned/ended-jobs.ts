/** How a Job has ended, as its conditions say. Never judges why. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { conditionStatus } from '../runtime/conditions';

export type JobEnd = 'Complete' | 'Failed';

/** Undefined while it goes on. */
export function endOf({ body }: ApiObject): JobEnd | undefined {
  if (conditionStatus(body, 'Complete') === 'True') return 'Complete';
  return conditionStatus(body, 'Failed') === 'True' ? 'Failed' : undefined;
}
