/**
 * Parses impersonation headers into the impersonated user and the permissions that the authenticated user needs, one
 * for each value. Neither authenticates users nor responds.
 */
import { clientError } from '../../../shared/api/errors/status';
import {
  serviceAccountGroups,
  ANONYMOUS_USER,
  AUTHENTICATED_GROUP,
  parseServiceAccountUserName,
  UNAUTHENTICATED_GROUP,
  type UserInfo,
} from '../../../shared/api/identity/user';
import { canonicalUserName, type GeneratedNames } from '../../../shared/names/dialect';
import type { ResourceAttributes } from '../../authorization/authorizer';
import { appendToKey } from '../../../shared/values/append';
import { decodeHeader } from '../../../shared/values/text/decode-header';
import { checkDnsLabel } from '../../../shared/values/name-formats';
import { decodePercent } from '../../../shared/values/text/percent';

const HEADER_PREFIX = 'impersonate-';
const EXTRA_HEADER_PREFIX = 'impersonate-extra-';
/** The API group of the resources `userextras` and `uids`. */
const AUTHENTICATION_GROUP = 'authentication.platform.io';

/** Whether a header, by its lower-case name, is an impersonation header. */
export const isImpersonationHeader = (name: string): boolean => name.startsWith(HEADER_PREFIX);

/** The impersonated user, and what the authenticated user must be allowed for it. */
export interface Impersonation {
  readonly user: UserInfo;
  /** The required permissions, in the order in which they are authorized. */
  readonly permissions: readonly ResourceAttributes[];
}

/** The header values in their order. */
interface ImpersonationHeaders {
  user: string | undefined;
  readonly groups: string[];
  readonly extra: Map<string, string[]>;
  uid: string | undefined;
}

/**
 * Parses the headers of a request; `rawHeaders` has names and values in turn. Returns `undefined` when they request no
 * impersonation. Throws 400 for groups, extra values or a UID without a user.
 */
export function readImpersonation(rawHeaders: readonly string[], names: GeneratedNames): Impersonation | undefined {
  const headers = readHeaders(rawHeaders);
  const name = canonicalUserName(names, headers.user ?? '');
  const uid = headers.uid ?? '';
  const account = accountOf(name);
  const groups = headers.groups.map((group) => canonicalUserName(names, group));
  const attributePermissions = [
    ...groups.map((group) => permission({ resource: 'groups', name: group })),
    ...[...headers.extra].flatMap(([subresource, values]) =>
      values.map((value) => permission({ group: AUTHENTICATION_GROUP, resource: 'userextras', subresource, name: value })),
    ),
    ...(uid === '' ? [] : [permission({ group: AUTHENTICATION_GROUP, resource: 'uids', name: uid })]),
  ];
  if (name === '') {
    if (attributePermissions.length === 0) return undefined;
    const requested = attributePermissions.map(({ resource, name: value }) => `${resource} ${JSON.stringify(value)}`);
    throw clientError(`requested ${requested.join(', ')} without impersonating a user`);
  }
  const userPermission =
    account === undefined ? permission({ resource: 'users', name }) : permission({ resource: 'serviceaccounts', ...account });
  return {
    user: {
      name,
      groups: groupsOf(name, groups, account?.namespace),
      ...(uid === '' ? {} : { uid }),
      ...(headers.extra.size === 0 ? {} : { extra: Object.fromEntries(headers.extra) }),
    },
    permissions: [userPermission, ...attributePermissions],
  };
}

function readHeaders(rawHeaders: readonly string[]): ImpersonationHeaders {
  const headers: ImpersonationHeaders = { user: undefined, groups: [], extra: new Map(), uid: undefined };
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]?.toLowerCase() ?? '';
    if (!isImpersonationHeader(header)) continue;
    const value = decodeHeader(rawHeaders[index + 1] ?? '');
    if (header === 'impersonate-user') headers.user ??= value;
    else if (header === 'impersonate-uid') headers.uid ??= value;
    else if (header === 'impersonate-group') headers.groups.push(value);
    else if (header.startsWith(EXTRA_HEADER_PREFIX)) {
      // Keys with characters that a header name cannot have are percent-encoded: `impersonate-extra-acme.com%2fproject`.
      const escaped = header.slice(EXTRA_HEADER_PREFIX.length);
      appendToKey(headers.extra, decodePercent(escaped) ?? escaped, value);
    }
  }
  return headers;
}

type Permission = Pick<ResourceAttributes, 'name' | 'resource'> & Partial<Pick<ResourceAttributes, 'group' | 'namespace' | 'subresource'>>;

/** The permission to impersonate. Absent members are empty. */
function permission({ group = '', resource, subresource = '', namespace = '', name }: Permission): ResourceAttributes {
  return { kind: 'resource', verb: 'impersonate', group, version: group === '' ? '' : 'v1', resource, subresource, namespace, name };
}

/** The service account of a user name; `undefined` for other users, and when the namespace in the name is invalid. */
function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const account = parseServiceAccountUserName(user);
  return account === undefined || checkDnsLabel(account.namespace).length > 0 ? undefined : account;
}

/**
 * The groups of the impersonated user. Without impersonated groups, a service account has those of service accounts. Every
 * user is also in `system:authenticated`, or in `system:unauthenticated` for the anonymous user, as in upstream.
 */
function groupsOf(user: string, groups: readonly string[], accountNamespace: string | undefined): readonly string[] {
  const named = accountNamespace !== undefined && groups.length === 0 ? serviceAccountGroups(accountNamespace) : groups;
  if (named.includes(AUTHENTICATED_GROUP) || named.includes(UNAUTHENTICATED_GROUP)) return named;
  return [...named, user === ANONYMOUS_USER.name ? UNAUTHENTICATED_GROUP : AUTHENTICATED_GROUP];
}
