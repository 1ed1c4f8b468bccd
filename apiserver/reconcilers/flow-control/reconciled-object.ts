/**
 * Determines the desired state of a stored FlowSchema or PriorityLevelConfiguration, and the `Dangling` condition. Values
 * of operators are kept where they may set them. Pure functions: the reconciler writes the objects.
 */
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { valueInEitherSpelling, omitNames } from '../../../shared/names/spellings';
import type {
  FlowcontrolV1FlowSchema,
  FlowcontrolV1FlowSchemaCondition,
  FlowcontrolV1PriorityLevelConfiguration,
  FlowcontrolV1PriorityLevelConfigurationSpec,
} from '../../../shared/api/types/generated/members';
import { equalJson, type JsonObject } from '../../../shared/values/json';

/** The spec that an object should have. */
export interface DesiredSpec {
  readonly spec: JsonObject;
  /** Whether the spec is restored whatever the value of the annotation. */
  readonly isMandatory: boolean;
  /** Members of the spec that operators may change. */
  readonly operatorMembers: readonly (keyof FlowcontrolV1PriorityLevelConfigurationSpec)[];
}

/**
 * The object with the desired spec, if this server manages it, and with the annotation that records whether it does.
 * Returns `undefined` when the object is up to date. `annotation`: the name of the annotation `autoupdate-spec`.
 */
export function reconciledObject(
  existing: FlowcontrolV1FlowSchema | FlowcontrolV1PriorityLevelConfiguration,
  { spec, isMandatory, operatorMembers }: DesiredSpec,
  annotation: string,
): JsonObject | undefined {
  const metadata = readMetadata(existing);
  const annotations = metadata.annotations ?? {};
  const annotationValue = valueInEitherSpelling(annotations, annotation);
  // Without an annotation, an object that was never changed is managed, as in upstream.
  const isManaged = isMandatory || (annotationValue === undefined ? metadata.generation === 1 : annotationValue === 'true');
  // Omits the annotation in the other spelling, because an object has only one of them.
  const annotatedMetadata =
    annotationValue === String(isManaged)
      ? metadata
      : { ...metadata, annotations: { ...omitNames(annotations, [annotation]), [annotation]: String(isManaged) } };
  const present: JsonObject = existing.spec ?? {};
  const operatorValues = Object.fromEntries(
    operatorMembers.flatMap((member) => (present[member] === undefined ? [] : [[member, present[member]]])),
  );
  const desired = isManaged ? { ...spec, ...operatorValues } : present;
  const object = { ...existing, metadata: annotatedMetadata, spec: desired };
  return equalJson(object, existing) ? undefined : object;
}

const DANGLING = 'Dangling';

/** What the condition of a FlowSchema states. */
export interface LevelState {
  /** The name of the priority level to which the FlowSchema refers. */
  readonly level: string;
  /** Whether that priority level exists. */
  readonly hasLevel: boolean;
  /** A timestamp as in objects. */
  readonly now: string;
}

/** Returns the `Dangling` condition of a FlowSchema, or `undefined` when it is up to date. */
export function danglingConditionUpdate(
  { status }: FlowcontrolV1FlowSchema,
  { level, hasLevel, now }: LevelState,
): FlowcontrolV1FlowSchemaCondition | undefined {
  const existing = status?.conditions?.find(({ type }) => type === DANGLING);
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  const desired = hasLevel
    ? { type: DANGLING, status: 'False', reason: 'Found', message: `${reference} and it exists` }
    : { type: DANGLING, status: 'True', reason: 'NotFound', message: `${reference} but there is no such object` };
  const since = existing?.status === desired.status ? existing.lastTransitionTime : undefined;
  const condition = { ...desired, lastTransitionTime: since ?? now };
  if (existing !== undefined && equalJson(existing, condition)) return undefined;
  return condition;
}
