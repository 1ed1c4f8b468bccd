/**
 * Reads kubeconfig files into client configurations. Supports client certificates, tokens, token files, passwords and
 * exec credential plug-ins; `auth-provider` is an error. kubeconfig-users.ts reads files with a user for
 * each server, as for webhooks.
 */
import type { JsonObject } from '../../values/json';
import {
  readConfigFile,
  serverUrl,
  type ClientConfig,
  type ClientCredentials,
  type ExecConfig,
  type InteractiveMode,
  type TlsOptions,
} from './client-config';
import { KubeconfigFile, KubeconfigMapping } from './kubeconfig-mapping';

/** Overrides of the file's content. */
export interface KubeconfigOptions {
  /** The context to use instead of `current-context`. */
  readonly context?: string;
  /** The servers to use instead of the cluster's, unless empty. All must serve the same API. */
  readonly servers?: readonly string[];
}

/** A kubeconfig as it was read from its files. */
export interface Kubeconfig extends ClientConfig {
  /** The kubeconfig, and the files that it refers to: certificates, which have been read, and the token file. */
  readonly files: readonly string[];
}

/** Reads `file`; relative paths are resolved against its folder. Throws {@link ConfigError}. */
export function readKubeconfig(file: string, options: KubeconfigOptions = {}): Kubeconfig {
  return parseKubeconfig(readConfigFile(file), file, options);
}

/**
 * Reads the text of a kubeconfig. `file` is its path, which is named in messages. Relative paths in the text are
 * resolved against its folder. Throws {@link ConfigError}.
 */
export function parseKubeconfig(text: string, file: string, options: KubeconfigOptions = {}): Kubeconfig {
  const source = new KubeconfigFile(file);
  const root = source.parse(text);
  const contextName = options.context ?? root.text('current-context');
  if (contextName === undefined || contextName === '') throw source.error('has no current-context');
  const context = root.namedEntry('contexts', contextName).part('context');
  const cluster = root.namedEntry('clusters', context.requiredText('cluster')).part('cluster');
  const userName = context.text('user') ?? '';
  const user = userName === '' ? new KubeconfigMapping(source, {}, 'user') : root.namedEntry('users', userName).optionalPart('user');
  const servers = options.servers === undefined || options.servers.length === 0 ? [cluster.requiredText('server')] : options.servers;
  const config = { servers: servers.map(serverUrl), tls: parseTls(cluster, user), credentials: credentialsOf(user, cluster, source) };
  return { ...config, files: source.files };
}

function parseTls(cluster: KubeconfigMapping, user: KubeconfigMapping): TlsOptions {
  const ca = cluster.pem('certificate-authority');
  const cert = user.pem('client-certificate');
  const key = user.pem('client-key');
  const name = cluster.text('tls-server-name');
  if ((cert === undefined) !== (key === undefined)) throw user.error('has only one of client-certificate and client-key');
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(name === undefined ? {} : { servername: name }),
    ...(cluster.flag('insecure-skip-tls-verify') ? { rejectUnauthorized: false } : {}),
  };
}

function credentialsOf(user: KubeconfigMapping, cluster: KubeconfigMapping, source: KubeconfigFile): ClientCredentials {
  if (user.has('auth-provider')) throw user.error('uses auth-provider, which this client does not support');
  if (user.has('exec')) return { type: 'exec', exec: parseExec(user.part('exec'), cluster, source) };
  const file = user.text('tokenFile');
  if (file !== undefined && file !== '') return { type: 'token-file', file: source.referencedFile(file) };
  const token = user.text('token');
  if (token !== undefined && token !== '') return { type: 'token', token };
  const name = user.text('username');
  return name === undefined || name === '' ? { type: 'none' } : { type: 'basic', user: name, password: user.text('password') ?? '' };
}

/** The `apiVersion` of credential plug-ins, such as `client.authentication.k8s.io/v1`. The second group is the version. */
const EXEC_VERSION = /^client\.authentication\.(k8s|platform)\.io\/(v1|v1beta1)$/;
const INTERACTIVE_MODES: readonly InteractiveMode[] = ['Never', 'IfAvailable', 'Always'];

/** Parses the `exec` of a user. `cluster` is the cluster that the client connects to. */
export function parseExec(exec: KubeconfigMapping, cluster: KubeconfigMapping, source: KubeconfigFile): ExecConfig {
  const apiVersion = exec.requiredText('apiVersion');
  const command = exec.requiredText('command');
  const version = EXEC_VERSION.exec(apiVersion)?.[2];
  if (version === undefined)
    throw exec.error(`has the apiVersion ${JSON.stringify(apiVersion)}, and only v1 and v1beta1 of client.authentication are known`);
  const interactiveMode = exec.text('interactiveMode') ?? '';
  const mode = INTERACTIVE_MODES.find((known) => known === interactiveMode);
  if (mode === undefined && (interactiveMode !== '' || version === 'v1'))
    throw exec.error(`must have an interactiveMode: ${INTERACTIVE_MODES.join(', ')}`);
  return {
    apiVersion,
    // A path is relative to the folder of the kubeconfig; a bare name is searched in PATH.
    command: command.includes('/') ? source.resolvePath(command) : command,
    args: exec.texts('args'),
    env: exec.parts('env').map((variable) => ({ name: variable.requiredText('name'), value: variable.text('value') ?? '' })),
    installHint: exec.text('installHint') ?? '',
    interactiveMode: mode ?? 'IfAvailable',
    cluster: exec.flag('provideClusterInfo') ? clusterInfo(cluster) : undefined,
  };
}

/** The cluster as it is passed to a plug-in (`spec.cluster` of an ExecCredential). */
function clusterInfo(cluster: KubeconfigMapping): JsonObject {
  const authority = cluster.pem('certificate-authority');
  const name = cluster.text('tls-server-name');
  return {
    server: cluster.requiredText('server'),
    ...(name === undefined ? {} : { 'tls-server-name': name }),
    ...(cluster.flag('insecure-skip-tls-verify') ? { 'insecure-skip-tls-verify': true } : {}),
    ...(authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
  };
}
