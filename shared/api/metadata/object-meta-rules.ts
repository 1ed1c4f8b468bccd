/**
 * Validation of ObjectMeta for every kind. Returns errors in upstream's order and modifies nothing. Deciding which
 * metadata a client may set, and setting the rest, are left to the writer.
 */
import { appendAll } from '../../values/append';
import { forbiddenField, invalidShownValue, invalidValue, requiredValue, tooLongValue, type FieldError } from '../errors/field-error';
import { parseApiVersion } from '../identity/identity';
import { fieldManagerErrors } from './manager-name';
import {
  equalJson,
  isObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  ownMember,
  sortedKeys,
  stringAt,
  stringsAt,
} from '../../values/json';
import { checkDnsLabel, checkLabelValue, checkQualifiedName, type NameCheck } from '../../values/name-formats';
import { isTerminating } from './object-meta';
import { quote } from '../../values/text/quote';
import { STANDARD_FINALIZERS } from '../../names/dialect';

/** What the kind of an object determines about its metadata. */
export interface MetadataRules {
  /** Whether the objects of the kind are in namespaces. */
  readonly namespaced: boolean;
  /** The format of the name. */
  readonly name: NameCheck;
  /** The format of the prefix of a generated name. */
  readonly generateName: NameCheck;
}

/** Limit of the API for all annotations of an object together: 256 KiB. */
const MAX_ANNOTATIONS_BYTES = 262_144;
const IMMUTABLE = 'field is immutable';
const OWNERS_FIELD = 'metadata.ownerReferences';

/**
 * Errors of the metadata of a new object, except those of {@link unqualifiedFinalizersErrors}, which do not apply to all
 * kinds.
 */
export function validateMetadata(metadata: JsonObject, rules: MetadataRules): FieldError[] {
  const errors = validateGenerateName(metadata, rules.generateName);
  const name = stringAt(metadata, 'name') ?? '';
  if (name === '') errors.push(requiredValue('metadata.name', 'name or generateName is required'));
  else for (const text of rules.name(name)) errors.push(invalidValue('metadata.name', name, text));
  validateNamespace(metadata, rules, errors);
  const generation = ownMember(metadata, 'generation');
  if ((typeof generation === 'number' || typeof generation === 'bigint') && generation < 0) {
    errors.push(invalidShownValue('metadata.generation', String(generation), 'must be greater than or equal to 0'));
  }
  appendAll(errors, validateMutableMetadata(metadata));
  return errors;
}

/** Validates the prefix of a generated name. */
export function validateGenerateName(metadata: JsonObject, format: NameCheck): FieldError[] {
  const prefix = stringAt(metadata, 'generateName') ?? '';
  return prefix === '' ? [] : format(prefix).map((text) => invalidValue('metadata.generateName', prefix, text));
}

/**
 * Validates the metadata that clients may change: labels, annotations, owner references, managedFields, and names of
 * finalizers unless they are `unchecked`.
 */
export function validateMutableMetadata(
  metadata: JsonObject,
  { finalizers }: { readonly finalizers: 'checked' | 'unchecked' } = { finalizers: 'checked' },
): FieldError[] {
  const errors: FieldError[] = [];
  const labels = objectAt(metadata, 'labels');
  if (labels !== undefined) validateLabels(labels, 'metadata.labels', errors);
  const annotations = objectAt(metadata, 'annotations');
  if (annotations !== undefined) validateAnnotations(annotations, 'metadata.annotations', errors);
  validateOwners(metadata, errors);
  if (finalizers === 'checked') validateFinalizers(stringsAt(metadata, 'finalizers'), errors);
  validateManagedFields(metadata, errors);
  return errors;
}

/** Limit of the API for a subresource in managedFields. */
const MAX_SUBRESOURCE_BYTES = 256;

/** Validates the names in managedFields, which clients may send. */
function validateManagedFields(metadata: JsonObject, errors: FieldError[]): void {
  const entries = ownMember(metadata, 'managedFields');
  if (!Array.isArray(entries)) return;
  entries.forEach((entry, index) => {
    if (!isObject(entry)) return;
    const field = `metadata.managedFields[${index}]`;
    appendAll(errors, fieldManagerErrors(`${field}.manager`, stringAt(entry, 'manager') ?? ''));
    const subresource = stringAt(entry, 'subresource') ?? '';
    if (Buffer.byteLength(subresource) > MAX_SUBRESOURCE_BYTES) errors.push(tooLongValue(`${field}.subresource`, MAX_SUBRESOURCE_BYTES));
  });
}

const showText = (value: JsonValue | undefined): string => quote(typeof value === 'string' ? value : '');

const showNumber = (value: JsonValue | undefined): string =>
  typeof value === 'number' || typeof value === 'bigint' ? String(value) : 'null';

/** Prints a time as Go does: `2020-01-01 00:00:00 +0000 UTC`. */
const showTime = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? `${value.slice(0, 19).replace('T', ' ')} +0000 UTC` : 'null';

/** Members that no update changes, in upstream's order, and how their values are printed. */
const IMMUTABLE_MEMBERS: readonly { readonly member: string; readonly show: (value: JsonValue | undefined) => string }[] = [
  { member: 'name', show: showText },
  { member: 'namespace', show: showText },
  { member: 'uid', show: showText },
  { member: 'creationTimestamp', show: showTime },
  { member: 'deletionTimestamp', show: showTime },
  { member: 'deletionGracePeriodSeconds', show: showNumber },
];

