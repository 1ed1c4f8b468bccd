/** The flow schemas and priority levels of this replica's cache, told to flow control. Decides nothing. */
import type { FlowcontrolV1FlowSchema, FlowcontrolV1PriorityLevelConfiguration } from '../../../shared/api/types/generated/members';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { JsonObject } from '../../../shared/values/json';
import { follow, together, type Following } from '../../cache/sync/follow';
import type { OpenedCache } from '../../cache/sync/options';
import type { FlowControl } from '../../flow-control/flow-control';
import { readFlowSchema } from '../../flow-control/flow-schema';
import { readPriorityLevel } from '../../flow-control/priority-level';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resources } from '../../registry/resources';

export interface FlowObjectsFollowed {
  readonly cache: Pick<OpenedCache, 'watch' | 'whenReady'>;
  readonly resources: Pick<Resources, 'require'>;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  readonly failed: (message: string, error: unknown) => void;
}

/** What is stored has the form of its type. */
interface Told<T extends JsonObject> {
  set(name: string, object: T): void;
  remove(name: string): void;
}

const GROUP = 'flowcontrol.apiserver.platform.io';

export function followFlowObjects(options: FlowObjectsFollowed, flowControl: FlowControl): Following {
  const { names, resources } = options;
  const schemas: Told<FlowcontrolV1FlowSchema> = {
    set: (name, object) => flowControl.setSchema(name, readFlowSchema(object, names)),
    remove: (name) => flowControl.setSchema(name, undefined),
  };
  const levels: Told<FlowcontrolV1PriorityLevelConfiguration> = {
    set: (name, object) => flowControl.setLevel(name, readPriorityLevel(object)),
    remove: (name) => flowControl.setLevel(name, undefined),
  };
  const kinds: readonly (readonly [string, Told<JsonObject>])[] = [
    ['prioritylevelconfigurations', levels],
    ['flowschemas', schemas],
  ];
  return together(
    kinds.map(([resource, told]) =>
      follow(
        { ...options, stored: resources.require(`${resource}.${GROUP}`).stored },
        { place: (entry) => told.set(entry.key, parseEntry(entry).object), remove: (name) => told.remove(name) },
      ),
    ),
  );
}
