/** What a claim may ask for, on its own or as the template of an ephemeral volume. */
import { invalidShownValue, invalidValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { equalJson } from '../../../../shared/values/json';
import { checkDnsSubdomain } from '../../../../shared/values/name-formats';
import { parseQuantity } from '../../../../shared/values/quantity';
import { checkSelectorChange } from '../../rules/selectors';
import { checkFormat, checkOptional, checkRequired, type Errors } from '../../rules/checks';
import { checkAccessModes, checkHasAccessModes, checkVolumeMode } from './access-modes';
import type {
  CoreV1PersistentVolumeClaimSpec,
  CoreV1TypedLocalObjectReference,
  CoreV1TypedObjectReference,
} from '../../../../shared/api/types/generated/members';

/** `old` = the spec that it is to replace. */
export function checkClaimSpec(
  spec: CoreV1PersistentVolumeClaimSpec,
  old: CoreV1PersistentVolumeClaimSpec | undefined,
  place: string,
  errors: Errors,
): void {
  checkHasAccessModes(spec, place, errors, 'at least 1 access mode is required');
  checkSelectorChange(spec.selector, old?.selector, `${place}.selector`, errors);
  checkAccessModes(spec, place, errors);
  checkStorage(spec, `${place}.resources[storage]`, errors);
  checkOptional(spec, 'storageClassName', place, errors, checkDnsSubdomain);
  checkVolumeMode(spec, place, errors);
  checkOrigins(spec, hasGroup(old), place, errors);
}

/** Upstream does not judge the group of an origin again once there is one. */
const hasGroup = (spec: CoreV1PersistentVolumeClaimSpec | undefined): boolean =>
  [spec?.dataSource, spec?.dataSourceRef].some((origin) => (origin?.apiGroup ?? null) !== null);

function checkStorage(spec: CoreV1PersistentVolumeClaimSpec, field: string, errors: Errors): void {
  const wanted = spec.resources?.requests?.['storage'];
  if (wanted === undefined) errors.push(requiredValue(field));
  else if (parseQuantity(wanted).nanos <= 0n) errors.push(invalidValue(field, wanted, 'must be greater than zero'));
}

function checkOrigins(spec: CoreV1PersistentVolumeClaimSpec, hadGroup: boolean, place: string, errors: Errors): void {
  const source = spec.dataSource;
  const reference = spec.dataSourceRef;
  if (source !== undefined) checkOrigin(source, hadGroup, `${place}.dataSource`, errors);
  if (reference !== undefined) checkOrigin(reference, hadGroup, `${place}.dataSourceRef`, errors);
  if (source === undefined || reference === undefined || equalJson(source, reference)) return;
  errors.push(invalidShownValue(place, 'field.Path{name:"dataSource"}', 'must match dataSourceRef'));
}

function checkOrigin(
  origin: CoreV1TypedObjectReference | CoreV1TypedLocalObjectReference,
  hadGroup: boolean,
  place: string,
  errors: Errors,
): void {
  for (const member of ['name', 'kind'] as const) checkRequired(origin, member, place, errors);
  const group = origin.apiGroup ?? '';
  const kind = origin.kind ?? '';
  if (group === '' && kind !== 'PersistentVolumeClaim') {
    errors.push(invalidValue(place, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (group !== '' && !hadGroup) checkFormat(group, `${place}.apiGroup`, checkDnsSubdomain, errors);
}
