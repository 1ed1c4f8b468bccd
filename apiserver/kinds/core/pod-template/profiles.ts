/** Profiles that confine a pod or a container: seccomp and AppArmor. */
import { invalidShownValue, invalidValue, longerThanLimit, requiredValue } from '../../../../shared/api/errors/field-error';
import { quote } from '../../../../shared/values/quote';
import { checkLocalPath, checkRequiredChoice, type Errors } from '../../rules/checks';
import type { CoreV1PodSecurityContext, CoreV1SecurityContext } from '../../../../shared/api/types/generated/members';

export const PROFILE_TYPES: readonly string[] = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const LONGEST_NAME = 4095;

export function checkSeccomp(context: CoreV1PodSecurityContext | CoreV1SecurityContext, contextPlace: string, errors: Errors): void {
  const profile = context.seccompProfile;
  if (profile === undefined) return;
  const place = `${contextPlace}.seccompProfile`;
  checkRequiredChoice(profile, 'type', place, PROFILE_TYPES, errors, 'type is required when seccompProfile is set');
  const type = profile.type ?? '';
  const name = profile.localhostProfile;
  const field = `${place}.localhostProfile`;
  if (type === 'Localhost') {
    if (name === undefined) errors.push(requiredValue(field, 'must be set when seccomp type is Localhost'));
    else checkLocalPath(name, field, errors);
  } else if (name !== undefined) {
    const shown = `core.SeccompProfile{Type:${quote(type)}, LocalhostProfile:${quote(name)}}`;
    errors.push(invalidShownValue(field, shown, 'can only be set when seccomp type is Localhost'));
  }
}

export function checkAppArmor(context: CoreV1PodSecurityContext | CoreV1SecurityContext, contextPlace: string, errors: Errors): void {
  const profile = context.appArmorProfile;
  if (profile === undefined) return;
  const place = `${contextPlace}.appArmorProfile`;
  const before = errors.length;
  checkRequiredChoice(profile, 'type', place, PROFILE_TYPES, errors, 'type is required when appArmorProfile is set');
  if (profile.type === 'Localhost') checkAppArmorName(profile.localhostProfile, `${place}.localhostProfile`, errors);
  else if (errors.length === before) {
    const name = profile.localhostProfile;
    if (name !== undefined) errors.push(invalidValue(`${place}.localhostProfile`, name, 'can only be set when AppArmor type is Localhost'));
  }
}

function checkAppArmorName(name: string | undefined, field: string, errors: Errors): void {
  if (name === undefined || name === '') {
    errors.push(requiredValue(field, 'must be set when AppArmor type is Localhost'));
    return;
  }
  if (name.trim() !== name) errors.push(invalidValue(field, name, 'must not be padded with whitespace'));
  if (Buffer.byteLength(name) > LONGEST_NAME) {
    errors.push(longerThanLimit(field, LONGEST_NAME));
  }
}
