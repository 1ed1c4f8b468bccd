/**
 * PATCH with an applied configuration: reads it, holds it against the kind, and makes the new object with its owners.
 * What becomes of that object is the same as for every other write.
 */
import { apiVersionOf, parseApiVersion } from '../../../shared/api/identity/identity';
import { isObject, objectAt, own, stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { ensureMetadata, readMetadata, formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { DecodeError } from '../../../shared/api/types';
import * as status from '../../../shared/api/errors/status';
import { canonicalGroup, LAST_APPLIED_ANNOTATION } from '../../../shared/names/dialect';
import { ApplyConflict, applyConfigurationInSteps, type AppliedConfiguration } from '../../../shared/patch/apply/apply';
import { compareObjects } from '../../../shared/patch/apply/compare';
import { readManagedFields, type ManagedFieldsEntry, type FieldManager } from '../../../shared/patch/apply/managed-fields';
import { difference, isEmptySet, union } from '../../../shared/patch/apply/field-set';
import { findKeptItems, type KeptItem } from '../../../shared/patch/apply/kept-items';
import { recordUpdateInSteps } from '../../../shared/patch/apply/record-update';
import type { Steps } from '../../../shared/scheduling/steps';
import type { OtherVersions } from '../conversions';
import { MissingListKeyError } from '../../../shared/patch/apply/merge-shape';
import { fieldSetOf, shapeErrors } from '../../../shared/patch/apply/typed';
import { removeUnknownFields } from '../../../shared/patch/apply/unknown-fields';
import type { Clock } from '../../../shared/runtime/clock';
import { fieldFaults, parseJson, parseYaml, SyntaxFault, type ParsedText } from '../../../shared/serialization';
import type { FieldValidation, Subresource } from '../verbs';
import { StrictFault, unreadable } from './body-fault';
import { inStoredSpelling } from './document-spelling';
import { emptyObject, managerOf, ownershipOf, setOwnership, withoutOwnership } from './managed-fields';
import { toServed, type KindInfo } from '../object/resource-info';

/** Parses an applied configuration. Throws a 400 StatusError. The result has no kind, no apiVersion and no unknown fields. */
export async function readApply(
  info: KindInfo,
  bytes: Buffer,
  validation: FieldValidation,
  warn: (text: string) => void,
  clock: Clock,
): Promise<JsonObject> {
  const parsed = await parse(bytes, clock);
  const { value } = parsed;
  if (value !== null && !isObject(value)) {
    throw status.badRequest(
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: ' +
        `json: cannot unmarshal ${jsonType(value)} into Go value of type map[string]interface {}`,
    );
  }
  const { kind, apiVersion, ...config } = value ?? {};
  checkType(info, typeof apiVersion === 'string' ? apiVersion : '', typeof kind === 'string' ? kind : '');
  const claimed = own(objectAt(config, 'metadata') ?? {}, 'managedFields');
  if (Array.isArray(claimed)) throw status.badRequest('metadata.managedFields must be nil');
  return knownConfiguration(info, inStoredSpelling(info, config), parsed, validation, warn);
}

function knownConfiguration(
  info: KindInfo,
  config: JsonObject,
  parsed: ParsedText,
  validation: FieldValidation,
  warn: (text: string) => void,
): JsonObject {
  const { shape } = ownershipOf(info, undefined).own;
  const { object, unknown } = removeUnknownFields(shape, config);
  const isStrict = validation === 'Strict';
  if (isStrict && unknown.length === 0 && parsed.duplicates.length > 0) {
    const text = parsed.duplicates.map((line) => `\n  ${line}`).join('');
    throw status.badRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${text}`);
  }
  if (validation === 'Ignore' || (unknown.length === 0 && parsed.duplicates.length === 0)) return object;
  // Other errors are reported when the configuration is applied; the response then does not list the field faults.
  if (shapeErrors(shape, object).length > 0) return object;
  const faults = fieldFaults(parsed, [...unknown].sort(), isStrict ? 'strict' : 'warn');
  if (isStrict) throw unreadable(info, new StrictFault(faults));
  for (const fault of faults) warn(fault);
  return object;
}

async function parse(bytes: Buffer, clock: Clock): Promise<ParsedText> {
  try {
    return await parseYaml(bytes, clock);
  } catch (error) {
    throw error instanceof SyntaxFault ? status.badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`) : error;
  }
}

function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

function checkType(info: KindInfo, apiVersion: string, kind: string): void {
  const given = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  const gv = { group: canonicalGroup(given.group), version: given.version };
  if (kind !== info.kind || apiVersionOf(gv) !== info.apiVersion) {
    throw status.badRequest(`invalid object type: ${gv.group}/${gv.version}, Kind=${kind}`);
  }
}

export interface ApplyRequest {
  readonly info: KindInfo;
  readonly name: string;
  readonly subresource: Subresource;
  readonly manager: string;
  readonly force: boolean;
  /** Since 1970. */
  readonly ms: number;
  readonly versions: OtherVersions | undefined;
}

/** The result of applying a configuration to a stored object. */
export interface AppliedTo {
  /** In the served version, decoded, with its managedFields and without defaults. */
  readonly object: JsonObject;
  /** Adds to a refusal of the object the owners of items that the configuration omits and that stay. */
  readonly explain: (refusal: status.StatusError) => status.StatusError;
}

/** `old`: the stored object; `undefined` when there is none. Throws StatusError. */
export function* applyingTo(request: ApplyRequest, config: JsonObject, old: JsonObject | undefined): Steps<AppliedTo> {
  const { info, name, subresource, versions } = request;
  const ownership = ownershipOf(info, subresource, versions);
  const faults = shapeErrors(ownership.own.shape, config);
  if (faults.length > 0) throw untyped(info, config, faults);
  const uid = stringAt(objectAt(config, 'metadata') ?? {}, 'uid') ?? '';
  if (old === undefined && uid !== '') {
    throw status.conflict(info.gr, name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
  }
  const { applied, entries, manager } = yield* guarded(applying(request, config, old));
  const object = decode(info, applied.object, config);
  refreshLastApplied(request, object, config);
  setOwnership(ensureMetadata(object), applied.entries);
  const explain = (refusal: status.StatusError): status.StatusError =>
    withOwners(refusal, findKeptItems(ownership.own.shape, entries, applied, manager));
  return { object, explain };
}

/** Names the other managers if the refusal concerns an item that the configuration omits: the fields that they own may be an incomplete item. */
function withOwners(refusal: status.StatusError, kept: readonly KeptItem[]): status.StatusError {
  const fields = refusal.status.details?.causes?.map(({ field = '' }) => field) ?? [];
  const isRefused = (item: string): boolean =>
    fields.some((field) => field === item || field.startsWith(`${item}.`) || field.startsWith(`${item}[`));
  const owners = kept.filter(({ field }) => isRefused(field)).flatMap((item) => item.owners);
  if (owners.length === 0) return refusal;
  const { listed, causes } = new ApplyConflict(owners);
  return status.invalidForOwners(refusal, `other managers own fields of what the configuration leaves out: ${listed}`, causes);
}

function untyped(info: KindInfo, config: JsonObject, faults: readonly string[]): Error {
  const text = faults.length === 1 ? faults.join('') : `errors:${faults.map((fault) => `\n  ${fault}`).join('')}`;
  return status.clientError(`failed to create typed patch object (${placeOf(config)}; ${typeOf(info)}): ${text}`);
}

function placeOf(object: JsonObject): string {
  const metadata = objectAt(object, 'metadata') ?? {};
  return `${stringAt(metadata, 'namespace') ?? ''}/${stringAt(metadata, 'name') ?? ''}`;
}

const typeOf = (info: KindInfo): string => `${info.group}/${info.row.version}, Kind=${info.kind}`;

/** A stored object may hold what only a configuration is refused for. */
function* guarded<T>(steps: Steps<T>): Steps<T> {
  try {
    return yield* steps;
  } catch (error) {
    if (error instanceof ApplyConflict) throw status.applyConflict(error.message, error.causes);
    throw error instanceof MissingListKeyError ? status.clientError(`failed to create typed live object: ${error.message}`) : error;
  }
}

interface ApplyResult {
  readonly applied: AppliedConfiguration;
  /** The managedFields entries before the apply. */
  readonly entries: readonly ManagedFieldsEntry[];
  readonly manager: FieldManager;
}

function* applying(request: ApplyRequest, config: JsonObject, old: JsonObject | undefined): Steps<ApplyResult> {
  const { info, subresource, versions } = request;
  const ownership = ownershipOf(info, subresource, versions);
  const now = formatTimestamp(request.ms);
  const live = old === undefined ? emptyObject(info) : toServed(info, withoutOwnership(old));
  const manager = managerOf(info, subresource, request.manager, 'Apply');
  const entries = old === undefined ? [] : yield* liveEntries(request, old, live, now);
  const attempt = (force: boolean): Steps<AppliedConfiguration> =>
    applyConfigurationInSteps(ownership, live, config, entries, manager, { force, now });
  try {
    return { applied: yield* attempt(request.force), entries, manager };
  } catch (error) {
    if (!(error instanceof ApplyConflict) || !mayTakeOver(request, live, error)) throw error;
    return { applied: yield* attempt(true), entries, manager };
  }
}

const BEFORE_FIRST_APPLY = 'before-first-apply';

/** An object that was never tracked belongs to those who wrote it before anyone applied. */
function* liveEntries(
  { info, subresource, versions }: ApplyRequest,
  old: JsonObject,
  live: JsonObject,
  now: string,
): Steps<readonly ManagedFieldsEntry[]> {
  const list = readMetadata(old)['managedFields'];
  if (Array.isArray(list) && list.length > 0) return readManagedFields(list);
  const manager = managerOf(info, subresource, BEFORE_FIRST_APPLY, 'Update');
  return yield* recordUpdateInSteps(ownershipOf(info, subresource, versions), emptyObject(info), live, [], manager, now);
}

function decode(info: KindInfo, value: JsonObject, config: JsonObject): JsonObject {
  try {
    return info.codec.decodeApplied(value).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const type = typeOf(info);
    throw status.clientError(
      `failed to convert new object (${placeOf(config)}; ${type}) to proper version: ` +
        `unable to convert unstructured object to ${type}: ${error.message}`,
    );
  }
}

/** The client that keeps its last configuration in an annotation: it may move to server-side apply without conflicts. */
const CLIENT = 'kubectl';

function annotationsOf(object: JsonObject): JsonObject | undefined {
  return objectAt(readMetadata(object), 'annotations');
}

/** The client that applied on its own side may take over what is as it last applied it. */
function mayTakeOver({ info, subresource, manager }: ApplyRequest, live: JsonObject, { conflicts }: ApplyConflict): boolean {
  const text = stringAt(annotationsOf(live), LAST_APPLIED_ANNOTATION);
  if (manager !== CLIENT || text === undefined) return false;
  const last = parseConfiguration(text);
  if (last === undefined) return false;
  const { kind: _, apiVersion, ...config } = last;
  if (apiVersion !== info.apiVersion) return false;
  const { shape } = ownershipOf(info, subresource).own;
  if (shapeErrors(shape, config).length > 0) return false;
  const { modified, removed } = compareObjects(shape, config, live);
  const kept = difference(fieldSetOf(shape, config), union(modified, removed));
  return conflicts.every(({ fields }) => isEmptySet(difference(fields, kept)));
}

function parseConfiguration(text: string): JsonObject | undefined {
  try {
    const { value } = parseJson(Buffer.from(text));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the client's annotation true, so that it may go back to applying on its own side. */
function refreshLastApplied({ info, manager }: ApplyRequest, object: JsonObject, config: JsonObject): void {
  const annotations = annotationsOf(object);
  if (manager !== CLIENT || annotations === undefined || stringAt(annotations, LAST_APPLIED_ANNOTATION) === undefined) return;
  annotations[LAST_APPLIED_ANNOTATION] = `${stringifyJson({ apiVersion: info.apiVersion, kind: info.kind, ...config }, 'sorted')}\n`;
}
