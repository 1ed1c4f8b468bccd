/**
 * Calls to a remote server that a kubeconfig names: a JSON body each, which it answers with another. Bounded in time and size, and made again where the failure
 * may pass. Knows nothing of what is asked.
 */
import type { Clock } from '../runtime/clock';
import type { Random } from '../runtime/random';
import { JSON_MEDIA_TYPE } from '../names/dialect';
import { BackOff } from './back-off';
import { connectTo } from './connect';
import { CredentialSource, type Credentials } from './credential-source';
import { collect } from './json-body';
import { readKubeconfig } from './kubeconfig';
import { withDeadline } from './signals';
import type { Transport } from './transport';

export interface WebhookPatience {
  /** The first wait between two attempts, which grows. Milliseconds. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** All attempts and waits together, in milliseconds; absent = as long as they take. */
  readonly overallMs?: number;
  /** Tried again also where there was no answer at all, or none in time. */
  readonly awaitsServer: boolean;
}

export interface WebhookOptions extends WebhookPatience {
  readonly transport: Transport;
  /** Path and query of the server's address. */
  readonly path: string;
  readonly credentials: Pick<Credentials, 'header'>;
  readonly clock: Clock;
  readonly random: Random;
}

/** There is no good answer. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';

  constructor(
    message: string,
    /** What the server answered; undefined = nothing. */
    readonly status: number | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const ATTEMPTS = 5;
const TIMEOUT_MS = 30_000;
const LONGEST_ANSWER = 1024 * 1024;

/** Reads `file` and connects to nothing yet. Throws ConfigError. */
export function openWebhook(file: string, patience: WebhookPatience, { clock, random }: Pick<WebhookOptions, 'clock' | 'random'>): Webhook {
  const config = readKubeconfig(file);
  const [server] = config.servers;
  return new Webhook({
    ...patience,
    transport: connectTo({ ...config, http1: true }, clock),
    path: server === undefined ? '/' : `${server.pathname}${server.search}`,
    credentials: new CredentialSource(config.credentials, clock),
    clock,
    random,
  });
}

export class Webhook {
  constructor(private readonly options: WebhookOptions) {}

  /** Resolves with the body of the answer; rejects with {@link WebhookFailure}. `isLast` = there is no time to try again. */
  async post(body: Buffer, isLast: () => boolean = () => false): Promise<Buffer> {
    const { clock, random, firstMs, longestMs, overallMs = Number.POSITIVE_INFINITY } = this.options;
    const backOff = new BackOff(random, { firstMs, longestMs, factor: 1.5, jitter: 0.2 });
    const end = clock.monotonic() + overallMs;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.attempt(body, Math.min(TIMEOUT_MS, end - clock.monotonic()));
      if (!(outcome instanceof WebhookFailure)) return outcome;
      const delay = backOff.next();
      if (attempt === ATTEMPTS || isLast() || !this.mayPass(outcome) || clock.monotonic() + delay >= end) throw outcome;
      await clock.sleep(delay);
    }
  }

  close(): void {
    this.options.transport.close();
  }

  private mayPass({ status }: WebhookFailure): boolean {
    return status === undefined ? this.options.awaitsServer : status >= 500 || status === 429;
  }

  private async attempt(body: Buffer, timeoutMs: number): Promise<Buffer | WebhookFailure> {
    const { transport, path, credentials, clock } = this.options;
    const deadline = withDeadline(clock, timeoutMs, () => new Error(`no answer in ${Math.ceil(timeoutMs / 1000)} s`), []);
    try {
      const credential = await credentials.header();
      const headers = {
        'content-type': JSON_MEDIA_TYPE,
        accept: JSON_MEDIA_TYPE,
        ...(credential === undefined ? {} : { authorization: credential }),
      };
      const answer = await transport.send({ method: 'POST', path, headers, body, signal: deadline.signal });
      const text = await collect(answer.body, LONGEST_ANSWER);
      return answer.status >= 200 && answer.status < 300
        ? text
        : new WebhookFailure(`the webhook answered ${answer.status}`, answer.status);
    } catch (error) {
      return new WebhookFailure(error instanceof Error ? error.message : String(error), undefined, { cause: error });
    } finally {
      deadline.release();
    }
  }
}
