/**
 * The parts of documents, built off the event loop or read from the prebuilt ones. How long they are kept:
 * - parts of custom kinds: cached per encoding, within a size limit;
 * - the part of all built-in kinds for v2: cached per encoding;
 * - parts of v3 group versions and of aggregated API servers: built for every document.
 * A part of a custom kind that cannot be built is omitted and reported once per encoding; it does not affect others.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KindRow } from '../../../shared/api/kinds';
import type { Clock } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import { OPENAPI_NAME_PREFIX, type Dialect } from '../../../shared/names/dialect';
import type { PartForm } from '../documents/response-form';
import type { DocumentPart } from './part';
import type { DigestJob, Digests, BuiltPart } from './part-job';
import { customSchemaNames } from '../documents/custom-schemas';
import { PartThreads } from './part-threads';
import { PrebuiltParts } from './prebuilt-parts';
import type { DocumentSubject } from './subjects';

/** Maximum size of the compressed parts of custom kinds. */
const MAX_CACHED_BYTES = 48 * 1024 * 1024;
/**
 * Version of the encoding in the identity of custom parts: increase it when the same definition is published
 * differently.
 */
const ENCODING_VERSION = 3;

/** A version of a definition that could not be published, and why. */
export interface PartFailure {
  readonly definition: string;
  readonly version: string;
  readonly message: string;
}

/** The v2 document of an aggregated API server for one group version. */
export interface RemoteOpenApiDescription {
  /** `apis/<group>/<version>` */
  readonly name: string;
  /** Changes with the contents. */
  readonly id: string;
  /** The text, compressed with gzip. */
  readonly gzipped: Uint8Array;
}

/** Where omissions are reported, and where the parts of the build are. */
export interface PartsOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** Called for parts of custom kinds that cannot be built. */
  readonly onFailure: (failure: PartFailure) => void;
  /** Called for rejected documents of aggregated API servers. */
  readonly onRejected: ((name: string, message: string) => void) | undefined;
  /** Absent for those of the build. */
  readonly prebuiltParts?: PrebuiltParts;
}

/** The kinds and the form of the v2 document that documents of aggregated API servers are merged into. */
interface MergeTarget {
  readonly builtIn: readonly KindRow[];
  /** Take precedence for names. */
  readonly custom: readonly KindRow[];
  readonly dialect: Dialect;
  readonly form: PartForm;
}

/** The parts of all documents of a server. */
export class Parts {
  /** The parts of custom kinds, by their identity and encoding; `undefined` for one that cannot be built. */
  private readonly cache = new LRUCache<string, Promise<DocumentPart | undefined>>({ maxSize: MAX_CACHED_BYTES });
  /** By encoding. */
  private readonly builtIn = new Map<string, Promise<BuiltPart>>();
  private readonly identities = new WeakMap<KindRow, string>();
  private readonly threads: PartThreads;
  private readonly prebuiltParts: PrebuiltParts;

  constructor(private readonly options: PartsOptions) {
    this.threads = new PartThreads(options.clock);
    this.prebuiltParts = options.prebuiltParts ?? new PrebuiltParts();
  }

  /** Starts threads ahead of requests, for one part or for all of them. */
  warm(scale: 'some' | 'all'): void {
    this.threads.warm(scale);
  }

  /** Digests of the v3 documents of built-in group versions, by document name. */
  async digests(job: DigestJob): Promise<Digests> {
    return this.prebuiltParts.digests(job) ?? (await this.threads.digests(job));
  }

  /** Evicts all parts; identities are kept. */
  clear(): void {
    this.cache.clear();
    this.builtIn.clear();
  }

  /** Equal for rows that are published identically; computed without parsing the schema. */
  identityOf(row: KindRow): string {
    const existing = this.identities.get(row);
    if (existing !== undefined) return existing;
    const { custom, ...plain } = row;
    const identity = createHash('sha512')
      .update(JSON.stringify([ENCODING_VERSION, plain, custom?.displayId]))
      .digest('base64');
    this.identities.set(row, identity);
    return identity;
  }

