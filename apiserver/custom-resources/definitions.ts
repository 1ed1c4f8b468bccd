/**
 * The definitions of custom resources as this replica's cache knows them, and the resources that follow from them. It follows the cache's watch, so it
 * is never behind the clock. Never writes; who changes definitions is in lifecycle.ts.
 */
import type { Clock } from '../../shared/runtime/clock';
import type { KindRow } from '../../shared/api/kinds';
import type { CacheWatch, Entry, StoredType } from '../cache/cache';
import type { OpenedCache } from '../cache/options';
import type { Resource } from '../registry/verbs';
import { parseEntry } from '../registry/object/stored-object';
import { readDefinition, type Definition } from './rows';

export interface DefinitionsOptions {
  readonly cache: Pick<OpenedCache, 'endWatches' | 'forget' | 'snapshot' | 'watch' | 'whenReady'>;
  /** Where definitions are stored. */
  readonly stored: StoredType;
  readonly clock: Pick<Clock, 'after'>;
}

const RETRY_MS = 1_000;

interface Known {
  readonly definition: Definition;
  /** One per served version. */
  readonly resources: readonly Resource[];
  readonly storage: Resource;
}

export class Definitions {
  private readonly known = new Map<string, Known>();
  private readonly listeners = new Set<() => void>();
  private byPath = new Map<string, Resource>();
  private served: readonly KindRow[] = [];
  private watch: CacheWatch | undefined;
  private stopped = false;
  private announce: () => void = () => undefined;
  /** Resolves when all definitions that there were at the start are known. */
  readonly complete = new Promise<void>((resolve) => (this.announce = resolve));

  constructor(private readonly options: DefinitionsOptions) {}

  /** The rows of everything that is served; the same list until something changes. */
  get rows(): readonly KindRow[] {
    return this.served;
  }

  get all(): readonly Definition[] {
    return [...this.known.values()].map(({ definition }) => definition);
  }

  find(group: string, version: string, resource: string): Resource | undefined {
    return this.byPath.get(pathOf(group, version, resource));
  }

  /** How the objects of a definition are stored, whether or not it is served. */
  storageOf(name: string): Resource | undefined {
    return this.known.get(name)?.storage;
  }

  /** Told of every change of what is served, and of every change of a definition. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  async start(): Promise<void> {
    await this.options.cache.whenReady();
    this.follow();
  }

  stop(): void {
    this.stopped = true;
    this.watch?.close();
  }

  private follow(): void {
    if (this.stopped) return;
    const { cache, stored, clock } = this.options;
    const unseen = new Set(this.known.keys());
    const request = { scope: {}, start: { type: 'state' }, bookmarks: false, markEndOfInitialEvents: true } as const;
    this.watch = cache.watch(stored, request, {
      event: (type, entry) => {
        unseen.delete(entry.key);
        if (type === 'DELETED') this.remove(entry.key);
        else this.place(entry);
      },
      bookmark: (_revision, endOfInitialEvents) => {
        if (!endOfInitialEvents) return;
        for (const name of unseen) this.remove(name);
        this.announce();
      },
      end: () => void clock.after(RETRY_MS, () => this.follow()),
    });
  }

  private place(entry: Entry): void {
    const definition = readDefinition(parseEntry(entry).object);
    const before = this.known.get(entry.key);
    if (before?.definition.identity !== definition.identity) {
      const resourceOf = (row: KindRow): Resource => ({ row, hub: row, stored: definition.stored });
      this.known.set(entry.key, { definition, resources: definition.rows.map(resourceOf), storage: resourceOf(definition.storageRow) });
      this.arrange();
      // What they show was made by the rows that were.
      if (before !== undefined) this.options.cache.endWatches(before.definition.stored);
    }
    this.tell();
  }

  private remove(name: string): void {
    const before = this.known.get(name);
    if (before === undefined) return;
    this.known.delete(name);
    this.arrange();
    this.options.cache.forget(before.definition.stored);
    this.tell();
  }

  private arrange(): void {
    const established = [...this.known.values()].filter(({ definition }) => definition.established);
    const resources = established.flatMap((known) => known.resources);
    this.byPath = new Map(resources.map((resource) => [pathOf(resource.row.group, resource.row.version, resource.row.resource), resource]));
    this.served = resources.map(({ row }) => row);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

function pathOf(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`;
}
