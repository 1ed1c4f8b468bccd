/** Who makes a request, as authentication finds it out and authorization and admission look at it; and the names that have a meaning. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The groups of all who are known, and of all others. */
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
/** The group that may do anything. */
export const MASTERS = 'system:masters';

export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

export const isMaster = ({ groups }: UserInfo): boolean => groups.includes(MASTERS);

/** The user name of a service account. */
export function accountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Whose name it may be; the parts are not judged. */
export function readAccountUser(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = ACCOUNT.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** Every service account is of these groups. */
export function accountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
