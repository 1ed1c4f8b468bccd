/**
 * Acting as somebody else: what the headers of a request ask for, and what whoever asks must be allowed to do so. Each value is a permission of its own.
 * Authenticates nobody; answers no request.
 */
import { clientFault } from '../../../shared/api/errors/status';
import {
  accountGroups,
  ANONYMOUS,
  AUTHENTICATED,
  readAccountUser,
  UNAUTHENTICATED,
  type UserInfo,
} from '../../../shared/api/identity/user';
import { canonicalUserName, type GeneratedNames } from '../../../shared/names/dialect';
import type { ResourceAttributes } from '../../authorization/authorizer';
import { appendAt } from '../../../shared/values/append';
import { headerText } from '../../../shared/values/header-text';
import { dnsLabel } from '../../../shared/values/name-formats';
import { decodePercent } from '../../../shared/values/percent';

const PREFIX = 'impersonate-';
const EXTRA = 'impersonate-extra-';
const AUTHENTICATION = 'authentication.platform.io';

/** Whether a header, by its lower-case name, may be one of these. */
export const isImpersonation = (name: string): boolean => name.startsWith(PREFIX);

export interface Impersonation {
  readonly user: UserInfo;
  /** What must be allowed, in the order in which it is asked. */
  readonly permissions: readonly ResourceAttributes[];
}

/** The values of the headers, in the order in which they came. */
interface Asked {
  user: string | undefined;
  readonly groups: string[];
  readonly extra: Map<string, string[]>;
  uid: string | undefined;
}

/**
 * `rawHeaders`: names and values in turn. Undefined = nothing is asked for. Throws the 400 of values without a user.
 */
export function readImpersonation(rawHeaders: readonly string[], names: GeneratedNames): Impersonation | undefined {
  const asked = read(rawHeaders);
  const [name, uid] = [canonicalUserName(names, asked.user ?? ''), asked.uid ?? ''];
  const account = accountOf(name);
  const groups = asked.groups.map((group) => canonicalUserName(names, group));
  const others = [
    ...groups.map((group) => permission('', 'groups', '', group)),
    ...[...asked.extra].flatMap(([key, values]) => values.map((value) => permission(AUTHENTICATION, 'userextras', key, value))),
    ...(uid === '' ? [] : [permission(AUTHENTICATION, 'uids', '', uid)]),
  ];
  if (name === '') {
    if (others.length === 0) return undefined;
    throw clientFault(
      `requested ${others.map(({ resource, name: value }) => `${resource} ${JSON.stringify(value)}`).join(', ')} without impersonating a user`,
    );
  }
  const first =
    account === undefined
      ? permission('', 'users', '', name)
      : { ...permission('', 'serviceaccounts', '', account.name), namespace: account.namespace };
  return {
    user: {
      name,
      groups: groupsOf(name, groups, account?.namespace),
      ...(uid === '' ? {} : { uid }),
      ...(asked.extra.size === 0 ? {} : { extra: Object.fromEntries(asked.extra) }),
    },
    permissions: [first, ...others],
  };
}

function read(rawHeaders: readonly string[]): Asked {
  const asked: Asked = { user: undefined, groups: [], extra: new Map(), uid: undefined };
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]?.toLowerCase() ?? '';
    if (!isImpersonation(header)) continue;
    const value = headerText(rawHeaders[at + 1] ?? '');
    if (header === 'impersonate-user') asked.user ??= value;
    else if (header === 'impersonate-uid') asked.uid ??= value;
    else if (header === 'impersonate-group') asked.groups.push(value);
    else if (header.startsWith(EXTRA)) {
      const escaped = header.slice(EXTRA.length);
      appendAt(asked.extra, decodePercent(escaped) ?? escaped, value);
    }
  }
  return asked;
}

function permission(group: string, resource: string, subresource: string, name: string): ResourceAttributes {
  return { kind: 'resource', verb: 'impersonate', group, version: group === '' ? '' : 'v1', resource, subresource, namespace: '', name };
}

/** A name that only looks like that of an account is one like any other. */
function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const account = readAccountUser(user);
  return account === undefined || dnsLabel(account.namespace).length > 0 ? undefined : account;
}

function groupsOf(user: string, groups: readonly string[], accountNamespace: string | undefined): readonly string[] {
  const all = accountNamespace !== undefined && groups.length === 0 ? accountGroups(accountNamespace) : groups;
  if (all.includes(AUTHENTICATED) || all.includes(UNAUTHENTICATED)) return all;
  return [...all, user === ANONYMOUS.name ? UNAUTHENTICATED : AUTHENTICATED];
}
