/**
 * From a parsed body to a decoded, canonical object of the endpoint's kind: kind and apiVersion, structure, unknown
 * and duplicate fields. Knows nothing of the stored state.
 */
import { DecodeError, decodeObject, hasSchema, readTypeMeta, schemaOf } from '../../../shared/api/types';
import { apiVersionOf, parseApiVersion, type GroupVersion } from '../../../shared/api/identity/identity';
import { KNOWN_KINDS, storedRowOf, type KindRow } from '../../../shared/api/kinds';
import { own, stringAt, stringifyJson, type JsonObject } from '../../../shared/values/json';
import type { NumberLiterals } from '../../../shared/values/number-literals';
import { requiredValue } from '../../../shared/api/errors/field-error';
import { ensureMetadata } from '../../../shared/api/metadata/object-meta';
import { badRequest, invalid, type StatusError } from '../../../shared/api/errors/status';
import { fieldFaults } from '../../../shared/serialization';
import { canonicalGroup } from '../../../shared/names/dialect';
import { quote } from '../../../shared/values/quote';
import type { FieldValidation } from '../verbs';
import { BodyFault, StrictFault, unreadable } from './body-fault';
import { checkCustomKind } from './custom-kind';
import type { KindInfo } from '../object/resource-info';

export interface Undecoded {
  readonly value: JsonObject;
  readonly literals?: NumberLiterals | undefined;
  /** See ParsedBody. */
  readonly duplicates: readonly string[];
  readonly format: 'json' | 'yaml' | 'protobuf';
  readonly text?: string | undefined;
}

/** The object, decoded and without defaults. Throws a 400 StatusError. */
export function decodeBody(info: KindInfo, body: Undecoded, validation: FieldValidation, warn: (text: string) => void): JsonObject {
  const kind = checkKind(info, body.value);
  try {
    const object = decodeStrictly(info, body, validation, warn, []);
    checkRequiredMembers(info, body, object);
    return object;
  } catch (error) {
    if (!(error instanceof BodyFault)) throw error;
    throw unreadable(info, error, kind);
  }
}

/** Reads the undecoded body, because decoding does not distinguish an absent member from null. Skips protobuf, which has no null. */
function checkRequiredMembers({ row }: KindInfo, { value, format }: Undecoded, object: JsonObject): void {
  if (row.requiredMembers === undefined || format === 'protobuf') return;
  const missing = row.requiredMembers.filter((member) => own(value, member) === undefined);
  if (missing.length > 0)
    throw invalid(
      row,
      stringAt(ensureMetadata(object), 'name') ?? '',
      missing.map((member) => requiredValue(member)),
    );
}

/** Throws {@link BodyFault}. `earlier` = strict errors that were found on the way to the body, named first. */
export function decodeStrictly(
  info: KindInfo,
  body: Undecoded,
  validation: FieldValidation,
  warn: (text: string) => void,
  earlier: readonly string[],
): JsonObject {
  const { object, unknown } = decodeFaulty(info, body);
  if (validation === 'Ignore' || (unknown.length === 0 && body.duplicates.length === 0 && earlier.length === 0)) return object;
  const strict = validation === 'Strict';
  const faults = [...earlier, ...faultsOf(body, unknown, strict ? 'strict' : 'warn')];
  if (strict) throw new StrictFault(faults);
  for (const fault of faults) warn(fault);
  return object;
}

/** A protobuf body has neither unknown nor repeated members that could be named. */
function faultsOf(body: Undecoded, unknown: readonly string[], level: 'strict' | 'warn'): readonly string[] {
  const { value, duplicates, format, literals, text } = body;
  if (format === 'protobuf') return [];
  // Without the text their order cannot be told.
  if (format === 'json' && text === undefined) return [...unknown.map(unknownField), ...duplicates.map(duplicateField)];
  return fieldFaults({ value, duplicates: [...duplicates], format, literals, text }, unknown, level);
}

const unknownField = (path: string): string => `unknown field ${quote(path)}`;
const duplicateField = (path: string): string => `duplicate field ${quote(path)}`;

