/** Labels of nodes that have an older name as well: it says what the newer one says. Pure. */
import type { ApiObject } from '../../shared/client/api-object';
import { otherQualifiedName } from '../../shared/names/dialect';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { nodeLabel } from '../runtime/nodes';

const NAMES = ['os', 'arch'];

/** The labels to be set; undefined = they are right. */
export function olderLabels(node: ApiObject, prefix: string): JsonObject | undefined {
  const labels = objectAt(objectAt(node.body, 'metadata'), 'labels');
  const wrong = NAMES.flatMap((name): readonly (readonly [string, string | null])[] => {
    const value = nodeLabel(node, `platform.io/${name}`);
    const older = `beta.${prefix}/${name}`;
    if (value === undefined || stringAt(labels, older) === value) return [];
    const other = otherQualifiedName(older);
    const isOtherWrong = other !== undefined && stringAt(labels, other) !== undefined && stringAt(labels, other) !== value;
    return isOtherWrong
      ? [
          [older, value],
          [other, null],
        ]
      : [[older, value]];
  });
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong);
}
