/** Calls of conversion webhooks under upstream's names: how long they take, between which versions, and what is wrong with them. Counting only. */
import type { Meters } from './meters';

export interface CountedConversion {
  readonly definition: string;
  readonly from: string;
  readonly to: string;
  readonly ms: number;
  /** Undefined = it was good. */
  readonly fault: string | undefined;
}

export function conversionCosts(meters: Meters): (call: CountedConversion) => void {
  return ({ definition, from, to, ms, fault }) => {
    const outcome = [fault ?? '', fault === undefined ? 'success' : 'failure'] as const;
    meters.observer('apiserver_conversion_webhook_duration_seconds', ...outcome).observe(ms / 1000);
    meters.count('apiserver_conversion_webhook_request_total', ...outcome).add();
    const way = [definition, from, String(fault === undefined), to] as const;
    meters.observer('apiserver_crd_conversion_webhook_duration_seconds', ...way).observe(ms / 1000);
  };
}
