/**
 * Adds a cluster, a user and a context to a kubeconfig, as kubectl's `config` commands do: other entries are kept as they
 * are, and entries of the same name are replaced. Comments are not kept. Reads and writes no files.
 */
import { dump, loadAll } from 'js-yaml';
import { errorMessage } from '../../shared/runtime/error-message';
import type { Credential } from '../../shared/pki/certificates';

/** A cluster, its user and its context. */
export interface KubeconfigEntry {
  /** Name of the context and of the cluster. */
  readonly name: string;
  /** The https URL. */
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly credential: Credential;
  readonly isCurrent: boolean;
  /** Replaces the entries of the same names also when the cluster of that name is on another machine. */
  readonly overwrites: boolean;
}

type Mapping = Readonly<Record<string, unknown>>;

/** The https or http URL of this machine: `https://127.0.0.1:6443`. */
const LOCAL = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/;

/** `text` is `''` for a new file. The messages of its errors continue the name of the file. */
export function mergeKubeconfig(text: string, entry: KubeconfigEntry): string {
  const { name, server, authority, credential, isCurrent } = entry;
  const file = parse(text);
  const user = `${name}-admin`;
  if (!entry.overwrites) assertLocal(file, name);
  const merged = {
    apiVersion: 'v1',
    kind: 'Config',
    ...file,
    clusters: withEntry(file, 'clusters', name, { cluster: { server, 'certificate-authority-data': base64(authority) } }),
    users: withEntry(file, 'users', user, {
      user: { 'client-certificate-data': base64(credential.certificate), 'client-key-data': base64(credential.key) },
    }),
    contexts: withEntry(file, 'contexts', name, { context: { cluster: name, user } }),
    'current-context': isCurrent ? name : (file['current-context'] ?? ''),
  };
  return dump(merged, { lineWidth: -1 });
}

function parse(text: string): Mapping {
  let documents: readonly unknown[];
  try {
    documents = loadAll(text);
  } catch (error) {
    throw new Error(`is not YAML: ${errorMessage(error)}`, { cause: error });
  }
  const [value = null] = documents;
  if (value === null) return {};
  if (documents.length > 1 || !isMapping(value)) throw new Error('does not hold one mapping');
  const kind = value['kind'] ?? 'Config';
  if (kind !== 'Config') throw new Error(`is a ${JSON.stringify(kind)} and no Config`);
  return value;
}

/** A user's cluster of the same name on another machine must not be lost. */
function assertLocal(file: Mapping, name: string): void {
  const cluster = entriesOf(file, 'clusters').find((row) => row['name'] === name)?.['cluster'];
  const server = isMapping(cluster) ? cluster['server'] : undefined;
  if (typeof server !== 'string' || LOCAL.test(server)) return;
  throw new Error(`has a cluster ${JSON.stringify(name)} at ${server}; choose another name with --context, or replace it with --overwrite`);
}

function withEntry(file: Mapping, list: string, name: string, members: Mapping): readonly Mapping[] {
  return [...entriesOf(file, list).filter((row) => row['name'] !== name), { name, ...members }];
}

function entriesOf(file: Mapping, list: string): readonly Mapping[] {
  const entries: unknown = file[list] ?? [];
  if (!Array.isArray(entries) || !entries.every(isMapping)) throw new Error(`has ${list} that are no list of mappings`);
  return entries;
}

const isMapping = (value: unknown): value is Mapping => typeof value === 'object' && value !== null && !Array.isArray(value);

const base64 = (text: string): string => Buffer.from(text).toString('base64');
