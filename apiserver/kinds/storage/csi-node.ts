/** CSINode strategy: the CSI drivers of a node may be added and removed but not changed. */
import { duplicateValue, invalidShownValue, invalidValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { equalIgnoringEmptyLists, stringifyJson } from '../../../shared/values/json';
import { checkQualifiedName } from '../../../shared/values/name-formats';
import { checkCsiDriverName } from '../core/pod-template/volumes/volume-sources';
import { checkFormat, type Errors } from '../rules/checks';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type { StorageV1CSINode, StorageV1CSINodeDriver } from '../../../shared/api/types/generated/members';

const MAX_NODE_ID_LENGTH = 256;

export const csiNode: Strategy<StorageV1CSINode> = {
  validate(object) {
    const errors: Errors = [];
    const seen = new Set<string>();
    (object.spec?.drivers ?? []).forEach((driver, index) => {
      const fieldPath = `spec.drivers[${index}]`;
      checkDriver(driver, fieldPath, errors);
      const name = driver.name ?? '';
      if (seen.has(name)) errors.push(duplicateValue(`${fieldPath}.name`, name));
      seen.add(name);
    });
    return errors;
  },
  update: { stages: UPDATE.objectTwiceThenChange, validate: validateUpdate },
};

function checkDriver(
  { name = '', nodeID = '', topologyKeys, allocatable }: StorageV1CSINodeDriver,
  fieldPath: string,
  errors: Errors,
): void {
  checkCsiDriverName(name, `${fieldPath}.name`, errors);
  if (nodeID === '') errors.push(requiredValue(`${fieldPath}.nodeID`));
  else if (Buffer.byteLength(nodeID) > MAX_NODE_ID_LENGTH) {
    errors.push(invalidValue(`${fieldPath}.nodeID`, nodeID, `must be ${MAX_NODE_ID_LENGTH} characters or less`));
  }
  const count = allocatable?.count ?? 0;
  if (count < 0) errors.push(invalidValue(`${fieldPath}.allocatable.count`, count, 'must be greater than or equal to 0'));
  checkTopologyKeys(topologyKeys ?? [], fieldPath, errors);
}

/** `fieldPath` is that of the driver: the errors do not name the member with the keys (upstream behaviour). */
function checkTopologyKeys(keys: readonly string[], fieldPath: string, errors: Errors): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (seen.has(key)) errors.push(duplicateValue(fieldPath, key));
    seen.add(key);
    if (key === '') errors.push(requiredValue(fieldPath));
    checkFormat(key, fieldPath, checkQualifiedName, errors);
  }
}

/** Drivers may be added and removed but not changed. */
function validateUpdate({ spec = {} }: StorageV1CSINode, { spec: old = {} }: StorageV1CSINode): readonly FieldError[] {
  const errors: Errors = [];
  for (const before of old.drivers ?? []) {
    for (const current of spec.drivers ?? []) {
      if (current.name !== before.name || equalIgnoringEmptyLists(current, before)) continue;
      errors.push(invalidShownValue('CSINodeDriver', stringifyJson(current), 'field is immutable'));
    }
  }
  return errors;
}
