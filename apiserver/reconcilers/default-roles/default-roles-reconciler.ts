/**
 * Reconciles the default RBAC roles and bindings: creates them at start and restores what they lack, unless the
 * annotation `autoupdate` is `false`. Every replica runs this; the writes are idempotent.
 */
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { JsonObject } from '../../../shared/values/json';
import type { Cache } from '../../cache/cache';
import { parseEntry } from '../../registry/object/stored-object';
import { entryKey, type Resources } from '../../registry/resources';
import type { Resource, Writer } from '../../registry/verbs';
import { startReconciler, watchForChanges, type Reconciler } from '../reconciler';
import { hasReason, objectBody, serverContext, serverWriteOptions } from '../server-writes';
import { defaultObjects, type DefaultObject, type RbacKind } from './default-objects';
import { reconcileActionFor } from './reconcile-action';

/** Dependencies of the reconciler. `names` is the spelling of the roles and bindings. */
export interface DefaultRolesReconcilerOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly resources: Pick<Resources, 'require'>;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Called for each failure except a concurrent write; the operation is retried. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/** Makes a pass at once, after each change or deletion of a default object, and every minute. */
export function startDefaultRolesReconciler(options: DefaultRolesReconcilerOptions): Reconciler {
  const { cache, resources, onFailure } = options;
  const desired = defaultObjects(options.names);
  const resourceOf = (kind: RbacKind): Resource => resources.require(`${kind}.rbac.authorization.platform.io`);

  async function reconcileObject(object: DefaultObject): Promise<boolean> {
    try {
      await reconcileStored(options, resourceOf(object.kind), object);
      return true;
    } catch (error) {
      // Another writer was first: it created the object as desired, or its change of the object triggers the next pass.
      if (hasReason(error, 'AlreadyExists', 'Conflict')) return true;
      onFailure(`the default ${object.kind} ${object.name} could not be kept`, error);
      return false;
    }
  }

  const reconciler = startReconciler(options, async () => {
    const results = await Promise.all(desired.map(reconcileObject));
    return results.every(Boolean);
  });
  const keys = new Set(desired.map((object) => `${object.kind} ${entryKey(object)}`));
  const watches = [...new Set(desired.map(({ kind }) => kind))].map((kind) =>
    watchForChanges(cache, resourceOf(kind), {}, (type, key) => {
      if (type !== 'ADDED' && keys.has(`${kind} ${key}`)) void reconciler.trigger();
    }),
  );
  return {
    ...reconciler,
    stop() {
      reconciler.stop();
      for (const watch of watches) watch.close();
    },
  };
}

async function reconcileStored(
  { writer, cache, names, clock }: DefaultRolesReconcilerOptions,
  resource: Resource,
  desired: DefaultObject,
): Promise<void> {
  const { namespace, name, object } = desired;
  const create = (value: JsonObject): Promise<unknown> =>
    writer.create(serverContext(clock), resource, namespace, objectBody(value), serverWriteOptions(names));
  const entry = cache.get(resource.stored, entryKey(desired));
  if (entry === undefined) {
    await create(object);
    return;
  }
  const action = reconcileActionFor(object, parseEntry(entry).object, names);
  switch (action.type) {
    case 'none':
      return;
    case 'update':
      await writer.update(
        serverContext(clock),
        resource,
        { namespace, name },
        undefined,
        objectBody(action.object),
        serverWriteOptions(names),
      );
      return;
    case 'replace':
      await writer.delete(serverContext(clock), resource, { namespace, name }, { dryRun: false });
      await create(object);
  }
}
