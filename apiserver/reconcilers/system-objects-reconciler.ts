/**
 * Keeps cluster-scoped objects in existence without which a cluster is none (its namespaces, its priority classes): created at start, created again as
 * soon as one is seen to be gone, and looked for every minute. Never touches one that exists.
 */
import type { JsonObject } from '../../shared/values/json';
import { StatusError } from '../../shared/api/errors/status';
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Cache } from '../cache/cache';
import type { Resource, Writer } from '../registry/verbs';
import { keepUp, ownContext, ownWrite, watchOwn } from './reconciler';

export interface SystemObjectsOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly resource: Resource;
  /** By name; without kind, version and name. */
  readonly objects: ReadonlyMap<string, JsonObject>;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

export interface SystemObjects {
  /** Resolves once all of them have been seen to exist. */
  readonly complete: Promise<void>;
  stop(): void;
}

export function keepSystemObjects(options: SystemObjectsOptions): SystemObjects {
  const { cache, resource, objects, failed } = options;
  let stopped = false;

  async function pass(): Promise<boolean> {
    let all = true;
    for (const [name, object] of objects) {
      if (stopped || cache.get(resource.stored, name) !== undefined) continue;
      try {
        await create(options, { ...object, metadata: { name } });
      } catch (error) {
        all = false;
        failed(`${resource.row.kind} ${name} could not be created`, error);
      }
    }
    return all;
  }

  const upkeep = keepUp(options, pass);
  const watch = watchOwn(cache, resource, {}, (type, key) => {
    if (type === 'DELETED' && objects.has(key)) void upkeep.look();
  });
  return {
    complete: upkeep.complete,
    stop() {
      stopped = true;
      upkeep.stop();
      watch.close();
    },
  };
}

async function create({ writer, resource, names, clock }: SystemObjectsOptions, value: JsonObject): Promise<void> {
  try {
    await writer.create(ownContext(clock), resource, '', { value, duplicates: [], format: 'json' }, ownWrite(names));
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error;
  }
}