  /** Builds the part of a custom kind once per encoding. Resolves with `undefined` when it cannot be built. */
  buildCustom(row: KindRow, dialect: Dialect, form: PartForm): Promise<DocumentPart | undefined> {
    const { custom, ...plain } = row;
    const key = `${this.identityOf(row)} ${dialect} ${form.version} ${form.media}`;
    const cached = this.cache.get(key);
    if (cached !== undefined || custom === undefined) return cached ?? Promise.resolve(undefined);
    // Transfers a copy to the thread, because the bytes are part of a larger buffer.
    const schema = new Uint8Array(custom.schemaText());
    const pending = this.threads.build({ type: 'custom', row: plain, schema, dialect, form }).then(
      ({ part }) => {
        this.cache.set(key, pending, { size: part.paths.packed.length + part.schemas.packed.length });
        return part;
      },
      (error: unknown) => {
        const message = errorMessage(error);
        this.options.onFailure({ definition: custom.definition, version: row.version, message });
        return undefined;
      },
    );
    // The size is known once the part is built; the cache requires one of at least 1.
    this.cache.set(key, pending, { size: 1 });
    return pending;
  }

  /** Builds the v2 parts of aggregated API servers. Invalid documents are reported and omitted. */
  async buildRemotes(
    descriptions: readonly RemoteOpenApiDescription[],
    { builtIn, custom, dialect, form }: MergeTarget,
  ): Promise<readonly DocumentPart[]> {
    if (descriptions.length === 0) return [];
    const documents = descriptions.map(({ name, gzipped }) => ({ name, gzipped }));
    const takenNames = customSchemaNames(custom, OPENAPI_NAME_PREFIX[dialect]);
    try {
      const { parts, rejected } = await this.threads.remote({ type: 'remote', rows: builtIn, dialect, form, documents, takenNames });
      for (const { name, message } of rejected) this.options.onRejected?.(name, message);
      return parts;
    } catch (error) {
      const message = errorMessage(error);
      this.options.onRejected?.(descriptions.map(({ name }) => name).join(', '), message);
      return [];
    }
  }

  /**
   * Builds the v3 part of a group version: all of a built-in one. For a group version with only custom kinds it contains
   * the built-in types to which these refer; each kind has a part of its own.
   */
  async buildGroupVersion(
    rows: readonly KindRow[],
    { isBuiltIn, custom, ...subject }: DocumentSubject,
    form: PartForm,
  ): Promise<DocumentPart> {
    const builtInSubject = isBuiltIn ? subject : undefined;
    const { dialect } = subject;
    const prebuilt = isBuiltIn ? await this.prebuiltParts.part(rows, subject, form) : undefined;
    if (prebuilt !== undefined) return prebuilt.part;
    const customRows = custom.map(({ custom: _, ...row }) => row);
    const { part } = await this.threads.build({ type: 'groupVersion', rows, customRows, subject: builtInSubject, dialect, form });
    return part;
  }

  /**
   * Builds the v2 part of all built-in kinds once per encoding, with a digest of its contents, which is the same for every
   * encoding. `rows` must be the same in all calls.
   */
  buildBuiltIn(rows: readonly KindRow[], dialect: Dialect, form: PartForm): Promise<BuiltPart> {
    const key = `${dialect} ${form.version} ${form.media}`;
    const cached = this.builtIn.get(key);
    if (cached !== undefined) return cached;
    const pending = this.prebuiltParts
      .part(rows, { dialect }, form)
      .then((prebuilt) => prebuilt ?? this.threads.build({ type: 'builtIn', rows, dialect, form }));
    this.builtIn.set(key, pending);
    // The next request retries.
    pending.catch(() => this.builtIn.delete(key));
    return pending;
  }
}
