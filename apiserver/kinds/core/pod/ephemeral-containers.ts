/** `pods/ephemeralcontainers`: containers for looking into a running pod may be added, and nothing else changes. */
import { forbiddenField, type FieldError } from '../../../../shared/api/errors/field-error';
import { equalJson } from '../../../../shared/values/json';
import { validatePod } from './rules';
import type { CoreV1EphemeralContainer, CoreV1Pod } from '../../../../shared/api/types/generated/members';

const FIELD = 'spec.ephemeralContainers';

export function validateEphemeralContainers(pod: CoreV1Pod, old: CoreV1Pod): readonly FieldError[] {
  const ofState = validatePod(pod);
  return ofState.length > 0 ? ofState : changeErrors(ephemeral(pod), ephemeral(old));
}

const ephemeral = (pod: CoreV1Pod): readonly CoreV1EphemeralContainer[] => pod.spec?.ephemeralContainers ?? [];
const nameOf = (container: CoreV1EphemeralContainer): string => container.name ?? '';

function changeErrors(now: readonly CoreV1EphemeralContainer[], before: readonly CoreV1EphemeralContainer[]): readonly FieldError[] {
  const byName = new Map([...now].reverse().map((container) => [nameOf(container), container]));
  return before.flatMap((old) => {
    const kept = byName.get(nameOf(old));
    if (kept !== undefined && equalJson(kept, old)) return [];
    return [
      forbiddenField(FIELD, `existing ephemeral containers "${nameOf(old)}" may not be ${kept === undefined ? 'removed' : 'changed'}\n`),
    ];
  });
}
