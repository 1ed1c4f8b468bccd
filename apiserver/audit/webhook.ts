/** Hands batches of events to a server. Who it is and how to sign in stands in a kubeconfig. */
import type { Webhook } from '../../shared/client/webhook';
import { AUDIT_NAMES, type Dialect } from '../../shared/names/dialect';
import type { Deliver } from './batch-sink';

export function webhookDelivery(webhook: Pick<Webhook, 'post'>, dialect: Dialect): Deliver {
  return async (events, last) => void (await webhook.post(eventList(events, dialect), last));
}

function eventList(events: readonly string[], dialect: Dialect): Buffer {
  return Buffer.from(`{"kind":"EventList","apiVersion":"${AUDIT_NAMES[dialect].apiVersion}","metadata":{},"items":[${events.join(',')}]}`);
}
