/** Expands the abbreviated bodies of cases. */
import { isBody, metadataOf, type Body, type Json } from '../json-response';

/**
 * Expands the abbreviations of a body: `{ "$times": 3, "of": x }` as an element of a list is x three times, with `$i`
 * counting up from 0 and without expansion of other abbreviations in x; `{ "$text": "a", "$times": 70 }` is that string
 * 70 times; `{ "$integer": "9007199254740993" }` is an integer that no JavaScript number can hold.
 */
export function expandBody(value: Json): Json {
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const times = timesOf(item);
      if (times === undefined || !isBody(item) || item['of'] === undefined) return [expandBody(item)];
      return Array.from({ length: times }, (_, index): Json => JSON.parse(JSON.stringify(item['of']).replaceAll('$i', String(index))));
    });
  }
  if (!isBody(value)) return value;
  const text = value['$text'];
  if (typeof text === 'string') return text.repeat(timesOf(value) ?? 1);
  const integer = value['$integer'];
  if (typeof integer === 'string') return BigInt(integer);
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, expandBody(inner)]));
}

/** The number of repetitions of an abbreviation; `undefined` for any other value. */
function timesOf(value: Json): number | undefined {
  const times = isBody(value) ? value['$times'] : undefined;
  return typeof times === 'number' ? times : undefined;
}

/**
 * Expands a body and sets the name, unless it has one or a `generateName`, and the resource version, unless it has one.
 */
export function namedBody(body: Body, name: string, resourceVersion?: string): Body {
  const expanded = expandBody(body);
  if (!isBody(expanded)) throw new Error('the body of a case is not an object');
  const metadata = metadataOf(expanded);
  const named = metadata['generateName'] === undefined ? { name, ...metadata } : metadata;
  return { ...expanded, metadata: resourceVersion === undefined ? named : { resourceVersion, ...named } };
}
