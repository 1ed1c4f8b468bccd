/**
 * A request's objects as a webhook is shown them: in the version of its rule, in this server's spelling of names, as text; and what a webhook has made of one, as it is
 * stored. Decides nothing.
 */
import { codecOf } from '../../../shared/api/codec/codec';
import { converterOf } from '../../../shared/api/conversion';
import { apiVersionOf } from '../../../shared/api/identity/identity';
import { SCALE, type KindRow } from '../../../shared/api/kinds';
import { membersOf } from '../../../shared/api/structural/member-path';
import { canonicalizeGroups, spellGroups } from '../../../shared/api/types/group-fields';
import { apiVersionIn, canonicalApiVersion, type GeneratedNames } from '../../../shared/names/dialect';
import { parseJson } from '../../../shared/serialization';
import { cloneJson, isObject, objectAt, own, setMember, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { AdmissionRequest } from '../../registry/admission';
import { scaleOf } from '../../registry/object/scale';
import type { ServedResource } from '../../registry/verbs';

/** What is shown at one endpoint of one resource. */
export interface ObjectView {
  /** Of the objects. */
  readonly row: KindRow;
  /** The text of an object, and the object that it stands for. */
  text(object: JsonObject): string;
  /** Puts what has been made of the text in the place of the request's object. Throws {@link BrokenObject} or DecodeError. */
  take(object: JsonObject, changed: JsonObject): void;
}

/** What is no object of its kind any more. */
export class BrokenObject extends Error {
  override readonly name = 'BrokenObject';
}

/** `as` = the resource of the webhook's rule, of which the request is one. */
export function viewOf({ bodyRow, subresource }: AdmissionRequest, as: ServedResource, names: GeneratedNames): ObjectView {
  if (bodyRow !== undefined && bodyRow !== as.row) return shownAs(bodyRow, names);
  return subresource === 'scale' ? scaled(as.row, names) : shownAs(as.row, names);
}

/** Objects of a kind in its version, in this server's spelling. */
export function shownAs(row: KindRow, names: GeneratedNames): ObjectView {
  const codec = codecOf(row);
  const converter = row.storedAs === undefined ? undefined : converterOf(row, names.dialect);
  return {
    row,
    text(object) {
      const own = converter === undefined ? cloneJson(object) : converter.fromHub(object);
      spellGroups(own, codec.groupFields, names.dialect);
      return textOf(row, names, codec.encodeBody(own));
    },
    take(object, changed) {
      checkKind(row, changed);
      const decoded = codec.decode(changed).object;
      codec.applyDefaults(decoded);
      const fresh = converter === undefined ? decoded : converter.toHub(decoded);
      canonicalizeGroups(fresh, codec.groupFields, names);
      replace(object, fresh);
    },
  };
}

const REPLICAS = ['spec', 'replicas'];

/** Of a scale only its number goes back. */
function scaled(row: KindRow, names: GeneratedNames): ObjectView {
  const codec = codecOf(SCALE);
  const paths = row.custom?.scale;
  return {
    row: SCALE,
    text: (object) => textOf(SCALE, names, codec.encodeBody(scaleOf(object, paths))),
    take(object, changed) {
      checkKind(SCALE, changed);
      const spec = objectAt(codec.decode(changed).object, 'spec') ?? {};
      place(object, paths === undefined ? REPLICAS : membersOf(paths.specReplicas), own(spec, 'replicas') ?? 0);
    },
  };
}

const textOf = (row: KindRow, { dialect }: GeneratedNames, body: string): string => {
  const head = `{"kind":${JSON.stringify(row.kind)},"apiVersion":${JSON.stringify(apiVersionIn(dialect, apiVersionOf(row)))}`;
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
function replace(object: JsonObject, fresh: JsonObject): void {
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
