/** The spec of a CustomResourceDefinition, in the order in which upstream judges it. */
import { invalidShownValue, invalidValue, requiredValue } from '../../../shared/api/errors/field-error';
import { isObject } from '../../../shared/values/json';
import { checkDns1035Label, checkDnsSubdomain } from '../../../shared/values/name-formats';
import { checkConversion } from './conversion';
import { checkRequiredChoice, type Errors } from '../rules/checks';
import { checkNames } from './names';
import { PARTS, type DefinitionPart } from './parts';
import { someSchema } from './schema/walk';
import type {
  ApiextensionsV1CustomResourceDefinitionSpec,
  ApiextensionsV1CustomResourceDefinitionVersion,
} from '../../../shared/api/types/generated/members';

const SCOPES = ['Cluster', 'Namespaced'];
const VERSIONS = 'spec.versions';
const LONGEST_WARNING = 256;

type Spec = ApiextensionsV1CustomResourceDefinitionSpec;
type Version = ApiextensionsV1CustomResourceDefinitionVersion;

export function checkSpec(spec: Spec, errors: Errors): void {
  const versions = spec.versions ?? [];
  const alike = PARTS.filter((part) => part.isAlike(versions));
  const [first] = versions;
  checkGroup(spec.group ?? '', errors);
  checkRequiredChoice(spec, 'scope', 'spec', SCOPES, errors);
  if (spec.preserveUnknownFields === true && versions.some(hasDefaults))
    errors.push(invalidValue('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema'));
  versions.forEach((version, index) => {
    if (version.schema?.openAPIV3Schema !== undefined) return;
    errors.push(requiredValue(`${VERSIONS}[${index}].schema.openAPIV3Schema`, 'schemas are required'));
  });
  versions.forEach((version, index) => checkVersion(version, `${VERSIONS}[${index}]`, alike, errors));
  checkVersions(spec, errors);
  // The first version once was the only one.
  const only = first?.name ?? '';
  if (only !== '') checkLabel(only, 'spec.version', errors);
  checkNames(spec.names ?? {}, 'spec.names', 'all', errors);
  if (first !== undefined) for (const part of alike) part.check(first, `spec.${part.sharedPlace}`, errors, versions.some(hasStatus));
  checkConversion(spec, errors);
}

function checkGroup(group: string, errors: Errors): void {
  const field = 'spec.group';
  const faults = group === '' ? [] : checkDnsSubdomain(group);
  if (group === '') errors.push(requiredValue(field));
  else if (faults.length > 0) errors.push(invalidValue(field, group, faults.join(',')));
  else if (!group.includes('.')) errors.push(invalidValue(field, group, 'should be a domain with at least one dot'));
}

/** What all versions have alike is judged once, elsewhere. */
function checkVersion(version: Version, place: string, alike: readonly DefinitionPart[], errors: Errors): void {
  checkLabel(version.name ?? '', `${place}.name`, errors);
  const warning = version.deprecationWarning;
  const fault = warning === undefined ? undefined : warningFault(warning, version.deprecated === true);
  if (warning !== undefined && fault !== undefined) errors.push(invalidValue(`${place}.deprecationWarning`, warning, fault));
  for (const part of PARTS) if (!alike.includes(part)) part.check(version, `${place}.${part.member}`, errors, hasStatus(version));
}

const hasDefaults = ({ schema }: Version): boolean =>
  isObject(schema?.openAPIV3Schema) && someSchema(schema.openAPIV3Schema, (part) => part['default'] !== undefined);

const hasStatus = ({ subresources }: Version): boolean => (subresources?.status ?? null) !== null;

function checkLabel(name: string, field: string, errors: Errors): void {
  const faults = checkDns1035Label(name);
  if (faults.length > 0) errors.push(invalidValue(field, name, faults.join(',')));
}

function warningFault(warning: string, isDeprecated: boolean): string | undefined {
  if (!isDeprecated) return 'can only be set for deprecated versions';
  if (warning === '') return 'must not be an empty string';
  if (Buffer.byteLength(warning) > LONGEST_WARNING) return `must be <= ${LONGEST_WARNING} characters long`;
  const at = warning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (at < 0) return undefined;
  return `must only contain printable UTF-8 characters; non-printable character found at index ${Buffer.byteLength(warning.slice(0, at))}`;
}

/** The versions together. */
function checkVersions(spec: Spec, errors: Errors): void {
  const versions = spec.versions ?? [];
  const names = versions.map((version) => version.name ?? '');
  // Upstream prints the whole list, with addresses in its memory.
  const shown = `[]apiextensions.CustomResourceDefinitionVersion${Array.isArray(spec.versions) ? '{…}' : '(nil)'}`;
  const unique = new Set(names).size === names.length;
  const stored = versions.filter((version) => version.storage === true).length;
  if (!unique) errors.push(invalidShownValue(VERSIONS, shown, 'must contain unique version names'));
  if (stored !== 1) errors.push(invalidShownValue(VERSIONS, shown, 'must have exactly one version marked as storage version'));
}
