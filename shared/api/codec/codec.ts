/**
 * Decoding, defaulting, pruning and encoding of the objects of a kind. A codec hides whether the type tables (built-in
 * kinds) or a schema (custom kinds) describes the objects. Code that handles one built-in type may use the tables
 * (shared/api/types) directly. The values are not validated.
 */
import { decodeCustom } from '../structural/decode-custom';
import { applySchemaDefaults, dropNulls } from '../structural/defaults';
import { pruneUnknown } from '../structural/prune';
import type { SchemaNode } from '../structural/schema-node';
import type { CustomVersion } from '../structural/version';
import { groupFieldsOf, type GroupFields } from '../types/group-fields';
import { metadataFieldsOf, OWN_METADATA, type MetadataFields } from '../types/metadata-fields';
import {
  cloneJson,
  isDeeperThan,
  isObject,
  ownMember,
  stringifyJsonString,
  sortedKeys,
  stringifyJson,
  type JsonObject,
} from '../../values/json';
import { findTooLargeNumber, numberTooLargeMessage, type NumberLiterals } from '../../values/number-literals';
import { runStepsSync, type Steps } from '../../scheduling/steps';
import type { KindRow } from '../kinds';
import { applyDefaults, DecodeError, decodeObject, dropDisabledFields, encodeBody, encodeBodyInSteps } from '../types';
import { MAX_RAW_DEPTH } from '../types/decode-scalars';

/** A decoded body. */
export interface DecodedObject {
  readonly object: JsonObject;
  /** The paths of unknown fields, in upstream's order and limited in number. */
  readonly unknown: readonly string[];
}

/**
 * What is done with the objects of one version of a kind. Stateless; methods leave their arguments unchanged
 * unless documented otherwise.
 */
export interface KindCodec {
  /**
   * Returns a new canonical object without kind and apiVersion. `literals` has the spelling of numbers that the parser
   * recorded (shared/values/number-literals.ts). Throws DecodeError.
   */
  decode(value: JsonObject, literals?: NumberLiterals): DecodedObject;
  /**
   * Decodes an object into which an applied configuration was merged. For a custom kind it keeps the nulls that the schema
   * does not allow, so that validation rejects them. For a built-in kind it treats nulls as {@link decode} does.
   */
  decodeApplied(value: JsonObject): DecodedObject;
  /** Applies the defaults in place. */
  applyDefaults(object: JsonObject): void;
  /**
   * Returns a stored object of a custom kind in this version: pruned and defaulted by the schema of the version that it was
   * stored in (`stored`; the storage version if the definition has no such version), then pruned by that of this version.
   * Pruning also drops nulls that the schema does not allow. Conversion webhooks are left to apiserver/conversion. Objects of
   * built-in kinds are returned unchanged, because shared/api/conversion converts them.
   */
  fromStored(object: JsonObject, stored: string): JsonObject;
  /**
   * Returns a function that prunes objects in place, as the responses of conversion webhooks must be; defaults are not
   * applied. For a built-in kind it does nothing. Callers must not keep the function: it holds a schema that the
   * definition may replace.
   */
  createPruner(): (object: JsonObject) => void;
  /**
   * Returns the object in the form in which it is stored: the same object, or a copy without the fields that the
   * storage version does not have.
   */
  toStored(object: JsonObject): JsonObject;
  /** Drops fields of disabled features (types/disabled-fields.ts) in place. Custom kinds have none. */
  dropDisabledFields(object: JsonObject): void;
  /** Canonical JSON without kind and apiVersion, metadata first. */
  encodeBody(object: JsonObject): string;
  /**
   * As {@link encodeBody}, but an empty list in a field that is always present is written as `[]` instead of `null`: what
   * upstream sends to admission webhooks. For a custom kind there is no difference.
   */
  encodeWithEmptyLists(object: JsonObject): string;
  /** {@link encodeBody} in steps, so that the caller can yield between them. */
  encodeBodyInSteps(object: JsonObject): Steps<string>;
  /** The fields that name API groups or namespaces, which have two spellings (types/group-fields.ts). */
  readonly groupFields: GroupFields;
  /** The fields that hold metadata: that of the object and those of its templates. */
  readonly metadataFields: MetadataFields;
}

const codecsByType = new Map<string, KindCodec>();
const codecsByVersion = new WeakMap<CustomVersion, KindCodec>();

/** The codec of a kind; created on first use. */
export function codecOf({ type, custom }: Pick<KindRow, 'custom' | 'type'>): KindCodec {
  return custom === undefined ? memoized(codecsByType, type, builtInCodec) : memoized(codecsByVersion, custom, customCodec);
}

/** A Map or a WeakMap. */
interface CodecCache<K> {
  get(key: K): KindCodec | undefined;
  set(key: K, codec: KindCodec): unknown;
}

function memoized<K>(cache: CodecCache<K>, key: K, create: (key: K) => KindCodec): KindCodec {
  let codec = cache.get(key);
  if (codec === undefined) cache.set(key, (codec = create(key)));
  return codec;
}

