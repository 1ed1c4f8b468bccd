/**
 * Validates `pods/ephemeralcontainers`: ephemeral containers may be added, and existing ones must not change. The rules of a
 * single ephemeral container are those of pod-template/containers.
 */
import { forbiddenField, type FieldError } from '../../../../shared/api/errors/field-error';
import { equalJson } from '../../../../shared/values/json';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { MIRROR_POD_ANNOTATION } from '../pod-template/annotations';
import { validatePod } from './validate-pod';
import type { CoreV1EphemeralContainer, CoreV1Pod } from '../../../../shared/api/types/generated/members';

const EPHEMERAL_CONTAINERS = 'spec.ephemeralContainers';

/** Upstream's field path is empty, which messages print as `[]`. */
const MIRROR_POD_ERROR = forbiddenField('[]', 'static pods do not support ephemeral containers');

/** Mirror pods accept no ephemeral containers. */
export function validateEphemeralContainers(pod: CoreV1Pod, old: CoreV1Pod): readonly FieldError[] {
  if (isMirrorPod(pod)) return [MIRROR_POD_ERROR];
  const podErrors = validatePod(pod);
  return podErrors.length > 0 ? podErrors : validateExistingContainers(ephemeralContainersOf(pod), ephemeralContainersOf(old));
}

const isMirrorPod = ({ metadata }: CoreV1Pod): boolean =>
  Object.keys(metadata?.annotations ?? {}).some((name) => canonicalQualifiedName(name) === MIRROR_POD_ANNOTATION);

const ephemeralContainersOf = (pod: CoreV1Pod): readonly CoreV1EphemeralContainer[] => pod.spec?.ephemeralContainers ?? [];
const nameOf = (container: CoreV1EphemeralContainer): string => container.name ?? '';

function validateExistingContainers(
  containers: readonly CoreV1EphemeralContainer[],
  oldContainers: readonly CoreV1EphemeralContainer[],
): readonly FieldError[] {
  // Reversed, because the last entry of a name wins in a Map, and the first container of a name is to be compared.
  const byName = new Map([...containers].reverse().map((container) => [nameOf(container), container]));
  return oldContainers.flatMap((old) => {
    const current = byName.get(nameOf(old));
    if (current !== undefined && equalJson(current, old)) return [];
    const change = current === undefined ? 'removed' : 'changed';
    return [forbiddenField(EPHEMERAL_CONTAINERS, `existing ephemeral containers "${nameOf(old)}" may not be ${change}\n`)];
  });
}
