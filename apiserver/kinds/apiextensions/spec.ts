/** The spec of a CustomResourceDefinition, in the order in which upstream judges it. */
import { invalidAs, invalidValue, notSupported, required, type FieldError } from '../../../shared/api/errors/field-error';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { dns1035Label, dnsSubdomain } from '../../../shared/values/name-formats';
import { conversionErrors } from './conversion';
import { namesErrors } from './names';
import { PARTS, type Part } from './parts';

const SCOPES = ['Cluster', 'Namespaced'];
const VERSIONS = 'spec.versions';
const LONGEST_WARNING = 256;

export function specErrors(spec: JsonObject): readonly FieldError[] {
  const versions = (arrayAt(spec, 'versions') ?? []).map((version) => (isObject(version) ? version : {}));
  const alike = PARTS.filter((part) => part.isAlike(versions));
  const [first] = versions;
  return [
    ...groupErrors(stringAt(spec, 'group') ?? ''),
    ...scopeErrors(stringAt(spec, 'scope') ?? ''),
    ...missingSchemas(versions),
    ...versions.flatMap((version, index) => versionErrors(version, `${VERSIONS}[${index}]`, alike)),
    ...versionsErrors(spec, versions),
    ...oldVersionErrors(versions),
    ...namesErrors(objectAt(spec, 'names') ?? {}, 'spec.names', 'all'),
    ...(first === undefined ? [] : alike.flatMap((part) => part.errors(first, `spec.${part.sharedPlace}`))),
    ...conversionErrors(spec),
  ];
}

function groupErrors(group: string): readonly FieldError[] {
  const field = 'spec.group';
  if (group === '') return [required(field)];
  const faults = dnsSubdomain(group);
  if (faults.length > 0) return [invalidValue(field, group, faults.join(','))];
  return group.includes('.') ? [] : [invalidValue(field, group, 'should be a domain with at least one dot')];
}

function scopeErrors(scope: string): readonly FieldError[] {
  if (scope === '') return [required('spec.scope')];
  return SCOPES.includes(scope) ? [] : [notSupported('spec.scope', scope, SCOPES)];
}

function missingSchemas(versions: readonly JsonObject[]): readonly FieldError[] {
  return versions.flatMap((version, index) =>
    objectAt(objectAt(version, 'schema'), 'openAPIV3Schema') === undefined
      ? [required(`${VERSIONS}[${index}].schema.openAPIV3Schema`, 'schemas are required')]
      : [],
  );
}

/** What all versions have alike is judged once, elsewhere. */
function versionErrors(version: JsonObject, place: string, alike: readonly Part[]): readonly FieldError[] {
  return [
    ...labelErrors(stringAt(version, 'name') ?? '', `${place}.name`),
    ...warningErrors(version, `${place}.deprecationWarning`),
    ...PARTS.filter((part) => !alike.includes(part)).flatMap((part) => part.errors(version, `${place}.${part.member}`)),
  ];
}

function labelErrors(name: string, field: string): readonly FieldError[] {
  const faults = dns1035Label(name);
  return faults.length === 0 ? [] : [invalidValue(field, name, faults.join(','))];
}

function warningErrors(version: JsonObject, field: string): readonly FieldError[] {
  const warning = stringAt(version, 'deprecationWarning');
  if (warning === undefined) return [];
  if (version['deprecated'] !== true) return [invalidValue(field, warning, 'can only be set for deprecated versions')];
  if (warning === '') return [invalidValue(field, warning, 'must not be an empty string')];
  if (Buffer.byteLength(warning) > LONGEST_WARNING) return [invalidValue(field, warning, `must be <= ${LONGEST_WARNING} characters long`)];
  const at = warning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (at < 0) return [];
  const index = Buffer.byteLength(warning.slice(0, at));
  return [invalidValue(field, warning, `must only contain printable UTF-8 characters; non-printable character found at index ${index}`)];
}

/** The versions together. */
function versionsErrors(spec: JsonObject, versions: readonly JsonObject[]): readonly FieldError[] {
  const names = versions.map((version) => stringAt(version, 'name') ?? '');
  // Upstream prints the whole list, with addresses in its memory.
  const shown = `[]apiextensions.CustomResourceDefinitionVersion${arrayAt(spec, 'versions') === undefined ? '(nil)' : '{…}'}`;
  const unique = new Set(names).size === names.length;
  const stored = versions.filter((version) => version['storage'] === true).length;
  return [
    ...(unique ? [] : [invalidAs(VERSIONS, shown, 'must contain unique version names')]),
    ...(stored === 1 ? [] : [invalidAs(VERSIONS, shown, 'must have exactly one version marked as storage version')]),
  ];
}

/** The first version once was the only one. */
function oldVersionErrors(versions: readonly JsonObject[]): readonly FieldError[] {
  const name = stringAt(versions[0], 'name') ?? '';
  return name === '' ? [] : labelErrors(name, 'spec.version');
}
