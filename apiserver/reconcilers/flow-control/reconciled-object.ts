/**
 * Determines the desired state of a stored FlowSchema or PriorityLevelConfiguration, and the `Dangling` condition. Keeps
 * the members that operators may change. Pure functions: writing the objects is left to flow-control-reconciler.ts.
 */
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { valueInEitherSpelling, omitNames } from '../../../shared/names/spellings';
import type {
  FlowcontrolV1FlowSchema,
  FlowcontrolV1FlowSchemaCondition,
  FlowcontrolV1PriorityLevelConfiguration,
  FlowcontrolV1PriorityLevelConfigurationSpec,
  MetaV1ObjectMeta,
} from '../../../shared/api/types/generated/members';
import { equalJson, type JsonObject } from '../../../shared/values/json';

/** The spec of a built-in object. */
export interface DesiredSpec {
  readonly spec: JsonObject;
  /** Whether the spec is restored regardless of the annotation `autoupdate-spec`. */
  readonly isMandatory: boolean;
  /** Members of the spec that operators may change. */
  readonly operatorMembers: readonly (keyof FlowcontrolV1PriorityLevelConfigurationSpec)[];
}

/**
 * The object with the desired spec, unless operators manage the spec, and with the annotation that records which of them
 * does: `true` for this server. `undefined` when the object is up to date. `annotation`: the name of the annotation
 * `autoupdate-spec` in the spelling of this server.
 */
export function reconciledObject(
  existing: FlowcontrolV1FlowSchema | FlowcontrolV1PriorityLevelConfiguration,
  { spec, isMandatory, operatorMembers }: DesiredSpec,
  annotation: string,
): JsonObject | undefined {
  const metadata = readMetadata(existing);
  const annotationValue = valueInEitherSpelling(metadata.annotations ?? {}, annotation);
  // Without an annotation, this server manages an object that was never changed, as upstream does.
  const isManaged = isMandatory || (annotationValue === undefined ? metadata.generation === 1 : annotationValue === 'true');
  const object = {
    ...existing,
    metadata: annotationValue === String(isManaged) ? metadata : withAnnotation(metadata, annotation, String(isManaged)),
    spec: isManaged ? { ...spec, ...pick(existing.spec ?? {}, operatorMembers) } : (existing.spec ?? {}),
  };
  return equalJson(object, existing) ? undefined : object;
}

/** Omits the annotation in the other spelling, because an object has an annotation in one spelling only. */
function withAnnotation(metadata: MetaV1ObjectMeta, name: string, value: string): MetaV1ObjectMeta {
  return { ...metadata, annotations: { ...omitNames(metadata.annotations ?? {}, [name]), [name]: value } };
}

/** The members of the object that are present. */
function pick(object: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([member]) => members.includes(member)));
}

const DANGLING = 'Dangling';

/** The state that the condition describes. */
export interface LevelState {
  /** The name of the priority level to which the FlowSchema refers. */
  readonly level: string;
  /** Whether that priority level exists. */
  readonly hasLevel: boolean;
  /** The current time as a timestamp of the API. */
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
