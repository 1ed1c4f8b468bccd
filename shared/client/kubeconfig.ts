/**
 * Reads kubeconfig files (the customary client configuration: clusters, users, contexts). Client certificates and keys, tokens, token files,
 * passwords and programs that hand out credentials (`exec`) are understood; the older `auth-provider` is refused with a clear message.
 */
import path from 'node:path';
import { load } from 'js-yaml';
import type { JsonObject } from '../values/json';
import {
  ConfigError,
  readConfigFile,
  serverUrl,
  type ClientConfig,
  type ClientCredentials,
  type ExecConfig,
  type InteractiveMode,
  type TlsOptions,
} from './client-config';

export interface KubeconfigOptions {
  /** Instead of `current-context`. */
  readonly context?: string;
  /** Instead of the cluster's server; several serve the same API. */
  readonly servers?: readonly string[];
}

export interface Kubeconfig extends ClientConfig {
  /** What was read, and what else is named in it and read later. */
  readonly files: readonly string[];
}

/** Reads `file`; relative paths in it start from its folder. Throws {@link ConfigError}. */
export function readKubeconfig(file: string, options: KubeconfigOptions = {}): Kubeconfig {
  return parseKubeconfig(readConfigFile(file), file, options);
}

/** `file` is only named in messages and where relative paths start. Throws {@link ConfigError}. */
export function parseKubeconfig(text: string, file: string, options: KubeconfigOptions = {}): Kubeconfig {
  const source = new ConfigFile(file);
  const root = source.parse(text);
  const contextName = options.context ?? root.text('current-context');
  if (contextName === undefined || contextName === '') throw source.fault('names no current-context');
  const context = root.named('contexts', contextName).part('context');
  const cluster = root.named('clusters', context.required('cluster')).part('cluster');
  const userName = context.text('user') ?? '';
  const user = userName === '' ? new Part(source, {}, 'user') : root.named('users', userName).part('user');
  const servers = options.servers === undefined || options.servers.length === 0 ? [cluster.required('server')] : options.servers;
  const config = { servers: servers.map(serverUrl), tls: tlsOf(cluster, user), credentials: credentialsOf(user, cluster, source) };
  return { ...config, files: source.files };
}

function tlsOf(cluster: Part, user: Part): TlsOptions {
  const ca = cluster.material('certificate-authority');
  const cert = user.material('client-certificate');
  const key = user.material('client-key');
  const name = cluster.text('tls-server-name');
  if ((cert === undefined) !== (key === undefined)) throw user.fault('has only one of client-certificate and client-key');
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(name === undefined ? {} : { servername: name }),
    ...(cluster.flag('insecure-skip-tls-verify') ? { rejectUnauthorized: false } : {}),
  };
}

function credentialsOf(user: Part, cluster: Part, source: ConfigFile): ClientCredentials {
  if (user.has('auth-provider')) throw user.fault('uses auth-provider, which this client does not run');
  if (user.has('exec')) return { type: 'exec', exec: execOf(user.part('exec'), cluster, source) };
  const file = user.text('tokenFile');
  if (file !== undefined && file !== '') return { type: 'token-file', file: source.named(file) };
  const token = user.text('token');
  if (token !== undefined && token !== '') return { type: 'token', token };
  const name = user.text('username');
  return name === undefined || name === '' ? { type: 'none' } : { type: 'basic', user: name, password: user.text('password') ?? '' };
}

const EXEC_VERSION = /^client\.authentication\.(k8s|platform)\.io\/(v1|v1beta1)$/;
const MODES: readonly InteractiveMode[] = ['Never', 'IfAvailable', 'Always'];

