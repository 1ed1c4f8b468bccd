/**
 * The sources of the objects that are written: bodies of POST and PUT, patches, applied configurations, and scales of
 * workloads. A source returns a new object for every attempt, because the steps change it.
 */
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { canonicalizeGroups, withGroupsOfDialect } from '../../../../shared/api/types/group-fields';
import * as status from '../../../../shared/api/errors/status';
import { ensureMetadata, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { whenResolved } from '../../../../shared/runtime/maybe-promise';
import { decodeBody } from '../../object/decode-body';
import { toServed } from '../../object/resource-info';
import type { ParsedBody, PatchBody, PatchOptions, WriteOptions } from '../../verbs';
import { applyToObjectInSteps, type AppliedObject } from '../apply';
import { parseApplyConfiguration } from '../apply-configuration';
import { ensureMatchesRequest } from '../object-metadata';
import { parsePatch, type NonApplyPatch, type Patcher } from '../patcher';
import type { StepDependencies, WriteRequest } from '../request';
import { bodyInfo, applyScale, scaleWithOwners } from '../scale';
import { recordRequestObject } from '../request-object';
import type { ObjectSource } from '../steps/attempt';

/** The source of a POST, with the names in its body. */
export interface CreateSource {
  readonly source: ObjectSource;
  /** `metadata.name` of the body; empty when absent. */
  readonly name: string;
  /** `metadata.generateName` of the body; empty when absent. */
  readonly generateName: string;
}

/** Throws the error in the body. */
export function createSource(deps: StepDependencies, request: WriteRequest, body: ParsedBody, options: WriteOptions): CreateSource {
  const { source, firstObject } = bodySource('create', deps, request, body, options);
  const metadata = readMetadata(firstObject);
  return { source, name: stringAt(metadata, 'name') ?? '', generateName: stringAt(metadata, 'generateName') ?? '' };
}

/** The source of a PUT. Throws the error in the body. */
export const updateSource = (deps: StepDependencies, request: WriteRequest, body: ParsedBody, options: WriteOptions): ObjectSource =>
  throughScale(deps, request, bodySource('update', deps, request, body, options).source, options);

/**
 * Decodes the body at once, so that errors in it come before all others. The first attempt gets that object; the body is
 * decoded again for each further attempt.
 */
function bodySource(
  verb: 'create' | 'update',
  deps: StepDependencies,
  request: WriteRequest,
  body: ParsedBody,
  { fieldValidation }: WriteOptions,
): { readonly source: ObjectSource; readonly firstObject: JsonObject } {
  const info = bodyInfo(request);
  const { context, namespace, name, subresource } = request;
  const completeLogged = subresource === 'scale' ? undefined : (copy: JsonObject): void => addRequiredLabels(deps, request, copy);
  const decode = (): JsonObject => {
    const object = decodeBody(info, body, fieldValidation, (text) => context.warn(text));
    recordRequestObject(context, info, object, deps.names, completeLogged);
    return ensureMatchesRequest(info, object, deps.names, { namespace, name: verb === 'create' ? undefined : name });
  };
  const firstObject = decode();
  let unusedObject: JsonObject | undefined = firstObject;
  const makeObject = (): JsonObject => {
    const object = unusedObject ?? decode();
    unusedObject = undefined;
    return object;
  };
  return { source: { verb, makeObject }, firstObject };
}

/** The audit log shows a named object with the labels that its kind requires. */
function addRequiredLabels(deps: StepDependencies, request: WriteRequest, object: JsonObject): void {
  if (stringAt(ensureMetadata(object), 'name') !== undefined)
    request.info.strategy.setRequiredLabels?.(object, deps.strategyContext(request));
}

/** Parses a patch or applied configuration. Throws StatusError when it is invalid. */
export async function patchOrApplySource(
  deps: StepDependencies,
  request: WriteRequest,
  { type, bytes, dialect }: PatchBody,
  options: PatchOptions,
): Promise<ObjectSource> {
  const source =
    type === 'apply' ? await applySource(deps, request, bytes, options) : patchSource(deps, request, { type, bytes, dialect }, options);
  return throughScale(deps, request, source, options);
}

async function applySource(
  { clock, names }: StepDependencies,
  request: WriteRequest,
  bytes: Buffer,
  { fieldManager, fieldValidation, force }: PatchOptions,
): Promise<ObjectSource> {
  const info = bodyInfo(request);
  const { context, name, namespace, subresource, versionConverter } = request;
  const validation = { fieldValidation, warn: (text: string) => context.warn(text) };
  const config = await parseApplyConfiguration(info, bytes, validation, clock);
  canonicalizeGroups(config, info.codec.groupFields, names);
  const apply = { info, name, subresource, manager: fieldManager, force: force === true, versionConverter };
  let lastApplied: AppliedObject | undefined;
  return {
    verb: 'apply',
    makeObject: (old, execution) =>
      whenResolved(execution.compute(applyToObjectInSteps({ ms: clock.now(), ...apply }, config, old)), (applied) => {
        lastApplied = applied;
        return ensureMatchesRequest(info, applied.object, names, { namespace, name });
      }),
    explain: (refusal) => lastApplied?.explain(refusal) ?? refusal,
  };
}

function patchSource(
  { names }: StepDependencies,
  request: WriteRequest,
  patch: NonApplyPatch,
  { fieldValidation }: WriteOptions,
): ObjectSource {
  const info = bodyInfo(request);
  const { context, name, namespace } = request;
  let patcher: Patcher | undefined;
  // Parsed when there is an object to patch: a 404 comes before errors in the patch (upstream behaviour).
  const makeObject = (old: JsonObject | undefined): JsonObject => {
    patcher ??= parsePatch(patch, { info, validation: fieldValidation, warn: (text) => context.warn(text) });
    const served = withGroupsOfDialect(toServed(info, old ?? {}), info.codec.groupFields, patch.dialect);
    return ensureMatchesRequest(info, patcher(served), names, { namespace, name });
  };
  return { verb: 'patch', makeObject };
}

/** Turns a source of scales into a source of the scaled workloads. */
function throughScale(
  { clock }: StepDependencies,
  request: WriteRequest,
  source: ObjectSource,
  { fieldManager }: WriteOptions,
): ObjectSource {
  const { info, name, subresource } = request;
  const { verb } = source;
  if (subresource !== 'scale' || verb === 'create') return source;
  return {
    verb,
    makeObject(old, execution) {
      if (old === undefined) throw status.notFound(info.row, name);
      return whenResolved(source.makeObject(scaleWithOwners(request, old), execution), (scale) =>
        applyScale(request, { verb, manager: fieldManager, ms: clock.now() }, old, scale),
      );
    },
  };
}
