/**
 * Locates the objects in the response of a conversion webhook without parsing them. The response is valid JSON if the
 * objects and the envelope are.
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
  /** The response with one placeholder for all objects. */
  readonly envelope: string;
  readonly spans: readonly ObjectSpan[];
}

/** `undefined` when the response does not have the usual form, in which the list of objects is not empty. */
export function splitResponse(text: string, placeholder: string): SplitResponse | undefined {
  const response = findMember(text, skipBlanks(text, 0), 'response');
  const list = response === undefined ? undefined : findMember(text, response, 'convertedObjects');
  if (list === undefined || text.charAt(list) !== '[') return undefined;
  const spans: ObjectSpan[] = [];
  // `at` is the offset of the `[` before the first object, then of the `,` before each further one.
  for (let at = list; text.charAt(at) !== ']';) {
    if (text.charAt(at) !== (at === list ? '[' : ',')) return undefined;
    const span = objectSpanAt(text, skipBlanks(text, at + 1));
    if (span.end === span.start) return undefined;
    spans.push(span);
    at = skipBlanks(text, span.end);
  }
  const last = spans.at(-1);
  if (last === undefined) return undefined;
  return { envelope: `${text.slice(0, list)}[${JSON.stringify(placeholder)}${text.slice(skipBlanks(text, last.end))}`, spans };
}

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
  // `at` is the offset of the `{` before the first member, then of the `,` before each further one.
  for (let at = object; text.charAt(at) === (at === object ? '{' : ',');) {
    const name = skipBlanks(text, at + 1);
    const nameEnd = endOfString(text, name);
    const colon = skipBlanks(text, nameEnd + 1);
    const value = skipBlanks(text, colon + 1);
    if (text.charAt(name) !== '"' || text.charAt(colon) !== ':') return undefined;
    if (text.slice(name + 1, nameEnd) === member) return value;
    at = skipBlanks(text, endOfValue(text, value));
  }
  return undefined;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (isJsonWhitespace(text.charCodeAt(at))) at += 1;
  return at;
}
