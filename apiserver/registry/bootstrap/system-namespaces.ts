/**
 * Keeps the system namespaces in existence: created at start, created again as soon as one is seen to be gone, and looked for every minute.
 * Never touches one that exists.
 */
import { StatusError } from '../../../shared/api/status';
import { systemNamespaces, type GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { Cache } from '../../cache/contract';
import type { Resource, Writer } from '../contract';
import { keepUp, ownContext, OWN_WRITE, watchOwn } from './upkeep';

export interface SystemNamespacesOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly namespaces: Resource;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

export interface SystemNamespaces {
  /** Resolves once all of them have been seen to exist. */
  readonly complete: Promise<void>;
  stop(): void;
}

export function keepSystemNamespaces(options: SystemNamespacesOptions): SystemNamespaces {
  const { cache, namespaces, clock, failed } = options;
  const wanted = systemNamespaces(options.names);
  let stopped = false;

  async function pass(): Promise<boolean> {
    let all = true;
    for (const name of wanted) {
      if (stopped || cache.get(namespaces.stored, name) !== undefined) continue;
      try {
        await create(options, name);
      } catch (error) {
        all = false;
        failed(`namespace ${name} could not be created`, error);
      }
    }
    return all;
  }

  const upkeep = keepUp(clock, pass);
  const watch = watchOwn(cache, namespaces, {}, (type, key) => {
    if (type === 'DELETED' && wanted.includes(key)) void upkeep.look();
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

async function create({ writer, namespaces, clock }: SystemNamespacesOptions, name: string): Promise<void> {
  try {
    await writer.create(ownContext(clock), namespaces, '', { value: { metadata: { name } }, duplicates: [], format: 'json' }, OWN_WRITE);
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error;
  }
}
