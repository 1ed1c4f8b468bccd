/** JSON values, and responses of the reference server, which uses upstream names. */

/** `bigint` represents integers that no JavaScript number can hold, in requests only. */
export type Json = null | boolean | number | bigint | string | Json[] | { [member: string]: Json };
export type Body = { [member: string]: Json };

export interface JsonResponse {
  readonly code: number;
  readonly body: Body;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

export interface RawResponse {
  readonly code: number;
  readonly bytes: Buffer;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

export type Headers = Readonly<Record<string, string | string[]>>;

export function isBody(value: Json | undefined): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Field, reason and message of each cause of a rejection. */
export function causesOf(reply: JsonResponse): readonly (readonly [field: string, reason: string, message: string])[] {
  const details = reply.body['details'];
  const causes = isBody(details) ? details['causes'] : undefined;
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
  return (Array.isArray(causes) ? causes : [])
    .filter(isBody)
    .map((cause) => [text(cause['field']), text(cause['reason']), text(cause['message'])] as const);
}
