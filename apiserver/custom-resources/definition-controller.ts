/**
 * The CustomResourceDefinition controller: accepts names, establishes new definitions, and deletes the objects of
 * terminating ones. While the OpenAPI documents omit a definition, it also sets the condition `Described` to False, with
 * the reason; it removes the condition after a change that ends this.
 *
 * Every replica handles all definitions. For each definition one replica starts at once and the others later
 * (`precedingReplicas`), when they usually find nothing left to do. A change causes work only for the definition itself and
 * for those of its group that await names, regardless of the number of other definitions. Deciding about names is left to
 * naming.ts.
 */
import { equalJson, type JsonObject } from '../../shared/values/json';
import { StatusError } from '../../shared/api/errors/status';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Cache } from '../cache/cache';
import { TimeSlice, yieldToEventLoop } from '../../shared/scheduling/yielding';
import { startReconciler, type Reconciler } from '../reconcilers/reconciler';
import { mergePatch, serverContext, serverWriteOptions } from '../reconcilers/server-writes';
import type { Resource, Writer } from '../registry/verbs';
import { withCondition } from '../registry/object/conditions';
import { conditionsOf, DELETING_INSTANCES, undescribedCondition, withoutCondition } from './conditions';
import type { DefinitionChange, Definitions } from './definitions';
import { updateNameStatus } from './naming';
import type { Definition } from './read-definition';

/** Finalizers that hold a definition until its objects are deleted, in both spellings. */
const CLEANUP_FINALIZERS: readonly string[] = Object.values(GENERATED_NAMES).map(({ definitionFinalizer }) => definitionFinalizer);

/** The definitions, and how the controller reads and changes them and their objects. */
export interface DefinitionControllerOptions {
  readonly definitions: Definitions;
  /** The resource of definitions. */
  readonly resource: Resource;
  /** Read for the objects of terminating definitions. */
  readonly cache: Pick<Cache, 'waitUntilFresh' | 'snapshot'>;
  /** Changes definitions, and deletes the objects of terminating ones. */
  readonly writer: Pick<Writer, 'deleteCollection' | 'writeComputedStatus' | 'patch'>;
  readonly clock: Clock;
  /** The number of replicas that precede this one for a definition. */
  readonly precedingReplicas: (name: string) => number;
  readonly names: GeneratedNames;
  /** Called for a failure, which is retried; not when the definition has changed or was deleted meanwhile. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/** Interval at which all definitions are reconciled again. */
const RESYNC_MS = 60_000;
/** How long a replica waits for each replica that precedes it for a definition, before it does the work itself. */
const REPLICA_DELAY_MS = 1_000;

/** Reconciles all definitions at once, then each one when it changes, and all again in an interval. */
export function startDefinitionController(options: DefinitionControllerOptions): Reconciler {
  const { definitions } = options;
  const controller = new DefinitionController(options);
  const reconciler = startReconciler(options, () => controller.reconcileAll());
  definitions.onChange((change) => {
    controller.onChange(change);
    if (controller.hasWork) void reconciler.trigger();
  });
  return reconciler;
}

/** Selects every object of a resource. */
const EVERYTHING = { hasFilters: false, matches: () => true } as const;

class DefinitionController {
  /** Names of definitions to reconcile, with the earliest time (monotonic milliseconds). */
  private readonly queue = new Map<string, number>();
  /**
   * Definitions that have changed since their condition `Described` was set. Its reason is about an earlier state of the
   * definition, so the condition is removed.
   */
  private readonly changedDefinitions = new Set<string>();
  /** Monotonic milliseconds. */
  private nextResyncAt: number;

  constructor(private readonly options: DefinitionControllerOptions) {
    this.nextResyncAt = options.clock.monotonic();
  }

  get hasWork(): boolean {
    return this.queue.size > 0;
  }

  onChange({ name, before, after }: DefinitionChange): void {
    if (after === undefined || !isUndescribed(after)) this.changedDefinitions.delete(name);
    else if (before !== undefined && before.identity !== after.identity) this.changedDefinitions.add(name);
    if (after === undefined || this.isReconciled(after)) this.queue.delete(name);
    else this.enqueue(name);
    const group = before?.group ?? after?.group;
    // Names may have become available.
    if (group !== undefined && !equalJson(before?.status['acceptedNames'], after?.status['acceptedNames'])) {
      for (const waiting of this.options.definitions.awaitingNames(group)) if (waiting !== name) this.enqueue(waiting);
    }
  }

  /** Reconciles the queued definitions that are due. Resolves with false when some must be retried soon. */
  async reconcileAll(): Promise<boolean> {
    const { definitions, clock } = this.options;
    // Lets the caller that reported the change continue first.
    await yieldToEventLoop();
    if (clock.monotonic() >= this.nextResyncAt) {
      this.nextResyncAt = clock.monotonic() + RESYNC_MS;
      await this.enqueueAll();
    }
    let isComplete = true;
    for (const [name, notBefore] of [...this.queue]) {
      if (notBefore > clock.monotonic()) {
        isComplete = false;
        continue;
      }
      this.queue.delete(name);
      const definition = definitions.get(name);
      if (definition === undefined || (await this.tryReconcile(definition))) continue;
      isComplete = false;
      this.queue.set(name, notBefore);
    }
    return isComplete;
  }

