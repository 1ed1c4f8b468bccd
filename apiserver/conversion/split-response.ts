/** Where the objects of a webhook's answer lie, found without reading them. Judges nothing: pieces and surroundings that are JSON make an answer that is. */
import { endOfContainer, endOfString, endOfValue, isJsonWhitespace } from '../../shared/serialization/json-tokens';

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export interface ObjectSpan extends TextSpan {
  /** Of the value of its first member of that name, as it is spelled. */
  readonly metadata: TextSpan | undefined;
}

export interface SplitAnswer {
  /** The text of the answer with one text in the place of all objects. */
  readonly around: string;
  readonly places: readonly ObjectSpan[];
}

/** Undefined = it is no answer of the usual form. */
export function splitAnswer(text: string, placeholder: string): SplitAnswer | undefined {
  const response = memberOf(text, pastBlanks(text, 0), 'response');
  const list = response === undefined ? undefined : memberOf(text, response, 'convertedObjects');
  if (list === undefined || text.charAt(list) !== '[') return undefined;
  const places: ObjectSpan[] = [];
  for (let at = list; text.charAt(at) !== ']';) {
    if (text.charAt(at) !== (at === list ? '[' : ',')) return undefined;
    const place = objectAt(text, pastBlanks(text, at + 1));
    if (place.end === place.start) return undefined;
    places.push(place);
    at = pastBlanks(text, place.end);
  }
  const last = places.at(-1);
  if (last === undefined) return undefined;
  return { around: `${text.slice(0, list)}[${JSON.stringify(placeholder)}${text.slice(pastBlanks(text, last.end))}`, places };
}

function objectAt(text: string, start: number): ObjectSpan {
  const metadata = memberOf(text, start, 'metadata');
  if (metadata === undefined) return { start, end: endOfValue(text, start), metadata: undefined };
  const end = endOfValue(text, metadata);
  return { start, end: endOfContainer(text, end), metadata: { start: metadata, end } };
}

/** Where the value of the first member of that name begins in the object that begins at `object`. */
function memberOf(text: string, object: number, member: string): number | undefined {
  if (text.charAt(object) !== '{') return undefined;
  for (let at = object; text.charAt(at) === (at === object ? '{' : ',');) {
    const name = pastBlanks(text, at + 1);
    const nameEnd = endOfString(text, name);
    const colon = pastBlanks(text, nameEnd + 1);
    const value = pastBlanks(text, colon + 1);
    if (text.charAt(name) !== '"' || text.charAt(colon) !== ':') return undefined;
    if (text.slice(name + 1, nameEnd) === member) return value;
    at = pastBlanks(text, endOfValue(text, value));
  }
  return undefined;
}

function pastBlanks(text: string, start: number): number {
  let at = start;
  while (isJsonWhitespace(text.charCodeAt(at))) at += 1;
  return at;
}
