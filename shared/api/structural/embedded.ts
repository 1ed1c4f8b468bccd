/**
 * Embedded resources in a custom resource (`x-kubernetes-embedded-resource`): decodes their metadata and validates
 * their apiVersion, kind and metadata. Their other fields are left to the schema.
 */
import { invalidShownValue, invalidValue, requiredValue, type FieldError } from '../errors/field-error';
import { parseApiVersion } from '../identity/identity';
import { arrayAt, isObject, objectAt, ownMember, sortedKeys, stringAt, type JsonObject, type JsonValue } from '../../values/json';
import { truncatePath } from '../../values/field-path';
import { checkDns1035Label, checkPathSegment, checkPathSegmentPrefix } from '../../values/name-formats';
import { DecodeError } from '../types';
import { validateMetadata } from '../metadata/object-meta-rules';
import { decodeObjectMeta } from './decode-object-meta';
import { formatFieldPath, type FieldPathElement } from './field-path';
import type { SchemaNode } from './schema-node';
import { shownValue } from './shown-value';

/** A member of an embedded resource has the wrong type. */
export class EmbeddedResourceError extends DecodeError {
  constructor(readonly fieldError: FieldError) {
    super(fieldError.text);
  }
}

/** An embedded resource that an object contains. */
interface Embedded {
  readonly object: JsonObject;
  /** From the root of the object that contains it. */
  readonly path: readonly FieldPathElement[];
}

/**
 * Decodes the metadata of all embedded resources of an object, in place. Returns the paths of their unknown fields.
 * Throws {@link EmbeddedResourceError} with upstream's message when an apiVersion, kind or metadata has the wrong type.
 */
export function decodeEmbedded(node: SchemaNode, object: JsonObject): string[] {
  return findEmbedded(node, object).flatMap(({ object: resource, path }) => {
    for (const member of ['apiVersion', 'kind']) {
      const value = ownMember(resource, member);
      if (value !== undefined && typeof value !== 'string') throw wrongTypeError([...path, member], value, 'must be a string');
    }
    const metadata = ownMember(resource, 'metadata');
    if (metadata === undefined) return [];
    const fieldPath = [...path, 'metadata'];
    try {
      const decoded = decodeObjectMeta(metadata);
      resource['metadata'] = decoded.object;
      const metadataPath = formatFieldPath(fieldPath);
      return decoded.unknown.map((member) => truncatePath(`${metadataPath}.${member}`));
    } catch (error) {
      if (error instanceof DecodeError) throw wrongTypeError(fieldPath, metadata, error.message);
      throw error;
    }
  });
}

function wrongTypeError(path: readonly FieldPathElement[], value: JsonValue, text: string): EmbeddedResourceError {
  return new EmbeddedResourceError(invalidShownValue(formatFieldPath(path), shownValue(value), text));
}

/** The errors of decoded embedded resources, outer ones first. */
export function validateEmbedded(node: SchemaNode, object: JsonObject): FieldError[] {
  return findEmbedded(node, object).flatMap(({ object: resource, path }) => {
    const fieldPath = formatFieldPath(path);
    return [...apiVersionErrors(resource, fieldPath), ...kindErrors(resource, fieldPath), ...metadataErrors(resource, fieldPath)];
  });
}

const EMPTY = 'must not be empty';

function apiVersionErrors(resource: JsonObject, fieldPath: string): FieldError[] {
  const apiVersion = stringAt(resource, 'apiVersion');
  const field = `${fieldPath}.apiVersion`;
  if (apiVersion === undefined) return [requiredValue(field, EMPTY)];
  if (apiVersion === '') return [invalidValue(field, apiVersion, EMPTY)];
  if (parseApiVersion(apiVersion) !== undefined) return [];
  return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
}

