/** CSIDriver strategy: whether the driver attaches volumes, and its lifecycle modes, are immutable. */
import { duplicateValue, invalidShownValue, invalidValue, unsupportedValue, type FieldError } from '../../../shared/api/errors/field-error';
import { equalJson } from '../../../shared/values/json';
import type { Errors } from '../rules/checks';
import type { Integer } from '../rules/numbers';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type { StorageV1CSIDriver, StorageV1TokenRequest } from '../../../shared/api/types/generated/members';

const GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;
const IMMUTABLE = 'field is immutable';

export const csiDriver: Strategy<StorageV1CSIDriver> = {
  validate(object) {
    const { fsGroupPolicy = '', tokenRequests = [], volumeLifecycleModes = [] } = object.spec ?? {};
    const errors: Errors = [];
    if (!GROUP_POLICIES.includes(fsGroupPolicy)) errors.push(unsupportedValue('spec.fsGroupPolicy', fsGroupPolicy, GROUP_POLICIES));
    checkTokens(tokenRequests, errors);
    for (const mode of volumeLifecycleModes) {
      if (!LIFECYCLE_MODES.includes(mode)) errors.push(unsupportedValue('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES));
    }
    return errors;
  },
  update: { stages: UPDATE.objectThenChange, validate: validateUpdate },
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
    if (seconds !== undefined) checkSeconds(seconds, `${fieldPath}.expirationSeconds`, errors);
  });
}

function checkSeconds(seconds: Integer, field: string, errors: Errors): void {
  const shown = String(seconds);
  if (seconds < MIN_TOKEN_SECONDS) errors.push(invalidShownValue(field, shown, 'may not specify a duration less than 10 minutes'));
  if (seconds > MAX_TOKEN_SECONDS) errors.push(invalidShownValue(field, shown, 'may not specify a duration larger than 2^32 seconds'));
}

function validateUpdate({ spec = {} }: StorageV1CSIDriver, { spec: old = {} }: StorageV1CSIDriver): readonly FieldError[] {
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
