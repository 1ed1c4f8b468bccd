/**
 * The labels of an object that has very many, looked up in the text that they are stored as: to make an object of a hundred thousand names takes longer than
 * others may be held up, and nobody asks for more than a few of them.
 */
import type { Labels } from '../cache';

/** How the header of a stored value begins that has labels. */
export const LABELS = '{"l":';

/** What stands between labels and fields. No text holds it, because a quotation mark inside a text is escaped. */
const FIELDS = '},"f":{';

/** Where the labels of a header end. */
export function endOfLabels(text: string): number {
  const fields = text.lastIndexOf(FIELDS);
  return fields < 0 ? text.length - 1 : fields + 1;
}

const parseText: (text: string) => Labels = JSON.parse;

/** `text` = their JSON: names and values are texts without escapes, or nothing would have stored them. */
export function longLabels(text: string): Labels {
  const find = (name: string | symbol): string | undefined => {
    if (typeof name === 'symbol') return undefined;
    const head = `${JSON.stringify(name)}:"`;
    const at = text.indexOf(head);
    return at < 0 ? undefined : text.slice(at + head.length, text.indexOf('"', at + head.length));
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
