/**
 * Resolves the `fieldPath` of a rule: members written as `.name` or `['name']` below the rule's node, never list items.
 */
import type { SchemaNode } from '../../api/structural/schema-node';

const SEGMENT = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)+)'\]/y;

/** The path to append to the path of the rule's node; `undefined` when the schema has no such member. */
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
