/**
 * Computes the patch of a node's deprecated labels `beta.{prefix}/os` and `beta.{prefix}/arch`, which have the values
 * of the current ones. When such a label has to be set, the one in the other spelling is removed if its value differs.
 */
import { otherQualifiedName } from '../../shared/names/dialect';
import { nodeLabel, type Node } from '../runtime/nodes';

const LABEL_NAMES = ['os', 'arch'];

/**
 * The labels to patch, null for one to remove; `undefined` when all are up to date. `prefix` is the domain of the
 * labels in the dialect of the server: `platform.io` or upstream's. The current labels are read in either spelling.
 */
export function deprecatedLabelPatch(node: Node, prefix: string): Record<string, string | null> | undefined {
  const { labels = {} } = node.metadata;
  const patch: Record<string, string | null> = {};
  for (const name of LABEL_NAMES) {
    const value = nodeLabel(node, `platform.io/${name}`);
    const deprecated = `beta.${prefix}/${name}`;
    if (value === undefined || labels[deprecated] === value) continue;
    patch[deprecated] = value;
    const otherSpelling = otherQualifiedName(deprecated);
    if (otherSpelling !== undefined && (labels[otherSpelling] ?? value) !== value) patch[otherSpelling] = null;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
