/**
 * Ensures that required cluster-scoped objects exist, such as system namespaces and priority classes: creates them at
 * start and after deletion, and checks them every minute. Does not change existing objects.
 */
import type { JsonObject } from '../../shared/values/json';
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Cache } from '../cache/cache';
import type { Resource, Writer } from '../registry/verbs';
import { startReconciler, watchForChanges } from './reconciler';
import { ignoreReasons, objectBody, serverContext, serverWriteOptions } from './server-writes';

/** The objects of one resource that must exist, and dependencies of the reconciler. */
export interface SystemObjectsReconcilerOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly resource: Resource;
  /** The objects by name, without apiVersion, kind and metadata, which the reconciler sets. */
  readonly objects: ReadonlyMap<string, JsonObject>;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Called for each failure; the operation is retried. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/** The running reconciler of this replica. */
export interface SystemObjectsReconciler {
  /** Resolves when all objects exist. */
  readonly complete: Promise<void>;
  /** Creates no further objects. */
  stop(): void;
}

/** Makes the first pass at once; a deletion of one of the objects triggers another one. */
export function startSystemObjectsReconciler(options: SystemObjectsReconcilerOptions): SystemObjectsReconciler {
  const { cache, resource, objects, onFailure } = options;
  let isStopped = false;

  /** Creates the missing objects. Resolves with false when one could not be created. */
  async function createMissing(): Promise<boolean> {
    let isComplete = true;
    for (const [name, object] of objects) {
      if (isStopped || cache.get(resource.stored, name) !== undefined) continue;
      try {
        await createIfAbsent(options, { ...object, metadata: { name } });
      } catch (error) {
        isComplete = false;
        onFailure(`${resource.row.kind} ${name} could not be created`, error);
      }
    }
    return isComplete;
  }

  const reconciler = startReconciler(options, createMissing);
  const watch = watchForChanges(cache, resource, {}, (type, key) => {
    if (type === 'DELETED' && objects.has(key)) void reconciler.trigger();
  });
  return {
    complete: reconciler.complete,
    stop() {
      isStopped = true;
      reconciler.stop();
      watch.close();
    },
  };
}

async function createIfAbsent({ writer, resource, names, clock }: SystemObjectsReconcilerOptions, value: JsonObject): Promise<void> {
  await ignoreReasons(['AlreadyExists'], () =>
    writer.create(serverContext(clock), resource, '', objectBody(value), serverWriteOptions(names)),
  );
}
