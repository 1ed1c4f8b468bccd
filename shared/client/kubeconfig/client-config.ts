/**
 * Where the API servers are and who the client is, whatever the facts came from: a kubeconfig, flags, or the files that a workload finds
 * in its container. Reads files, connects to nothing.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../runtime/error-message';
import type { WorkloadNames } from '../../names/workload';
import type { JsonObject } from '../../values/json';

/** As node:tls takes them; all are PEM. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized?: boolean;
  readonly servername?: string;
}

/** When a program that hands out credentials may ask a person. */
export type InteractiveMode = 'Never' | 'IfAvailable' | 'Always';

/** A program that hands out credentials. */
export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** Said where there is no such program. */
  readonly installHint: string;
  readonly interactiveMode: InteractiveMode;
  /** What the program is told of the cluster; undefined = nothing. */
  readonly cluster: JsonObject | undefined;
}

export type ClientCredentials =
  | { readonly type: 'none' }
  | { readonly type: 'token'; readonly token: string }
  /** The file is read again from time to time, because tokens in files are replaced. */
  | { readonly type: 'token-file'; readonly file: string }
  | { readonly type: 'basic'; readonly user: string; readonly password: string }
  | { readonly type: 'exec'; readonly exec: ExecConfig };

export interface ClientConfig {
  /** All of them serve the same API; the client stays with one as long as it answers. Never empty. */
  readonly servers: readonly URL[];
  readonly tls: TlsOptions;
  readonly credentials: ClientCredentials;
  /** Speak HTTP/1.1 to `https:` servers too. */
  readonly http1?: boolean;
  /** Ask `https:` servers which they speak. */
  readonly negotiates?: boolean;
}

/** The configuration is not usable; the message says which file or field and why. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** An `http:` or `https:` address without credentials or query. Throws {@link ConfigError}. */
export function serverUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text.includes('://') ? text : `https://${text}`);
  } catch {
    throw new ConfigError(`the server's address ${JSON.stringify(text)} is not a URL`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ConfigError(`the server's address ${JSON.stringify(text)} must begin with https:// or http://`);
  }
  return url;
}

/** A file's text. Throws {@link ConfigError}. */
export function readConfigFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot read ${file}: ${errorMessage(error)}`);
  }
}

/** The configuration of a workload inside the cluster: `environment` names host and port, a folder holds `token` and `ca.crt`. */
export function workloadConfig(environment: Readonly<Record<string, string | undefined>>, names: readonly WorkloadNames[]): ClientConfig {
  for (const { hostVariable, portVariable, tokenFolder } of names) {
    const [host = '', port = ''] = [environment[hostVariable], environment[portVariable]];
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
