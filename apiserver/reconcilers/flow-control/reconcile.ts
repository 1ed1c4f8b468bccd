/**
 * Pure functions: the desired state of a built-in FlowSchema or PriorityLevelConfiguration, and the `Dangling`
 * condition.
 */
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { valueInEitherSpelling, omitNames } from '../../../shared/names/spellings';
import { arrayAt, equalJson, isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';

export interface DesiredSpec {
  readonly spec: JsonObject;
  /** The spec is restored whatever the annotation. */
  readonly isMandatory: boolean;
  /** Members of the spec that operators may change. */
  readonly operatorMembers: readonly string[];
}

/** `annotation`: name of the autoupdate annotation. Returns `undefined` when the object is up to date. */
export function reconciledObject(
  existing: JsonObject,
  { spec, isMandatory, operatorMembers }: DesiredSpec,
  annotation: string,
): JsonObject | undefined {
  const metadata = readMetadata(existing);
  const annotations = objectAt(metadata, 'annotations') ?? {};
  const annotationValue = valueInEitherSpelling(annotations, annotation);
  // Without an annotation, an object that was never changed is managed, as in upstream.
  const isManaged = isMandatory || (annotationValue === undefined ? own(metadata, 'generation') === 1 : annotationValue === 'true');
  const marked =
    annotationValue === String(isManaged)
      ? metadata
      : { ...metadata, annotations: { ...omitNames(annotations, [annotation]), [annotation]: String(isManaged) } };
  const present = objectAt(existing, 'spec') ?? {};
  const operatorValues = Object.fromEntries(
    operatorMembers.flatMap((member) => (present[member] === undefined ? [] : [[member, present[member]]])),
  );
  const desired = isManaged ? { ...spec, ...operatorValues } : present;
  const object = { ...existing, metadata: marked, spec: desired };
  return equalJson(object, existing) ? undefined : object;
}

const DANGLING = 'Dangling';

/**
 * Returns the `Dangling` condition of a FlowSchema, or `undefined` when it is up to date. `now`: a timestamp as in
 * objects.
 */
export function danglingConditionUpdate(schema: JsonObject, level: string, levelExists: boolean, now: string): JsonObject | undefined {
  const status = objectAt(schema, 'status') ?? {};
  const conditions = (arrayAt(status, 'conditions') ?? []).filter(isObject);
  const existing = conditions.find((condition) => stringAt(condition, 'type') === DANGLING);
  const named = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  const desired = levelExists
    ? { type: DANGLING, status: 'False', reason: 'Found', message: `${named} and it exists` }
    : { type: DANGLING, status: 'True', reason: 'NotFound', message: `${named} but there is no such object` };
  const since = stringAt(existing, 'status') === desired.status ? stringAt(existing, 'lastTransitionTime') : undefined;
  const condition = { ...desired, lastTransitionTime: since ?? now };
  if (existing !== undefined && equalJson(existing, condition)) return undefined;
  return condition;
}
