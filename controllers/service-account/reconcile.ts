/** Decides whether a namespace needs its default ServiceAccount. The functions are pure. */
import type { CoreV1ServiceAccount } from '../../shared/api/types/generated/members';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';

/** The ServiceAccount of pods that name none. */
export const DEFAULT_ACCOUNT = 'default';

/** The ServiceAccount to create; undefined when it exists, or the namespace does not accept it. */
export function missingAccount(namespace: ApiObject | undefined, existing: ApiObject | undefined): CoreV1ServiceAccount | undefined {
  if (namespace === undefined || isBeingDeleted(namespace) || existing !== undefined) return undefined;
  return { metadata: { namespace: namespace.name, name: DEFAULT_ACCOUNT } };
}
