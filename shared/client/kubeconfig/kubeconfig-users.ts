/**
 * The users of a kubeconfig in which the name of a user is the server to which it applies, as for admission webhooks. The file is
 * read and the types of its members are checked at once. Credentials are resolved when they are needed; only then are
 * referenced files read and their errors reported. Which user applies to a server is left to the caller.
 */
import { ConfigError, readConfigFile, type ClientCredentials } from './client-config';
import type { ClientKeyPair } from './exec-credentials';
import { parseExec } from './kubeconfig';
import { KubeconfigFile, KubeconfigMapping } from './kubeconfig-mapping';

/** The users of a kubeconfig, by name. */
export interface KubeconfigUsers {
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  /** The user of the current context; `undefined` when there is no such context or user. */
  readonly current: KubeconfigUser | undefined;
}

/** A user of a kubeconfig. Its credentials are checked when a method is called. */
export interface KubeconfigUser {
  /** Throws {@link ConfigError} when the credentials cannot be used. */
  credentials(): ClientCredentials;
  /** The client certificate with its key; `undefined` without one. Throws {@link ConfigError}. */
  clientKeyPair(): ClientKeyPair | undefined;
  /** Impersonation headers, by name in lower case; empty when the user does not impersonate. */
  readonly impersonation: Readonly<Record<string, string | string[]>>;
}

/** Reads a kubeconfig; an empty file has no users. Throws {@link ConfigError} when the file is not a valid kubeconfig. */
export function readKubeconfigUsers(file: string): KubeconfigUsers {
  const source = new KubeconfigFile(file);
  const text = readConfigFile(file);
  const root = text.trim() === '' ? new KubeconfigMapping(source, {}, 'the file') : source.parse(text);
  const kind = root.text('kind') ?? '';
  if (kind !== '' && kind !== 'Config') throw source.error(`is a ${kind}, not a Config`);
  const users = new Map<string, KubeconfigUser>();
  for (const entry of root.parts('users')) {
    const name = entry.text('name') ?? '';
    if (users.has(name)) throw source.error(`names the user ${JSON.stringify(name)} twice`);
    users.set(name, userOf(entry.optionalPart('user'), source));
  }
  const currentUser = currentUserName(root) ?? '';
  return { users, current: currentUser === '' ? undefined : users.get(currentUser) };
}

/** `undefined` when the current context is missing or names no user. */
function currentUserName(root: KubeconfigMapping): string | undefined {
  const contextName = root.text('current-context') ?? '';
  const context = root.parts('contexts').find((entry) => contextName !== '' && entry.text('name') === contextName);
  return context?.has('context') === true ? context.part('context').text('user') : undefined;
}

const STRING_MEMBERS = ['token', 'tokenFile', 'username', 'password', 'as', 'as-uid'];
const CERTIFICATE_MEMBERS = ['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data'];

function userOf(user: KubeconfigMapping, source: KubeconfigFile): KubeconfigUser {
  requireStrings(user, [...STRING_MEMBERS, ...CERTIFICATE_MEMBERS]);
  return {
    credentials: () => credentialsOf(user, source),
    clientKeyPair() {
      const cert = user.pem('client-certificate');
      const key = user.pem('client-key');
      return cert === undefined || key === undefined ? undefined : { cert, key };
    },
    impersonation: impersonationOf(user),
  };
}

/** Throws {@link ConfigError} for a member that is not a string, before the credentials are needed. */
function requireStrings(user: KubeconfigMapping, members: readonly string[]): void {
  for (const member of members) user.text(member);
}

/**
 * The credentials of a user. The first of these counts: a token file that can be read, or that stands without a token; a
 * token; a user name with its password; `exec`.
 */
function credentialsOf(user: KubeconfigMapping, source: KubeconfigFile): ClientCredentials {
  if (user.has('auth-provider')) throw new ConfigError('auth provider not supported');
  const token = user.text('token') ?? '';
  const tokenFile = user.text('tokenFile') ?? '';
  const username = user.text('username') ?? '';
  const hasToken = token !== '' || tokenFile !== '';
  if (hasToken && username !== '') throw new ConfigError('username/password or bearer token may be set, but not both');
  if (tokenFile !== '') {
    const file = source.resolvePath(tokenFile);
    if (token === '' || isReadable(file)) return { type: 'token-file', file };
  }
  if (token !== '') return { type: 'token', token };
  if (username !== '') return { type: 'basic', user: username, password: user.text('password') ?? '' };
  if (!user.has('exec')) return { type: 'none' };
  return { type: 'exec', exec: parseExec(user.part('exec'), new KubeconfigMapping(source, {}, 'cluster'), source) };
}

function isReadable(file: string): boolean {
  try {
    readConfigFile(file);
    return true;
  } catch {
    return false;
  }
}

/** The headers of impersonation; empty without `as`. Checks the types of the other members in any case. */
function impersonationOf(user: KubeconfigMapping): KubeconfigUser['impersonation'] {
  const username = user.text('as') ?? '';
  const groups = user.texts('as-groups');
  const uid = user.text('as-uid') ?? '';
  const extra = user.has('as-user-extra') ? user.part('as-user-extra') : undefined;
  const extraHeaders = (extra?.names() ?? []).map(
    (key) => [`impersonate-extra-${escapeHeaderKey(key)}`, [...(extra?.texts(key) ?? [])]] as const,
  );
  if (username === '') return {};
  return {
    'impersonate-user': username,
    ...(uid === '' ? {} : { 'impersonate-uid': uid }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': [...groups] }),
    ...Object.fromEntries(extraHeaders),
  };
}

/** A character that may stand in the name of a header. */
const HEADER_NAME_CHARACTER = /[\w!#$&'*+.^`|~-]/;

/** Percent-encodes bytes that are invalid in header names, and `%` itself: `a/b` -> `a%2Fb`. */
const escapeHeaderKey = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return HEADER_NAME_CHARACTER.test(character) ? character : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`;
    })
    .join('');
