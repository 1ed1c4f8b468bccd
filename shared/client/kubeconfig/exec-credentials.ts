/**
 * Credentials from an exec credential plug-in of a kubeconfig. The plug-in runs at the first use, and again when its
 * credentials have expired or the server has rejected them. Its run time and the length of its output are limited. It
 * has no terminal, so a plug-in that must ask questions is an error.
 */
import { spawn } from 'node:child_process';
import type { Clock } from '../../runtime/clock';
import { parseJson } from '../../serialization';
import { isObject, objectAt, stringAt } from '../../values/json';
import { ConfigError, type ExecConfig } from './client-config';
import type { Credentials } from './credential-source';

/** A client certificate with its key, in PEM. */
export interface ClientKeyPair {
  readonly cert: string;
  readonly key: string;
}

/** How a run of a plug-in ended. */
export interface ExecOutcome {
  /** The exit code; `null` when a signal has ended the plug-in. */
  readonly code: number | null;
  /** What it printed to its standard output: an ExecCredential in JSON. */
  readonly output: string;
}

/** Runs the plug-in with `info` in KUBERNETES_EXEC_INFO. Rejects when it cannot be started. */
export type RunPlugin = (config: ExecConfig, info: string) => Promise<ExecOutcome>;

interface ExecCredential {
  readonly token: string | undefined;
  readonly pair: ClientKeyPair | undefined;
  /** Milliseconds since 1970; `undefined` when the credential does not expire. */
  readonly expiresAt: number | undefined;
}

/** The plug-in of a kubeconfig, and how it is run. */
export interface ExecCredentialsOptions {
  readonly config: ExecConfig;
  readonly clock: Clock;
  /** Runs the plug-in; by default as a child process. */
  readonly run?: RunPlugin;
}

/** The credentials of one plug-in. Concurrent callers share one run of it. */
export class ExecCredentials implements Credentials {
  private credential: ExecCredential | undefined;
  private pending: Promise<ExecCredential> | undefined;

  constructor(private readonly options: ExecCredentialsOptions) {}

  async header(): Promise<string | undefined> {
    const { token } = await this.current();
    return token === undefined ? undefined : `Bearer ${token}`;
  }

  /** The client certificate with its key; `undefined` without one. The same object until the plug-in runs again. */
  async pair(): Promise<ClientKeyPair | undefined> {
    return (await this.current()).pair;
  }

  async refreshAfterRejection(): Promise<boolean> {
    const before = this.credential;
    this.credential = undefined;
    const { token, pair } = await this.current();
    return token !== before?.token || pair?.cert !== before?.pair?.cert;
  }

  /** The credential, from a new run of the plug-in if there is none or it has expired. */
  private async current(): Promise<ExecCredential> {
    const { credential, options } = this;
    if (credential !== undefined && (credential.expiresAt === undefined || options.clock.now() < credential.expiresAt)) return credential;
    this.pending ??= this.runPlugin().finally(() => (this.pending = undefined));
    return this.pending;
  }

  private async runPlugin(): Promise<ExecCredential> {
    const { config, run = runProgram } = this.options;
    if (config.interactiveMode === 'Always')
      throw new ConfigError(`${config.command} needs a terminal for its questions, and there is none`);
    const spec = { interactive: false, ...(config.cluster === undefined ? {} : { cluster: config.cluster }) };
    const info = JSON.stringify({ kind: 'ExecCredential', apiVersion: config.apiVersion, spec });
    const { code, output } = await run(config, info);
    if (code !== 0) throw new ConfigError(`${config.command} ended with ${code === null ? 'a signal' : code}`);
    this.credential = readCredential(config, output);
    return this.credential;
  }
}

/** Reads the ExecCredential that the plug-in printed. Throws {@link ConfigError} when it is invalid. */
function readCredential({ command, apiVersion }: ExecConfig, output: string): ExecCredential {
  const error = (text: string): ConfigError => new ConfigError(`${command} ${text}`);
  let value: ReturnType<typeof parseJson>['value'];
  try {
    ({ value } = parseJson(Buffer.from(output)));
  } catch {
    throw error('printed no valid credential');
  }
  if (!isObject(value) || stringAt(value, 'kind') !== 'ExecCredential') throw error('printed no valid credential');
  if (stringAt(value, 'apiVersion') !== apiVersion) throw error(`responded in another version than ${apiVersion}`);
  const status = objectAt(value, 'status');
  const text = (member: string): string | undefined => stringAt(status, member) || undefined;
  const token = text('token');
  const cert = text('clientCertificateData');
  const key = text('clientKeyData');
  const expiration = text('expirationTimestamp');
  if ((cert === undefined) !== (key === undefined)) throw error('printed only one of clientCertificateData and clientKeyData');
  if (token === undefined && cert === undefined) throw error('printed neither a token nor a certificate');
  const expiresAt = expiration === undefined ? undefined : Date.parse(expiration);
  if (expiresAt !== undefined && Number.isNaN(expiresAt)) throw error('printed an expirationTimestamp that is not a time');
  return { token, pair: cert === undefined || key === undefined ? undefined : { cert, key }, expiresAt };
}

/** Time limit of a run of the plug-in. */
const PLUGIN_TIMEOUT_MS = 60_000;
/** Limit of its output, beyond which it is killed. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

const runProgram: RunPlugin = ({ command, args, env, installHint }, info) =>
  new Promise((resolve, reject) => {
    const extraVariables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const child = spawn(command, args, {
      env: { ...process.env, ...extraVariables, KUBERNETES_EXEC_INFO: info },
      stdio: ['ignore', 'pipe', 'inherit'],
      signal: AbortSignal.timeout(PLUGIN_TIMEOUT_MS),
    });
    const chunks: Buffer[] = [];
    let length = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_OUTPUT_BYTES) child.kill('SIGKILL');
      else chunks.push(chunk);
    });
    child.on('error', (error) =>
      reject(new ConfigError(`${command} cannot be run: ${error.message}${installHint === '' ? '' : `\n${installHint}`}`)),
    );
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString() }));
  });
