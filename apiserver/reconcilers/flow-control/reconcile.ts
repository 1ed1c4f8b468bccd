/** What has to be done so that a flow schema or priority level of this server's is what it should be, and so that a schema says whether its level is there. Pure. */
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { valueInEitherSpelling, omitNames } from '../../../shared/names/spellings';
import { arrayAt, equalJson, isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';

export interface KeptSpec {
  readonly spec: JsonObject;
  /** It is so whatever its annotation says. */
  readonly isMandatory: boolean;
  /** Members of the spec that are left to those who run the cluster. */
  readonly free: readonly string[];
}

/** `annotation` = the one that says whether it is kept as it was; undefined = there is nothing to do. */
export function restored(found: JsonObject, { spec, isMandatory, free }: KeptSpec, annotation: string): JsonObject | undefined {
  const metadata = readMetadata(found);
  const annotations = objectAt(metadata, 'annotations') ?? {};
  const says = valueInEitherSpelling(annotations, annotation);
  // Where nobody has said so, what was never changed is ours.
  const isKept = isMandatory || (says === undefined ? own(metadata, 'generation') === 1 : says === 'true');
  const marked =
    says === String(isKept)
      ? metadata
      : { ...metadata, annotations: { ...omitNames(annotations, [annotation]), [annotation]: String(isKept) } };
  const present = objectAt(found, 'spec') ?? {};
  const kept = Object.fromEntries(free.flatMap((member) => (present[member] === undefined ? [] : [[member, present[member]]])));
  const wanted = isKept ? { ...spec, ...kept } : present;
  const object = { ...found, metadata: marked, spec: wanted };
  return equalJson(object, found) ? undefined : object;
}

const DANGLING = 'Dangling';

/** The `Dangling` condition of a FlowSchema; `undefined` when it is up to date. `now` is a timestamp in the format of objects. */
export function changedCondition(schema: JsonObject, level: string, isThere: boolean, now: string): JsonObject | undefined {
  const status = objectAt(schema, 'status') ?? {};
  const conditions = (arrayAt(status, 'conditions') ?? []).filter(isObject);
  const known = conditions.find((condition) => stringAt(condition, 'type') === DANGLING);
  const named = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  const wanted = isThere
    ? { type: DANGLING, status: 'False', reason: 'Found', message: `${named} and it exists` }
    : { type: DANGLING, status: 'True', reason: 'NotFound', message: `${named} but there is no such object` };
  const since = stringAt(known, 'status') === wanted.status ? stringAt(known, 'lastTransitionTime') : undefined;
  const condition = { ...wanted, lastTransitionTime: since ?? now };
  if (known !== undefined && equalJson(known, condition)) return undefined;
  return condition;
}
