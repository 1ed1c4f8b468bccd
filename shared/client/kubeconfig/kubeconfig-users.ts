/**
 * The users of a kubeconfig, for whoever chooses among them by whom he talks to: who each is, as far as can be told when he is needed. Files that a user names are read
 * then, and so is found out what keeps him from being used. Connects to nothing.
 */
import { ConfigError, readConfigFile, type ClientCredentials } from './client-config';
import type { ClientPair } from './exec-credentials';
import { execOf } from './kubeconfig';
import { ConfigFile, ConfigPart } from './kubeconfig-parts';

export interface KubeconfigUsers {
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  /** Of the current context. */
  readonly current: KubeconfigUser | undefined;
}

export interface KubeconfigUser {
  /** Throws {@link ConfigError} where he cannot be used. */
  credentials(): ClientCredentials;
  /** Undefined = he shows no certificate. Throws {@link ConfigError}. */
  pair(): ClientPair | undefined;
  /** Headers that say for whom he acts. */
  readonly impersonation: Readonly<Record<string, string | string[]>>;
}

/** Throws {@link ConfigError} where the file is none. */
export function readKubeconfigUsers(file: string): KubeconfigUsers {
  const source = new ConfigFile(file);
  const text = readConfigFile(file);
  const root = text.trim() === '' ? new ConfigPart(source, {}, 'the file') : source.parse(text);
  const kind = root.text('kind') ?? '';
  if (kind !== '' && kind !== 'Config') throw source.fault(`is a ${kind} and no Config`);
  const users = new Map<string, KubeconfigUser>();
  for (const entry of root.parts('users')) {
    const name = entry.text('name') ?? '';
    if (users.has(name)) throw source.fault(`names the user ${JSON.stringify(name)} twice`);
    users.set(name, userOf(entry.optionalPart('user'), source));
  }
  const current = currentOf(root) ?? '';
  return { users, current: current === '' ? undefined : users.get(current) };
}

/** Nobody is the current user where the context says nothing that can be used. */
function currentOf(root: ConfigPart): string | undefined {
  const wanted = root.text('current-context') ?? '';
  const context = root.parts('contexts').find((entry) => wanted !== '' && entry.text('name') === wanted);
  return context?.has('context') === true ? context.part('context').text('user') : undefined;
}

const TEXTS = ['token', 'tokenFile', 'username', 'password', 'as', 'as-uid'];
const MATERIALS = ['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data'];

function userOf(user: ConfigPart, source: ConfigFile): KubeconfigUser {
  for (const member of [...TEXTS, ...MATERIALS]) user.text(member);
  return {
    credentials: () => credentialsOf(user, source),
    pair() {
      const [cert, key] = [user.material('client-certificate'), user.material('client-key')];
      return cert === undefined || key === undefined ? undefined : { cert, key };
    },
    impersonation: impersonationOf(user),
  };
}

function credentialsOf(user: ConfigPart, source: ConfigFile): ClientCredentials {
  const text = (member: string): string => user.text(member) ?? '';
  if (user.has('auth-provider')) throw new ConfigError('auth provider not supported');
  const [token, file, name] = [text('token'), text('tokenFile'), text('username')];
  const isTold = token !== '' || file !== '';
  if (isTold && name !== '') throw new ConfigError('username/password or bearer token may be set, but not both');
  if (file !== '' && (token === '' || isReadable(source.path(file)))) return { type: 'token-file', file: source.path(file) };
  if (token !== '') return { type: 'token', token };
  if (name !== '') return { type: 'basic', user: name, password: text('password') };
  if (!user.has('exec')) return { type: 'none' };
  return { type: 'exec', exec: execOf(user.part('exec'), new ConfigPart(source, {}, 'cluster'), source) };
}

function isReadable(file: string): boolean {
  try {
    readConfigFile(file);
    return true;
  } catch {
    return false;
  }
}

/** For nobody, unless it says for which user. */
function impersonationOf(user: ConfigPart): KubeconfigUser['impersonation'] {
  const name = user.text('as') ?? '';
  const [groups, uid] = [user.texts('as-groups'), user.text('as-uid') ?? ''];
  const extra = user.has('as-user-extra') ? user.part('as-user-extra') : undefined;
  const extras = (extra?.names() ?? []).map((key) => [`impersonate-extra-${escaped(key)}`, [...(extra?.texts(key) ?? [])]] as const);
  if (name === '') return {};
  return {
    'impersonate-user': name,
    ...(uid === '' ? {} : { 'impersonate-uid': uid }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': [...groups] }),
    ...Object.fromEntries(extras),
  };
}

/** What may not stand in the name of a header is a percent sign and the number of its byte. */
const escaped = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[\w!#$&'*+.^`|~-]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`;
    })
    .join('');