function execOf(exec: Part, cluster: Part, source: ConfigFile): ExecConfig {
  const [apiVersion, command] = [exec.required('apiVersion'), exec.required('command')];
  const version = EXEC_VERSION.exec(apiVersion)?.[2];
  if (version === undefined)
    throw exec.fault(`has the apiVersion ${JSON.stringify(apiVersion)}, and only v1 and v1beta1 of client.authentication are known`);
  const given = exec.text('interactiveMode') ?? '';
  const mode = MODES.find((known) => known === given);
  if (mode === undefined && (given !== '' || version === 'v1')) throw exec.fault(`must have an interactiveMode: ${MODES.join(', ')}`);
  return {
    apiVersion,
    // A path is one from the file's folder; a bare name is looked for.
    command: command.includes('/') ? source.path(command) : command,
    args: exec.texts('args'),
    env: exec.parts('env').map((variable) => ({ name: variable.required('name'), value: variable.text('value') ?? '' })),
    installHint: exec.text('installHint') ?? '',
    interactiveMode: mode ?? 'IfAvailable',
    cluster: exec.flag('provideClusterInfo') ? clusterInfo(cluster) : undefined,
  };
}

function clusterInfo(cluster: Part): JsonObject {
  const authority = cluster.material('certificate-authority');
  const name = cluster.text('tls-server-name');
  return {
    server: cluster.required('server'),
    ...(name === undefined ? {} : { 'tls-server-name': name }),
    ...(cluster.flag('insecure-skip-tls-verify') ? { 'insecure-skip-tls-verify': true } : {}),
    ...(authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
  };
}

class ConfigFile {
  private readonly others = new Set<string>();

  constructor(private readonly file: string) {}

  /** Itself, and those that have been named. */
  get files(): readonly string[] {
    return [this.file, ...this.others];
  }

  parse(text: string): Part {
    let value: unknown;
    try {
      value = load(text);
    } catch (error) {
      throw this.fault(`is not YAML: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (!isRecord(value)) throw this.fault('is empty or holds no mapping');
    return new Part(this, value, 'the file');
  }

  /** The path of a file that holds something of the configuration. */
  named(relative: string): string {
    const file = this.path(relative);
    this.others.add(file);
    return file;
  }

  path(relative: string): string {
    return path.resolve(path.dirname(this.file), relative);
  }

  fault(text: string): ConfigError {
    return new ConfigError(`kubeconfig ${this.file} ${text}`);
  }
}

/** One mapping of the file. */
class Part {
  constructor(
    private readonly source: ConfigFile,
    private readonly values: Readonly<Record<string, unknown>>,
    private readonly label: string,
  ) {}

  has(member: string): boolean {
    return this.values[member] !== undefined && this.values[member] !== null;
  }

  text(member: string): string | undefined {
    const value = this.values[member];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw this.fault(`has a ${member} that is no text`);
    return value;
  }

  required(member: string): string {
    const value = this.text(member);
    if (value === undefined || value === '') throw this.fault(`has no ${member}`);
    return value;
  }

  flag(member: string): boolean {
    return this.values[member] === true;
  }

  texts(member: string): readonly string[] {
    const value = this.values[member] ?? [];
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
      throw this.fault(`has ${member} that are no list of texts`);
    return value;
  }

  parts(member: string): readonly Part[] {
    const value: unknown = this.values[member] ?? [];
    if (!Array.isArray(value) || !value.every(isRecord)) throw this.fault(`has ${member} that are no list of objects`);
    return value.map((item, index) => new Part(this.source, item, `${this.label}, ${member}[${index}],`));
  }

  part(member: string): Part {
    const value = this.values[member];
    if (!isRecord(value)) throw this.fault(`has no ${member}`);
    return new Part(this.source, value, `${this.label}, ${member},`);
  }

  /** The item of the list whose `name` is `name`. */
  named(list: string, name: string): Part {
    const items = this.values[list];
    const found: unknown = Array.isArray(items) ? items.find((item: unknown) => isRecord(item) && item['name'] === name) : undefined;
    if (!isRecord(found)) throw this.source.fault(`has no entry ${JSON.stringify(name)} in ${list}`);
    return new Part(this.source, found, `${list} ${JSON.stringify(name)}`);
  }

  /** PEM text: `<member>-data` in base64, else the file that `member` names. */
  material(member: string): string | undefined {
    const data = this.text(`${member}-data`);
    if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString('utf8');
    const file = this.text(member);
    return file === undefined || file === '' ? undefined : readConfigFile(this.source.named(file));
  }

  fault(text: string): ConfigError {
    return this.source.fault(`: ${this.label} ${text}`);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
