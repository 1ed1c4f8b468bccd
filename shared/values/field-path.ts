/**
 * Formats paths of fields in messages (`spec.ports[0].name`). Their length is bounded, because clients choose the names
 * of members.
 */

/** In characters; a longer path is truncated and ends in `…`. */
const MAX_PATH_LENGTH = 1024;

/** The text that a member or index adds to a path: `a` at its beginning, otherwise `.a` or `[0]`. */
export function formatPathElement(key: string | number, isFirst: boolean): string {
  if (typeof key === 'number') return `[${key}]`;
  return isFirst ? key : `.${key}`;
}

/** Appends a member or an index. A path that was truncated is returned unchanged. */
export function extendPath(path: string, key: string | number): string {
  return path.length > MAX_PATH_LENGTH ? path : truncatePath(path + formatPathElement(key, path === ''));
}

/** Bounds the length of a path in a message. */
export function truncatePath(text: string): string {
  return text.length > MAX_PATH_LENGTH ? `${text.slice(0, MAX_PATH_LENGTH)}…` : text;
}