/** Validates the change from the stored metadata `old` to `metadata`. */
export function validateMetadataChange(metadata: JsonObject, old: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  if (isTerminating(old)) {
    const before = new Set(stringsAt(old, 'finalizers'));
    const added = stringsAt(metadata, 'finalizers').filter((finalizer) => !before.has(finalizer));
    if (added.length > 0) errors.push(addedFinalizersError(added));
  }
  for (const { member, show } of IMMUTABLE_MEMBERS) {
    const value = ownMember(metadata, member);
    if (!equalJson(value, ownMember(old, member))) errors.push(invalidShownValue(`metadata.${member}`, show(value), IMMUTABLE));
  }
  return errors;
}

/** A terminating object loses finalizers and gains none. */
function addedFinalizersError(added: readonly string[]): FieldError {
  const shown = [...added].sort().map((finalizer) => quote(finalizer));
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown.join(', ')}}`;
  return forbiddenField('metadata.finalizers', detail);
}

/**
 * The errors of finalizers that have no domain and are not well-known (`orphan`). Only for kinds without
 * `allowsUnqualifiedFinalizers` in their row (shared/api/kinds).
 */
export function unqualifiedFinalizersErrors(metadata: JsonObject): FieldError[] {
  return stringsAt(metadata, 'finalizers').flatMap((finalizer, index) => finalizerDomainErrors(finalizer, `metadata.finalizers[${index}]`));
}

/** The error of one finalizer, at the path `field`, that has no domain and is not well-known. */
export function finalizerDomainErrors(finalizer: string, field: string): readonly FieldError[] {
  if (finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return [];
  return [invalidValue(field, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];
}

function validateNamespace(metadata: JsonObject, rules: MetadataRules, errors: FieldError[]): void {
  const namespace = stringAt(metadata, 'namespace') ?? '';
  if (!rules.namespaced) {
    if (namespace !== '') errors.push(forbiddenField('metadata.namespace', 'not allowed on this type'));
    return;
  }
  if (namespace === '') errors.push(requiredValue('metadata.namespace'));
  else for (const text of checkDnsLabel(namespace)) errors.push(invalidValue('metadata.namespace', namespace, text));
}

/** Validates keys and values of labels in the order of the keys. As in upstream, `field` is the path of every error. */
export function validateLabels(labels: JsonObject, field: string, errors: FieldError[]): void {
  for (const key of sortedKeys(labels)) {
    for (const text of checkQualifiedName(key)) errors.push(invalidValue(field, key, text));
    const value = labels[key];
    if (typeof value === 'string') for (const text of checkLabelValue(value)) errors.push(invalidValue(field, value, text));
  }
}

/** Validates keys of annotations and the size of all annotations together. */
export function validateAnnotations(annotations: JsonObject, field: string, errors: FieldError[]): void {
  let characters = 0;
  for (const key of sortedKeys(annotations)) {
    for (const text of checkQualifiedName(key.toLowerCase())) errors.push(invalidValue(field, key, text));
    const value = annotations[key];
    characters += key.length + (typeof value === 'string' ? value.length : 0);
  }
  // A UTF-16 unit has at most three UTF-8 bytes, so the exact size matters only above a third of the limit.
  if (characters * 3 > MAX_ANNOTATIONS_BYTES && utf8BytesOfMap(annotations) > MAX_ANNOTATIONS_BYTES)
    errors.push(tooLongValue(field, MAX_ANNOTATIONS_BYTES));
}

/** UTF-8 bytes of all keys and string values. */
export function utf8BytesOfMap(map: JsonObject): number {
  let total = 0;
  for (const key of Object.keys(map)) {
    const value = map[key];
    total += Buffer.byteLength(key) + (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  }
  return total;
}

function validateOwners(metadata: JsonObject, errors: FieldError[]): void {
  const references = ownMember(metadata, 'ownerReferences');
  if (!Array.isArray(references)) return;
  let controller: string | undefined;
  /** All references as JSON, built once: the error of each additional controller shows them. */
  let shown: string | undefined;
  for (const reference of references) {
    if (!isObject(reference)) continue;
    validateOwner(reference, errors);
    if (ownMember(reference, 'controller') !== true) continue;
    const name = `${stringAt(reference, 'kind') ?? ''}/${stringAt(reference, 'name') ?? ''}`;
    if (controller === undefined) {
      controller = name;
      continue;
    }
    const text = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
    shown ??= JSON.stringify(references);
    errors.push(invalidShownValue(OWNERS_FIELD, shown, text));
  }
}

/** Validates one owner reference by itself. */
function validateOwner(reference: JsonObject, errors: FieldError[]): void {
  const apiVersion = stringAt(reference, 'apiVersion') ?? '';
  const version = parseApiVersion(apiVersion);
  if (version === undefined || version.version === '')
    errors.push(invalidValue(`${OWNERS_FIELD}.apiVersion`, apiVersion, 'version must not be empty'));
  for (const member of ['kind', 'name', 'uid']) {
    const value = stringAt(reference, member) ?? '';
    if (value === '') errors.push(invalidValue(`${OWNERS_FIELD}.${member}`, value, `${member} must not be empty`));
  }
  if (apiVersion === 'v1' && stringAt(reference, 'kind') === 'Event') {
    errors.push(invalidShownValue(OWNERS_FIELD, JSON.stringify(reference), '/v1, Kind=Event is disallowed from being an owner'));
  }
}

function validateFinalizers(finalizers: readonly string[], errors: FieldError[]): void {
  if (finalizers.length === 0) return;
  const field = 'metadata.finalizers';
  for (const finalizer of finalizers) for (const text of checkQualifiedName(finalizer)) errors.push(invalidValue(field, finalizer, text));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalidValue(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
}
