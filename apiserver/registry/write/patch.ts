/** PATCH: what a patch or an applied configuration makes of the stored object. The change itself is that of every other update. */
import type { JsonObject } from '../../../shared/values/json';
import { canonicalizeGroups, inSpelling } from '../../../shared/api/types/group-fields';
import { toServed } from '../object/resource-info';
import type { PatchBody, WriteOptions, WriteResult } from '../verbs';
import { applyTo, readApply, type AppliedTo } from './apply';
import { agreeOnPlace } from './metadata-steps';
import { readPatch, type DocumentPatch, type Patcher } from './patcher';
import { isHeavyPatch } from './heavy';
import type { WritePath, WriteRequest } from './request';
import { breaks } from './breaks';
import { bodyInfo } from './scale';
import { change, type UpdatedObjectInfo } from './update';

export async function patchObject(
  path: WritePath,
  request: WriteRequest,
  patch: PatchBody,
  options: WriteOptions & { readonly force?: boolean },
): Promise<WriteResult> {
  const { pass } = breaks(path.clock, request.context);
  const heavy = {
    what: { verb: 'patch', patch },
    name: request.name,
    isHeavy: path.threads !== undefined && isHeavyPatch(patch, path.threads.limits),
    options,
  } as const;
  let source = heavy.isHeavy ? undefined : await readSource(path, request, patch, options);
  await pass();
  return change(path, request, async () => (source ??= await readSource(path, request, patch, options)), options, heavy);
}

/** What a patch makes of objects. One that cannot be read is refused where it is read. */
export async function readSource(
  path: Pick<WritePath, 'clock' | 'names'>,
  request: WriteRequest,
  { type, bytes, dialect }: PatchBody,
  options: WriteOptions & { readonly force?: boolean },
): Promise<UpdatedObjectInfo> {
  return type === 'apply' ? applySource(path, request, bytes, options) : patchSource(path, request, { type, bytes, dialect }, options);
}

async function applySource(
  { clock, names }: Pick<WritePath, 'clock' | 'names'>,
  request: WriteRequest,
  bytes: Buffer,
  { fieldManager, fieldValidation, force }: WriteOptions & { readonly force?: boolean },
): Promise<UpdatedObjectInfo> {
  const info = bodyInfo(request);
  const { context, name, namespace, subresource } = request;
  const config = await readApply(info, bytes, fieldValidation, (text) => context.warn(text), clock);
  canonicalizeGroups(config, info.codec.groupFields, names);
  const applied = { info, name, subresource, manager: fieldManager, force: force === true };
  let last: AppliedTo | undefined;
  const object = (old: JsonObject | undefined): JsonObject => {
    last = applyTo({ ...applied, ms: clock.now() }, config, old);
    return agreeOnPlace(info, last.object, names, namespace, name);
  };
  return { verb: 'apply', owned: true, object, explain: (refusal) => last?.explain(refusal) ?? refusal };
}

function patchSource(
  { names }: Pick<WritePath, 'names'>,
  request: WriteRequest,
  patch: DocumentPatch,
  { fieldValidation }: WriteOptions,
): UpdatedObjectInfo {
  const info = bodyInfo(request);
  const { context, name, namespace } = request;
  let apply: Patcher | undefined;
  // Read only when there is something to apply it to: what does not exist is said first (upstream behaviour).
  const object = (old: JsonObject | undefined): JsonObject => {
    apply ??= readPatch(info, patch, fieldValidation, (text) => context.warn(text));
    const shown = inSpelling(toServed(info, old ?? {}), info.codec.groupFields, patch.dialect);
    return agreeOnPlace(info, apply(shown), names, namespace, name);
  };
  return { verb: 'patch', object };
}
