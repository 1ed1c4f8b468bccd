/** What the service account controller does about a namespace; decided from what is seen, without a server. */
import type { JsonObject } from '../../shared/values/json';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';

export const DEFAULT_ACCOUNT = 'default';

/** The account to be made, if any: a namespace that stays has one. */
export function missingAccount(namespace: ApiObject | undefined, account: ApiObject | undefined): JsonObject | undefined {
  if (namespace === undefined || isBeingDeleted(namespace) || account !== undefined) return undefined;
  return { metadata: { namespace: namespace.name, name: DEFAULT_ACCOUNT } };
}
