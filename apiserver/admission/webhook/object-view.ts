/**
 * Objects of a request in the form that webhooks and policies see: in the version of the matched rule and in the dialect
 * of this server. Also converts an object that a webhook has patched from this form back to its stored form.
 */
import { codecOf } from '../../../shared/api/codec/codec';
import { hubConverterOf, dropFieldAnnotations } from '../../../shared/api/conversion';
import { apiVersionOf } from '../../../shared/api/identity/identity';
import { SCALE, type KindRow } from '../../../shared/api/kinds';
import { membersOfPath } from '../../../shared/api/structural/member-path';
import { canonicalizeGroups, withGroupsOfDialect } from '../../../shared/api/types/group-fields';
import { lazyObject } from '../../../shared/expression/untyped-json';
import type { Value } from '../../../shared/expression/engine';
import { apiVersionInDialect, canonicalApiVersion, type GeneratedNames } from '../../../shared/names/dialect';
import { parseJson } from '../../../shared/serialization';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import type { AutoscalingV1Scale } from '../../../shared/api/types/generated/members';
import { isObject, ownMember, setMember, stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { AdmissionRequest } from '../../registry/admission';
import { typedValue } from './typed-value';
import { scaleOf } from '../../registry/object/scale';
import type { ServedResource } from '../../registry/verbs';

/** The view of the objects at one endpoint of one resource. */
export interface ObjectView {
  /** The kind of the objects in this view. */
  readonly row: KindRow;
  /** JSON of an object. */
  text(object: JsonObject): string;
  /** A CEL value; the object must not change while it is used. */
  value(object: JsonObject): Value;
  /**
   * Replaces the contents of `object` with those of `changed`, converted to stored form. `object` was shown to a webhook,
   * and `changed` is its patched JSON. Returns the version of the object, because a patch may change the version of a
   * kind that a conversion webhook converts. Throws {@link WrongKindError} or DecodeError.
   */
  applyChanged(object: JsonObject, changed: JsonObject): string;
}

/** A patch changed the kind or the version to one that is not served. */
export class WrongKindError extends Error {
  override readonly name = 'WrongKindError';
}

/** The view of the objects of a request. `matchedAs`: the resource of the matched rule. */
export function viewOf({ bodyRow, resource, subresource }: AdmissionRequest, matchedAs: ServedResource, names: GeneratedNames): ObjectView {
  if (bodyRow !== undefined && bodyRow !== matchedAs.row) return kindView(bodyRow, names);
  // A scale is the same in all versions, so that it is built from the requested one.
  return subresource === 'scale' ? scaleView(resource.row, names) : kindView(matchedAs.row, names);
}

/** View of a kind in its version. Objects that only a conversion webhook can convert are already in that version. */
export function kindView(row: KindRow, names: GeneratedNames): ObjectView {
  const codec = codecOf(row);
  const converter = row.storedAs === undefined ? undefined : hubConverterOf(row, names.dialect);
  const isReadInPlace = converter === undefined && row.custom === undefined;
  const textOf = (object: JsonObject): string => {
    const versioned = converter === undefined ? object : converter.fromHub(object);
    const spelled = withGroupsOfDialect(versioned, codec.groupFields, names.dialect);
    // Encoded objects always have a creation time, but new custom objects have none (upstream behaviour).
    const isNew = row.custom !== undefined && readMetadata(spelled).creationTimestamp === undefined;
    return withTypeMeta(row, names, isNew ? stringifyJson(spelled, 'sorted') : codec.encodeWithEmptyLists(spelled));
  };
  return {
    row,
    value: (object) => (isReadInPlace ? typedValue(row, object, names.dialect) : lazyObject(() => parseObject(textOf(object)))),
    text: textOf,
    applyChanged(object, changed) {
      const changedRow = rowOfNamedVersion(row, changed);
      checkKind(changedRow, changed);
      const changedCodec = changedRow === row ? codec : codecOf(changedRow);
      const decoded = changedCodec.decode(changed).object;
      changedCodec.applyDefaults(decoded);
      dropFieldAnnotations(changedRow, decoded);
      const stored = converter === undefined ? decoded : converter.toHub(decoded);
      canonicalizeGroups(stored, changedCodec.groupFields, names);
      replaceObject(object, stored);
      return changedRow.version;
    },
  };
}

/**
 * For a kind that a conversion webhook converts: its row in the version that the object names, if it is served. For
 * other kinds: the row itself.
 */
function rowOfNamedVersion(row: KindRow, object: JsonObject): KindRow {
  if (row.custom?.webhook === undefined) return row;
  const named = canonicalApiVersion(stringAt(object, 'apiVersion') ?? '');
  const version = named.startsWith(`${row.group}/`) ? named.slice(row.group.length + 1) : row.version;
  const custom = version === row.version ? undefined : row.custom.versions.get(version);
  return custom === undefined ? row : { ...row, version, custom };
}

/** The path of the replicas in built-in kinds. */
const REPLICAS = ['spec', 'replicas'];

/** Only the number of replicas of a patched scale is used. */
function scaleView({ version, custom }: KindRow, names: GeneratedNames): ObjectView {
  const codec = codecOf(SCALE);
  const paths = custom?.scale;
  return {
    row: SCALE,
    value: (object) => typedValue(SCALE, scaleOf(object, paths), names.dialect),
    text: (object) => withTypeMeta(SCALE, names, codec.encodeBody(scaleOf(object, paths))),
    applyChanged(object, changed) {
      checkKind(SCALE, changed);
      const { spec }: AutoscalingV1Scale = codec.decode(changed).object;
      setAtPath(object, paths === undefined ? REPLICAS : membersOfPath(paths.specReplicas), spec?.replicas ?? 0);
      return version;
    },
  };
}

/** Inserts kind and apiVersion at the beginning of the JSON of an object. */
const withTypeMeta = (row: KindRow, { dialect }: GeneratedNames, body: string): string => {
  const head = `{"kind":${JSON.stringify(row.kind)},"apiVersion":${JSON.stringify(apiVersionInDialect(dialect, apiVersionOf(row)))}`;
  return body === '{}' ? `${head}}` : `${head},${body.slice(1)}`;
};

/** Throws {@link WrongKindError} when the object is of another kind or version than the row. */
function checkKind(row: KindRow, changed: JsonObject): void {
  const kind = stringAt(changed, 'kind') ?? '';
  const apiVersion = stringAt(changed, 'apiVersion') ?? '';
  if (kind === row.kind && canonicalApiVersion(apiVersion) === apiVersionOf(row)) return;
  throw new WrongKindError(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:100"`,
  );
}

/** Replaces the contents in place, because callers hold a reference to the object. */
export function replaceObject(object: JsonObject, replacement: JsonObject): void {
  for (const member of Object.keys(object)) Reflect.deleteProperty(object, member);
  for (const [member, value] of Object.entries(replacement)) setMember(object, member, value);
}

/** Sets the member at a path; members on the way that are not objects are replaced. */
function setAtPath(object: JsonObject, [member = '', ...innerPath]: readonly string[], value: JsonValue): void {
  if (innerPath.length === 0) {
    setMember(object, member, value);
    return;
  }
  const existing = ownMember(object, member);
  const inner: JsonObject = isObject(existing) ? existing : {};
  if (inner !== existing) setMember(object, member, inner);
  setAtPath(inner, innerPath, value);
}

/** Parses the JSON of an object that this server has written. */
export function parseObject(text: string): JsonObject {
  const { value } = parseJson(Buffer.from(text));
  if (!isObject(value)) throw new Error('the text is not the JSON of an object');
  return value;
}
