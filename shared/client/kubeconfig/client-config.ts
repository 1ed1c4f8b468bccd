/**
 * Configuration of a client: servers, TLS and credentials, from a kubeconfig, flags, or the files in a workload's
 * container. Reads files but does not connect.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../runtime/error-message';
import type { WorkloadNames } from '../../names/workload';
import type { JsonObject } from '../../values/json';

/** Options of node:tls; all are PEM. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized?: boolean;
  readonly servername?: string;
}

/** When the plug-in may prompt the user. */
export type InteractiveMode = 'Never' | 'IfAvailable' | 'Always';

/** An exec credential plug-in. */
export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** Shown when the plug-in is not installed. */
  readonly installHint: string;
  readonly interactiveMode: InteractiveMode;
  /** Cluster information for the plug-in (`provideClusterInfo`). */
  readonly cluster: JsonObject | undefined;
}

/** The credentials of a kubeconfig beside client certificates, which belong to the TLS options. */
export type ClientCredentials =
  | { readonly type: 'none' }
  | { readonly type: 'token'; readonly token: string }
  /** The file is read again from time to time, because tokens in files are replaced. */
  | { readonly type: 'token-file'; readonly file: string }
  | { readonly type: 'basic'; readonly user: string; readonly password: string }
  | { readonly type: 'exec'; readonly exec: ExecConfig };

/** How an API server is reached: addresses, trust and credentials. */
export interface ClientConfig {
  /** All serve the same API; the client uses one as long as it responds. Never empty. */
  readonly servers: readonly URL[];
  readonly tls: TlsOptions;
  readonly credentials: ClientCredentials;
  /** Use HTTP/1.1 also for `https:` servers. */
  readonly http1?: boolean;
  /** Negotiate the protocol with `https:` servers (ALPN). */
  readonly negotiates?: boolean;
}

/** The configuration is unusable; the message names the file or field and the reason. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Parses an `http:` or `https:` address; a text without a scheme is an `https:` one. Throws {@link ConfigError}. */
export function serverUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text.includes('://') ? text : `https://${text}`);
  } catch {
    throw new ConfigError(`the server's address ${JSON.stringify(text)} is not a URL`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ConfigError(`the server's address ${JSON.stringify(text)} must start with https:// or http://`);
  }
  return url;
}

/** Throws {@link ConfigError}. */
export function readConfigFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot read ${file}: ${errorMessage(error)}`, { cause: error });
  }
}

/**
 * The configuration of a workload inside the cluster: `environment` names host and port, a folder holds `token` and
 * `ca.crt`.
 */
export function workloadConfig(environment: Readonly<Record<string, string | undefined>>, names: readonly WorkloadNames[]): ClientConfig {
  for (const { hostVariable, portVariable, tokenFolder } of names) {
    const host = environment[hostVariable] ?? '';
    const port = environment[portVariable] ?? '';
    if (host === '' || port === '') continue;
    return {
      servers: [serverUrl(`https://${host.includes(':') ? `[${host}]` : host}:${port}`)],
      tls: { ca: readConfigFile(path.join(tokenFolder, 'ca.crt')) },
      credentials: { type: 'token-file', file: path.join(tokenFolder, 'token') },
    };
  }
  const variables = names.map(({ hostVariable, portVariable }) => `${hostVariable} and ${portVariable}`);
  throw new ConfigError(`not inside a cluster: neither ${variables.join(' nor ')} are set`);
}
