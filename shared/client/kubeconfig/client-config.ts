/**
 * Configuration of a client: servers, TLS and credentials. This module has its types, and reads the one of a workload
 * inside the cluster; kubeconfig.ts reads the one of a kubeconfig. Connecting is left to transport/connect.ts.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../runtime/error-message';
import type { WorkloadNames } from '../../names/workload';
import type { JsonObject } from '../../values/json';

/** The options of node:tls that a client uses. Certificates and keys are PEM. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized?: boolean;
  readonly servername?: string;
}

/** Whether a credential plug-in may ask the user questions (`interactiveMode`). */
export type InteractiveMode = 'Never' | 'IfAvailable' | 'Always';

/** An exec credential plug-in. */
export interface ExecConfig {
  /** The version of ExecCredential that it reads and prints: `client.authentication.k8s.io/v1`. */
  readonly apiVersion: string;
  /** An absolute path, or a name that is searched in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** Shown when the plug-in cannot be run; `''` without one. */
  readonly installHint: string;
  readonly interactiveMode: InteractiveMode;
  /** The cluster, for a plug-in with `provideClusterInfo`; `undefined` for any other. */
  readonly cluster: JsonObject | undefined;
}

/** The credentials of a client, except a client certificate, which is in the TLS options. */
export type ClientCredentials =
  | { readonly type: 'none' }
  | { readonly type: 'token'; readonly token: string }
  /** The file is read again every minute, because tokens in files are replaced. */
  | { readonly type: 'token-file'; readonly file: string }
  | { readonly type: 'basic'; readonly user: string; readonly password: string }
  | { readonly type: 'exec'; readonly exec: ExecConfig };

/** How an API server is reached: addresses, trust and credentials. */
export interface ClientConfig {
  /** All serve the same API; the client uses one as long as it responds. Never empty. */
  readonly servers: readonly URL[];
  readonly tls: TlsOptions;
  readonly credentials: ClientCredentials;
  /** Whether to use HTTP/1.1 also for `https:` servers. */
  readonly http1?: boolean;
  /** Whether to negotiate the protocol with `https:` servers (ALPN); without it they are expected to support HTTP/2. */
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

/** The text of a file. Throws {@link ConfigError} when it cannot be read. */
export function readConfigFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot read ${file}: ${errorMessage(error)}`, { cause: error });
  }
}

/**
 * The configuration of a workload inside the cluster. `environment` has variables with host and port of the server; a
 * folder has the files `token` and `ca.crt`. `names` are the alternative names of these variables and of the folder
 * (shared/names/workload.ts); the first with variables that are set is used. Throws {@link ConfigError} when none
 * is.
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