function decodeFaulty(info: KindInfo, body: Undecoded): { readonly object: JsonObject; readonly unknown: readonly string[] } {
  try {
    return info.codec.decode(body.value, body.literals);
  } catch (error) {
    throw error instanceof DecodeError ? new BodyFault(error.message) : error;
  }
}

/** Fills in what is missing and refuses what is another kind or version. Returns the body's kind. */
export function checkKind(info: KindInfo, value: JsonObject): string {
  const { row, hub } = info;
  if (row.custom !== undefined) return checkCustomKind(info, value);
  const meta = typeMeta(info, value);
  const given = parseApiVersion(meta.apiVersion);
  if (given === undefined) throw unrecognized(info, value, `unexpected GroupVersion string: ${meta.apiVersion}`);
  const gv: GroupVersion = meta.apiVersion === '' ? row : { group: canonicalGroup(given.group), version: given.version };
  const kind = meta.kind === '' ? row.kind : meta.kind;
  const sameGroup = gv.group === row.group;
  if (kind === row.kind && sameGroup && (gv.version === row.version || gv.version === row.alternativeVersion)) return kind;
  const same = kind === row.kind && (sameGroup || isVersionOf(hub, gv));
  if (same && isKnown(gv, kind)) {
    throw badRequest(`the API version in the data (${apiVersionOf(gv)}) does not match the expected API version (${info.apiVersion})`);
  }
  const prefix = `${kind} in version ${quote(gv.version)} cannot be handled as a ${row.kind}: `;
  if (!isKnown(gv, kind)) {
    throw badRequest(
      `${prefix}no kind ${quote(kind)} is registered for version ${quote(apiVersionOf(gv))} in scheme "pkg/runtime/scheme.go:100"`,
    );
  }
  // It is read as what it says it is before anyone asks whether that is what is wanted.
  const fault = decodeFault(typeName(gv, kind), value);
  if (fault !== undefined) throw badRequest(prefix + fault);
  throw badRequest(`${prefix}converting (${gv.version}.${kind}) to (${packageName(row.group)}.${row.kind}): unknown conversion`);
}

function decodeFault(type: string, value: JsonObject): string | undefined {
  if (!hasSchema(type)) return undefined;
  try {
    decodeObject(type, value);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

/** Whether a kind's objects are stored as the hub's are. */
function isVersionOf(hub: KindRow, gv: GroupVersion): boolean {
  const row = KNOWN_KINDS.find(({ group, version, kind }) => group === gv.group && version === gv.version && kind === hub.kind);
  return row !== undefined && storedRowOf(row) === hub;
}

function typeMeta(info: KindInfo, value: JsonObject): { readonly apiVersion: string; readonly kind: string } {
  try {
    return readTypeMeta(value);
  } catch (error) {
    throw error instanceof DecodeError ? unrecognized(info, value, error.message) : error;
  }
}

const EXCERPT = 30;

/** A body of which not even the kind can be told. */
function unrecognized(info: KindInfo, value: JsonObject, text: string): StatusError {
  const body = stringifyJson(value);
  const excerpt = body.length > EXCERPT ? `${body.slice(0, EXCERPT)} ...` : body;
  return badRequest(`the object provided is unrecognized (must be of type ${info.kind}): ${text} (${excerpt})`);
}

/** Kinds of the meta group that every version knows. */
const EVERYWHERE: ReadonlySet<string> = new Set([
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'List',
  'ListOptions',
  'PatchOptions',
  'Status',
  'UpdateOptions',
  'WatchEvent',
]);

function isKnown(gv: GroupVersion, kind: string): boolean {
  const type = typeName(gv, kind);
  return (hasSchema(type) && schemaOf(type).hasTypeMeta) || (EVERYWHERE.has(kind) && (gv.group === '' ? gv.version === 'v1' : true));
}

/** The name of a kind's type in the type tables. */
function typeName(gv: GroupVersion, kind: string): string {
  return `${packageName(gv.group)}.${gv.version}.${kind}`;
}

/** `coordination` for `coordination.platform.io`. */
function packageName(group: string): string {
  const dot = group.indexOf('.');
  return group === '' ? 'core' : dot < 0 ? group : group.slice(0, dot);
}