  /** Queues a definition unless it is queued, with the delay of this replica. */
  private enqueue(name: string): void {
    if (this.queue.has(name)) return;
    const { clock, precedingReplicas } = this.options;
    this.queue.set(name, clock.monotonic() + precedingReplicas(name) * REPLICA_DELAY_MS);
  }

  /** Queues every definition that is not reconciled, whether or not a change of it was reported. */
  private async enqueueAll(): Promise<void> {
    const { definitions, clock } = this.options;
    const slice = new TimeSlice(clock);
    for (const name of definitions.allNames) {
      const definition = definitions.get(name);
      if (definition !== undefined && !this.isReconciled(definition)) this.enqueue(name);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
  }

  /** Whether the controller has nothing to change. */
  private isReconciled(definition: Definition): boolean {
    if (definition.isTerminating) return !hasCleanupFinalizer(definition);
    return equalJson(this.desiredStatus(definition), definition.status);
  }

  /** The status that the definition should have; the same object when that is its status. */
  private desiredStatus(definition: Definition): JsonObject {
    const { definitions, clock } = this.options;
    const nameStatus = updateNameStatus(definition, definitions.namesInUse(definition), clock.now());
    const status = definition.approval === undefined ? nameStatus : withCondition(nameStatus, definition.approval, clock.now());
    const reason = definitions.undescribedReason(definition.name);
    if (reason !== undefined) return withCondition(status, undescribedCondition(reason), clock.now());
    return this.changedDefinitions.has(definition.name) ? withoutCondition(status, 'Described') : status;
  }

  /** Resolves with whether the definition needs no further work. Never rejects. */
  private async tryReconcile(definition: Definition): Promise<boolean> {
    try {
      return await this.reconcile(definition);
    } catch (error) {
      // Another replica was first, or the definition has been deleted.
      if (!(error instanceof StatusError && (error.reason === 'Conflict' || error.reason === 'NotFound')))
        this.options.onFailure(`the definition ${definition.name} could not be reconciled`, error);
      return false;
    }
  }

  /** Like {@link tryReconcile}, but rejects when a write fails. */
  private async reconcile(definition: Definition): Promise<boolean> {
    if (definition.isTerminating) return !hasCleanupFinalizer(definition) || this.cleanUp(definition);
    const status = this.desiredStatus(definition);
    if (!equalJson(status, definition.status)) await this.updateStatus(definition, status);
    return true;
  }

  /**
   * Deletes the objects of a definition, then removes the finalizer. False, for another attempt, while objects remain
   * and while the storage of the definition is not known. No objects are created any more, because every create
   * compares the definition, which is marked for deletion.
   */
  private async cleanUp(definition: Definition): Promise<boolean> {
    const { name } = definition;
    const { definitions, cache, writer, clock } = this.options;
    const resource = definitions.storageOf(name);
    if (resource === undefined) return false;
    const status = withCondition(definition.status, DELETING_INSTANCES, clock.now());
    if (!equalJson(status, definition.status)) await this.updateStatus(definition, status);
    const context = serverContext(clock);
    await cache.waitUntilFresh(context);
    if (cache.snapshot(resource.stored).size > 0) {
      await writer.deleteCollection(context, resource, '', { selection: EVERYTHING }, { dryRun: false, isAdmitted: true });
      await cache.waitUntilFresh(context);
    }
    const current = definitions.get(name);
    if (current === undefined) return true;
    if (cache.snapshot(resource.stored).size > 0) return false;
    const finalizers = current.finalizers.filter((finalizer) => !isCleanupFinalizer(finalizer));
    await this.setFinalizers(current, finalizers);
    return true;
  }

  /** Rejects with Conflict when the definition has changed. */
  private async updateStatus({ name, revision }: Pick<Definition, 'name' | 'revision'>, status: JsonObject): Promise<void> {
    const { writer, resource, clock, names } = this.options;
    await writer.writeComputedStatus(
      serverContext(clock),
      resource,
      { namespace: '', name },
      { revision, status },
      serverWriteOptions(names),
    );
  }

  /**
   * Rejects with Conflict when the definition has changed. A patch avoids rebuilding the whole definition, which is
   * large.
   */
  private async setFinalizers({ name, revision }: Definition, finalizers: readonly string[]): Promise<void> {
    const { writer, resource, clock, names } = this.options;
    const metadata = { resourceVersion: String(revision), finalizers: [...finalizers] };
    await writer.patch(
      serverContext(clock),
      resource,
      { namespace: '', name },
      undefined,
      mergePatch({ metadata }),
      serverWriteOptions(names),
    );
  }
}

/** The condition `Described` exists only with the status False. */
function isUndescribed({ status }: Definition): boolean {
  return conditionsOf(status).some(({ type }) => type === 'Described');
}

/** Whether the definition is held until its objects have been deleted. */
const hasCleanupFinalizer = ({ finalizers }: Definition): boolean => finalizers.some(isCleanupFinalizer);

function isCleanupFinalizer(finalizer: string): boolean {
  return CLEANUP_FINALIZERS.includes(finalizer);
}
