/**
 * Keeps the flow schemas and priority levels that every cluster has: made at the start and where they are gone, given back what they should say unless they are
 * marked as their keeper's own. And every schema says in its status whether its level is there. Every replica does so; whoever is later finds nothing to do.
 */
import { StatusError } from '../../../shared/api/errors/status';
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';
import type { GeneratedNames } from '../../../shared/names/dialect';
import { FIELD_MANAGERS } from '../../../shared/names/program';
import type { Clock } from '../../../shared/runtime/clock';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import type { Cache } from '../../cache/cache';
import { EXEMPT, MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '../../kinds/flowcontrol/mandatory';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resources } from '../../registry/resources';
import type { Resource, Writer } from '../../registry/verbs';
import { applyPatch, keepUp, ownContext, ownWrite, watchOwn, type Upkeep } from '../reconciler';
import { changedCondition, restored, type KeptSpec } from './reconcile';
import { SUGGESTED_LEVELS, suggestedSchemas } from './suggested-configuration';

export interface FlowObjectsOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly resources: Pick<Resources, 'require'>;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

const GROUP = 'flowcontrol.apiserver.platform.io';

/** Another replica was quicker, or somebody changed it; that brings the next look. */
const HARMLESS: ReadonlySet<string> = new Set(['AlreadyExists', 'Conflict', 'NotFound']);

export function keepFlowObjects(options: FlowObjectsOptions): Upkeep {
  const { cache, resources, names, clock, failed } = options;
  const [levels, schemas] = [resources.require(`prioritylevelconfigurations.${GROUP}`), resources.require(`flowschemas.${GROUP}`)];
  const wanted: readonly (readonly [Resource, ReadonlyMap<string, KeptSpec>])[] = [
    [levels, wantedOf(MANDATORY_PRIORITY_LEVELS, SUGGESTED_LEVELS)],
    [schemas, wantedOf(MANDATORY_FLOW_SCHEMAS, suggestedSchemas(names))],
  ];
  const annotation = `apf.${names.prefix}/autoupdate-spec`;

  async function attempt(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.reason !== undefined && HARMLESS.has(error.reason)) return true;
      failed(`${what} could not be kept`, error);
      return false;
    }
  }

  async function pass(): Promise<boolean> {
    let all = true;
    for (const [resource, objects] of wanted) {
      for (const [name, one] of objects) {
        all = (await attempt(`the ${resource.row.kind} ${name}`, () => restore(options, resource, name, one, annotation))) && all;
      }
    }
    for (const { key } of cache.snapshot(schemas.stored).range()) {
      all =
        (await attempt(`the condition of the FlowSchema ${key}`, () =>
          applyCondition(options, schemas, levels, key, formatTimestamp(clock.now())),
        )) && all;
    }
    return all;
  }

  const upkeep = keepUp(options, pass);
  const watches = [levels, schemas].map((resource) => watchOwn(cache, resource, {}, () => void upkeep.look()));
  return {
    ...upkeep,
    stop() {
      upkeep.stop();
      for (const watch of watches) watch.close();
    },
  };
}

/** What those who run the cluster may say of the exempt level. */
const FREE: ReadonlyMap<string, readonly string[]> = new Map([[EXEMPT, ['exempt']]]);

function wantedOf(mandatory: ReadonlyMap<string, JsonObject>, suggested: ReadonlyMap<string, JsonObject>): ReadonlyMap<string, KeptSpec> {
  const of = (isMandatory: boolean, [name, spec]: readonly [string, JsonObject]): readonly [string, KeptSpec] => [
    name,
    { spec, isMandatory, free: isMandatory ? (FREE.get(name) ?? []) : [] },
  ];
  return new Map([...[...mandatory].map((one) => of(true, one)), ...[...suggested].map((one) => of(false, one))]);
}

async function restore(options: FlowObjectsOptions, resource: Resource, name: string, wanted: KeptSpec, annotation: string): Promise<void> {
  const { writer, cache, names, clock } = options;
  const write = ownWrite(names, FIELD_MANAGERS.flowControlSpecs);
  const entry = cache.get(resource.stored, name);
  if (entry === undefined) {
    const value = { metadata: { name, annotations: { [annotation]: 'true' } }, spec: wanted.spec };
    await writer.create(ownContext(clock), resource, '', { value, duplicates: [], format: 'json' }, write);
    return;
  }
  const value = restored(parseEntry(entry).object, wanted, annotation);
  if (value === undefined) return;
  await writer.update(ownContext(clock), resource, { namespace: '', name }, undefined, { value, duplicates: [], format: 'json' }, write);
}

/** Sets the condition with a server-side apply, which keeps other conditions and their managers. */
async function applyCondition(
  { writer, cache, names, clock }: FlowObjectsOptions,
  schemas: Resource,
  levels: Resource,
  name: string,
  now: string,
): Promise<void> {
  const entry = cache.get(schemas.stored, name);
  if (entry === undefined) return;
  const schema = parseEntry(entry).object;
  const level = stringAt(objectAt(objectAt(schema, 'spec'), 'priorityLevelConfiguration'), 'name') ?? '';
  const condition = changedCondition(schema, level, cache.get(levels.stored, level) !== undefined, now);
  if (condition === undefined) return;
  const { group, version, kind } = schemas.row;
  const applied = { apiVersion: `${group}/${version}`, kind, metadata: { name }, status: { conditions: [condition] } };
  const options = { ...ownWrite(names, FIELD_MANAGERS.flowControlStatuses), force: true };
  await writer.patch(ownContext(clock), schemas, { namespace: '', name }, 'status', applyPatch(applied), options);
}
