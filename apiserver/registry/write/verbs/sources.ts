/** Where the object of a write comes from: the bodies of POST and PUT, patches, applied configurations, and scales of workloads. Decides nothing. */
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { canonicalizeGroups, withGroupsOfDialect } from '../../../../shared/api/types/group-fields';
import * as status from '../../../../shared/api/errors/status';
import { ensureMetadata, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { whenResolved } from '../../../../shared/runtime/maybe-promise';
import { toServed } from '../../object/resource-info';
import type { ParsedBody, PatchBody, WriteOptions } from '../../verbs';
import { applyingTo, readApply, type AppliedTo } from '../apply';
import { decodeBody } from '../decode-body';
import { agreeOnPlace } from '../object-metadata';
import { readPatch, type DocumentPatch, type Patcher } from '../patcher';
import type { StepDependencies, WriteRequest } from '../request';
import { bodyInfo, scaled, shownScale } from '../scale';
import { tellSent } from '../request-object';
import type { ObjectSource } from '../steps/attempt';

export type ObjectSourceOptions = WriteOptions & { readonly force?: boolean };

/** The body of a POST, and what the object is to be called. */
export interface NewObject {
  readonly source: ObjectSource;
  /** The name in the body; '' when there is none. */
  readonly given: string;
  /** What a name is generated from where none is given; '' when there is nothing. */
  readonly base: string;
}

/** Throws what is wrong with the body. */
export function newObject(deps: StepDependencies, request: WriteRequest, body: ParsedBody, options: WriteOptions): NewObject {
  const { source, first } = bodySource('create', deps, request, body, options);
  const metadata = readMetadata(first);
  return { source, given: stringAt(metadata, 'name') ?? '', base: stringAt(metadata, 'generateName') ?? '' };
}

/** The body of a PUT. Throws what is wrong with it. */
export const updatedObject = (deps: StepDependencies, request: WriteRequest, body: ParsedBody, options: WriteOptions): ObjectSource =>
  throughEndpoint(deps, request, bodySource('update', deps, request, body, options).source, options);

/** Decoded at once, so that a body that cannot be read is refused before anything else is, and again for every further attempt. */
function bodySource(
  verb: 'create' | 'update',
  deps: StepDependencies,
  request: WriteRequest,
  body: ParsedBody,
  { fieldValidation }: WriteOptions,
): { readonly source: ObjectSource; readonly first: JsonObject } {
  const info = bodyInfo(request);
  const { context, namespace, name, subresource } = request;
  const decode = (): JsonObject => {
    const object = decodeBody(info, body, fieldValidation, (text) => context.warn(text));
    tellSent(context, info, object, deps.names, subresource === 'scale' ? undefined : (copy) => setSentLabels(deps, request, copy));
    return agreeOnPlace(info, object, deps.names, namespace, verb === 'create' ? undefined : name);
  };
  const first = decode();
  let fresh: JsonObject | undefined = first;
  const object = (): JsonObject => {
    const decoded = fresh ?? decode();
    fresh = undefined;
    return decoded;
  };
  return { source: { verb, object }, first };
}

/** The audit event shows an object that has a name with the labels that its kind demands. */
function setSentLabels(deps: StepDependencies, request: WriteRequest, object: JsonObject): void {
  if (stringAt(ensureMetadata(object), 'name') !== undefined)
    request.info.strategy.setRequiredLabels?.(object, deps.strategyContext(request));
}

/** A patch or an applied configuration, which is read here and refused where that is not possible. */
export async function patchedObject(
  deps: StepDependencies,
  request: WriteRequest,
  { type, bytes, dialect }: PatchBody,
  options: ObjectSourceOptions,
): Promise<ObjectSource> {
  const source =
    type === 'apply' ? await appliedSource(deps, request, bytes, options) : patchSource(deps, request, { type, bytes, dialect }, options);
  return throughEndpoint(deps, request, source, options);
}

async function appliedSource(
  { clock, names }: StepDependencies,
  request: WriteRequest,
  bytes: Buffer,
  { fieldManager, fieldValidation, force }: ObjectSourceOptions,
): Promise<ObjectSource> {
  const info = bodyInfo(request);
  const { context, name, namespace, subresource, versions } = request;
  const config = await readApply(info, bytes, fieldValidation, (text) => context.warn(text), clock);
  canonicalizeGroups(config, info.codec.groupFields, names);
  const apply = { info, name, subresource, manager: fieldManager, force: force === true, versions };
  let last: AppliedTo | undefined;
  return {
    verb: 'apply',
    object: (old, execution) =>
      whenResolved(execution.compute(applyingTo({ ...apply, ms: clock.now() }, config, old)), (applied) => {
        last = applied;
        return agreeOnPlace(info, applied.object, names, namespace, name);
      }),
    explain: (refusal) => last?.explain(refusal) ?? refusal,
  };
}

function patchSource(
  { names }: StepDependencies,
  request: WriteRequest,
  patch: DocumentPatch,
  { fieldValidation }: WriteOptions,
): ObjectSource {
  const info = bodyInfo(request);
  const { context, name, namespace } = request;
  let apply: Patcher | undefined;
  // Read only when there is something to apply it to: what does not exist is said first (upstream behaviour).
  const object = (old: JsonObject | undefined): JsonObject => {
    apply ??= readPatch(info, patch, fieldValidation, (text) => context.warn(text));
    const shown = withGroupsOfDialect(toServed(info, old ?? {}), info.codec.groupFields, patch.dialect);
    return agreeOnPlace(info, apply(shown), names, namespace, name);
  };
  return { verb: 'patch', object };
}

/** A source of scales becomes one of the workloads that they scale. */
function throughEndpoint(
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
    object(old, execution) {
      if (old === undefined) throw status.notFound(info.gr, name);
      return whenResolved(source.object(shownScale(request, old), execution), (scale) =>
        scaled(request, { verb, manager: fieldManager, ms: clock.now() }, old, scale),
      );
    },
  };
}
