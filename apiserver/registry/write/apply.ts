/**
 * Server-side apply: merges a configuration into the stored object with its managedFields. A field that another manager
 * owns is a conflict, unless the request forces the apply or kubectl takes over its own client-side apply. The
 * configuration is parsed in apply-configuration.ts.
 */
import { isObject, objectAt, stringAt, stringifyJson, type JsonObject } from '../../../shared/values/json';
import { ensureMetadata, readMetadata, formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { DecodeError } from '../../../shared/api/types';
import * as status from '../../../shared/api/errors/status';
import { LAST_APPLIED_ANNOTATION } from '../../../shared/names/dialect';
import { ApplyConflict, applyConfigurationInSteps, type AppliedConfiguration } from '../../../shared/patch/apply/apply';
import { compareObjects } from '../../../shared/patch/apply/compare';
import { readManagedFields, type ManagedFieldsEntry, type FieldManager } from '../../../shared/patch/apply/managed-fields';
import { difference, isEmptySet, union } from '../../../shared/patch/apply/field-set';
import { findKeptItems, type KeptItem } from '../../../shared/patch/apply/kept-items';
import { recordUpdateInSteps, type VersionViews } from '../../../shared/patch/apply/record-update';
import type { Steps } from '../../../shared/scheduling/steps';
import type { VersionConverter } from '../conversions';
import { MissingListKeyError, type MergeShape } from '../../../shared/patch/apply/merge-shape';
import { fieldSetOf, shapeErrors } from '../../../shared/patch/apply/typed';
import { parseJson } from '../../../shared/serialization';
import type { Subresource } from '../verbs';
import { namespacedNameOf, typedPatchError, typeTextOf } from './apply-configuration';
import { emptyObject, managerOf, ownershipOf, setManagedFields, withoutManagedFields } from './managed-fields';
import { toServed, type KindInfo } from '../object/resource-info';

/** What an apply needs besides the configuration and the stored object. */
export interface ApplyRequest {
  readonly info: KindInfo;
  readonly name: string;
  readonly subresource: Subresource;
  /** The field manager that owns the applied fields. */
  readonly manager: string;
  /** Whether fields that other managers own are taken over; otherwise they are a conflict (409). */
  readonly force: boolean;
  /** The time of the apply, in ms since 1970. */
  readonly ms: number;
  /** Set for kinds with a conversion webhook. */
  readonly versionConverter: VersionConverter | undefined;
}

/** The result of applying a configuration to a stored object. */
export interface AppliedObject {
  /** In the served version, with managedFields, without defaults. */
  readonly object: JsonObject;
  /**
   * To be called with the rejection of the object. If it concerns an item that the configuration omits, returns a rejection
   * that also names the managers because of which the item stays; otherwise returns it unchanged.
   */
  readonly explain: (refusal: status.StatusError) => status.StatusError;
}

/** Applies the configuration in steps. `old`: the stored object; `undefined` when it does not exist. Throws StatusError. */
export function* applyToObjectInSteps(request: ApplyRequest, config: JsonObject, old: JsonObject | undefined): Steps<AppliedObject> {
  const { info, name, subresource, versionConverter } = request;
  const views = ownershipOf(info, subresource, versionConverter);
  const { shape } = views.served;
  const errors = shapeErrors(shape, config);
  if (errors.length > 0) throw typedPatchError(info, config, errors);
  const uid = stringAt(objectAt(config, 'metadata') ?? {}, 'uid') ?? '';
  if (old === undefined && uid !== '') {
    throw status.conflict(info.row, name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
  }
  const { applied, entriesBefore, manager } = yield* convertErrorsInSteps(computeApplyInSteps(request, views, config, old));
  const object = decodeApplied(info, applied.object, config);
  refreshLastApplied(request, object, config);
  setManagedFields(ensureMetadata(object), applied.entries);
  const explain = (refusal: status.StatusError): status.StatusError =>
    addOwners(refusal, findKeptItems(shape, entriesBefore, applied, manager));
  return { object, explain };
}

/**
 * Adds to the rejection the managers because of which an omitted item stays. `items`: items of keyed lists that the
 * configuration omits, and that stay because other managers own some of their fields. What remains of such an item may be
 * invalid, for example a container without an image. A rejection that concerns none of them is returned unchanged.
 */
function addOwners(refusal: status.StatusError, items: readonly KeptItem[]): status.StatusError {
  const fields = refusal.status.details?.causes?.map(({ field = '' }) => field) ?? [];
  const isRefused = (item: string): boolean =>
    fields.some((field) => field === item || field.startsWith(`${item}.`) || field.startsWith(`${item}[`));
  const owners = items.filter(({ field }) => isRefused(field)).flatMap((item) => item.owners);
  if (owners.length === 0) return refusal;
  const { listed, causes } = new ApplyConflict(owners);
  return status.invalidForOwners(refusal, `other managers own fields that the configuration omits: ${listed}`, causes);
}

/**
 * Converts errors of the merge to Status errors. A MissingListKeyError is about the stored object: a configuration with a
 * list item without its key has been rejected before, by {@link shapeErrors}.
 */
function* convertErrorsInSteps<T>(steps: Steps<T>): Steps<T> {
  try {
    return yield* steps;
  } catch (error) {
    if (error instanceof ApplyConflict) throw status.applyConflict(error.message, error.causes);
    throw error instanceof MissingListKeyError ? status.clientError(`failed to create typed live object: ${error.message}`) : error;
  }
}

interface ApplyResult {
  readonly applied: AppliedConfiguration;
  /** managedFields before the apply. */
  readonly entriesBefore: readonly ManagedFieldsEntry[];
  readonly manager: FieldManager;
}

function* computeApplyInSteps(
  request: ApplyRequest,
  views: VersionViews,
  config: JsonObject,
  old: JsonObject | undefined,
): Steps<ApplyResult> {
  const { info, subresource } = request;
  const now = formatTimestamp(request.ms);
  const live = old === undefined ? emptyObject(info) : toServed(info, withoutManagedFields(old));
  const manager = managerOf(info, subresource, request.manager, 'Apply');
  const entriesBefore = old === undefined ? [] : yield* managedFieldsBeforeInSteps(request, views, old, live, now);
  const applyInSteps = ({ force }: { readonly force: boolean }): Steps<AppliedConfiguration> =>
    applyConfigurationInSteps({ object: live, entries: entriesBefore }, config, { views, manager, force, now });
  try {
    return { applied: yield* applyInSteps(request), entriesBefore, manager };
  } catch (error) {
    if (!(error instanceof ApplyConflict) || !canTakeOver(request, views.served.shape, live, error)) throw error;
    return { applied: yield* applyInSteps({ force: true }), entriesBefore, manager };
  }
}

/** The manager of fields that were written before the object had managedFields. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** An object without managedFields is owned by the manager `before-first-apply`, as in upstream. */
function* managedFieldsBeforeInSteps(
  { info, subresource }: ApplyRequest,
  views: VersionViews,
  old: JsonObject,
  live: JsonObject,
  now: string,
): Steps<readonly ManagedFieldsEntry[]> {
  const list = readMetadata(old)['managedFields'];
  if (Array.isArray(list) && list.length > 0) return readManagedFields(list);
  const manager = managerOf(info, subresource, BEFORE_FIRST_APPLY, 'Update');
  return yield* recordUpdateInSteps({ object: emptyObject(info), entries: [] }, live, { views, manager, now });
}

function decodeApplied(info: KindInfo, value: JsonObject, config: JsonObject): JsonObject {
  try {
    return info.codec.decodeApplied(value).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const type = typeTextOf(info);
    throw status.clientError(
      `failed to convert new object (${namespacedNameOf(config)}; ${type}) to proper version: ` +
        `unable to convert unstructured object to ${type}: ${error.message}`,
    );
  }
}

/**
 * The field manager of kubectl. It keeps its last client-side apply in an annotation, which allows it to switch to
 * server-side apply without conflicts with itself.
 */
const CLIENT_SIDE_MANAGER = 'kubectl';

function annotationsOf(object: JsonObject): JsonObject | undefined {
  return objectAt(readMetadata(object), 'annotations');
}

/** Whether all conflicting fields are as kubectl last applied them, so that it may take them over. */
function canTakeOver({ info, manager }: ApplyRequest, shape: MergeShape, live: JsonObject, { conflicts }: ApplyConflict): boolean {
  const text = stringAt(annotationsOf(live), LAST_APPLIED_ANNOTATION);
  if (manager !== CLIENT_SIDE_MANAGER || text === undefined) return false;
  const lastApplied = parseLastApplied(text);
  if (lastApplied === undefined) return false;
  const { kind: _, apiVersion, ...config } = lastApplied;
  if (apiVersion !== info.apiVersion) return false;
  if (shapeErrors(shape, config).length > 0) return false;
  const { modified, removed } = compareObjects(shape, config, live);
  const unchanged = difference(fieldSetOf(shape, config), union(modified, removed));
  return conflicts.every(({ fields }) => isEmptySet(difference(fields, unchanged)));
}

/** `undefined` for a text that is not a JSON object: users may edit the annotation. */
function parseLastApplied(text: string): JsonObject | undefined {
  try {
    const { value } = parseJson(Buffer.from(text));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Updates kubectl's last-applied annotation, so that client-side apply continues to work. */
function refreshLastApplied({ info, manager }: ApplyRequest, object: JsonObject, config: JsonObject): void {
  const annotations = annotationsOf(object);
  if (manager !== CLIENT_SIDE_MANAGER || annotations === undefined || stringAt(annotations, LAST_APPLIED_ANNOTATION) === undefined) return;
  annotations[LAST_APPLIED_ANNOTATION] = `${stringifyJson({ apiVersion: info.apiVersion, kind: info.row.kind, ...config }, 'sorted')}\n`;
}
