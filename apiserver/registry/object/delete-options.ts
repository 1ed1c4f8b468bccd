/** Reads the DeleteOptions of a request or of an eviction. Does not validate the values. */
import { arrayAt, objectAt, ownMember, stringAt, type JsonObject } from '../../../shared/values/json';
import type { DeleteOptions } from '../verbs';

/** The values of `dryRun`, of which `All` is the only valid one. */
export const dryRunValues = (options: JsonObject): string[] =>
  (arrayAt(options, 'dryRun') ?? []).filter((value) => typeof value === 'string');

/** The options besides `dryRun`. Members of another type than their own are ignored. */
export function toDeleteOptions(options: JsonObject): Omit<DeleteOptions, 'dryRun'> {
  const grace = ownMember(options, 'gracePeriodSeconds');
  const orphan = ownMember(options, 'orphanDependents');
  const policy = stringAt(options, 'propagationPolicy');
  const preconditions = objectAt(options, 'preconditions');
  return {
    ...(typeof grace === 'number' || typeof grace === 'bigint' ? { gracePeriodSeconds: Number(grace) } : {}),
    ...(typeof orphan === 'boolean' ? { orphanDependents: orphan } : {}),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(preconditions === undefined ? {} : { preconditions: toPreconditions(preconditions) }),
  };
}

function toPreconditions(preconditions: JsonObject): NonNullable<DeleteOptions['preconditions']> {
  const uid = stringAt(preconditions, 'uid');
  const resourceVersion = stringAt(preconditions, 'resourceVersion');
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}
