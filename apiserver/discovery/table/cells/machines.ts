/** Cells of how pods are run and placed. */
import { objectAt, sortedKeys, stringAt, type JsonObject } from '../../../../shared/api/json';
import { created, isTrue, name, numberAt, scalarText, type Cells } from '../cell';

export const MACHINE_CELLS: Readonly<Record<string, Cells>> = {
  PriorityClass: (object) => [name(object), numberAt(object, 'value'), isTrue(object, 'globalDefault'), created(object)],
  ResourceQuota: (object) => [name(object), created(object), usage(object, false), usage(object, true)],
  RuntimeClass: (object) => [name(object), stringAt(object, 'handler') ?? '', created(object)],
};

/** `pods: 1/10`: used and allowed; what is limited and what is requested apart. */
function usage(object: JsonObject, limits: boolean): string {
  const status = objectAt(object, 'status');
  const hard = objectAt(status, 'hard') ?? {};
  const used = objectAt(status, 'used');
  return sortedKeys(hard)
    .filter((resource) => resource.startsWith('limits.') === limits)
    .map((resource) => `${resource}: ${scalarText(used, resource) ?? '0'}/${scalarText(hard, resource) ?? '0'}`)
    .join(', ');
}
