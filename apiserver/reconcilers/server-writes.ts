/**
 * The parts that all writes of the API server itself share: user, deadline, options and bodies. Also recognizes the
 * errors that mean that another replica made the write first; all other errors are left to the caller.
 */
import { MASTERS_GROUP } from '../../shared/api/identity/user';
import { StatusError, type StatusReason } from '../../shared/api/errors/status';
import type { GeneratedNames } from '../../shared/names/dialect';
import { PROGRAM_NAMES } from '../../shared/names/program';
import type { Clock } from '../../shared/runtime/clock';
import { stringifyJson, type JsonObject } from '../../shared/values/json';
import type { ObjectBody, PatchBody, RequestContext, WriteOptions } from '../registry/verbs';

/** Time limit of one write. */
const DEADLINE_MS = 10_000;

/** The context of one request: its deadline is ten seconds from now. */
export function serverContext(clock: Clock): RequestContext {
  return {
    user: { name: 'system:apiserver', groups: [MASTERS_GROUP] },
    deadline: clock.monotonic() + DEADLINE_MS,
    warn: () => undefined,
  };
}

/** The default field manager is the name of the program. */
export function serverWriteOptions(
  { dialect }: Pick<GeneratedNames, 'dialect'>,
  fieldManager: string = PROGRAM_NAMES[dialect].apiserver,
): WriteOptions {
  return { dryRun: false, fieldValidation: 'Strict', fieldManager };
}

/** The body of a create or an update. */
export function objectBody(value: JsonObject): ObjectBody {
  return { value, duplicates: [], format: 'json' };
}

export function mergePatch(members: JsonObject): PatchBody {
  return { type: 'merge', bytes: Buffer.from(stringifyJson(members)), dialect: 'platform' };
}

/** A patch body for a server-side apply. */
export function applyPatch(configuration: JsonObject): PatchBody {
  return { type: 'apply', bytes: Buffer.from(stringifyJson(configuration)), dialect: 'platform' };
}

/** Whether the error is a Status with one of the reasons. */
export function hasReason(error: unknown, ...reasons: readonly StatusReason[]): boolean {
  return error instanceof StatusError && reasons.some((reason) => reason === error.reason);
}

/** Makes a write. Resolves also when it is rejected with one of the reasons. */
export async function ignoreReasons(reasons: readonly StatusReason[], write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!hasReason(error, ...reasons)) throw error;
  }
}
