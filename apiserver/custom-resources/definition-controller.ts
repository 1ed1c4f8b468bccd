/**
 * What becomes of definitions: a new one gets its names and is established, one that is being deleted takes its objects with it.
 * Every replica looks after all of them, each first after its own share; whoever comes second finds nothing left to do. A change makes work for the definition
 * itself and for those of its group that wait for names, however many others there are. The rules are in naming.ts and conditions.ts.
 */
import { equalJson, type JsonObject } from '../../shared/values/json';
import { StatusError } from '../../shared/api/errors/status';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Cache } from '../cache/cache';
import { TimeSlice, yieldToEventLoop } from '../../shared/scheduling/yielding';
import { keepUp, mergePatch, ownContext, ownWrite, type Upkeep } from '../reconcilers/reconciler';
import type { Resource, Writer } from '../registry/verbs';
import { conditionsOf, DELETING_INSTANCES, notDescribed, withCondition, withoutCondition } from './conditions';
import type { DefinitionChange, Definitions } from './definitions';
import { nameStatus } from './naming';
import type { Definition } from './read-definition';

/** On a definition whose objects are not gone yet, as either way of naming puts it there. */
const CLEANUP_FINALIZERS: readonly string[] = Object.values(GENERATED_NAMES).map(({ definitionFinalizer }) => definitionFinalizer);

export interface LifecycleOptions {
  readonly definitions: Definitions;
  /** The resource of definitions. */
  readonly resource: Resource;
  readonly cache: Pick<Cache, 'mostRecent' | 'snapshot'>;
  readonly writer: Pick<Writer, 'deleteCollection' | 'ownStatus' | 'patch'>;
  readonly clock: Clock;
  /** How many other replicas go before this one with a definition. */
  readonly goingBefore: (name: string) => number;
  readonly names: GeneratedNames;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

const FULL_LOOK_MS = 60_000;
/** What a replica is given before the next one does its work. */
const HEAD_START_MS = 1_000;

export function keepDefinitions(options: LifecycleOptions): Upkeep {
  const { definitions } = options;
  const keeper = new Keeper(options);
  const upkeep = keepUp(options, () => keeper.pass());
  definitions.onChange((change) => {
    keeper.changed(change);
    if (keeper.hasWork) void upkeep.look();
  });
  return upkeep;
}

class Keeper {
  /** Those that are to be looked at, and from when on. */
  private readonly waiting = new Map<string, number>();
  /** Those that say now something else than when they were last judged by others: what was found against them no longer holds. */
  private readonly redefined = new Set<string>();
  private fullLookAt: number;

  constructor(private readonly options: LifecycleOptions) {
    this.fullLookAt = options.clock.monotonic();
  }

  get hasWork(): boolean {
    return this.waiting.size > 0;
  }

  changed({ name, before, after }: DefinitionChange): void {
    if (after === undefined || !isUndescribed(after)) this.redefined.delete(name);
    else if (before !== undefined && before.identity !== after.identity) this.redefined.add(name);
    if (after === undefined || this.isSettled(after)) this.waiting.delete(name);
    else this.enqueue(name);
    const group = before?.group ?? after?.group;
    // Names may have become free.
    if (group !== undefined && !equalJson(before?.status['acceptedNames'], after?.status['acceptedNames'])) {
      for (const other of this.options.definitions.wanting(group)) if (other !== name) this.enqueue(other);
    }
  }

  /** False = something is to be tried again soon. */
  async pass(): Promise<boolean> {
    const { definitions, clock } = this.options;
    // The caller that reported the change goes on first.
    await yieldToEventLoop();
    if (clock.monotonic() >= this.fullLookAt) {
      this.fullLookAt = clock.monotonic() + FULL_LOOK_MS;
      await this.lookAtAll();
    }
    let settled = true;
    for (const [name, from] of [...this.waiting]) {
      if (from > clock.monotonic()) {
        settled = false;
        continue;
      }
      this.waiting.delete(name);
      const definition = definitions.get(name);
      if (definition === undefined || (await this.attended(definition))) continue;
      settled = false;
      this.waiting.set(name, from);
    }
    return settled;
  }

