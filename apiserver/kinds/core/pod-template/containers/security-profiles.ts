/**
 * Validates the seccomp and AppArmor profiles of the security contexts of Pods and containers: a known type, and
 * `localhostProfile` exactly for the type Localhost. Whether the node has the profile is left to the kubelet.
 */
import { invalidShownValue, invalidValue, longerThanLimit, requiredValue } from '../../../../../shared/api/errors/field-error';
import { quote } from '../../../../../shared/values/text/quote';
import { checkLocalPath, checkRequiredEnum, type Errors } from '../../../rules/checks';
import type { CoreV1PodSecurityContext, CoreV1SecurityContext } from '../../../../../shared/api/types/generated/members';

export const PROFILE_TYPES: readonly string[] = ['Localhost', 'RuntimeDefault', 'Unconfined'];
/** Upstream's limit for the name of an AppArmor profile. */
const MAX_APPARMOR_NAME_BYTES = 4095;

export function checkSeccompProfile(context: CoreV1PodSecurityContext | CoreV1SecurityContext, contextPath: string, errors: Errors): void {
  const profile = context.seccompProfile;
  if (profile === undefined) return;
  const fieldPath = `${contextPath}.seccompProfile`;
  checkRequiredEnum(profile, 'type', fieldPath, PROFILE_TYPES, errors, 'type is required when seccompProfile is set');
  const type = profile.type ?? '';
  const name = profile.localhostProfile;
  const field = `${fieldPath}.localhostProfile`;
  if (type === 'Localhost') {
    if (name === undefined) errors.push(requiredValue(field, 'must be set when seccomp type is Localhost'));
    else checkLocalPath(name, field, errors);
  } else if (name !== undefined) {
    // Upstream shows the whole profile as Go prints it.
    const shown = `core.SeccompProfile{Type:${quote(type)}, LocalhostProfile:${quote(name)}}`;
    errors.push(invalidShownValue(field, shown, 'can only be set when seccomp type is Localhost'));
  }
}

export function checkAppArmorProfile(context: CoreV1PodSecurityContext | CoreV1SecurityContext, contextPath: string, errors: Errors): void {
  const profile = context.appArmorProfile;
  if (profile === undefined) return;
  const fieldPath = `${contextPath}.appArmorProfile`;
  const errorCountBefore = errors.length;
  checkRequiredEnum(profile, 'type', fieldPath, PROFILE_TYPES, errors, 'type is required when appArmorProfile is set');
  const name = profile.localhostProfile;
  const field = `${fieldPath}.localhostProfile`;
  if (profile.type === 'Localhost') {
    checkAppArmorName(name, field, errors);
    return;
  }
  // Upstream validates the name only when the type is valid, unlike that of a seccomp profile.
  const isTypeValid = errors.length === errorCountBefore;
  if (isTypeValid && name !== undefined) errors.push(invalidValue(field, name, 'can only be set when AppArmor type is Localhost'));
}

function checkAppArmorName(name: string | undefined, field: string, errors: Errors): void {
  if (name === undefined || name === '') {
    errors.push(requiredValue(field, 'must be set when AppArmor type is Localhost'));
    return;
  }
  if (name.trim() !== name) errors.push(invalidValue(field, name, 'must not be padded with whitespace'));
  if (Buffer.byteLength(name) > MAX_APPARMOR_NAME_BYTES) {
    errors.push(longerThanLimit(field, MAX_APPARMOR_NAME_BYTES));
  }
}
