/**
 * What is done with the objects of a kind, whoever describes it: of a built-in kind the type tables do, of a custom one its schema. Whoever handles
 * objects asks here, and never the tables or a schema itself. Judges no values.
 */
import { decodeCustom } from '../structural/decode-custom';
import { applySchemaDefaults, dropNulls } from '../structural/defaults';
import { pruneUnknown } from '../structural/prune';
import type { SchemaNode } from '../structural/schema-node';
import type { CustomVersion } from '../structural/version';
import { groupFieldsOf, type GroupFields } from '../types/group-fields';
import { metadataFieldsOf, OWN_METADATA, type MetadataFields } from '../types/metadata-fields';
import { cloneJson, isDeeperThan, isObject, own, stringifyJsonString, sortedKeys, stringifyJson, type JsonObject } from '../../values/json';
import { findTooLargeNumber, numberTooLargeMessage, type NumberLiterals } from '../../values/number-literals';
import { runStepsSync, type Steps } from '../../scheduling/steps';
import type { KindRow } from '../kinds';
import { applyDefaults, DecodeError, decodeObject, dropDisabled, encodeBody, encodingBody } from '../types';
import { MAX_RAW_DEPTH } from '../types/decode-scalars';

export interface Decoded {
  readonly object: JsonObject;
  readonly unknown: readonly string[];
}

export interface KindCodec {
  /**
   * A fresh canonical object without kind and apiVersion, and the paths of what it does not know, in upstream's order and bounded. Throws
   * DecodeError.
   */
  decode(value: JsonObject, literals?: NumberLiterals): Decoded;
  /** The same of what an applied configuration came to, in which nulls that a kind does not allow are still to be refused. */
  decodeApplied(value: JsonObject): Decoded;
  /** In place. */
  applyDefaults(object: JsonObject): void;
  /**
   * A stored object, as one that was written as this version; the same where versions differ in more than their schemas (see shared/api/conversion).
   * `stored` = the version that it is stored in.
   */
  refresh(object: JsonObject, stored: string): JsonObject;
  /** Does with what a webhook has made, in place: it becomes what this version knows. What its schema does not know goes, and nothing is filled in. Not to be kept. */
  droppingUnknown(): (object: JsonObject) => void;
  /** What of an object of this version is kept: the same, or a copy without what the version does not know in which objects are stored. */
  toStored(object: JsonObject): JsonObject;
  /** In place: members of features that are off. */
  dropDisabled(object: JsonObject): void;
  /** Canonical JSON without kind and apiVersion; metadata come first. */
  encodeBody(object: JsonObject): string;
  /** The same for whoever looks at an object that has just been sent: lists that are empty are still told from those that are not there. */
  encodeSent(object: JsonObject): string;
  /** The same in steps. */
  encodingBody(object: JsonObject): Steps<string>;
  /** The members that name groups or namespaces. */
  readonly groupFields: GroupFields;
  /** The members that hold metadata: that of the object and those of its templates. */
  readonly metadataFields: MetadataFields;
}

const ofTypes = new Map<string, KindCodec>();
const ofVersions = new WeakMap<CustomVersion, KindCodec>();

export function codecOf({ type, custom }: Pick<KindRow, 'custom' | 'type'>): KindCodec {
  return custom === undefined ? remembered(ofTypes, type, builtIn) : remembered(ofVersions, custom, customCodec);
}

interface Memory<K> {
  get(key: K): KindCodec | undefined;
  set(key: K, codec: KindCodec): unknown;
}

function remembered<K>(known: Memory<K>, key: K, make: (key: K) => KindCodec): KindCodec {
  let codec = known.get(key);
  if (codec === undefined) known.set(key, (codec = make(key)));
  return codec;
}

function builtIn(type: string): KindCodec {
  return {
    decode: (value, literals) => decodeObject(type, value, literals),
    decodeApplied: (value) => decodeObject(type, value),
    applyDefaults: (object) => applyDefaults(type, object),
    refresh: (object) => object,
    droppingUnknown: () => () => undefined,
    toStored: (object) => object,
    dropDisabled: (object) => dropDisabled(type, object),
    encodeBody: (object) => encodeBody(type, object),
    encodeSent: (object) => encodeBody(type, object, 'kept'),
    encodingBody: (object) => encodingBody(type, object),
    groupFields: groupFieldsOf(type),
    metadataFields: metadataFieldsOf(type),
  };
}

const METADATA = 'meta.v1.ObjectMeta';
const HEAD: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Of a custom object nothing but the metadata is typed. */
function customCodec(version: CustomVersion): KindCodec {
  const decoded = (value: JsonObject, nulls: 'dropped' | 'kept'): Decoded => {
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
      return decoded(value, 'dropped');
    },
    decodeApplied: (value) => decoded(value, 'kept'),
    applyDefaults: (object) => applySchemaDefaults(version.schema, object),
    refresh(object, stored) {
      const { versions, schemaId, storageVersion } = version;
      const written = versions.get(stored) ?? versions.get(storageVersion) ?? version;
      const { schema } = written;
      const fresh = pruned(schema, object);
      applySchemaDefaults(schema, fresh);
      // What the version itself would fill in is not made up: nobody has written it.
      return written.schemaId === schemaId ? fresh : pruned(version.schema, fresh);
    },
    droppingUnknown() {
      const { schema } = version;
      return (object) => prune(schema, object);
    },
    toStored(object) {
      const stored = version.versions.get(version.storageVersion);
      return stored === undefined || stored.schemaId === version.schemaId ? object : pruned(stored.schema, object);
    },
    dropDisabled: () => undefined,
    encodeBody: (object) => runStepsSync(encodingCustom(object)),
    encodeSent: (object) => runStepsSync(encodingCustom(object)),
    encodingBody: encodingCustom,
    groupFields: { here: [], below: [{ member: 'metadata', many: false, fields: groupFieldsOf(METADATA) }] },
    metadataFields: OWN_METADATA,
  };
}

/** A copy without what the schema does not know. */
function pruned(schema: SchemaNode, object: JsonObject): JsonObject {
  const { metadata = {}, ...body } = object;
  const copy: JsonObject = { ...cloneJson(body), metadata };
  prune(schema, copy);
  return copy;
}

function prune(schema: SchemaNode, object: JsonObject): void {
  pruneUnknown(schema, object);
  dropNulls(schema, object);
}

function* encodingCustom(object: JsonObject): Steps<string> {
  const metadata = own(object, 'metadata');
  return yield* encodingAround(yield* encodingBody(METADATA, isObject(metadata) ? metadata : {}), object);
}

/** The body of a custom object whose metadata are encoded already. */
export const encodeAround = (metadata: string, object: JsonObject): string => runStepsSync(encodingAround(metadata, object));

/** What stands behind the metadata in the body of a custom object. */
export const encodeBehind = (object: JsonObject): string => runStepsSync(encodingBehind(object));

function* encodingAround(metadata: string, object: JsonObject): Steps<string> {
  return `{"metadata":${metadata}${yield* encodingBehind(object)}`;
}

function* encodingBehind(object: JsonObject): Steps<string> {
  let text = '';
  for (const member of sortedKeys(object)) {
    yield;
    if (!HEAD.has(member)) text += `,${stringifyJsonString(member)}:${stringifyJson(object[member] ?? null, 'sorted')}`;
  }
  return `${text}}`;
}
