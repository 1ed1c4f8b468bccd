/** JSON values, responses of the reference server (which uses upstream names), and accessors that accept any value. */

/** `bigint` represents integers that no JavaScript number can hold, in requests only. */
export type Json = null | boolean | number | bigint | string | Json[] | { [member: string]: Json };
/** A JSON object. */
export type Body = { [member: string]: Json };

/** A response of which the body is an object. */
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

/** The value when it is an object, otherwise an object without members. */
export const membersOf = (value: Json | undefined): Body => (isBody(value) ? value : {});
/** Without members when the object has no metadata. */
export const metadataOf = (object: Json | undefined): Body => membersOf(membersOf(object)['metadata']);
/** The objects in a list; none when the value is no list. */
export const objectsIn = (value: Json | undefined): readonly Body[] => (Array.isArray(value) ? value.filter(isBody) : []);
/** The value when it is a text, otherwise the empty text. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
/** Empty when the object has no name. */
export const objectNameOf = (object: Json): string => textOf(metadataOf(object)['name']);
/** Empty when the object has none. */
export const resourceVersionOf = (object: Json): string => textOf(metadataOf(object)['resourceVersion']);

/** Field, reason and message of each cause of a rejection. */
export function causesOf({ body }: JsonResponse): readonly (readonly [field: string, reason: string, message: string])[] {
  const causes = objectsIn(membersOf(body['details'])['causes']);
  return causes.map(({ field, reason, message }) => [textOf(field), textOf(reason), textOf(message)] as const);
}
