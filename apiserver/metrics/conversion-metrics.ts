/**
 * Metrics of calls of conversion webhooks under upstream's names: durations, versions and failures. Conversions without
 * a webhook are not measured.
 */
import type { Meters } from './registry/meters';

/** One call of a conversion webhook. */
export interface ConversionCallResult {
  /** Name of the CustomResourceDefinition. */
  readonly definition: string;
  /** Versions such as `v1beta1`. */
  readonly from: string;
  readonly to: string;
  readonly ms: number;
  /** The value of the label `failure_type`; undefined when the call succeeded. */
  readonly error: string | undefined;
}

/** Called once for each call of a webhook. */
export function createConversionRecorder(meters: Meters): (call: ConversionCallResult) => void {
  return ({ definition, from, to, ms, error }) => {
    const outcome = [error ?? '', error === undefined ? 'success' : 'failure'] as const;
    meters.observer('apiserver_conversion_webhook_duration_seconds', ...outcome).observe(ms / 1000);
    meters.counter('apiserver_conversion_webhook_request_total', ...outcome).add();
    const crdLabels = [definition, from, String(error === undefined), to] as const;
    meters.observer('apiserver_crd_conversion_webhook_duration_seconds', ...crdLabels).observe(ms / 1000);
  };
}
