/**
 * CSIDriver and CSINode strategies. A CSIDriver keeps whether it attaches volumes and its lifecycle modes; the drivers
 * of a CSINode are added and removed but not changed.
 */
import {
  duplicateValue,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
  type FieldError,
} from '../../../shared/api/errors/field-error';
import { equalIgnoringEmptyLists, equalJson, stringifyJson } from '../../../shared/values/json';
import { checkQualifiedName } from '../../../shared/values/name-formats';
import { checkCsiDriverName } from '../core/pod-template/volumes/volume-sources';
import { checkFormat, type Errors } from '../rules/checks';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type {
  StorageV1CSIDriver,
  StorageV1CSINode,
  StorageV1CSINodeDriver,
  StorageV1TokenRequest,
} from '../../../shared/api/types/generated/members';

const GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const MODES = ['Persistent', 'Ephemeral'];
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;
const IMMUTABLE = 'field is immutable';

export const csiDriver: Strategy<StorageV1CSIDriver> = {
  validate(object) {
    const { fsGroupPolicy = '', tokenRequests = [], volumeLifecycleModes = [] } = object.spec ?? {};
    const errors: Errors = [];
    if (!GROUP_POLICIES.includes(fsGroupPolicy)) errors.push(unsupportedValue('spec.fsGroupPolicy', fsGroupPolicy, GROUP_POLICIES));
    checkTokens(tokenRequests, errors);
    for (const mode of volumeLifecycleModes)
      if (!MODES.includes(mode)) errors.push(unsupportedValue('spec.volumeLifecycleModes', mode, MODES));
    return errors;
  },
  update: { stages: UPDATE.objectThenChange, validate: validateDriverUpdate },
};

function checkTokens(requests: readonly StorageV1TokenRequest[], errors: Errors): void {
  const seen = new Set<string>();
  requests.forEach(({ audience = '', expirationSeconds: seconds }, index) => {
    const fieldPath = `spec.tokenRequests[${index}]`;
    if (seen.has(audience)) {
      errors.push(duplicateValue(`${fieldPath}.audience`, audience));
      return;
    }
    seen.add(audience);
    if (seconds === undefined) return;
    const addError = (text: string): number => errors.push(invalidShownValue(`${fieldPath}.expirationSeconds`, String(seconds), text));
    if (seconds < MIN_TOKEN_SECONDS) addError('may not specify a duration less than 10 minutes');
    if (seconds > MAX_TOKEN_SECONDS) addError('may not specify a duration larger than 2^32 seconds');
  });
}

function validateDriverUpdate({ spec = {} }: StorageV1CSIDriver, { spec: old = {} }: StorageV1CSIDriver): readonly FieldError[] {
  const errors: Errors = [];
  const { attachRequired = false, volumeLifecycleModes: modes = [] } = spec;
  // The misspelled field path is upstream's.
  if (attachRequired !== (old.attachRequired ?? false)) errors.push(invalidValue('spec.attachedRequired', attachRequired, IMMUTABLE));
  if (!equalJson([...modes], [...(old.volumeLifecycleModes ?? [])])) {
    const shown = modes.map((mode) => JSON.stringify(mode)).join(', ');
    errors.push(invalidShownValue('spec.volumeLifecycleModes', `[]storage.VolumeLifecycleMode{${shown}}`, IMMUTABLE));
  }
  return errors;
}

export const csiNode: Strategy<StorageV1CSINode> = {
  validate(object) {
    const errors: Errors = [];
    const seen = new Set<string>();
    (object.spec?.drivers ?? []).forEach((nodeDriver, index) => {
      const fieldPath = `spec.drivers[${index}]`;
      checkDriverOnNode(nodeDriver, fieldPath, errors);
      const name = nodeDriver.name ?? '';
      if (seen.has(name)) errors.push(duplicateValue(`${fieldPath}.name`, name));
      seen.add(name);
    });
    return errors;
  },
  update: { stages: UPDATE.objectTwiceThenChange, validate: validateNodeUpdate },
};

const MAX_NODE_ID_LENGTH = 256;

function checkDriverOnNode(
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
  // The field paths of the following errors name only the driver (upstream behaviour).
  const seen = new Set<string>();
  for (const key of topologyKeys ?? []) {
    if (seen.has(key)) errors.push(duplicateValue(fieldPath, key));
    seen.add(key);
    if (key === '') errors.push(requiredValue(fieldPath));
    checkFormat(key, fieldPath, checkQualifiedName, errors);
  }
}

/** Drivers may be added and removed but not changed. */
function validateNodeUpdate({ spec = {} }: StorageV1CSINode, { spec: old = {} }: StorageV1CSINode): readonly FieldError[] {
  const isChanged = (current: StorageV1CSINodeDriver, before: StorageV1CSINodeDriver): boolean =>
    current.name === before.name && !equalIgnoringEmptyLists(current, before);
  const changedDrivers = (old.drivers ?? []).flatMap((before) => (spec.drivers ?? []).filter((current) => isChanged(current, before)));
  return changedDrivers.map((changed) => invalidShownValue('CSINodeDriver', stringifyJson(changed), IMMUTABLE));
}
