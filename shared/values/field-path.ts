/** Paths to members of an object as messages show them (`spec.ports[0].name`), bounded: names of members are the client's choice. */

/** Characters of a path's text; what is longer ends in `…`. */
const LONGEST_PATH = 1024;

/** A member or an index as paths show it: `a`, `.a`, `[0]`. */
export function stepText(key: string | number, isFirst: boolean): string {
  if (typeof key === 'number') return `[${key}]`;
  return isFirst ? key : `.${key}`;
}

/** The path to a member or an item of what `path` leads to. A path that has been cut off stays as it is. */
export function extendPath(path: string, key: string | number): string {
  return path.length > LONGEST_PATH ? path : boundedPath(path + stepText(key, path === ''));
}

export function boundedPath(text: string): string {
  return text.length > LONGEST_PATH ? `${text.slice(0, LONGEST_PATH)}…` : text;
}