function builtInCodec(type: string): KindCodec {
  return {
    decode: (value, literals) => decodeObject(type, value, literals),
    decodeApplied: (value) => decodeObject(type, value),
    applyDefaults: (object) => applyDefaults(type, object),
    fromStored: (object) => object,
    createPruner: () => () => undefined,
    toStored: (object) => object,
    dropDisabledFields: (object) => dropDisabledFields(type, object),
    encodeBody: (object) => encodeBody(type, object),
    encodeWithEmptyLists: (object) => encodeBody(type, object, 'kept'),
    encodeBodyInSteps: (object) => encodeBodyInSteps(type, object),
    groupFields: groupFieldsOf(type),
    metadataFields: metadataFieldsOf(type),
  };
}

const METADATA_TYPE = 'meta.v1.ObjectMeta';
/** Members of an object that are not written with its other members: kind and apiVersion are not stored, metadata is first. */
const SEPARATE_MEMBERS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The metadata of a custom object is decoded and encoded by its type in the tables, everything else by the schema. */
function customCodec(version: CustomVersion): KindCodec {
  const decodeMembers = (value: JsonObject, nulls: 'dropped' | 'kept'): DecodedObject => {
    if (isDeeperThan(value, MAX_RAW_DEPTH)) throw new DecodeError('exceeded max depth');
    const { apiVersion: _, kind: __, ...members } = value;
    const { object, unknown } = decodeCustom(version.schema, members, nulls);
    object['metadata'] ??= {};
    return { object, unknown };
  };
  return {
    decode(value, literals) {
      const tooLarge = literals === undefined ? undefined : findTooLargeNumber(value, literals);
      if (tooLarge !== undefined) throw new DecodeError(numberTooLargeMessage(tooLarge));
      return decodeMembers(value, 'dropped');
    },
    decodeApplied: (value) => decodeMembers(value, 'kept'),
    applyDefaults: (object) => applySchemaDefaults(version.schema, object),
    fromStored(object, stored) {
      const { versions, schemaId, storageVersion } = version;
      const writtenVersion = versions.get(stored) ?? versions.get(storageVersion) ?? version;
      const { schema } = writtenVersion;
      const converted = prunedCopy(schema, object);
      // In place: the copy shares only the metadata, in which a schema can declare defaults of name and generateName alone.
      applySchemaDefaults(schema, converted);
      // Without the defaults of this version: its schema did not process the object when it was written.
      return writtenVersion.schemaId === schemaId ? converted : prunedCopy(version.schema, converted);
    },
    createPruner() {
      const { schema } = version;
      return (object) => prune(schema, object);
    },
    toStored(object) {
      const stored = version.versions.get(version.storageVersion);
      return stored === undefined || stored.schemaId === version.schemaId ? object : prunedCopy(stored.schema, object);
    },
    dropDisabledFields: () => undefined,
    encodeBody: (object) => runStepsSync(encodeCustomInSteps(object)),
    encodeWithEmptyLists: (object) => runStepsSync(encodeCustomInSteps(object)),
    encodeBodyInSteps: encodeCustomInSteps,
    groupFields: { direct: [], nested: [{ member: 'metadata', isCollection: false, fields: groupFieldsOf(METADATA_TYPE) }] },
    metadataFields: OWN_METADATA,
  };
}

/**
 * A copy without the fields that the schema does not specify and the nulls that it does not allow. It shares the metadata,
 * which is not pruned.
 */
function prunedCopy(schema: SchemaNode, object: JsonObject): JsonObject {
  const { metadata = {}, ...body } = object;
  const copy: JsonObject = { ...cloneJson(body), metadata };
  prune(schema, copy);
  return copy;
}

function prune(schema: SchemaNode, object: JsonObject): void {
  pruneUnknown(schema, object);
  dropNulls(schema, object);
}

function* encodeCustomInSteps(object: JsonObject): Steps<string> {
  const metadata = ownMember(object, 'metadata');
  return yield* encodeWithMetadataInSteps(yield* encodeBodyInSteps(METADATA_TYPE, isObject(metadata) ? metadata : {}), object);
}

/** The body of a custom object, with the JSON of its metadata. */
export const encodeWithMetadata = (metadata: string, object: JsonObject): string =>
  runStepsSync(encodeWithMetadataInSteps(metadata, object));

/** The part of a custom object's body that follows the metadata: `,"spec":{…}}`. */
export const encodeAfterMetadata = (object: JsonObject): string => runStepsSync(encodeAfterMetadataInSteps(object));

function* encodeWithMetadataInSteps(metadata: string, object: JsonObject): Steps<string> {
  return `{"metadata":${metadata}${yield* encodeAfterMetadataInSteps(object)}`;
}

function* encodeAfterMetadataInSteps(object: JsonObject): Steps<string> {
  let text = '';
  for (const member of sortedKeys(object)) {
    yield;
    if (!SEPARATE_MEMBERS.has(member)) text += `,${stringifyJsonString(member)}:${stringifyJson(object[member] ?? null, 'sorted')}`;
  }
  return `${text}}`;
}
