/** What is wrong with a conversion, and how it is told and counted. */

/** Under upstream's names. */
export type ConversionFaultType =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_invalid_converted_object_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure';

export class ConversionFault {
  constructor(
    readonly type: ConversionFaultType,
    /** As it goes on after the words that name the objects, or alone where `isBare`. */
    readonly text: string,
    readonly isBare = false,
  ) {}
}

export const callFault = (text: string): ConversionFault => new ConversionFault('conversion_webhook_call_failure', `failed: ${text}`);
export const answerFault = (text: string): ConversionFault =>
  new ConversionFault('conversion_webhook_malformed_response_failure', `failed: ${text}`);
export const countFault = (found: number, wanted: number): ConversionFault =>
  new ConversionFault('conversion_webhook_partial_response_failure', `returned ${found} objects, expected ${wanted}`);
export const objectFault = (text: string): ConversionFault =>
  new ConversionFault('conversion_webhook_invalid_converted_object_failure', text);
export const bareFault = (text: string): ConversionFault =>
  new ConversionFault('conversion_webhook_invalid_converted_object_failure', text, true);
