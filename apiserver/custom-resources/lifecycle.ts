/**
 * What becomes of definitions: a new one gets its names and is established, one that is being deleted takes its objects with it (behaviour-reference
 * §5.18). Every replica looks after all of them; whoever comes second finds nothing left to do. The rules are in naming.ts and conditions.ts.
 */
import { equalJson, type JsonObject, objectAt, stringsAt } from '../../shared/values/json';
import { isTerminating, metadataOf, readMetadata } from '../../shared/api/metadata/object-meta';
import { StatusError } from '../../shared/api/errors/status';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Cache } from '../cache/cache';
import { keepUp, ownContext, OWN_WRITE, type Upkeep } from '../upkeep/upkeep';
import type { Resource, Subresource, Writer } from '../registry/verbs';
import { parseEntry } from '../registry/object/stored-object';
import { DELETING_INSTANCES, withCondition } from './conditions';
import type { Definitions } from './definitions';
import { nameStatus, takenNames } from './naming';

/** On a definition whose objects are not gone yet, as either way of naming puts it there. */
const CLEANUP_FINALIZERS: readonly string[] = Object.values(GENERATED_NAMES).map(({ definitionFinalizer }) => definitionFinalizer);

export interface LifecycleOptions {
  readonly definitions: Definitions;
  /** The resource of definitions. */
  readonly resource: Resource;
  readonly cache: Pick<Cache, 'get' | 'mostRecent' | 'snapshot'>;
  readonly writer: Writer;
  readonly clock: Clock;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

export function keepDefinitions(options: LifecycleOptions): Upkeep {
  const upkeep = keepUp(options, () => new Pass(options).run());
  options.definitions.onChange(() => void upkeep.look());
  return upkeep;
}

class Pass {
  constructor(private readonly options: LifecycleOptions) {}

  /** False = something is to be tried again soon. */
  async run(): Promise<boolean> {
    let settled = true;
    for (const { name } of this.options.definitions.all) {
      try {
        if (!(await this.attend(name))) settled = false;
      } catch (error) {
        settled = false;
        // Another replica came first, or the definition is gone.
        if (!(error instanceof StatusError && (error.reason === 'Conflict' || error.reason === 'NotFound')))
          this.options.failed(`the definition ${name} could not be looked after`, error);
      }
    }
    return settled;
  }

  private async attend(name: string): Promise<boolean> {
    const object = this.read(name);
    if (object === undefined) return true;
    const metadata = readMetadata(object);
    if (isTerminating(metadata)) return !stringsAt(metadata, 'finalizers').some(isCleanup) || this.cleanUp(name, object);
    const status = nameStatus(object, takenNames(this.acceptedByOthers(name)), this.options.clock.now());
    if (!equalJson(status, object['status'])) await this.write(name, { ...object, status }, 'status');
    return true;
  }

  private read(name: string): JsonObject | undefined {
    const entry = this.options.cache.get(this.options.resource.stored, name);
    return entry === undefined ? undefined : parseEntry(entry).object;
  }

  private acceptedByOthers(name: string): readonly JsonObject[] {
    const { definitions } = this.options;
    const group = definitions.all.find((definition) => definition.name === name)?.group;
    return definitions.all
      .filter((other) => other.group === group && other.name !== name)
      .map((other) => objectAt(objectAt(this.read(other.name), 'status'), 'acceptedNames') ?? {});
  }

  /** Nothing is created any more: every creation compares the definition, which has been marked. */
  private async cleanUp(name: string, marked: JsonObject): Promise<boolean> {
    const { definitions, cache, writer, clock } = this.options;
    const resource = definitions.storageOf(name);
    if (resource === undefined) return false;
    const status = objectAt(marked, 'status') ?? {};
    const told = withCondition(status, DELETING_INSTANCES, clock.now());
    if (!equalJson(told, status)) await this.write(name, { ...marked, status: told }, 'status');
    const context = ownContext(clock);
    await cache.mostRecent(context);
    if (cache.snapshot(resource.stored).size > 0) {
      await writer.deleteCollection(context, resource, '', { selection: EVERYTHING }, { dryRun: false });
      await cache.mostRecent(context);
    }
    const object = this.read(name);
    if (object === undefined) return true;
    if (cache.snapshot(resource.stored).size > 0) return false;
    const metadata = { ...metadataOf(object) };
    const finalizers = stringsAt(metadata, 'finalizers').filter((finalizer) => !isCleanup(finalizer));
    await this.write(name, { ...object, metadata: { ...metadata, finalizers } }, undefined);
    return true;
  }

  private async write(name: string, value: JsonObject, subresource: Subresource): Promise<void> {
    const { writer, resource, clock } = this.options;
    const body = { value, duplicates: [], format: 'json' } as const;
    await writer.update(ownContext(clock), resource, { namespace: '', name }, subresource, body, OWN_WRITE);
  }
}

function isCleanup(finalizer: string): boolean {
  return CLEANUP_FINALIZERS.includes(finalizer);
}

const EVERYTHING = { filters: false, matches: () => true } as const;
