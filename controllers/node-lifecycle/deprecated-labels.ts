/**
 * Computes the patch of a node's deprecated `beta` labels (os, arch), which have the values of the current ones. A label
 * in the other spelling is removed when its value is another. Pure.
 */
import { otherQualifiedName } from '../../shared/names/dialect';
import { nodeLabel, type Node } from '../runtime/nodes';

const LABEL_NAMES = ['os', 'arch'];

/** The labels to patch, null for one to remove; `undefined` when all are up to date. */
export function deprecatedLabelPatch(node: Node, prefix: string): Record<string, string | null> | undefined {
  const { labels = {} } = node.metadata;
  const changes = LABEL_NAMES.flatMap((name): readonly (readonly [string, string | null])[] => {
    const value = nodeLabel(node, `platform.io/${name}`);
    const deprecated = `beta.${prefix}/${name}`;
    if (value === undefined || labels[deprecated] === value) return [];
    const otherSpelling = otherQualifiedName(deprecated);
    const otherValue = otherSpelling === undefined ? undefined : labels[otherSpelling];
    return otherSpelling !== undefined && otherValue !== undefined && otherValue !== value
      ? [
          [deprecated, value],
          [otherSpelling, null],
        ]
      : [[deprecated, value]];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
