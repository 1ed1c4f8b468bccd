/**
 * Sends batches of events to a webhook as an EventList. A batch is retried only when the failure may be temporary and the
 * server is not shutting down; batching, and counting lost batches, are left to batch-backend.ts.
 */
import type { BackOff } from '../../shared/client/back-off';
import { callWebhook, type WebhookOptions } from '../../shared/client/rest/webhook';
import { AUDIT_NAMES } from '../../shared/names/audit';
import type { Dialect } from '../../shared/names/dialect';
import type { DeliverBatch } from './batch-backend';

/** How the webhook is called, and in which spelling. */
export interface WebhookDeliveryOptions extends Omit<WebhookOptions, 'timeoutMs'> {
  readonly dialect: Dialect;
  /** Creates the back-off for the retries of one batch. */
  readonly backOff: () => BackOff;
}

/** Attempts to deliver a batch, as upstream's. */
const ATTEMPTS = 5;
/** Time limit of one attempt; upstream's default for webhooks. */
const TIMEOUT_MS = 30_000;

/** Returns a function that sends a batch. It rejects with the error of the last attempt when the batch is lost. */
export function createWebhookDelivery(options: WebhookDeliveryOptions): DeliverBatch {
  return async (events, isShuttingDown) => {
    const body = encodeEventList(events, options.dialect);
    const backOff = options.backOff();
    for (let attempt = 1; ; attempt += 1) {
      const response = await callWebhook({ ...options, timeoutMs: TIMEOUT_MS }, body);
      if (response.type === 'response') return;
      if (!response.isRetryable || attempt === ATTEMPTS || isShuttingDown()) throw response.error;
      await options.clock.sleep(backOff.next());
    }
  };
}

function encodeEventList(events: readonly string[], dialect: Dialect): Buffer {
  return Buffer.from(`{"kind":"EventList","apiVersion":"${AUDIT_NAMES[dialect].apiVersion}","metadata":{},"items":[${events.join(',')}]}`);
}
