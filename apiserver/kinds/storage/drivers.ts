/** CSIDriver and CSINode: what a driver of storage can do, and what it is called on which nodes. */
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
import { checkDriverText } from '../core/pod-template/volume-sources';
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
const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;
const IMMUTABLE = 'field is immutable';

export const driver: Strategy<StorageV1CSIDriver> = {
  validate(object) {
    const { fsGroupPolicy = '', tokenRequests = [], volumeLifecycleModes = [] } = object.spec ?? {};
    const errors: Errors = [];
    if (!GROUP_POLICIES.includes(fsGroupPolicy)) errors.push(unsupportedValue('spec.fsGroupPolicy', fsGroupPolicy, GROUP_POLICIES));
    checkTokens(tokenRequests, errors);
    for (const mode of volumeLifecycleModes)
      if (!MODES.includes(mode)) errors.push(unsupportedValue('spec.volumeLifecycleModes', mode, MODES));
    return errors;
  },
  update: { stages: UPDATE.objectThenChange, validate: fixed },
};

function checkTokens(requests: readonly StorageV1TokenRequest[], errors: Errors): void {
  const seen = new Set<string>();
  requests.forEach(({ audience = '', expirationSeconds: seconds }, index) => {
    const place = `spec.tokenRequests[${index}]`;
    if (seen.has(audience)) {
      errors.push(duplicateValue(`${place}.audience`, audience));
      return;
    }
    seen.add(audience);
    if (seconds === undefined) return;
    const wrong = (text: string): number => errors.push(invalidShownValue(`${place}.expirationSeconds`, String(seconds), text));
    if (seconds < LEAST_SECONDS) wrong('may not specify a duration less than 10 minutes');
    if (seconds > MOST_SECONDS) wrong('may not specify a duration larger than 2^32 seconds');
  });
}

function fixed({ spec = {} }: StorageV1CSIDriver, { spec: old = {} }: StorageV1CSIDriver): readonly FieldError[] {
  const errors: Errors = [];
  const { attachRequired = false, volumeLifecycleModes: modes = [] } = spec;
  // The name is upstream's.
  if (attachRequired !== old.attachRequired) errors.push(invalidValue('spec.attachedRequired', attachRequired, IMMUTABLE));
  if (!equalJson([...modes], [...(old.volumeLifecycleModes ?? [])])) {
    const shown = modes.map((mode) => JSON.stringify(mode)).join(', ');
    errors.push(invalidShownValue('spec.volumeLifecycleModes', `[]storage.VolumeLifecycleMode{${shown}}`, IMMUTABLE));
  }
  return errors;
}

export const nodeDrivers: Strategy<StorageV1CSINode> = {
  validate(object) {
    const errors: Errors = [];
    const seen = new Set<string>();
    (object.spec?.drivers ?? []).forEach((one, index) => {
      const place = `spec.drivers[${index}]`;
      checkDriverOnNode(one, place, errors);
      const name = one.name ?? '';
      if (seen.has(name)) errors.push(duplicateValue(`${place}.name`, name));
      seen.add(name);
    });
    return errors;
  },
  update: { stages: UPDATE.objectTwiceThenChange, validate: fixedDrivers },
};

const LONGEST_NODE_ID = 256;

function checkDriverOnNode(
  { name = '', nodeID = '', topologyKeys, allocatable }: StorageV1CSINodeDriver,
  place: string,
  errors: Errors,
): void {
  checkDriverText(name, `${place}.name`, errors);
  if (nodeID === '') errors.push(requiredValue(`${place}.nodeID`));
  else if (Buffer.byteLength(nodeID) > LONGEST_NODE_ID) {
    errors.push(invalidValue(`${place}.nodeID`, nodeID, `must be ${LONGEST_NODE_ID} characters or less`));
  }
  const count = allocatable?.count ?? 0;
  if (count < 0) errors.push(invalidValue(`${place}.allocatable.count`, count, 'must be greater than or equal to 0'));
  const seen = new Set<string>();
  for (const key of topologyKeys ?? []) {
    if (seen.has(key)) errors.push(duplicateValue(place, key));
    seen.add(key);
    if (key === '') errors.push(requiredValue(place));
    checkFormat(key, place, checkQualifiedName, errors);
  }
}

/** Drivers come and go; one that stays, stays as it is. */
function fixedDrivers({ spec = {} }: StorageV1CSINode, { spec: old = {} }: StorageV1CSINode): readonly FieldError[] {
  return (old.drivers ?? []).flatMap((before) =>
    (spec.drivers ?? [])
      .filter((one) => one.name === before.name && !equalIgnoringEmptyLists(one, before))
      .map((one) => invalidShownValue('CSINodeDriver', stringifyJson(one), IMMUTABLE)),
  );
}
