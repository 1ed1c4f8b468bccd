/**
 * Reconciles the built-in FlowSchemas and PriorityLevelConfigurations: creates missing ones and restores their specs. The
 * spec of a mandatory object is always restored, that of a suggested one only while its annotation `autoupdate-spec`
 * permits it. Also sets the `Dangling` condition of every FlowSchema. Every replica runs this; the writes are idempotent,
 * so conflicts are ignored.
 */
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';
import type { GeneratedNames } from '../../../shared/names/dialect';
import { FIELD_MANAGERS } from '../../../shared/names/program';
import type { Clock } from '../../../shared/runtime/clock';
import type { FlowcontrolV1FlowSchema } from '../../../shared/api/types/generated/members';
import type { JsonObject } from '../../../shared/values/json';
import type { Cache } from '../../cache/cache';
import { EXEMPT, MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '../../kinds/flowcontrol/mandatory-objects';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resources } from '../../registry/resources';
import type { Resource, Writer } from '../../registry/verbs';
import { startReconciler, watchForChanges, type Reconciler } from '../reconciler';
import { applyPatch, hasReason, objectBody, serverContext, serverWriteOptions } from '../server-writes';
import { danglingConditionUpdate, reconciledObject, type DesiredSpec } from './reconciled-object';
import { SUGGESTED_PRIORITY_LEVELS, suggestedFlowSchemas } from './suggested-configuration';

/** Dependencies of the reconciler. `names` is the spelling of the objects. */
export interface FlowControlReconcilerOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly resources: Pick<Resources, 'require'>;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Called for each failure except a concurrent write; the operation is retried. */
  readonly onFailure: (message: string, error: unknown) => void;
}

const GROUP = 'flowcontrol.apiserver.platform.io';

/** Makes a pass at once, after each change of a FlowSchema or PriorityLevelConfiguration, and every minute. */
export function startFlowControlReconciler(options: FlowControlReconcilerOptions): Reconciler {
  const { cache, resources, names, onFailure } = options;
  const levels = resources.require(`prioritylevelconfigurations.${GROUP}`);
  const schemas = resources.require(`flowschemas.${GROUP}`);
  const builtInObjects = [
    { resource: levels, specs: desiredSpecs(MANDATORY_PRIORITY_LEVELS, SUGGESTED_PRIORITY_LEVELS) },
    { resource: schemas, specs: desiredSpecs(MANDATORY_FLOW_SCHEMAS, suggestedFlowSchemas(names)) },
  ];

  /** Makes a write of `subject`. Resolves with false when the write must be retried soon. */
  async function attempt(subject: string, write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      // Another writer was first. Its change triggers the next pass.
      if (hasReason(error, 'AlreadyExists', 'Conflict', 'NotFound')) return true;
      onFailure(`${subject} could not be reconciled`, error);
      return false;
    }
  }

  async function reconcileAll(): Promise<boolean> {
    const results: boolean[] = [];
    for (const { resource, specs } of builtInObjects) {
      for (const [name, desiredSpec] of specs) {
        const write = (): Promise<void> => reconcileSpec(options, { resource, name }, desiredSpec);
        results.push(await attempt(`the ${resource.row.kind} ${name}`, write));
      }
    }
    for (const { key: name } of cache.snapshot(schemas.stored).range()) {
      const write = (): Promise<void> => applyDanglingCondition(options, { schemas, levels }, name);
      results.push(await attempt(`the condition of the FlowSchema ${name}`, write));
    }
    return results.every(Boolean);
  }

  const reconciler = startReconciler(options, reconcileAll);
  const watches = [levels, schemas].map((resource) => watchForChanges(cache, resource, {}, () => void reconciler.trigger()));
  return {
    ...reconciler,
    stop() {
      reconciler.stop();
      for (const watch of watches) watch.close();
    },
  };
}

/**
 * Members of the spec that operators may change, by the name of the mandatory object. Other mandatory objects have none.
 */
const OPERATOR_MEMBERS: ReadonlyMap<string, DesiredSpec['operatorMembers']> = new Map([[EXEMPT, ['exempt']]]);

function desiredSpecs(
  mandatory: ReadonlyMap<string, JsonObject>,
  suggested: ReadonlyMap<string, JsonObject>,
): ReadonlyMap<string, DesiredSpec> {
  const desired = new Map<string, DesiredSpec>();
  for (const [name, spec] of mandatory) {
    desired.set(name, { spec, isMandatory: true, operatorMembers: OPERATOR_MEMBERS.get(name) ?? [] });
  }
  for (const [name, spec] of suggested) desired.set(name, { spec, isMandatory: false, operatorMembers: [] });
  return desired;
}

/** Creates the object, or restores its spec and its annotation `autoupdate-spec` unless both are up to date. */
async function reconcileSpec(
  { writer, cache, names, clock }: FlowControlReconcilerOptions,
  { resource, name }: { readonly resource: Resource; readonly name: string },
  desired: DesiredSpec,
): Promise<void> {
  const annotation = `apf.${names.prefix}/autoupdate-spec`;
  const writeOptions = serverWriteOptions(names, FIELD_MANAGERS.flowControlSpecs);
  const entry = cache.get(resource.stored, name);
  if (entry === undefined) {
    const value = { metadata: { name, annotations: { [annotation]: 'true' } }, spec: desired.spec };
    await writer.create(serverContext(clock), resource, '', objectBody(value), writeOptions);
    return;
  }
  const value = reconciledObject(parseEntry(entry).object, desired, annotation);
  if (value === undefined) return;
  await writer.update(serverContext(clock), resource, { namespace: '', name }, undefined, objectBody(value), writeOptions);
}

/**
 * Sets the `Dangling` condition of a FlowSchema unless it is up to date. The server-side apply keeps other conditions and
 * their managers.
 */
async function applyDanglingCondition(
  { writer, cache, names, clock }: FlowControlReconcilerOptions,
  { schemas, levels }: Readonly<Record<'schemas' | 'levels', Resource>>,
  name: string,
): Promise<void> {
  const entry = cache.get(schemas.stored, name);
  if (entry === undefined) return;
  const schema: FlowcontrolV1FlowSchema = parseEntry(entry).object;
  const level = schema.spec?.priorityLevelConfiguration?.name ?? '';
  const hasLevel = cache.get(levels.stored, level) !== undefined;
  const condition = danglingConditionUpdate(schema, { level, hasLevel, now: formatTimestamp(clock.now()) });
  if (condition === undefined) return;
  const { group, version, kind } = schemas.row;
  const applied = { apiVersion: `${group}/${version}`, kind, metadata: { name }, status: { conditions: [condition] } };
  const options = { ...serverWriteOptions(names, FIELD_MANAGERS.flowControlStatuses), force: true };
  await writer.patch(serverContext(clock), schemas, { namespace: '', name }, 'status', applyPatch(applied), options);
}
