/**
 * Empties namespaces that are being deleted and then lets them go. What stands in the way is said in the namespace's conditions, and looked
 * at again: after the objects' grace period, or with growing delay.
 */
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import { arrayAt, objectAt, type JsonObject } from '../../shared/values/json';
import { timestamp } from '../../shared/api/metadata/object-meta';
import { isNotFound } from '../../shared/client/rest/api-error';
import { finalizersOf, isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { discover, type Discovered } from '../../shared/client/rest/discovery';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { errorMessage } from '../../shared/runtime/error-message';
import { deleteContent } from './delete-resource-content';
import { deletionStages } from './deletion-stages';
import { graceSeconds, hasFailed, isEmptied, withConditions, type Pass, type Remainder } from './namespace-conditions';

const NAMESPACES = resourceOf('core.v1.Namespace');
/** Resources that are emptied at a time in one namespace. */
const RESOURCES_AT_A_TIME = 4;
/** Namespaces that go at the same time share a discovery. Milliseconds. */
const DISCOVERY_MS = 1_000;

/** The finalizer that stands for this controller, in either spelling. */
const OWN_FINALIZERS: ReadonlySet<string> = new Set(Object.values(GENERATED_NAMES).map(({ namespaceFinalizer }) => namespaceFinalizer));

export const namespaceController: Controller = {
  name: 'namespace',
  aliases: ['namespace-controller'],
  description: 'deletes the content of namespaces that are being deleted',
  isOnByDefault: true,
  account: 'namespace-controller',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { informers, logger, signal, settings } = context;
  const namespaces = informers.of(NAMESPACES);
  const queue = context.queue({ name: 'namespace', firstMs: 250, longestMs: 15_000 });
  const look = (namespace: ApiObject): void => {
    if (isBeingDeleted(namespace)) queue.add(namespace.name);
  };
  const unhandle = namespaces.handle({ added: look, updated: (_, namespace) => look(namespace) });
  const deletion = new NamespaceDeletion(context);
  const work = (name: string): Promise<WorkOutcome> => deletion.sync(name);
  if (await waitForSync([namespaces], signal)) {
    await runWorkers({ queue, concurrency: settings.concurrentNamespaceSyncs, logger, signal, work });
  }
  unhandle();
}

/** Exported for tests. */
export class NamespaceDeletion {
  private discovery: { readonly at: number; readonly found: Promise<Discovered> } | undefined;

  constructor(private readonly context: Pick<ControllerContext, 'client' | 'clock' | 'logger' | 'signal'>) {}

  /** One pass over the namespace, if it is being deleted and still waits for this controller. */
  async sync(name: string): Promise<WorkOutcome> {
    const namespace = await this.current(name);
    if (namespace === undefined || !isBeingDeleted(namespace) || !isWaiting(namespace)) return DONE;
    const pass = await this.pass(name);
    if (!isEmptied(pass)) {
      await this.report(namespace, pass);
      const grace = graceSeconds(pass);
      return grace > 0 && !hasFailed(pass) ? { type: 'again', afterMs: (grace / 2 + 1) * 1000 } : { type: 'wait' };
    }
    // Others may keep the namespace itself: then it must be told that its content is gone.
    const latest = finalizersOf(namespace).length === 0 ? namespace : await this.report(namespace, pass);
    await this.finalize(latest);
    return DONE;
  }

  private async pass(name: string): Promise<Pass> {
    const discovered = await this.discovered();
    const failures: string[] = [];
    const remainders: Remainder[] = [];
    for (const stage of deletionStages(discovered.resources)) {
      await withConcurrencyLimit(RESOURCES_AT_A_TIME, stage, async (resource) => {
        try {
          const left = await deleteContent(resource, { client: this.context.client, namespace: name, signal: this.context.signal });
          if (left !== undefined) remainders.push(left);
        } catch (error) {
          this.context.signal.throwIfAborted();
          failures.push(errorMessage(error));
        }
      });
      if (failures.length > 0 || remainders.length > 0) break;
    }
    return { stale: discovered.stale, malformed: discovered.malformed, failures, remainders };
  }

  private discovered(): Promise<Discovered> {
    const { client, clock, signal } = this.context;
    const now = clock.monotonic();
    if (this.discovery !== undefined && now - this.discovery.at < DISCOVERY_MS) return this.discovery.found;
    const found = discover(client, { signal });
    this.discovery = { at: now, found };
    found.catch(() => {
      if (this.discovery?.found === found) this.discovery = undefined;
    });
    return found;
  }

  /** Writes the conditions, if they have changed, and logs what stands in the way. Returns the namespace as it is then. */
  private async report(namespace: ApiObject, pass: Pass): Promise<ApiObject> {
    const { client, clock, logger, signal } = this.context;
    const { stale, failures, remainders } = pass;
    const changed = withConditions(namespace.body, pass, timestamp(clock.now()));
    if (changed === undefined) return namespace;
    logger.info('a namespace that is being deleted is not empty', {
      namespace: namespace.name,
      ...(stale.length === 0 ? {} : { undescribed: stale }),
      ...(failures.length === 0 ? {} : { failures }),
      remaining: Object.fromEntries(remainders.map(({ label, count, examples }) => [label, { count, examples }])),
    });
    return client.update(NAMESPACES, changed, { subresource: 'status', signal });
  }

  private async finalize(namespace: ApiObject): Promise<void> {
    const { client, logger, signal } = this.context;
    const spec = objectAt(namespace.body, 'spec') ?? {};
    const kept = specFinalizers(namespace).filter((finalizer) => !OWN_FINALIZERS.has(finalizer));
    const body: JsonObject = { ...namespace.body, spec: { ...spec, finalizers: [...kept] } };
    try {
      await client.update(NAMESPACES, body, { subresource: 'finalize', signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    logger.debug('a namespace was emptied', { namespace: namespace.name });
  }

  /** As the server has it now, not as it was seen last. */
  private async current(name: string): Promise<ApiObject | undefined> {
    try {
      return await this.context.client.get(NAMESPACES, { name }, { signal: this.context.signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

function isWaiting(namespace: ApiObject): boolean {
  return specFinalizers(namespace).some((finalizer) => OWN_FINALIZERS.has(finalizer));
}

function specFinalizers(namespace: ApiObject): readonly string[] {
  return (arrayAt(objectAt(namespace.body, 'spec'), 'finalizers') ?? []).filter((item) => typeof item === 'string');
}
