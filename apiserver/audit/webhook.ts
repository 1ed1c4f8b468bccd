/** Hands batches of events to a server, and tries again where that may help. */
import type { BackOff } from '../../shared/client/back-off';
import { callWebhook, type WebhookOptions } from '../../shared/client/rest/webhook';
import { AUDIT_NAMES, type Dialect } from '../../shared/names/dialect';
import type { Deliver } from './batch-sink';

export interface DeliveryParts extends Omit<WebhookOptions, 'timeoutMs'> {
  readonly dialect: Dialect;
  readonly backOff: () => BackOff;
}

const ATTEMPTS = 5;
const TIMEOUT_MS = 30_000;

export function webhookDelivery(parts: DeliveryParts): Deliver {
  return async (events, last) => {
    const body = eventList(events, parts.dialect);
    const backOff = parts.backOff();
    for (let attempt = 1; ; attempt += 1) {
      const answer = await callWebhook({ ...parts, timeoutMs: TIMEOUT_MS }, body);
      if (answer.type === 'answer') return;
      if (!answer.mayPass || attempt === ATTEMPTS || last()) throw answer.error;
      await parts.clock.sleep(backOff.next());
    }
  };
}

function eventList(events: readonly string[], dialect: Dialect): Buffer {
  return Buffer.from(`{"kind":"EventList","apiVersion":"${AUDIT_NAMES[dialect].apiVersion}","metadata":{},"items":[${events.join(',')}]}`);
}
