/** Paths to members of an object as messages show them (`spec.ports[0].name`), bounded: names of members are the client's choice. */

/** Characters of a path's text; what is longer ends in `…`. */
const MAX_PATH_LENGTH = 1024;

/** A member or an index as paths show it: `a`, `.a`, `[0]`. */
export function formatPathElement(key: string | number, isFirst: boolean): string {
  if (typeof key === 'number') return `[${key}]`;
  return isFirst ? key : `.${key}`;
}

/** The path to a member or an item of what `path` leads to. A path that has been cut off stays as it is. */
export function extendPath(path: string, key: string | number): string {
  return path.length > MAX_PATH_LENGTH ? path : truncatePath(path + formatPathElement(key, path === ''));
}

export function truncatePath(text: string): string {
  return text.length > MAX_PATH_LENGTH ? `${text.slice(0, MAX_PATH_LENGTH)}…` : text;
}
