/**
 * Servers that are asked or told something, as kubeconfigs name them. When such a file or one that it names changes, the next question goes where it
 * says then.
 */
import { readConfigFile, type ClientConfig } from '../../shared/client/kubeconfig/client-config';
import { connect } from '../../shared/client/transport/connect';
import { readKubeconfig } from '../../shared/client/kubeconfig/kubeconfig';
import { callWebhookWithRetries, type AttemptListener, type WebhookAddress, type WebhookResult } from '../../shared/client/rest/webhook';
import type { ConfigurationFiles } from '../../shared/configuration/configuration-files';
import type { Clock } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';

export interface WebhookParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly configurations: ConfigurationFiles;
}

/** All attempts together may take so long: somebody is waiting. No single POST takes longer. */
const TOTAL_TIMEOUT_MS = 30_000;

interface LoadedKubeconfig {
  readonly server: URL;
  /** What the files say. */
  readonly fingerprint: string;
  readonly address: WebhookAddress;
}

export class KubeconfigWebhook {
  private loaded: LoadedKubeconfig | undefined;

  constructor(
    private readonly file: string,
    private readonly clock: Clock,
  ) {}

  /** Reads the files, and returns which they are. Throws ConfigError where they cannot be used; then all stays as it was. */
  read(): readonly string[] {
    const { files, ...config } = readKubeconfig(this.file);
    const fingerprint = fingerprintOf(config);
    if (fingerprint === this.loaded?.fingerprint) return files;
    const { transport, credentials } = connect({ ...config, negotiates: true }, this.clock);
    const [server] = config.servers;
    const path = server === undefined ? '/' : `${server.pathname}${server.search}`;
    this.closeAfterCalls();
    this.loaded = {
      fingerprint,
      server: server ?? new URL('https://localhost'),
      address: { transport, path, authorization: () => credentials.header() },
    };
    return files;
  }

  get address(): WebhookAddress {
    return this.requireLoaded().address;
  }

  /** Who is asked. */
  get server(): URL {
    return this.requireLoaded().server;
  }

  /** Throws before anything was read. */
  private requireLoaded(): LoadedKubeconfig {
    if (this.loaded === undefined) throw new Error(`${this.file} has not been read`);
    return this.loaded;
  }

  /** Whoever is being asked may still answer. */
  closeAfterCalls(): void {
    const { loaded, clock } = this;
    if (loaded !== undefined) clock.after(TOTAL_TIMEOUT_MS, () => loaded.address.transport.close());
  }
}

/** With the token in a file, which is credential enough to change. */
function fingerprintOf({ servers, tls, credentials }: ClientConfig): string {
  const token = credentials.type === 'token-file' ? readConfigFile(credentials.file) : '';
  return JSON.stringify([servers, tls, credentials, token]);
}

/** Follows the file that a flag names. Rejects where it cannot be used. */
export async function openWebhook(name: string, file: string, { clock, configurations }: WebhookParts): Promise<KubeconfigWebhook> {
  const webhook = new KubeconfigWebhook(file, clock);
  await configurations.loadAndWatch({ name, path: file, load: () => Promise.resolve(webhook.read()) });
  return webhook;
}

type CallWebhook = (body: Buffer, attempted?: AttemptListener) => Promise<WebhookResult>;

/** `timeoutMs` is for one POST, `firstPauseMs` what passes before a second. */
export function createWebhookCaller(
  webhook: KubeconfigWebhook,
  timeoutMs: number,
  { clock, random }: Pick<WebhookParts, 'clock' | 'random'>,
  firstPauseMs?: number,
): CallWebhook {
  const options = { address: () => webhook.address, clock, timeoutMs };
  const limits = { totalTimeoutMs: TOTAL_TIMEOUT_MS, ...(firstPauseMs === undefined ? {} : { firstPauseMs }) };
  return (body, attempted) => callWebhookWithRetries(options, random, limits, body, attempted);
}
