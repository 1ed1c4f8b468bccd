/**
 * The CustomResourceDefinitions in this replica's cache, and the resources that they define. It follows the cache's watch,
 * so the served resources change with the definitions. Changing definitions is left to definition-controller.ts.
 */
import type { Clock } from '../../shared/runtime/clock';
import type { KindRow } from '../../shared/api/kinds';
import type { Entry, StoredType } from '../cache/cache';
import type { OpenedCache } from '../cache/sync/cache-options';
import type { Resource } from '../registry/verbs';
import { followType, type TypeFollower } from '../cache/sync/follow-type';
import { apiVersionOf, type GroupVersion } from '../../shared/api/identity/identity';
import { isConditionTrue } from './conditions';
import { NamesByGroup } from './group-names';
import type { NamesInUse } from './naming';
import { objectAt } from '../../shared/values/json';
import { extractSchemas } from '../kinds/apiextensions/extract-schemas';
import { readDefinition, type Definition, type SchemaTexts } from './read-definition';
import { createSchemaCache } from './schema-cache';

/** The cache that {@link Definitions} follows, and where failures are reported. */
export interface DefinitionsOptions {
  /**
   * Followed for definitions. When a definition serves other resources than before, the watches of its objects are ended;
   * when it is deleted, its objects are dropped from the cache.
   */
  readonly cache: Pick<OpenedCache, 'endWatches' | 'removeType' | 'snapshot' | 'watch' | 'whenReady'>;
  /** The stored type of definitions. */
  readonly stored: StoredType;
  readonly clock: Clock;
  /** Called for a definition that cannot be read. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/**
 * A change of a definition; `before` or `after` is absent when it is created or deleted. Both are the same when only
 * the OpenAPI documents omit it now.
 */
export interface DefinitionChange {
  readonly name: string;
  readonly before: Definition | undefined;
  readonly after: Definition | undefined;
}

/** A definition with the resources that it defines. */
interface KnownDefinition {
  readonly definition: Definition;
  /** Where the resources of the definition read their schemas; updated in place. */
  readonly source: SchemaTexts;
  /** One per served version. */
  readonly resources: readonly Resource[];
  /** The resource in the storage version, served or not. */
  readonly storage: Resource;
}

/** The CustomResourceDefinitions in the cache of this replica. */
export class Definitions {
  /** By name. */
  private readonly definitions = new Map<string, KnownDefinition>();
  private readonly listeners = new Set<(change: DefinitionChange) => void>();
  /** The served resources, by group, version and resource. */
  private readonly byPath = new Map<string, Resource>();
  /** The names that definitions have or await. */
  private readonly names = new NamesByGroup();
  /** The number of kinds by served group version. */
  private readonly kindCounts = new Map<string, number>();
  private readonly schemas = createSchemaCache();
  /** Why the OpenAPI documents omit a definition, by name. */
  private readonly undescribed = new Map<string, string>();
  /** The rows of `byPath`; `undefined` when the list must be rebuilt on the next access. */
  private servedRows: readonly KindRow[] | undefined;
  private readonly follower: TypeFollower;

  constructor(private readonly options: DefinitionsOptions) {
    this.follower = followType(options, { upsert: (entry) => this.update(entry), remove: (name) => this.remove(name) });
  }

  /** Resolves when all definitions that existed at the start are known. */
  get complete(): Promise<void> {
    return this.follower.complete;
  }

  /** The rows of everything that is served; the same list until something changes. */
  get rows(): readonly KindRow[] {
    return (this.servedRows ??= [...this.byPath.values()].map(({ row }) => row));
  }

  /** Includes definitions that are not established. */
  get(name: string): Definition | undefined {
    return this.definitions.get(name)?.definition;
  }

  /** Names of all definitions, including those that are not established. */
  get allNames(): Iterable<string> {
    return this.definitions.keys();
  }

  /** The names that other definitions of the group use. */
  namesInUse({ name, group }: Definition): NamesInUse {
    return this.names.namesInUse(name, group);
  }

  /** The definitions of a group that did not get all requested names. */
  awaitingNames(group: string): Iterable<string> {
    return this.names.awaitingNames(group);
  }

  /** Why the OpenAPI documents omit a definition; `undefined` when they include it. */
  undescribedReason(name: string): string | undefined {
    return this.undescribed.get(name);
  }

