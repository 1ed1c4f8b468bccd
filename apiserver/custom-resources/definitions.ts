/**
 * The definitions of custom resources as this replica's cache knows them, and the resources that follow from them. It follows the cache's watch, so it
 * is never behind the clock. Never writes; who changes definitions is in lifecycle.ts.
 */
import type { Clock } from '../../shared/runtime/clock';
import type { KindRow } from '../../shared/api/kinds';
import type { Entry, StoredType } from '../cache/cache';
import type { OpenedCache } from '../cache/sync/options';
import type { Resource } from '../registry/verbs';
import { follow, type Following } from '../cache/sync/follow';
import { apiVersionOf, type GroupVersion } from '../../shared/api/identity/identity';
import { conditionIsTrue } from './conditions';
import { NamesByGroup } from './group-names';
import type { TakenNames } from './naming';
import { objectAt } from '../../shared/values/json';
import { outlineOf } from '../kinds/apiextensions/outline';
import { readDefinition, type Definition, type SchemaTexts } from './read-definition';
import { createSchemas } from './schema-cache';

export interface DefinitionsOptions {
  readonly cache: Pick<OpenedCache, 'endWatches' | 'forget' | 'snapshot' | 'watch' | 'whenReady'>;
  /** Where definitions are stored. */
  readonly stored: StoredType;
  readonly clock: Clock;
  /** Told of a definition that cannot be understood. */
  readonly failed: (message: string, error: unknown) => void;
}

/** What has changed; either state may be absent. */
export interface DefinitionChange {
  readonly name: string;
  readonly before: Definition | undefined;
  readonly after: Definition | undefined;
}

interface Known {
  readonly definition: Definition;
  readonly source: SchemaTexts;
  /** One per served version. */
  readonly resources: readonly Resource[];
  readonly storage: Resource;
}

export class Definitions {
  private readonly known = new Map<string, Known>();
  private readonly listeners = new Set<(change: DefinitionChange) => void>();
  private readonly byPath = new Map<string, Resource>();
  private readonly names = new NamesByGroup();
  /** How many kinds each group version serves. */
  private readonly kinds = new Map<string, number>();
  private readonly schemas = createSchemas();
  /** Why OpenAPI documents have to do without a definition. */
  private readonly undescribed = new Map<string, string>();
  /** Undefined = to be listed again when someone asks. */
  private served: readonly KindRow[] | undefined;
  private readonly following: Following;
  constructor(private readonly options: DefinitionsOptions) {
    this.following = follow(options, { place: (entry) => this.place(entry), remove: (name) => this.remove(name) });
  }

  /** Resolves when all definitions that there were at the start are known. */
  get complete(): Promise<void> {
    return this.following.complete;
  }

  /** The rows of everything that is served; the same list until something changes. */
  get rows(): readonly KindRow[] {
    return (this.served ??= [...this.byPath.values()].map(({ row }) => row));
  }

  get(name: string): Definition | undefined {
    return this.known.get(name)?.definition;
  }

  /** Of all that there are. */
  get allNames(): Iterable<string> {
    return this.known.keys();
  }

  /** What the others of a definition's group have. */
  takenFrom({ name, group }: Definition): TakenNames {
    return this.names.takenFrom(name, group);
  }

  /** The definitions of a group that did not get all the names that they ask for. */
  wanting(group: string): Iterable<string> {
    return this.names.wanting(group);
  }

  /** Why OpenAPI documents have to do without a definition; undefined = nothing is known against it. */
  whyUndescribed(name: string): string | undefined {
    return this.undescribed.get(name);
  }

  /** Told by whoever makes the documents. */
  leaveUndescribed(name: string, why: string): void {
    const definition = this.get(name);
    if (definition === undefined || this.undescribed.get(name) === why) return;
    this.undescribed.set(name, why);
    this.tell({ name, before: definition, after: definition });
  }

  /** Whether a group version has a kind. */
  serves(version: GroupVersion): boolean {
    return this.kinds.has(apiVersionOf(version));
  }

  find(group: string, version: string, resource: string): Resource | undefined {
    return this.byPath.get(pathOf(group, version, resource));
  }

  /** How the objects of a definition are stored, whether or not it is served. */
  storageOf(name: string): Resource | undefined {
    return this.known.get(name)?.storage;
  }

  /** Told of every change of a definition, and so of what is served. */
  onChange(listener: (change: DefinitionChange) => void): void {
    this.listeners.add(listener);
  }

  stop(): void {
    this.following.stop();
  }

  private place(entry: Entry): void {
    const name = entry.key;
    const before = this.known.get(name);
    const outline = outlineOf(entry.bytes);
    const source = { texts: outline.schemas };
    const read = readDefinition(outline, entry.revision, source, this.schemas);
    const { revision, status, finalizers, approval, terminating } = read;
    let definition = read;
    if (before?.definition.identity === read.identity) {
      // What is served stays as it is; the bytes that it was made of may go.
      before.source.texts = source.texts;
      definition = { ...before.definition, revision, status, finalizers, approval, terminating };
      this.known.set(name, { ...before, definition });
    } else this.replace(name, before, read, source);
    this.names.place(name, definition.group, objectAt(status, 'acceptedNames') ?? {}, !conditionIsTrue(status, 'NamesAccepted'));
    this.tell({ name, before: before?.definition, after: definition });
  }

  private replace(name: string, before: Known | undefined, definition: Definition, source: SchemaTexts): void {
    const { stored, storageRow } = definition;
    // Where a webhook tells versions apart, only the stored one is ever kept.
    const resourceOf = (row: KindRow): Resource => ({ row, hub: row.custom?.webhook === undefined ? row : storageRow, stored });
    const known = { definition, source, resources: definition.rows.map(resourceOf), storage: resourceOf(definition.storageRow) };
    if (before !== undefined) this.withdraw(before);
    this.undescribed.delete(name);
    this.known.set(name, known);
    this.serve(known);
    // What they show was made by the rows that were.
    if (before !== undefined) this.options.cache.endWatches(before.definition.stored);
  }

  private remove(name: string): void {
    const before = this.known.get(name);
    if (before === undefined) return;
    this.known.delete(name);
    this.names.remove(name);
    this.undescribed.delete(name);
    this.withdraw(before);
    this.options.cache.forget(before.definition.stored);
    this.tell({ name, before: before.definition, after: undefined });
  }

  private serve({ definition, resources }: Known): void {
    if (!definition.established) return;
    for (const resource of resources) {
      const version = apiVersionOf(resource.row);
      this.byPath.set(pathOf(resource.row.group, resource.row.version, resource.row.resource), resource);
      this.kinds.set(version, (this.kinds.get(version) ?? 0) + 1);
    }
    this.served = undefined;
  }

  private withdraw({ definition, resources }: Known): void {
    if (!definition.established) return;
    for (const { row } of resources) {
      const version = apiVersionOf(row);
      this.byPath.delete(pathOf(row.group, row.version, row.resource));
      const others = (this.kinds.get(version) ?? 1) - 1;
      if (others === 0) this.kinds.delete(version);
      else this.kinds.set(version, others);
    }
    this.served = undefined;
  }

  private tell(change: DefinitionChange): void {
    for (const listener of this.listeners) listener(change);
  }
}

function pathOf(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`;
}
