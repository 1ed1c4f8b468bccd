/**
 * Keeps the default roles and bindings: made at the start, given back what they lack as soon as that is seen, unless they say that they are to be left
 * alone. Every replica does so; whoever is later finds nothing to do.
 */
import type { GeneratedNames } from '../../../shared/names/dialect';
import { StatusError } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { JsonObject } from '../../../shared/values/json';
import type { Cache } from '../../cache/cache';
import { parseEntry } from '../../registry/object/stored-object';
import { entryKey, type Resources } from '../../registry/resources';
import type { Resource, Writer } from '../../registry/verbs';
import { keepUp, ownContext, ownWrite, watchOwn, type Upkeep } from '../reconciler';
import { defaultObjects, type DefaultObject, type RbacKind } from './default-objects';
import { reconcile } from './reconcile';

export interface DefaultRolesOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly resources: Pick<Resources, 'require'>;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

/** Another replica was quicker; its change brings the next look. */
const HARMLESS: ReadonlySet<string> = new Set(['AlreadyExists', 'Conflict']);

export function keepDefaultRoles(options: DefaultRolesOptions): Upkeep {
  const { cache, resources, failed } = options;
  const wanted = defaultObjects(options.names);
  const resourceOf = (kind: RbacKind): Resource => resources.require(`${kind}.rbac.authorization.platform.io`);

  async function keep(object: DefaultObject): Promise<boolean> {
    try {
      await restore(options, resourceOf(object.kind), object);
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.reason !== undefined && HARMLESS.has(error.reason)) return true;
      failed(`the default ${object.kind} ${object.name} could not be kept`, error);
      return false;
    }
  }

  const upkeep = keepUp(options, async () => {
    const kept = await Promise.all(wanted.map(keep));
    return kept.every(Boolean);
  });
  const keys = new Set(wanted.map((object) => `${object.kind} ${entryKey(object)}`));
  const watches = [...new Set(wanted.map(({ kind }) => kind))].map((kind) =>
    watchOwn(cache, resourceOf(kind), {}, (type, key) => {
      if (type !== 'ADDED' && keys.has(`${kind} ${key}`)) void upkeep.look();
    }),
  );
  return {
    ...upkeep,
    stop() {
      upkeep.stop();
      for (const watch of watches) watch.close();
    },
  };
}

async function restore({ writer, cache, names, clock }: DefaultRolesOptions, resource: Resource, wanted: DefaultObject): Promise<void> {
  const { namespace, name, object } = wanted;
  const create = (value: JsonObject): Promise<unknown> =>
    writer.create(ownContext(clock), resource, namespace, bodyOf(value), ownWrite(names));
  const entry = cache.get(resource.stored, entryKey(wanted));
  if (entry === undefined) {
    await create(object);
    return;
  }
  const remedy = reconcile(object, parseEntry(entry).object, names);
  switch (remedy.type) {
    case 'none':
      return;
    case 'update':
      await writer.update(ownContext(clock), resource, { namespace, name }, undefined, bodyOf(remedy.object), ownWrite(names));
      return;
    case 'replace':
      await writer.delete(ownContext(clock), resource, { namespace, name }, { dryRun: false });
      await create(object);
  }
}

const bodyOf = (value: JsonObject) => ({ value, duplicates: [], format: 'json' }) as const;
