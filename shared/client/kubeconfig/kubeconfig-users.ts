/**
 * Users of a kubeconfig, of which the caller selects one by server. Credentials are resolved when they are needed:
 * referenced files are read then, and errors are reported then.
 */
import { ConfigError, readConfigFile, type ClientCredentials } from './client-config';
import type { ClientKeyPair } from './exec-credentials';
import { parseExec } from './kubeconfig';
import { KubeconfigFile, KubeconfigMapping } from './kubeconfig-mapping';

export interface KubeconfigUsers {
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  /** The user of the current context. */
  readonly current: KubeconfigUser | undefined;
}

export interface KubeconfigUser {
  /** Throws {@link ConfigError} when the credentials cannot be used. */
  credentials(): ClientCredentials;
  /** Undefined without a client certificate. Throws {@link ConfigError}. */
  pair(): ClientKeyPair | undefined;
  /** Impersonation headers. */
  readonly impersonation: Readonly<Record<string, string | string[]>>;
}

/** Throws {@link ConfigError} when the file is not a valid kubeconfig. */
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
  const current = currentOf(root) ?? '';
  return { users, current: current === '' ? undefined : users.get(current) };
}

/** Undefined when the current context is missing or names no user. */
function currentOf(root: KubeconfigMapping): string | undefined {
  const currentName = root.text('current-context') ?? '';
  const context = root.parts('contexts').find((entry) => currentName !== '' && entry.text('name') === currentName);
  return context?.has('context') === true ? context.part('context').text('user') : undefined;
}

const STRING_MEMBERS = ['token', 'tokenFile', 'username', 'password', 'as', 'as-uid'];
const CERTIFICATE_MEMBERS = ['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data'];

function userOf(user: KubeconfigMapping, source: KubeconfigFile): KubeconfigUser {
  for (const member of [...STRING_MEMBERS, ...CERTIFICATE_MEMBERS]) user.text(member);
  return {
    credentials: () => credentialsOf(user, source),
    pair() {
      const [cert, key] = [user.pem('client-certificate'), user.pem('client-key')];
      return cert === undefined || key === undefined ? undefined : { cert, key };
    },
    impersonation: impersonationOf(user),
  };
}

function credentialsOf(user: KubeconfigMapping, source: KubeconfigFile): ClientCredentials {
  const text = (member: string): string => user.text(member) ?? '';
  if (user.has('auth-provider')) throw new ConfigError('auth provider not supported');
  const [token, file, name] = [text('token'), text('tokenFile'), text('username')];
  const hasToken = token !== '' || file !== '';
  if (hasToken && name !== '') throw new ConfigError('username/password or bearer token may be set, but not both');
  if (file !== '' && (token === '' || isReadable(source.resolvePath(file)))) return { type: 'token-file', file: source.resolvePath(file) };
  if (token !== '') return { type: 'token', token };
  if (name !== '') return { type: 'basic', user: name, password: text('password') };
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

/** Empty without `as`. */
function impersonationOf(user: KubeconfigMapping): KubeconfigUser['impersonation'] {
  const name = user.text('as') ?? '';
  const [groups, uid] = [user.texts('as-groups'), user.text('as-uid') ?? ''];
  const extra = user.has('as-user-extra') ? user.part('as-user-extra') : undefined;
  const extras = (extra?.names() ?? []).map(
    (key) => [`impersonate-extra-${escapeHeaderKey(key)}`, [...(extra?.texts(key) ?? [])]] as const,
  );
  if (name === '') return {};
  return {
    'impersonate-user': name,
    ...(uid === '' ? {} : { 'impersonate-uid': uid }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': [...groups] }),
    ...Object.fromEntries(extras),
  };
}

/** Percent-encodes bytes that are invalid in header names. */
const escapeHeaderKey = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[\w!#$&'*+.^`|~-]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`;
    })
    .join('');