  private enqueue(name: string): void {
    if (this.waiting.has(name)) return;
    const { clock, goingBefore } = this.options;
    this.waiting.set(name, clock.monotonic() + goingBefore(name) * HEAD_START_MS);
  }

  /** Finds those that a change should have told of. */
  private async lookAtAll(): Promise<void> {
    const { definitions, clock } = this.options;
    const slice = new TimeSlice(clock);
    for (const name of definitions.allNames) {
      const definition = definitions.get(name);
      if (definition !== undefined && !this.isSettled(definition)) this.enqueue(name);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
  }

  private isSettled(definition: Definition): boolean {
    if (definition.terminating) return !isHeld(definition);
    return equalJson(this.wantedStatus(definition), definition.status);
  }

  /** The same when nothing is to change. */
  private wantedStatus(definition: Definition): JsonObject {
    const { definitions, clock } = this.options;
    const named = nameStatus(definition, definitions.takenFrom(definition), clock.now());
    const status = definition.approval === undefined ? named : withCondition(named, definition.approval, clock.now());
    const why = definitions.whyUndescribed(definition.name);
    if (why !== undefined) return withCondition(status, notDescribed(why), clock.now());
    return this.redefined.has(definition.name) ? withoutCondition(status, 'Described') : status;
  }

  private async attended(definition: Definition): Promise<boolean> {
    try {
      return await this.attend(definition);
    } catch (error) {
      // Another replica came first, or the definition is gone.
      if (!(error instanceof StatusError && (error.reason === 'Conflict' || error.reason === 'NotFound')))
        this.options.failed(`the definition ${definition.name} could not be looked after`, error);
      return false;
    }
  }

  private async attend(definition: Definition): Promise<boolean> {
    if (definition.terminating) return !isHeld(definition) || this.cleanUp(definition);
    const status = this.wantedStatus(definition);
    if (!equalJson(status, definition.status)) await this.tell(definition, status);
    return true;
  }

  /** Nothing is created any more: every creation compares the definition, which has been marked. */
  private async cleanUp({ name, ...marked }: Definition): Promise<boolean> {
    const { definitions, cache, writer, clock } = this.options;
    const resource = definitions.storageOf(name);
    if (resource === undefined) return false;
    const told = withCondition(marked.status, DELETING_INSTANCES, clock.now());
    if (!equalJson(told, marked.status)) await this.tell({ name, ...marked }, told);
    const context = ownContext(clock);
    await cache.mostRecent(context);
    if (cache.snapshot(resource.stored).size > 0) {
      await writer.deleteCollection(context, resource, '', { selection: EVERYTHING }, { dryRun: false, isAdmitted: true });
      await cache.mostRecent(context);
    }
    const present = definitions.get(name);
    if (present === undefined) return true;
    if (cache.snapshot(resource.stored).size > 0) return false;
    const finalizers = present.finalizers.filter((finalizer) => !isCleanup(finalizer));
    await this.release(present, finalizers);
    return true;
  }

  /** Conflict, when it is not in that state any more. */
  private async tell({ name, revision }: Pick<Definition, 'name' | 'revision'>, status: JsonObject): Promise<void> {
    const { writer, resource, clock, names } = this.options;
    await writer.ownStatus(ownContext(clock), resource, { namespace: '', name }, { revision, status }, ownWrite(names));
  }

  /** The same. Definitions are large: a patch need not be made from all of it. */
  private async release({ name, revision }: Definition, finalizers: readonly string[]): Promise<void> {
    const { writer, resource, clock, names } = this.options;
    const metadata = { resourceVersion: String(revision), finalizers: [...finalizers] };
    await writer.patch(ownContext(clock), resource, { namespace: '', name }, undefined, mergePatch({ metadata }), ownWrite(names));
  }
}

function isUndescribed({ status }: Definition): boolean {
  return conditionsOf(status).some(({ type }) => type === 'Described');
}

/** Until its objects are gone. */
const isHeld = ({ finalizers }: Definition): boolean => finalizers.some(isCleanup);

function isCleanup(finalizer: string): boolean {
  return CLEANUP_FINALIZERS.includes(finalizer);
}

const EVERYTHING = { filters: false, matches: () => true } as const;
