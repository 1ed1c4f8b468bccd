/** Computes the deprecated `beta` labels of a node (os, arch), which have the value of the current ones. Pure. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { otherQualifiedName } from '../../shared/names/dialect';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { nodeLabel } from '../runtime/nodes';

const NAMES = ['os', 'arch'];

/** The labels to patch, null for one to remove; `undefined` when all are up to date. */
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
