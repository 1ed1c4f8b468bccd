/**
 * Validates claim specs, of claims and of the claim templates of ephemeral volumes, so that both have the same rules.
 * What an update may change is left to persistent-volume-claim.ts.
 */
import { invalidShownValue, invalidValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { equalJson } from '../../../../shared/values/json';
import { checkDnsSubdomain, type NameCheck } from '../../../../shared/values/name-formats';
import { parseQuantity } from '../../../../shared/values/quantity';
import { checkSelectorUpdate } from '../../rules/selectors';
import { checkFormat, checkIfNotEmpty, checkRequired, type Errors } from '../../rules/checks';
import { checkAccessModes, checkHasAccessModes, checkVolumeMode } from './volume-checks';
import type {
  CoreV1PersistentVolumeClaimSpec,
  CoreV1TypedLocalObjectReference,
  CoreV1TypedObjectReference,
} from '../../../../shared/api/types/generated/members';

/** `old` is the stored spec. */
export function checkClaimSpec(
  spec: CoreV1PersistentVolumeClaimSpec,
  old: CoreV1PersistentVolumeClaimSpec | undefined,
  fieldPath: string,
  errors: Errors,
): void {
  checkHasAccessModes(spec, fieldPath, errors, 'at least 1 access mode is required');
  checkSelectorUpdate(spec.selector, old?.selector, `${fieldPath}.selector`, errors);
  checkAccessModes(spec, fieldPath, errors);
  checkStorage(spec, `${fieldPath}.resources[storage]`, errors);
  checkIfNotEmpty(spec, 'storageClassName', fieldPath, errors, checkDnsSubdomain);
  checkVolumeMode(spec, fieldPath, errors);
  checkDataSources(spec, old, fieldPath, errors);
}

const hasDataSourceGroup = (spec: CoreV1PersistentVolumeClaimSpec | undefined): boolean =>
  [spec?.dataSource, spec?.dataSourceRef].some((dataSource) => (dataSource?.apiGroup ?? null) !== null);

function checkStorage(spec: CoreV1PersistentVolumeClaimSpec, field: string, errors: Errors): void {
  const requested = spec.resources?.requests?.['storage'];
  if (requested === undefined) errors.push(requiredValue(field));
  else if (parseQuantity(requested).nanos <= 0n) errors.push(invalidValue(field, requested, 'must be greater than zero'));
}

function checkDataSources(
  spec: CoreV1PersistentVolumeClaimSpec,
  old: CoreV1PersistentVolumeClaimSpec | undefined,
  fieldPath: string,
  errors: Errors,
): void {
  const source = spec.dataSource;
  const reference = spec.dataSourceRef;
  // Upstream accepts any group when a data source of the stored spec has one.
  const checkGroup = hasDataSourceGroup(old) ? () => [] : checkDnsSubdomain;
  if (source !== undefined) checkDataSource(source, checkGroup, `${fieldPath}.dataSource`, errors);
  if (reference !== undefined) checkDataSource(reference, checkGroup, `${fieldPath}.dataSourceRef`, errors);
  if (source === undefined || reference === undefined || equalJson(source, reference)) return;
  // Upstream shows the path of the field in place of its value.
  errors.push(invalidShownValue(fieldPath, 'field.Path{name:"dataSource"}', 'must match dataSourceRef'));
}

function checkDataSource(
  dataSource: CoreV1TypedObjectReference | CoreV1TypedLocalObjectReference,
  checkGroup: NameCheck,
  fieldPath: string,
  errors: Errors,
): void {
  for (const member of ['name', 'kind'] as const) checkRequired(dataSource, member, fieldPath, errors);
  const group = dataSource.apiGroup ?? '';
  const kind = dataSource.kind ?? '';
  if (group === '' && kind !== 'PersistentVolumeClaim') {
    errors.push(invalidValue(fieldPath, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (group !== '') checkFormat(group, `${fieldPath}.apiGroup`, checkGroup, errors);
}
