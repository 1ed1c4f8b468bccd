/**
 * Where a rule's `fieldPath` points: members named `.name` or `['name']` below the rule's own place, never items of lists.
 */
import type { SchemaNode } from '../../api/structural/schema-node';

const SEGMENT = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)+)'\]/y;

/** The path as it stands behind the place of the rule, or undefined when the schema has no such member. */
export function readFieldPath(text: string, node: SchemaNode): string | undefined {
  let at = 0;
  let path = '';
  let current: SchemaNode | undefined = node;
  while (at < text.length) {
    SEGMENT.lastIndex = at;
    const match = SEGMENT.exec(text);
    if (match === null || current === undefined) return undefined;
    at = SEGMENT.lastIndex;
    const name = match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1');
    const member = current.properties.get(name);
    const free: SchemaNode | undefined = typeof current.additionalProperties === 'object' ? current.additionalProperties : undefined;
    path += member !== undefined ? `.${name}` : `[${name}]`;
    current = member ?? free;
    if (current === undefined) return undefined;
  }
  return path === '' ? undefined : path;
}
