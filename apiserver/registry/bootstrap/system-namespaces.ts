/**
 * Keeps the system namespaces in existence: created at start, created again as soon as one is seen to be gone, and looked for every minute.
 * Never touches one that exists.
 */
import { StatusError } from '../../../shared/api/status';
import { systemNamespaces, type GeneratedNames } from '../../../shared/names/dialect';
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Cache } from '../../cache/contract';
import type { RequestContext, Resource, Writer } from '../contract';

const INTERVAL_MS = 60_000;
const RETRY_MS = 1_000;
const DEADLINE_MS = 10_000;

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
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let done: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (done = resolve));

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

  function run(): void {
    if (stopped) return;
    if (running !== undefined) {
      again = true;
      return;
    }
    timer?.cancel();
    running = pass().then((all) => {
      running = undefined;
      if (all) done();
      if (stopped) return;
      if (again) {
        again = false;
        run();
      } else timer = clock.after(all ? INTERVAL_MS : RETRY_MS, run);
    });
  }

  const watch = cache.watch(
    namespaces.stored,
    { scope: {}, start: { type: 'after', revision: cache.revision }, bookmarks: false, markEndOfInitialEvents: false },
    {
      event: (type, entry) => {
        if (type === 'DELETED' && wanted.includes(entry.key)) run();
      },
      bookmark: () => undefined,
      // The pass of every minute goes on without the watch.
      end: () => undefined,
    },
  );
  run();
  return {
    complete,
    stop() {
      stopped = true;
      timer?.cancel();
      watch.close();
    },
  };
}

async function create({ writer, namespaces, clock }: SystemNamespacesOptions, name: string): Promise<void> {
  const context: RequestContext = {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    deadline: clock.monotonic() + DEADLINE_MS,
    warn: () => undefined,
  };
  try {
    await writer.create(
      context,
      namespaces,
      '',
      { value: { metadata: { name } }, duplicates: [], format: 'json' },
      { dryRun: false, fieldValidation: 'Strict', fieldManager: 'apiserver' },
    );
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error;
  }
}
