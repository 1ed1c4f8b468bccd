/** Calls of conversion webhooks under upstream's names: durations, versions and failures. */
import type { Meters } from './registry/meters';

export interface ConversionCallResult {
  readonly definition: string;
  readonly from: string;
  readonly to: string;
  readonly ms: number;
  /** Undefined when the call succeeded. */
  readonly error: string | undefined;
}

export function createConversionRecorder(meters: Meters): (call: ConversionCallResult) => void {
  return ({ definition, from, to, ms, error }) => {
    const outcome = [error ?? '', error === undefined ? 'success' : 'failure'] as const;
    meters.observer('apiserver_conversion_webhook_duration_seconds', ...outcome).observe(ms / 1000);
    meters.counter('apiserver_conversion_webhook_request_total', ...outcome).add();
    const crdLabels = [definition, from, String(error === undefined), to] as const;
    meters.observer('apiserver_crd_conversion_webhook_duration_seconds', ...crdLabels).observe(ms / 1000);
  };
}
