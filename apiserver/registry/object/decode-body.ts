/**
 * Decodes parsed bodies as objects of the endpoint's kind: checks kind and apiVersion, structure, unknown and duplicate
 * fields, with the error messages of upstream. Independent of the stored object. Bodies are parsed in parse-body.ts.
 */
import type { DecodedObject } from '../../../shared/api/codec/codec';
import { DecodeError, decodeObject, hasSchema, readTypeMeta, schemaOf } from '../../../shared/api/types';
import { canonicalMembers } from '../../../shared/api/types/member-spellings';
import { apiVersionOf, parseApiVersion, type GroupVersion } from '../../../shared/api/identity/identity';
import { KNOWN_KINDS, storedRowOf, type KindRow } from '../../../shared/api/kinds';
import { ownMember, stringAt, stringifyJson, type JsonObject } from '../../../shared/values/json';
import { invalidValue, requiredValue } from '../../../shared/api/errors/field-error';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { badRequest, invalid, type StatusError } from '../../../shared/api/errors/status';
import { fieldErrors } from '../../../shared/serialization';
import { canonicalApiVersion, canonicalGroup } from '../../../shared/names/dialect';
import { quote } from '../../../shared/values/text/quote';
import type { FieldValidation, ParsedBody } from '../verbs';
import { excerptOfValue, unrecognizedBody } from './parse-body';
import type { KindInfo } from './resource-info';

/** An error in a body, without the text around it: rejections of a body and of a patched object differ in that text. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
}

/** A body has unknown or duplicate fields, and the client requested strict field validation. */
export class StrictDecodingError extends BodyError {
  constructor(readonly errors: readonly string[]) {
    super(`strict decoding error: ${errors.join(', ')}`);
  }
}

/** The rejection of a body that cannot be decoded. `kind`: the kind in the body. */
export function undecodableBody({ row }: KindInfo, error: BodyError, kind = row.kind): StatusError {
  return badRequest(`${kind} in version ${quote(row.version)} cannot be handled as a ${row.kind}: ${error.message}`);
}

/**
 * Returns the decoded object without defaults. Throws a StatusError: 422 when the body of a custom resource states another
 * kind, and for an absent required member; 400 for all other errors.
 */
export function decodeBody(info: KindInfo, body: ParsedBody, validation: FieldValidation, warn: (text: string) => void): JsonObject {
  const kind = checkKind(info, body.value);
  try {
    const object = decodeStrictly(info, body, validation, warn);
    checkRequiredMembers(info, body, object);
    return object;
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    throw undecodableBody(info, error, kind);
  }
}

/**
 * Throws 422 for an absent required member. Reads the undecoded body, because decoding does not distinguish an absent member from null. Skips protobuf, which
 * has no null.
 */
function checkRequiredMembers({ row }: KindInfo, { value, format }: ParsedBody, object: JsonObject): void {
  if (row.requiredMembers === undefined || format === 'protobuf') return;
  const missing = row.requiredMembers.filter((member) => ownMember(value, member) === undefined);
  const errors = missing.map((member) => requiredValue(member));
  if (errors.length > 0) throw invalid(row, nameIn(object), errors);
}

/**
 * Decodes a body, and reports unknown and duplicate fields as `validation` requires. `earlierErrors`: strict decoding
 * errors that were found before decoding; they are reported first. Throws {@link BodyError}.
 */
export function decodeStrictly(
  info: KindInfo,
  body: ParsedBody,
  validation: FieldValidation,
  warn: (text: string) => void,
  earlierErrors: readonly string[] = [],
): JsonObject {
  const { object, unknown } = decodeValue(info, body);
  const hasErrors = unknown.length > 0 || body.duplicates.length > 0 || earlierErrors.length > 0;
  if (validation === 'Ignore' || !hasErrors) return object;
  const isStrict = validation === 'Strict';
  const errors = [...earlierErrors, ...strictErrorsOf(body, unknown, isStrict ? 'strict' : 'warn')];
  if (isStrict) throw new StrictDecodingError(errors);
  for (const error of errors) warn(error);
  return object;
}

/** Protobuf bodies have no unknown or duplicate fields with names. */
function strictErrorsOf(body: ParsedBody, unknown: readonly string[], level: 'strict' | 'warn'): readonly string[] {
  const { value, duplicates, format, literals, text } = body;
  if (format === 'protobuf') return [];
  // `text` is set when the body has duplicates; without it the order of errors does not depend on the positions in the text.
  if (format === 'json' && text === undefined) return [...unknown.map(unknownField), ...duplicates.map(duplicateField)];
  return fieldErrors({ value, duplicates: [...duplicates], format, literals, text }, unknown, level);
}

/** The error or warning about a field that the kind does not have. */
export const unknownField = (path: string): string => `unknown field ${quote(path)}`;
/** The error or warning about a field that occurs twice in one object. */
export const duplicateField = (path: string): string => `duplicate field ${quote(path)}`;

function decodeValue(info: KindInfo, body: ParsedBody): DecodedObject {
  try {
    return info.codec.decode(body.value, body.literals);
  } catch (error) {
    throw error instanceof DecodeError ? new BodyError(error.message) : error;
  }
}

/**
 * Checks kind and apiVersion, which for built-in kinds may be absent. Returns the kind of the body. Throws 400, or 422 when
 * the body of a custom resource states another kind.
 */
