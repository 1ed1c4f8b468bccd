/** `pods/ephemeralcontainers`: containers for looking into a running pod may be added, and nothing else changes. */
import { forbiddenField, type FieldError } from '../../../../shared/api/errors/field-error';
import { equalJson, objectAt, stringAt, type JsonObject } from '../../../../shared/values/json';
import { listed } from '../../rules/field-rules';
import { validatePod } from './rules';

const FIELD = 'spec.ephemeralContainers';

export function validateEphemeralContainers(pod: JsonObject, old: JsonObject): readonly FieldError[] {
  const ofState = validatePod(pod);
  return ofState.length > 0 ? ofState : changeErrors(ephemeral(pod), ephemeral(old));
}

const ephemeral = (pod: JsonObject): readonly JsonObject[] => listed(objectAt(pod, 'spec'), 'ephemeralContainers');
const nameOf = (container: JsonObject): string => stringAt(container, 'name') ?? '';

function changeErrors(now: readonly JsonObject[], before: readonly JsonObject[]): readonly FieldError[] {
  const byName = new Map([...now].reverse().map((container) => [nameOf(container), container]));
  return before.flatMap((old) => {
    const kept = byName.get(nameOf(old));
    if (kept !== undefined && equalJson(kept, old)) return [];
    return [
      forbiddenField(FIELD, `existing ephemeral containers "${nameOf(old)}" may not be ${kept === undefined ? 'removed' : 'changed'}\n`),
    ];
  });
}
