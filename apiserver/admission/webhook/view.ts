/**
 * A request's objects as a webhook is shown them: in the version of its rule, in this server's spelling of names, as text; and what a webhook has made of one, as it is
 * stored. Decides nothing.
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
import { isObject, objectAt, own, setMember, stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { AdmissionRequest } from '../../registry/admission';
import { typedValue } from './typed-value';
import { scaleOf } from '../../registry/object/scale';
import type { ServedResource } from '../../registry/verbs';

/** What is shown at one endpoint of one resource. */
export interface ObjectView {
  /** Of the objects. */
  readonly row: KindRow;
  /** The text of an object, and the object that it stands for. */
  text(object: JsonObject): string;
  /** The same as a value that expressions read; the object must not change meanwhile. */
  value(object: JsonObject): Value;
  /**
   * Puts what has been made of the text in the place of the object that was shown, and says of which version it is: what a conversion webhook knows may be turned
   * into another. Throws {@link BrokenObject} or DecodeError.
   */
  take(object: JsonObject, changed: JsonObject): string;
}

/** What is no object of its kind any more. */
export class BrokenObject extends Error {
  override readonly name = 'BrokenObject';
}

/** `as` = the resource of the webhook's rule, of which the request is one. A scale is read where the request's version has its number. */
export function viewOf({ bodyRow, resource, subresource }: AdmissionRequest, as: ServedResource, names: GeneratedNames): ObjectView {
  if (bodyRow !== undefined && bodyRow !== as.row) return shownAs(bodyRow, names);
  return subresource === 'scale' ? scaled(resource.row, names) : shownAs(as.row, names);
}

/** Objects of a kind in its version, in this server's spelling; those that only a webhook can convert are in it already. */
export function shownAs(row: KindRow, names: GeneratedNames): ObjectView {
  const codec = codecOf(row);
  const converter = row.storedAs === undefined ? undefined : hubConverterOf(row, names.dialect);
  const isReadInPlace = converter === undefined && row.custom === undefined;
  return {
    row,
    value: (object) =>
      isReadInPlace ? typedValue(row, object, names.dialect) : lazyObject(() => objectOf(shownAs(row, names).text(object))),
    text(object) {
      const own = withGroupsOfDialect(converter === undefined ? object : converter.fromHub(object), codec.groupFields, names.dialect);
      // What is written always has the time of its creation; a new custom object has none (upstream behaviour).
      const isNew = row.custom !== undefined && readMetadata(own)['creationTimestamp'] === undefined;
      return textOf(row, names, isNew ? stringifyJson(own, 'sorted') : codec.encodeWithEmptyLists(own));
    },
    take(object, changed) {
      const made = versionNamed(row, changed);
      checkKind(made, changed);
      const of = made === row ? codec : codecOf(made);
      const decoded = of.decode(changed).object;
      of.applyDefaults(decoded);
      dropFieldAnnotations(made, decoded);
      const fresh = converter === undefined ? decoded : converter.toHub(decoded);
      canonicalizeGroups(fresh, of.groupFields, names);
      replaceObject(object, fresh);
      return made.version;
    },
  };
}

/** The version that an object says it is of, where a webhook converts between all of them. */
function versionNamed(row: KindRow, object: JsonObject): KindRow {
  if (row.custom?.webhook === undefined) return row;
  const named = canonicalApiVersion(stringAt(object, 'apiVersion') ?? '');
  const version = named.startsWith(`${row.group}/`) ? named.slice(row.group.length + 1) : row.version;
  const custom = version === row.version ? undefined : row.custom.versions.get(version);
  return custom === undefined ? row : { ...row, version, custom };
}

const REPLICAS = ['spec', 'replicas'];

/** Of a scale only its number goes back. */
function scaled({ version, custom }: KindRow, names: GeneratedNames): ObjectView {
  const codec = codecOf(SCALE);
  const paths = custom?.scale;
  return {
    row: SCALE,
    value: (object) => typedValue(SCALE, scaleOf(object, paths), names.dialect),
    text: (object) => textOf(SCALE, names, codec.encodeBody(scaleOf(object, paths))),
    take(object, changed) {
      checkKind(SCALE, changed);
      const spec = objectAt(codec.decode(changed).object, 'spec') ?? {};
      place(object, paths === undefined ? REPLICAS : membersOfPath(paths.specReplicas), own(spec, 'replicas') ?? 0);
      return version;
    },
  };
}

const textOf = (row: KindRow, { dialect }: GeneratedNames, body: string): string => {
  const head = `{"kind":${JSON.stringify(row.kind)},"apiVersion":${JSON.stringify(apiVersionInDialect(dialect, apiVersionOf(row)))}`;
  return body === '{}' ? `${head}}` : `${head},${body.slice(1)}`;
};

function checkKind(row: KindRow, changed: JsonObject): void {
  const [kind, apiVersion] = [stringAt(changed, 'kind') ?? '', stringAt(changed, 'apiVersion') ?? ''];
  if (kind === row.kind && canonicalApiVersion(apiVersion) === apiVersionOf(row)) return;
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const named = apiVersion.includes('/') ? apiVersion : version;
  throw new BrokenObject(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(named)} in scheme "pkg/runtime/scheme.go:100"`,
  );
}

/** Whoever holds the object sees what has become of it. */
export function replaceObject(object: JsonObject, fresh: JsonObject): void {
  for (const member of Object.keys(object)) Reflect.deleteProperty(object, member);
  for (const [member, value] of Object.entries(fresh)) setMember(object, member, value);
}

function place(object: JsonObject, [member = '', ...below]: readonly string[], value: JsonValue): void {
  if (below.length === 0) {
    setMember(object, member, value);
    return;
  }
  const found = own(object, member);
  const next: JsonObject = isObject(found) ? found : {};
  if (next !== found) setMember(object, member, next);
  place(next, below, value);
}

/** A text of ours as an object. */
export function objectOf(text: string): JsonObject {
  const { value } = parseJson(Buffer.from(text));
  if (!isObject(value)) throw new Error('no object');
  return value;
}
