/**
 * Says in the status of an APIService of another server that nothing is handed on to it, so that nobody waits for it to become available. Those of this
 * server are kept in api-services.ts.
 */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { StatusError } from '../../shared/api/errors/status';
import { timestamp } from '../../shared/api/metadata/object-meta';
import type { Clock } from '../../shared/runtime/clock';
import type { Cache } from '../cache/cache';
import type { Resource, Writer } from '../registry/verbs';
import { parseEntry } from '../registry/object/stored-object';
import { keepUp, ownContext, OWN_WRITE, watchOwn, type Upkeep } from './upkeep';

export interface ForeignServicesOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  /** The resource of APIServices. */
  readonly services: Resource;
  readonly clock: Clock;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

const REASON = 'NotHandedOn';

export function keepForeignServices(options: ForeignServicesOptions): Upkeep {
  const { cache, services, clock, failed } = options;
  const waiting = new Set<string>();
  const upkeep = keepUp({ clock, failed }, async () => {
    for (const name of [...waiting]) {
      waiting.delete(name);
      try {
        await tell(options, name);
      } catch (error) {
        waiting.add(name);
        throw error;
      }
    }
    return true;
  });
  const look = (name: string): void => {
    waiting.add(name);
    void upkeep.look();
  };
  const watch = watchOwn(cache, services, {}, (type, name) => {
    if (type !== 'DELETED') look(name);
  });
  for (const { key } of cache.snapshot(services.stored).range()) look(key);
  return {
    ...upkeep,
    stop() {
      upkeep.stop();
      watch.close();
    },
  };
}

async function tell({ writer, cache, services, clock }: ForeignServicesOptions, name: string): Promise<void> {
  const entry = cache.get(services.stored, name);
  const object = entry === undefined ? undefined : parseEntry(entry).object;
  const service = objectAt(objectAt(object, 'spec'), 'service');
  if (object === undefined || service === undefined || isTold(object)) return;
  const value = { ...object, status: { ...objectAt(object, 'status'), conditions: [condition(service, clock.now())] } };
  const body = { value, duplicates: [], format: 'json' } as const;
  try {
    await writer.update(ownContext(clock), services, { namespace: '', name }, 'status', body, OWN_WRITE);
  } catch (error) {
    // Whoever changed or deleted it makes for another look; another replica may have said it first.
    if (!(error instanceof StatusError && (error.reason === 'Conflict' || error.reason === 'NotFound'))) throw error;
  }
}

function isTold(object: JsonObject): boolean {
  const conditions = (arrayAt(objectAt(object, 'status') ?? {}, 'conditions') ?? []).filter(isObject);
  return conditions.some((condition) => stringAt(condition, 'type') === 'Available' && stringAt(condition, 'reason') === REASON);
}

/** `ms` since 1970. */
function condition(service: JsonObject, ms: number): JsonObject {
  const [name, namespace] = ['name', 'namespace'].map((member) => stringAt(service, member) ?? '');
  return {
    type: 'Available',
    status: 'False',
    lastTransitionTime: timestamp(ms),
    reason: REASON,
    message: `requests are not handed on to other servers: service/${name} in "${namespace}" is never asked`,
  };
}
