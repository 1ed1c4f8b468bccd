/**
 * Labels that are looked up in their stored JSON text when they are read, for objects with very many. Parsing a hundred
 * thousand labels would block the event loop, and selectors read only a few of them.
 */
import type { Labels } from '../cache';

/** The start of a header with labels. */
export const LABELS_START = '{"l":';

/**
 * The separator between labels and fields. It cannot occur inside a string, because quotation marks are escaped there.
 */
const FIELDS_SEPARATOR = '},"f":{';

/** The position after the labels in a header: that of `,"f":` or, without fields, of the last `}`. */
export function labelsEnd(text: string): number {
  const fields = text.lastIndexOf(FIELDS_SEPARATOR);
  return fields < 0 ? text.length - 1 : fields + 1;
}

const parseText: (text: string) => Labels = JSON.parse;

/**
 * `text` is the JSON of the labels. Validation guarantees that names and values need no escapes, so a name is found by
 * searching for `"<name>":"`. Listing the names parses the whole text.
 */
export function lazyLabels(text: string): Labels {
  const find = (name: string | symbol): string | undefined => {
    if (typeof name === 'symbol') return undefined;
    const member = `${JSON.stringify(name)}:"`;
    const start = text.indexOf(member);
    return start < 0 ? undefined : text.slice(start + member.length, text.indexOf('"', start + member.length));
  };
  return new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => find(name),
      has: (_, name) => find(name) !== undefined,
      ownKeys: () => Object.keys(parseText(text)),
      getOwnPropertyDescriptor(_, name) {
        const value = find(name);
        return value === undefined ? undefined : { value, enumerable: true, configurable: true, writable: false };
      },
    },
  );
}
