/**
 * Resolves the `fieldPath` of a rule: members below the node that has the rule, written as `.name` or `['name']`. A path
 * cannot lead into a list.
 */
import type { SchemaNode } from '../../api/structural/schema-node';

/** Group 1: the name in `.name`. Group 2: the name in `['name']`, in which a backslash escapes the next character. */
const SEGMENT = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)+)'\]/y;

/**
 * The path to append to that of the rule's node: `.name` for a declared member, `[name]` for a key of
 * `additionalProperties`. `undefined` for a malformed path, and when the schema has no such member.
 */
export function resolveFieldPath(text: string, node: SchemaNode): string | undefined {
  let offset = 0;
  let path = '';
  let current: SchemaNode | undefined = node;
  while (offset < text.length) {
    SEGMENT.lastIndex = offset;
    const match = SEGMENT.exec(text);
    if (match === null || current === undefined) return undefined;
    offset = SEGMENT.lastIndex;
    const name = match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1');
    const member = current.properties.get(name);
    const additional: SchemaNode | undefined = typeof current.additionalProperties === 'object' ? current.additionalProperties : undefined;
    path += member !== undefined ? `.${name}` : `[${name}]`;
    current = member ?? additional;
    if (current === undefined) return undefined;
  }
  return path === '' ? undefined : path;
}
