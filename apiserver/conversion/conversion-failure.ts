/**
 * Failures of a conversion, with upstream's messages and metric labels. They are returned, not thrown, because a failure that
 * is found first may have to be replaced by one that is reported first. converter.ts turns them into errors.
 */

/** Labels of upstream's metrics. */
export type ConversionFailureType =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_invalid_converted_object_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure';

/** Why a conversion failed. */
export class ConversionFailure {
  constructor(
    readonly type: ConversionFailureType,
    readonly text: string,
    /** `whole` when `text` is the whole message, otherwise what follows the prefix that names the objects. */
    readonly extent: 'whole' | 'after-prefix' = 'after-prefix',
  ) {}
}

/** The webhook could not be called, or responded with an error. */
export const callFailure = (text: string): ConversionFailure => new ConversionFailure('conversion_webhook_call_failure', `failed: ${text}`);
/** The response is not a valid ConversionReview. */
export const responseFailure = (text: string): ConversionFailure =>
  new ConversionFailure('conversion_webhook_malformed_response_failure', `failed: ${text}`);
/** The response has another number of objects than the request. */
export const countFailure = (actual: number, expected: number): ConversionFailure =>
  new ConversionFailure('conversion_webhook_partial_response_failure', `returned ${actual} objects, expected ${expected}`);
/** A converted object is invalid. */
export const objectFailure = (text: string): ConversionFailure =>
  new ConversionFailure('conversion_webhook_invalid_converted_object_failure', text);
/** Like {@link objectFailure}, with a message that does not name the objects. */
export const bareFailure = (text: string): ConversionFailure =>
  new ConversionFailure('conversion_webhook_invalid_converted_object_failure', text, 'whole');
