/** Failures of a conversion, with upstream's messages and metric labels. */

/** Upstream's names. */
export type ConversionFailureType =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_invalid_converted_object_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure';

export class ConversionFailure {
  constructor(
    readonly type: ConversionFailureType,
    readonly text: string,
    /** `whole` when `text` is the whole message, otherwise what follows the prefix that names the objects. */
    readonly extent: 'whole' | 'after-prefix' = 'after-prefix',
  ) {}
}

export const callFailure = (text: string): ConversionFailure => new ConversionFailure('conversion_webhook_call_failure', `failed: ${text}`);
export const responseFailure = (text: string): ConversionFailure =>
  new ConversionFailure('conversion_webhook_malformed_response_failure', `failed: ${text}`);
export const countFailure = (actual: number, wanted: number): ConversionFailure =>
  new ConversionFailure('conversion_webhook_partial_response_failure', `returned ${actual} objects, expected ${wanted}`);
export const objectFailure = (text: string): ConversionFailure =>
  new ConversionFailure('conversion_webhook_invalid_converted_object_failure', text);
export const bareFailure = (text: string): ConversionFailure =>
  new ConversionFailure('conversion_webhook_invalid_converted_object_failure', text, 'whole');
