/**
 * Locates the objects in the response of a conversion webhook without parsing them. It may accept invalid JSON: the response
 * is valid if and only if the objects and the envelope are, which is left to review-response.ts to check.
 */
import { endOfContainer, endOfString, endOfValue, isJsonWhitespace } from '../../shared/serialization/json/json-tokens';

/** Byte offsets of a value in the response; `end` is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The location of one converted object. */
export interface ObjectSpan extends TextSpan {
  /** The value of the first member named metadata, as it is spelled. */
  readonly metadata: TextSpan | undefined;
}

/** A response with its objects located but not parsed. */
export interface SplitResponse {
  /** The response with a list of one placeholder in place of the objects. */
  readonly envelope: string;
  readonly spans: readonly ObjectSpan[];
}

/** `undefined` when the response does not have the usual form, in which the list of objects is not empty. */
export function splitResponse(text: string, placeholder: string): SplitResponse | undefined {
  const response = findMember(text, skipBlanks(text, 0), 'response');
  const list = response === undefined ? undefined : findMember(text, response, 'convertedObjects');
  if (list === undefined || text.charAt(list) !== '[') return undefined;
  const spans: ObjectSpan[] = [];
  // The offset of the `[` before the first object, then of the `,` before each further one.
  let separator = list;
  while (text.charAt(separator) !== ']') {
    if (text.charAt(separator) !== (separator === list ? '[' : ',')) return undefined;
    const span = objectSpanAt(text, skipBlanks(text, separator + 1));
    if (span.end === span.start) return undefined;
    spans.push(span);
    separator = skipBlanks(text, span.end);
  }
  if (spans.length === 0) return undefined;
  return { envelope: `${text.slice(0, list)}[${JSON.stringify(placeholder)}${text.slice(separator)}`, spans };
}

/** The location of the value at `start`; empty when there is no value. */
function objectSpanAt(text: string, start: number): ObjectSpan {
  const metadata = findMember(text, start, 'metadata');
  if (metadata === undefined) return { start, end: endOfValue(text, start), metadata: undefined };
  const end = endOfValue(text, metadata);
  // The rest of the object is skipped from here, so that its beginning is not scanned twice.
  return { start, end: endOfContainer(text, end), metadata: { start: metadata, end } };
}

/** The start of the value of the first member of that name, in the object that starts at `object`. */
function findMember(text: string, object: number, member: string): number | undefined {
  if (text.charAt(object) !== '{') return undefined;
  // The offset of the `{` before the first member, then of the `,` before each further one.
  let separator = object;
  while (text.charAt(separator) === (separator === object ? '{' : ',')) {
    const name = skipBlanks(text, separator + 1);
    const nameEnd = endOfString(text, name);
    const colon = skipBlanks(text, nameEnd + 1);
    const value = skipBlanks(text, colon + 1);
    if (text.charAt(name) !== '"' || text.charAt(colon) !== ':') return undefined;
    if (text.slice(name + 1, nameEnd) === member) return value;
    separator = skipBlanks(text, endOfValue(text, value));
  }
  return undefined;
}

/** The offset of the first character that is not white space. */
function skipBlanks(text: string, start: number): number {
  let offset = start;
  while (isJsonWhitespace(text.charCodeAt(offset))) offset += 1;
  return offset;
}
