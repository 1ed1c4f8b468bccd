/**
 * Whole objects inside a custom resource (`x-kubernetes-embedded-resource`): their metadata is decoded as every object's metadata is, and they are
 * held to the rules for apiVersion, kind and metadata. Knows nothing of their other members.
 */
import { invalidAs, invalidValue, required, type FieldError } from '../errors/field-error';
import { formatGoSyntax } from '../../values/go-syntax';
import { parseApiVersion } from '../identity/identity';
import { arrayAt, isObject, objectAt, own, sortedKeys, stringAt, type JsonObject, type JsonValue } from '../../values/json';
import { truncatePath } from '../../values/field-path';
import { checkDns1035Label, checkPathSegment, checkPathSegmentPrefix } from '../../values/name-formats';
import { DecodeError } from '../types';
import { validateMetadata } from '../metadata/object-meta-rules';
import { decodeMetadata } from './metadata';
import { fieldText, type PathPart } from './path';
import type { SchemaNode } from './schema-node';

/** What of an embedded object has the wrong type. */
export class EmbeddedFault extends DecodeError {
  constructor(readonly fault: FieldError) {
    super(fault.text);
  }
}

interface Embedded {
  readonly object: JsonObject;
  readonly path: readonly PathPart[];
}

/**
 * In place. The paths of unknown members of the embedded objects' metadata. Throws DecodeError with upstream's text when apiVersion, kind or
 * metadata has the wrong type.
 */
export function decodeEmbedded(node: SchemaNode, object: JsonObject): string[] {
  return embeddedIn(node, object).flatMap(({ object: resource, path }) => {
    for (const member of ['apiVersion', 'kind']) {
      const value = own(resource, member);
      if (value !== undefined && typeof value !== 'string') throw wrongType([...path, member], value, 'must be a string');
    }
    const metadata = own(resource, 'metadata');
    if (metadata === undefined) return [];
    const at = [...path, 'metadata'];
    try {
      const decoded = decodeMetadata(metadata);
      resource['metadata'] = decoded.object;
      const place = fieldText(at);
      return decoded.unknown.map((member) => truncatePath(`${place}.${member}`));
    } catch (error) {
      if (error instanceof DecodeError) throw wrongType(at, metadata, error.message);
      throw error;
    }
  });
}

function wrongType(path: readonly PathPart[], value: JsonValue, text: string): EmbeddedFault {
  return new EmbeddedFault(invalidAs(fieldText(path), shown(value), text));
}

/** Upstream's way with a value of any type. */
function shown(value: JsonValue): string {
  return value === null ? '"null"' : formatGoSyntax(value);
}

/** What is wrong with the embedded objects, the outer ones first. They have been decoded. */
export function validateEmbedded(node: SchemaNode, object: JsonObject): FieldError[] {
  return embeddedIn(node, object).flatMap(({ object: resource, path }) => {
    const at = fieldText(path);
    return [...apiVersionErrors(resource, at), ...kindErrors(resource, at), ...metadataErrors(resource, at)];
  });
}

const EMPTY = 'must not be empty';

function apiVersionErrors(resource: JsonObject, at: string): FieldError[] {
  const apiVersion = stringAt(resource, 'apiVersion');
  const field = `${at}.apiVersion`;
  if (apiVersion === undefined) return [required(field, EMPTY)];
  if (apiVersion === '') return [invalidValue(field, apiVersion, EMPTY)];
  if (parseApiVersion(apiVersion) !== undefined) return [];
  return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
}

function kindErrors(resource: JsonObject, at: string): FieldError[] {
  const kind = stringAt(resource, 'kind');
  const field = `${at}.kind`;
  if (kind === undefined) return [required(field, EMPTY)];
  if (kind === '') return [invalidValue(field, kind, EMPTY)];
  const faults = checkDns1035Label(kind.toLowerCase());
  return faults.length === 0 ? [] : [invalidValue(field, kind, `may have mixed case, but should otherwise match: ${faults.join(',')}`)];
}

/** Nothing is required of it, not even a name. */
function metadataErrors(resource: JsonObject, at: string): FieldError[] {
  const metadata = objectAt(resource, 'metadata');
  if (metadata === undefined) return [];
  const namespaced = (stringAt(metadata, 'namespace') ?? '') !== '';
  const errors = validateMetadata(metadata, { namespaced, name: checkPathSegment, prefix: checkPathSegmentPrefix });
  return [...errors.filter(({ reason }) => reason !== 'FieldValueRequired'), ...managedFieldsErrors(metadata)].map((error) => ({
    ...error,
    field: `${at}.${error.field}`,
    text: `${at}.${error.text}`,
  }));
}

/** What an object's own metadata cannot have, because the server writes it. */
function managedFieldsErrors(metadata: JsonObject): FieldError[] {
  return (arrayAt(metadata, 'managedFields') ?? []).flatMap((entry, index) => {
    if (!isObject(entry)) return [];
    const errors: FieldError[] = [];
    const check = (member: string, good: readonly string[], text: string): void => {
      const value = stringAt(entry, member) ?? '';
      if (!good.includes(value)) errors.push(invalidValue(`metadata.managedFields[${index}].${member}`, value, text));
    };
    check('operation', ['Apply', 'Update'], 'must be `Apply` or `Update`');
    check('fieldsType', ['', 'FieldsV1'], 'must be `FieldsV1`');
    return errors;
  });
}

/** All embedded objects, the outer ones first, members in the order of their names. */
function embeddedIn(node: SchemaNode, object: JsonObject): Embedded[] {
  const found: Embedded[] = [];
  if (leadsToEmbedded(node)) gather({ ...node, embeddedResource: false }, object, [], found);
  return found;
}

function gather(node: SchemaNode, value: JsonValue, path: PathPart[], found: Embedded[]): void {
  const visit = (below: SchemaNode | undefined, step: PathPart, member: JsonValue): void => {
    if (below === undefined || typeof member !== 'object' || member === null || !leadsToEmbedded(below)) return;
    path.push(step);
    gather(below, member, path, found);
    path.pop();
  };
  if (Array.isArray(value)) value.forEach((item, index) => visit(node.items, index, item));
  if (!isObject(value)) return;
  if (node.embeddedResource) found.push({ object: value, path: [...path] });
  const others = typeof node.additionalProperties === 'object' ? node.additionalProperties : undefined;
  for (const name of sortedKeys(value)) {
    const member = node.properties.get(name);
    if (member !== undefined) visit(member, name, value[name] ?? null);
    else visit(others, { key: name }, value[name] ?? null);
  }
}

const known = new WeakMap<SchemaNode, boolean>();

function leadsToEmbedded(node: SchemaNode): boolean {
  let leads = known.get(node);
  if (leads === undefined) {
    const { additionalProperties, items } = node;
    const below = [...node.properties.values(), ...[items, additionalProperties].filter((next) => typeof next === 'object')];
    leads = node.embeddedResource || below.some(leadsToEmbedded);
    known.set(node, leads);
  }
  return leads;
}
