/**
 * Validates the spec of a CustomResourceDefinition, in upstream's order. A field of {@link VERSION_FIELDS} that is the
 * same in all versions is validated once, at the top level of the spec; otherwise it is validated in each version.
 */
import { invalidShownValue, invalidValue, requiredValue } from '../../../shared/api/errors/field-error';
import { isObject } from '../../../shared/values/json';
import { checkDns1035Label, checkDnsSubdomain } from '../../../shared/values/name-formats';
import { checkConversion } from './conversion';
import { checkRequiredEnum, type Errors } from '../rules/checks';
import { checkDefinitionNames } from './definition-names';
import { VERSION_FIELDS, type VersionField } from './version-fields';
import { schemaHas } from './schema/subschemas';
import type {
  ApiextensionsV1CustomResourceDefinitionSpec,
  ApiextensionsV1CustomResourceDefinitionVersion,
} from '../../../shared/api/types/generated/members';

const SCOPES = ['Cluster', 'Namespaced'];
const VERSIONS = 'spec.versions';
const MAX_WARNING_LENGTH = 256;

type Spec = ApiextensionsV1CustomResourceDefinitionSpec;
type Version = ApiextensionsV1CustomResourceDefinitionVersion;

export function checkDefinitionSpec(spec: Spec, errors: Errors): void {
  const versions = spec.versions ?? [];
  const sharedFields = VERSION_FIELDS.filter((versionField) => versionField.isSameInAll(versions));
  const [first] = versions;
  checkGroup(spec.group ?? '', errors);
  checkRequiredEnum(spec, 'scope', 'spec', SCOPES, errors);
  if (spec.preserveUnknownFields === true && versions.some(hasDefaults)) {
    errors.push(invalidValue('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema'));
  }
  versions.forEach((version, index) => {
    if (version.schema?.openAPIV3Schema !== undefined) return;
    errors.push(requiredValue(`${VERSIONS}[${index}].schema.openAPIV3Schema`, 'schemas are required'));
  });
  versions.forEach((version, index) => checkVersion(version, `${VERSIONS}[${index}]`, sharedFields, errors));
  checkVersions(spec, errors);
  // Upstream still validates the first version as the deprecated `spec.version`.
  const firstName = first?.name ?? '';
  if (firstName !== '') checkLabel(firstName, 'spec.version', errors);
  checkDefinitionNames(spec.names ?? {}, 'spec.names', 'all', errors);
  if (first !== undefined) {
    const context = { hasStatus: versions.some(hasStatusSubresource) };
    for (const { check, topLevelName } of sharedFields) check(first, `spec.${topLevelName}`, errors, context);
  }
  checkConversion(spec, errors);
}

function checkGroup(group: string, errors: Errors): void {
  const field = 'spec.group';
  const reasons = group === '' ? [] : checkDnsSubdomain(group);
  if (group === '') errors.push(requiredValue(field));
  else if (reasons.length > 0) errors.push(invalidValue(field, group, reasons.join(',')));
  else if (!group.includes('.')) errors.push(invalidValue(field, group, 'should be a domain with at least one dot'));
}

/** Skips `sharedFields`, the fields that are the same in all versions: the caller validates them once. */
function checkVersion(version: Version, fieldPath: string, sharedFields: readonly VersionField[], errors: Errors): void {
  checkLabel(version.name ?? '', `${fieldPath}.name`, errors);
  const warning = version.deprecationWarning;
  const error = warning === undefined ? undefined : deprecationWarningError(warning, version);
  if (warning !== undefined && error !== undefined) errors.push(invalidValue(`${fieldPath}.deprecationWarning`, warning, error));
  const context = { hasStatus: hasStatusSubresource(version) };
  for (const versionField of VERSION_FIELDS) {
    if (sharedFields.includes(versionField)) continue;
    versionField.check(version, `${fieldPath}.${versionField.member}`, errors, context);
  }
}

const hasDefaults = ({ schema }: Version): boolean =>
  isObject(schema?.openAPIV3Schema) && schemaHas(schema.openAPIV3Schema, (part) => part['default'] !== undefined);

const hasStatusSubresource = ({ subresources }: Version): boolean => (subresources?.status ?? null) !== null;

function checkLabel(name: string, field: string, errors: Errors): void {
  const reasons = checkDns1035Label(name);
  if (reasons.length > 0) errors.push(invalidValue(field, name, reasons.join(',')));
}

function deprecationWarningError(warning: string, { deprecated }: Version): string | undefined {
  if (deprecated !== true) return 'can only be set for deprecated versions';
  if (warning === '') return 'must not be an empty string';
  if (Buffer.byteLength(warning) > MAX_WARNING_LENGTH) return `must be <= ${MAX_WARNING_LENGTH} characters long`;
  const index = warning.search(NON_PRINTABLE);
  if (index < 0) return undefined;
  const byteIndex = Buffer.byteLength(warning.slice(0, index));
  return `must only contain printable UTF-8 characters; non-printable character found at index ${byteIndex}`;
}

/** A character that is no letter, mark, number, punctuation mark, symbol or blank. */
const NON_PRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** The names of versions must be unique, and one version must be the storage version. */
function checkVersions(spec: Spec, errors: Errors): void {
  const versions = spec.versions ?? [];
  const names = versions.map((version) => version.name ?? '');
  // Upstream prints the whole list with memory addresses; it is abbreviated here.
  const shown = `[]apiextensions.CustomResourceDefinitionVersion${Array.isArray(spec.versions) ? '{…}' : '(nil)'}`;
  const hasUniqueNames = new Set(names).size === names.length;
  const storageVersionCount = versions.filter((version) => version.storage === true).length;
  if (!hasUniqueNames) errors.push(invalidShownValue(VERSIONS, shown, 'must contain unique version names'));
  if (storageVersionCount !== 1) errors.push(invalidShownValue(VERSIONS, shown, 'must have exactly one version marked as storage version'));
}