  /** Called by the OpenAPI service for a definition that it cannot publish. */
  markUndescribed(name: string, reason: string): void {
    const definition = this.get(name);
    if (definition === undefined || this.undescribed.get(name) === reason) return;
    this.undescribed.set(name, reason);
    this.notify({ name, before: definition, after: definition });
  }

  /** Whether a group version has a kind. */
  servesGroupVersion(version: GroupVersion): boolean {
    return this.kindCounts.has(apiVersionOf(version));
  }

  /** The resource of an established definition; `undefined` when none serves it in that version. */
  find(group: string, version: string, resource: string): Resource | undefined {
    return this.byPath.get(pathOf(group, version, resource));
  }

  /** The storage resource of a definition, whether or not it is served. */
  storageOf(name: string): Resource | undefined {
    return this.definitions.get(name)?.storage;
  }

  /** Registers a listener for changes of definitions, and thus of what is served. */
  onChange(listener: (change: DefinitionChange) => void): void {
    this.listeners.add(listener);
  }

  /** Ignores further changes in the cache; what is known remains. */
  stop(): void {
    this.follower.stop();
  }

  /** Called when a definition was created or has changed. */
  private update(entry: Entry): void {
    const name = entry.key;
    const before = this.definitions.get(name);
    const outline = extractSchemas(entry.bytes);
    const source = { texts: outline.schemas };
    const current = readDefinition(outline, entry.revision, source, this.schemas);
    const { revision, status, finalizers, approval, isTerminating } = current;
    let definition = current;
    if (before?.definition.identity === current.identity) {
      // The served resources are unchanged, so they are kept; the new bytes replace the old ones, which can be freed.
      before.source.texts = source.texts;
      definition = { ...before.definition, revision, status, finalizers, approval, isTerminating };
      this.definitions.set(name, { ...before, definition });
    } else this.replace(name, before, current, source);
    const names = objectAt(status, 'acceptedNames') ?? {};
    this.names.set(name, { group: definition.group, names, isAwaitingNames: !isConditionTrue(status, 'NamesAccepted') });
    this.notify({ name, before: before?.definition, after: definition });
  }

  /** Serves a new definition, or one that serves other resources than before. */
  private replace(name: string, before: KnownDefinition | undefined, definition: Definition, source: SchemaTexts): void {
    const { stored, storageRow } = definition;
    // Where a webhook converts between versions, objects are cached in their storage version only.
    const resourceOf = (row: KindRow): Resource => ({ row, hub: row.custom?.webhook === undefined ? row : storageRow, stored });
    const replacement = { definition, source, resources: definition.rows.map(resourceOf), storage: resourceOf(storageRow) };
    if (before !== undefined) this.withdraw(before);
    this.undescribed.delete(name);
    this.definitions.set(name, replacement);
    this.serve(replacement);
    // Open watches show objects by the previous rows; their clients have to start again.
    if (before !== undefined) this.options.cache.endWatches(before.definition.stored);
  }

  /** Called when a definition was deleted. */
  private remove(name: string): void {
    const before = this.definitions.get(name);
    if (before === undefined) return;
    this.definitions.delete(name);
    this.names.remove(name);
    this.undescribed.delete(name);
    this.withdraw(before);
    this.options.cache.removeType(before.definition.stored);
    this.notify({ name, before: before.definition, after: undefined });
  }

  /** Serves the resources of an established definition. */
  private serve({ definition, resources }: KnownDefinition): void {
    if (!definition.isEstablished) return;
    for (const resource of resources) {
      const version = apiVersionOf(resource.row);
      this.byPath.set(pathOf(resource.row.group, resource.row.version, resource.row.resource), resource);
      this.kindCounts.set(version, (this.kindCounts.get(version) ?? 0) + 1);
    }
    this.servedRows = undefined;
  }

  /** Undoes {@link serve}. */
  private withdraw({ definition, resources }: KnownDefinition): void {
    if (!definition.isEstablished) return;
    for (const { row } of resources) {
      const version = apiVersionOf(row);
      this.byPath.delete(pathOf(row.group, row.version, row.resource));
      const remaining = (this.kindCounts.get(version) ?? 1) - 1;
      if (remaining === 0) this.kindCounts.delete(version);
      else this.kindCounts.set(version, remaining);
    }
    this.servedRows = undefined;
  }

  private notify(change: DefinitionChange): void {
    for (const listener of this.listeners) listener(change);
  }
}

function pathOf(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`;
}
