/**
 * Passes the FlowSchemas and PriorityLevelConfigurations in this replica's cache to API Priority and Fairness, first
 * the stored ones, then every change. Objects are not validated again: the registry stores only valid ones.
 */
import type { FlowcontrolV1FlowSchema, FlowcontrolV1PriorityLevelConfiguration } from '../../../shared/api/types/generated/members';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { JsonObject } from '../../../shared/values/json';
import { followType, combineFollowers, type TypeFollower } from '../../cache/sync/follow-type';
import type { OpenedCache } from '../../cache/sync/cache-options';
import type { FlowControl } from '../../flow-control/flow-control';
import { readFlowSchema } from '../../flow-control/flow-schema';
import { readPriorityLevel } from '../../flow-control/priority-level';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resources } from '../../registry/resources';

/** What the informer reads, and how it reports objects that it cannot read. */
export interface FlowSchemaInformerOptions {
  readonly cache: Pick<OpenedCache, 'watch' | 'whenReady'>;
  readonly resources: Pick<Resources, 'require'>;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  readonly onFailure: (message: string, error: unknown) => void;
}

/** Passes on the objects of one kind. Stored objects have the form of their type `T`. */
interface ObjectHandler<T extends JsonObject> {
  set(name: string, object: T): void;
  remove(name: string): void;
}

const GROUP = 'flowcontrol.apiserver.platform.io';

/** Returns at once; `complete` resolves when the existing objects have been passed on. */
export function startFlowSchemaInformer(options: FlowSchemaInformerOptions, flowControl: FlowControl): TypeFollower {
  const { names, resources } = options;
  const schemas: ObjectHandler<FlowcontrolV1FlowSchema> = {
    set: (name, object) => flowControl.setSchema(name, readFlowSchema(object, names)),
    remove: (name) => flowControl.setSchema(name, undefined),
  };
  const levels: ObjectHandler<FlowcontrolV1PriorityLevelConfiguration> = {
    set: (name, object) => flowControl.setLevel(name, readPriorityLevel(object)),
    remove: (name) => flowControl.setLevel(name, undefined),
  };
  const kinds: readonly (readonly [string, ObjectHandler<JsonObject>])[] = [
    ['prioritylevelconfigurations', levels],
    ['flowschemas', schemas],
  ];
  return combineFollowers(
    kinds.map(([resource, handler]) =>
      followType(
        { ...options, stored: resources.require(`${resource}.${GROUP}`).stored },
        { upsert: (entry) => handler.set(entry.key, parseEntry(entry).object), remove: (name) => handler.remove(name) },
      ),
    ),
  );
}
