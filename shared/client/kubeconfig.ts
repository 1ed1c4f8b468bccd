/**
 * Reads kubeconfig files (the customary client configuration: clusters, users, contexts). Client certificates and keys, tokens, token files
 * and passwords are understood; programs that fetch credentials (`exec`, `auth-provider`) are refused with a clear message.
 */
import path from 'node:path';
import { load } from 'js-yaml';
import { ConfigError, readConfigFile, serverUrl, type ClientConfig, type ClientCredentials, type TlsOptions } from './client-config';

export interface KubeconfigOptions {
  /** Instead of `current-context`. */
  readonly context?: string;
  /** Instead of the cluster's server; several serve the same API. */
  readonly servers?: readonly string[];
}

/** Reads `file`; relative paths in it start from its folder. Throws {@link ConfigError}. */
export function readKubeconfig(file: string, options: KubeconfigOptions = {}): ClientConfig {
  return parseKubeconfig(readConfigFile(file), file, options);
}

/** `file` is only named in messages and where relative paths start. Throws {@link ConfigError}. */
export function parseKubeconfig(text: string, file: string, options: KubeconfigOptions = {}): ClientConfig {
  const source = new ConfigFile(file);
  const root = source.parse(text);
  const contextName = options.context ?? root.text('current-context');
  if (contextName === undefined || contextName === '') throw source.fault('names no current-context');
  const context = root.named('contexts', contextName).part('context');
  const cluster = root.named('clusters', context.required('cluster')).part('cluster');
  const userName = context.text('user') ?? '';
  const user = userName === '' ? new Part(source, {}, 'user') : root.named('users', userName).part('user');
  const servers = options.servers === undefined || options.servers.length === 0 ? [cluster.required('server')] : options.servers;
  return { servers: servers.map(serverUrl), tls: tlsOf(cluster, user), credentials: credentialsOf(user, source) };
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

function credentialsOf(user: Part, source: ConfigFile): ClientCredentials {
  for (const unsupported of ['exec', 'auth-provider']) {
    if (user.has(unsupported)) throw user.fault(`uses ${unsupported}, which this client does not run`);
  }
  const file = user.text('tokenFile');
  if (file !== undefined && file !== '') return { type: 'token-file', file: source.path(file) };
  const token = user.text('token');
  if (token !== undefined && token !== '') return { type: 'token', token };
  const name = user.text('username');
  return name === undefined || name === '' ? { type: 'none' } : { type: 'basic', user: name, password: user.text('password') ?? '' };
}

class ConfigFile {
  constructor(private readonly file: string) {}

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
    return file === undefined || file === '' ? undefined : readConfigFile(this.source.path(file));
  }

  fault(text: string): ConfigError {
    return this.source.fault(`: ${this.label} ${text}`);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