export function checkKind(info: KindInfo, value: JsonObject): string {
  const { row } = info;
  if (row.custom !== undefined) return checkCustomKind(info, value);
  const meta = readTypeMetaOfBody(info, value);
  const parsedVersion = parseApiVersion(meta.apiVersion);
  if (parsedVersion === undefined) {
    throw unrecognizedBody(row.kind, `unexpected GroupVersion string: ${meta.apiVersion}`, excerptOfValue(value));
  }
  const gv: GroupVersion = meta.apiVersion === '' ? row : { group: canonicalGroup(parsedVersion.group), version: parsedVersion.version };
  const kind = meta.kind === '' ? row.kind : meta.kind;
  const isServedVersion = gv.version === row.version || gv.version === row.alternativeVersion;
  if (kind === row.kind && gv.group === row.group && isServedVersion) return kind;
  throw wrongKindError(info, gv, kind, value);
}

/** The rejection of a body of another kind or version. Upstream has a message for each way in which these differ. */
function wrongKindError(info: KindInfo, gv: GroupVersion, kind: string, value: JsonObject): StatusError {
  const { row, hub } = info;
  const prefix = `${kind} in version ${quote(gv.version)} cannot be handled as a ${row.kind}: `;
  if (!isRegistered(gv, kind)) {
    return badRequest(
      `${prefix}no kind ${quote(kind)} is registered for version ${quote(apiVersionOf(gv))} in scheme "pkg/runtime/scheme.go:100"`,
    );
  }
  const isSameKind = kind === row.kind && (gv.group === row.group || isVersionOf(hub, gv));
  if (isSameKind) {
    return badRequest(`the API version in the data (${apiVersionOf(gv)}) does not match the expected API version (${info.apiVersion})`);
  }
  // Upstream decodes the body as the stated kind before it rejects the kind, so decoding errors come first.
  const decodeError = decodeErrorOf(typeName(gv, kind), value);
  if (decodeError !== undefined) return badRequest(prefix + decodeError);
  return badRequest(`${prefix}converting (${gv.version}.${kind}) to (${packageName(row.group)}.${row.kind}): unknown conversion`);
}

/** The message of the error when the body is decoded as an object of the type; `undefined` when there is none. */
function decodeErrorOf(type: string, value: JsonObject): string | undefined {
  if (!hasSchema(type)) return undefined;
  try {
    decodeObject(type, value);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

/** Whether the version belongs to the kind of `hub`. */
function isVersionOf(hub: KindRow, gv: GroupVersion): boolean {
  const row = KNOWN_KINDS.find(({ group, version, kind }) => group === gv.group && version === gv.version && kind === hub.kind);
  return row !== undefined && storedRowOf(row) === hub;
}

function readTypeMetaOfBody(info: KindInfo, value: JsonObject): { readonly apiVersion: string; readonly kind: string } {
  try {
    return readTypeMeta(value);
  } catch (error) {
    throw error instanceof DecodeError ? unrecognizedBody(info.row.kind, error.message, excerptOfValue(value)) : error;
  }
}

/**
 * Custom kinds have no default kind and apiVersion, and other errors than built-in kinds (upstream behaviour):
 * another version is a bad request, another kind an invalid object. Returns the kind. Throws StatusError.
 */
function checkCustomKind(info: KindInfo, value: JsonObject): string {
  const apiVersion = canonicalApiVersion(stringAt(value, 'apiVersion') ?? '');
  if (apiVersion !== info.apiVersion) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${info.apiVersion})`);
  }
  return requireKind(info, value);
}

/** Like {@link checkCustomKind}, for a patched object. Throws StatusError or {@link BodyError}. */
export function checkPatchedCustomKind(info: KindInfo, value: JsonObject): void {
  const kind = stringAt(value, 'kind') ?? '';
  if (kind === '') throw new BodyError(`Object 'Kind' is missing in '${stringifyJson(value, 'sorted')}'`);
  const apiVersion = canonicalApiVersion(stringAt(value, 'apiVersion') ?? '');
  if (apiVersion !== info.apiVersion) {
    const group = parseApiVersion(apiVersion)?.group ?? '';
    throw invalid({ group, kind }, nameIn(value), [invalidValue('apiVersion', apiVersion, `must be ${info.apiVersion}`)]);
  }
  requireKind(info, value);
}

function requireKind(info: KindInfo, value: JsonObject): string {
  const kind = stringAt(value, 'kind') ?? '';
  if (kind === info.row.kind) return kind;
  throw invalid({ group: info.row.group, kind }, nameIn(value), [invalidValue('kind', kind, `must be ${info.row.kind}`)]);
}

const nameIn = (value: JsonObject): string => stringAt(readMetadata(value), 'name') ?? '';

/** Kinds of the meta group, which upstream registers in every version of every group but in the core group only in v1. */
const META_KINDS: ReadonlySet<string> = new Set([
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

/** Whether the scheme of upstream has the kind in this version. */
function isRegistered(gv: GroupVersion, kind: string): boolean {
  const type = typeName(gv, kind);
  return (hasSchema(type) && schemaOf(type).hasTypeMeta) || (META_KINDS.has(kind) && (gv.group !== '' || gv.version === 'v1'));
}

/** The name of a kind in the type tables. */
function typeName(gv: GroupVersion, kind: string): string {
  return `${packageName(gv.group)}.${gv.version}.${kind}`;
}

/** The Go package of a group: `coordination` for `coordination.platform.io`. */
function packageName(group: string): string {
  if (group === '') return 'core';
  const dot = group.indexOf('.');
  return dot < 0 ? group : group.slice(0, dot);
}

/**
 * Renames the members of a patch or applied configuration to their stored spelling, because these are merged before
 * they are decoded. Throws 400 for a member that has both spellings with different values.
 */
export function toStoredMemberSpelling({ row }: KindInfo, document: JsonObject): JsonObject {
  try {
    return canonicalMembers(row.type, document);
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
}
