/**
 * A conversion webhook as a process of its own: sends its address to its parent, exits with it, and reports the number
 * of calls on request.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { CONVERSIONS } from '../../replay/conversions/behaviours';
import { isBody, type Json } from '../../replay/json-response';
import { startWebhookServer } from '../../support/servers/webhook-server';

interface WebhookAddress {
  readonly port: number;
  /** The certificates of the webhook's authority in base64, as `clientConfig.caBundle` has them. */
  readonly caBundle: string;
}

/** The webhook as its parent sees it. */
export class ConversionProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly address: WebhookAddress,
  ) {}

  /** Resolves when the webhook listens. */
  static async start(): Promise<ConversionProcess> {
    const child = fork(__filename, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const address = await new Promise<WebhookAddress>((resolve) => child.once('message', (message: WebhookAddress) => resolve(message)));
    return new ConversionProcess(child, address);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The number of calls so far. */
  countCalls(): Promise<number> {
    const received = new Promise<number>((resolve) => this.child.once('message', (count: number) => resolve(count)));
    this.child.send('calls');
    return received;
  }

  stop(): void {
    this.child.disconnect();
  }
}

/** The process of the webhook: converts by the behaviour `good` of the recorded conversions. */
async function serve(): Promise<void> {
  let calls = 0;
  const { good } = CONVERSIONS;
  const { port, caBundle } = await startWebhookServer({
    reply({ text }) {
      calls += 1;
      const review: Json = JSON.parse(text);
      const { request = {}, apiVersion = '' } = isBody(review) ? review : {};
      if (good === undefined || !isBody(request) || typeof apiVersion !== 'string') return { status: 400, body: 'no review' };
      return good(request, apiVersion);
    },
  });
  process.on('message', () => process.send?.(calls));
  process.on('disconnect', () => process.exit(0));
  process.send?.({ port, caBundle } satisfies WebhookAddress);
}

if (require.main === module) void serve();