function kindErrors(resource: JsonObject, fieldPath: string): FieldError[] {
  const kind = stringAt(resource, 'kind');
  const field = `${fieldPath}.kind`;
  if (kind === undefined) return [requiredValue(field, EMPTY)];
  if (kind === '') return [invalidValue(field, kind, EMPTY)];
  const errors = checkDns1035Label(kind.toLowerCase());
  return errors.length === 0 ? [] : [invalidValue(field, kind, `may have mixed case, but should otherwise match: ${errors.join(',')}`)];
}

/** No metadata field is required, not even the name. */
function metadataErrors(resource: JsonObject, fieldPath: string): FieldError[] {
  const metadata = objectAt(resource, 'metadata');
  if (metadata === undefined) return [];
  const namespaced = (stringAt(metadata, 'namespace') ?? '') !== '';
  const errors = validateMetadata(metadata, { namespaced, name: checkPathSegment, generateName: checkPathSegmentPrefix });
  return [...errors.filter(({ reason }) => reason !== 'FieldValueRequired'), ...managedFieldsErrors(metadata)].map((error) => ({
    ...error,
    field: `${fieldPath}.${error.field}`,
    text: `${fieldPath}.${error.text}`,
  }));
}

/** Checks the fields of managedFields that the server sets in the metadata of the object itself, but not here. */
function managedFieldsErrors(metadata: JsonObject): FieldError[] {
  return (arrayAt(metadata, 'managedFields') ?? []).flatMap((entry, index) => {
    if (!isObject(entry)) return [];
    const errors: FieldError[] = [];
    const check = (member: string, allowed: readonly string[], text: string): void => {
      const value = stringAt(entry, member) ?? '';
      if (!allowed.includes(value)) errors.push(invalidValue(`metadata.managedFields[${index}].${member}`, value, text));
    };
    check('operation', ['Apply', 'Update'], 'must be `Apply` or `Update`');
    check('fieldsType', ['', 'FieldsV1'], 'must be `FieldsV1`');
    return errors;
  });
}

/** All embedded resources, outer ones first, members sorted by name. */
function findEmbedded(node: SchemaNode, object: JsonObject): Embedded[] {
  const resources: Embedded[] = [];
  // The object itself is not an embedded resource, whatever its schema states.
  if (containsEmbedded(node)) collectEmbedded({ ...node, embeddedResource: false }, object, [], resources);
  return resources;
}

/** Appends the embedded resources at and below a value to `resources`. `path` is that of the value. */
function collectEmbedded(node: SchemaNode, value: JsonValue, path: FieldPathElement[], resources: Embedded[]): void {
  const visit = (below: SchemaNode | undefined, step: FieldPathElement, member: JsonValue): void => {
    const isContainer = typeof member === 'object' && member !== null;
    if (below === undefined || !isContainer || !containsEmbedded(below)) return;
    path.push(step);
    collectEmbedded(below, member, path, resources);
    path.pop();
  };
  if (Array.isArray(value)) value.forEach((item, index) => visit(node.items, index, item));
  if (!isObject(value)) return;
  if (node.embeddedResource) resources.push({ object: value, path: [...path] });
  const others = typeof node.additionalProperties === 'object' ? node.additionalProperties : undefined;
  for (const name of sortedKeys(value)) {
    const member = node.properties.get(name);
    if (member !== undefined) visit(member, name, value[name] ?? null);
    else visit(others, { key: name }, value[name] ?? null);
  }
}

/** Results of {@link containsEmbedded}, so that each schema is searched once. */
const containsEmbeddedCache = new WeakMap<SchemaNode, boolean>();

/** Whether an embedded resource may occur at the node or below it. */
function containsEmbedded(node: SchemaNode): boolean {
  let contains = containsEmbeddedCache.get(node);
  if (contains === undefined) {
    const { additionalProperties, items } = node;
    const below = [...node.properties.values(), ...[items, additionalProperties].filter((next) => typeof next === 'object')];
    contains = node.embeddedResource || below.some(containsEmbedded);
    containsEmbeddedCache.set(node, contains);
  }
  return contains;
}
