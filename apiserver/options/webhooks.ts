/**
 * Webhooks that kubeconfig files configure: their address and credentials, and calls with retries. When a kubeconfig or
 * a file that it names changes, later calls use the new configuration. What is sent is left to the callers.
 */
import { readConfigFile, type ClientConfig } from '../../shared/client/kubeconfig/client-config';
import { connect } from '../../shared/client/transport/connect';
import { readKubeconfig } from '../../shared/client/kubeconfig/kubeconfig';
import { callWebhookWithRetries, type AttemptListener, type WebhookAddress, type WebhookResult } from '../../shared/client/rest/webhook';
import type { ConfigurationFiles } from '../../shared/configuration/configuration-files';
import type { Clock } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';

/** Dependencies of a webhook with a kubeconfig and of its calls. */
export interface KubeconfigWebhookDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly configurations: ConfigurationFiles;
}

/**
 * Time limit of all attempts together, because a request waits for the result. A replaced connection is closed after
 * this time, when no call uses it any more.
 */
const TOTAL_TIMEOUT_MS = 30_000;

interface LoadedKubeconfig {
  readonly server: URL;
  /** Identifies the content of the files. */
  readonly fingerprint: string;
  readonly address: WebhookAddress;
}

/** The webhook of one kubeconfig file. */
export class KubeconfigWebhook {
  private loaded: LoadedKubeconfig | undefined;

  constructor(
    private readonly file: string,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads the files and returns their paths. Throws ConfigError when they are unusable; the previous configuration
   * then stays in use.
   */
  read(): readonly string[] {
    const { files, ...config } = readKubeconfig(this.file);
    const fingerprint = fingerprintOf(config);
    if (fingerprint === this.loaded?.fingerprint) return files;
    const { transport, credentials } = connect({ ...config, negotiates: true }, this.clock);
    const [server] = config.servers;
    // Does not happen: readKubeconfig throws for a cluster without a server.
    if (server === undefined) throw new Error(`${this.file} names no server`);
    const path = `${server.pathname}${server.search}`;
    this.closeAfterCalls();
    this.loaded = { fingerprint, server, address: { transport, path, authorization: () => credentials.header() } };
    return files;
  }

  /** Throws when nothing has been read. */
  get address(): WebhookAddress {
    return this.requireLoaded().address;
  }

  /** URL of the webhook. Throws when nothing has been read. */
  get server(): URL {
    return this.requireLoaded().server;
  }

  private requireLoaded(): LoadedKubeconfig {
    if (this.loaded === undefined) throw new Error(`${this.file} has not been read`);
    return this.loaded;
  }

  /** Closes the connection when the time limit of the calls in progress has passed. */
  closeAfterCalls(): void {
    const { loaded, clock } = this;
    if (loaded !== undefined) clock.after(TOTAL_TIMEOUT_MS, () => loaded.address.transport.close());
  }
}

/** A text that differs when the configuration does. Includes the content of the token file, so that a new token counts. */
function fingerprintOf({ servers, tls, credentials }: ClientConfig): string {
  const token = credentials.type === 'token-file' ? readConfigFile(credentials.file) : '';
  return JSON.stringify([servers, tls, credentials, token]);
}

/** Reads and watches the kubeconfig of a flag. Rejects when it is unusable. */
export async function openWebhook(
  name: string,
  file: string,
  { clock, configurations }: KubeconfigWebhookDependencies,
): Promise<KubeconfigWebhook> {
  const webhook = new KubeconfigWebhook(file, clock);
  await configurations.loadAndWatch({ name, path: file, load: () => Promise.resolve(webhook.read()) });
  return webhook;
}

interface CallTimes {
  /** Time limit of one call. */
  readonly timeoutMs: number;
  /** Delay before the second attempt; absent for the default of `callWebhookWithRetries`. */
  readonly firstPauseMs?: number | undefined;
}

type CallWebhook = (body: Buffer, onAttempt?: AttemptListener) => Promise<WebhookResult>;

/** Returns a function that sends a body to the webhook, with retries. */
export function createWebhookCaller(
  webhook: KubeconfigWebhook,
  { clock, random }: Pick<KubeconfigWebhookDependencies, 'clock' | 'random'>,
  { timeoutMs, firstPauseMs }: CallTimes,
): CallWebhook {
  const options = { address: () => webhook.address, clock, timeoutMs };
  const retries = { random, totalTimeoutMs: TOTAL_TIMEOUT_MS, ...(firstPauseMs === undefined ? {} : { firstPauseMs }) };
  return (body, onAttempt) => callWebhookWithRetries(options, body, { ...retries, onAttempt });
}
