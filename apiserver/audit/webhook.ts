/** Hands batches of events to a server, and tries again where that may help. Who it is and how to sign in stands in a kubeconfig. */
import type { BackOff } from '../../shared/client/back-off';
import type { Transport } from '../../shared/client/transport';
import { AUDIT_NAMES, JSON_MEDIA_TYPE, type Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Deliver } from './batch-sink';

export interface WebhookParts {
  readonly transport: Transport;
  /** Path and query of the server's address. */
  readonly path: string;
  /** The Authorization header. */
  readonly authorization: () => Promise<string | undefined> | string | undefined;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly backOff: () => BackOff;
}

const ATTEMPTS = 5;
const TIMEOUT_MS = 30_000;

export function webhookDelivery(parts: WebhookParts): Deliver {
  return async (events, last) => {
    const body = eventList(events, parts.dialect);
    const backOff = parts.backOff();
    for (let attempt = 1; ; attempt += 1) {
      const fault = await post(parts, body);
      if (fault === undefined) return;
      if (!fault.mayPass || attempt === ATTEMPTS || last()) throw fault.error;
      await parts.clock.sleep(backOff.next());
    }
  };
}

function eventList(events: readonly string[], dialect: Dialect): Buffer {
  return Buffer.from(`{"kind":"EventList","apiVersion":"${AUDIT_NAMES[dialect].apiVersion}","metadata":{},"items":[${events.join(',')}]}`);
}

interface Fault {
  readonly error: unknown;
  /** The same may be taken later. */
  readonly mayPass: boolean;
}

async function post({ transport, path, authorization, clock }: WebhookParts, body: Buffer): Promise<Fault | undefined> {
  const control = new AbortController();
  const timer = clock.after(TIMEOUT_MS, () => control.abort(new Error(`no answer in ${TIMEOUT_MS / 1000} s`)));
  try {
    const credential = await authorization();
    const headers = { 'content-type': JSON_MEDIA_TYPE, ...(credential === undefined ? {} : { authorization: credential }) };
    const answer = await transport.send({ method: 'POST', path, headers, body, signal: control.signal });
    for await (const _ of answer.body);
    if (answer.status < 300) return undefined;
    return { error: new Error(`the webhook answered ${answer.status}`), mayPass: answer.status >= 500 || answer.status === 429 };
  } catch (error) {
    return { error, mayPass: true };
  } finally {
    timer.cancel();
  }
}
