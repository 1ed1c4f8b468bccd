/**
 * The user of a request, as set by authentication and read by authorization and admission, and the user and group names
 * with a special meaning.
 */

/** An authenticated or anonymous user. Requests share it, so it must not be modified. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The group of every authenticated user. */
export const AUTHENTICATED_GROUP = 'system:authenticated';
/** The group of every anonymous user. */
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';
/** Members of this group are authorized for everything. */
export const MASTERS_GROUP = 'system:masters';

export const ANONYMOUS_USER: UserInfo = { name: 'system:anonymous', groups: [UNAUTHENTICATED_GROUP] };

/** Whether the user is authorized for everything. */
export const isInMastersGroup = ({ groups }: UserInfo): boolean => groups.includes(MASTERS_GROUP);

/** The user name of a service account. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** For example `system:serviceaccount:default:builder`. */
const SERVICE_ACCOUNT_USER_NAME = /^system:serviceaccount:([^:]+):([^:]+)$/;

/**
 * Namespace and name in the user name of a service account; `undefined` for other users. Does not validate the two
 * parts.
 */
export function parseServiceAccountUserName(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = SERVICE_ACCOUNT_USER_NAME.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** The groups of every service account in the namespace. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
