/**
 * The parts of documents that are at hand: each is made once per form when it is first asked for, off the event loop, and kept within a bound as long as
 * somebody asks. A part that cannot be made is left out and told of, once; it never takes others along.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KindRow } from '../../shared/api/kinds';
import type { Clock } from '../../shared/runtime/clock';
import { errorMessage } from '../../shared/runtime/error-message';
import { OPENAPI_NAME_PREFIX, type Dialect } from '../../shared/names/dialect';
import type { PartForm } from './response-form';
import type { DocumentPart } from './part';
import type { DigestJob, Digests, MadePart } from './part-job';
import { namesOfCustom } from './custom-schemas';
import { PartThreads } from './part-threads';
import { ReadyParts } from './prebuilt-parts';
import type { DocumentSubject } from './subjects';

/** Of compressed parts. */
const MOST_BYTES = 48 * 1024 * 1024;
/** Added to the identity of custom parts: to be raised when the same definition is published in another way. */
const EDITION = 3;

export interface PartFailure {
  readonly definition: string;
  readonly version: string;
  readonly message: string;
}

/** What another server says of one group version, in version 2. */
export interface RemoteDescription {
  /** `apis/<group>/<version>` */
  readonly name: string;
  /** Another one when it says something else. */
  readonly id: string;
  /** Its text, compressed with gzip. */
  readonly packed: Uint8Array;
}

export interface PartsOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly failed: (failure: PartFailure) => void;
  /** Told of documents of other servers that have to be left out. */
  readonly leftOut: ((name: string, message: string) => void) | undefined;
  readonly ready?: ReadyParts;
}

export class Parts {
  private readonly known = new LRUCache<string, Promise<DocumentPart | undefined>>({ maxSize: MOST_BYTES });
  private readonly builtIn = new Map<string, Promise<MadePart>>();
  private readonly identities = new WeakMap<KindRow, string>();
  private readonly threads: PartThreads;
  private readonly ready: ReadyParts;

  constructor(private readonly options: PartsOptions) {
    this.threads = new PartThreads(options.clock);
    this.ready = options.ready ?? new ReadyParts();
  }

  /** Somebody is about to ask, for a part or for all of them. */
  warm(forWhat: 'some' | 'all'): void {
    this.threads.warm(forWhat);
  }

  async digests(job: DigestJob): Promise<Digests> {
    return this.ready.digests(job) ?? (await this.threads.digests(job));
  }

  forget(): void {
    this.known.clear();
    this.builtIn.clear();
  }

  /** The same for two rows that are published alike; found without making anything of the schema. */
  identityOf(row: KindRow): string {
    let identity = this.identities.get(row);
    if (identity === undefined) {
      const { custom, ...plain } = row;
      identity = createHash('sha512')
        .update(JSON.stringify([EDITION, plain, custom?.displayId]))
        .digest('base64');
      this.identities.set(row, identity);
    }
    return identity;
  }

  /** Undefined = it cannot be made. */
  ofCustom(row: KindRow, dialect: Dialect, form: PartForm): Promise<DocumentPart | undefined> {
    const { custom, ...plain } = row;
    const key = `${this.identityOf(row)} ${dialect} ${form.version} ${form.media}`;
    const before = this.known.get(key);
    if (before !== undefined || custom === undefined) return before ?? Promise.resolve(undefined);
    // The thread gets a copy, and all of it: the bytes lie among others.
    const schema = new Uint8Array(custom.schemaText());
    const made = this.threads.make({ type: 'custom', row: plain, schema, dialect, form }).then(
      ({ part }) => {
        this.known.set(key, made, { size: part.paths.packed.length + part.schemas.packed.length });
        return part;
      },
      (error: unknown) => {
        const message = errorMessage(error);
        this.options.failed({ definition: custom.definition, version: row.version, message });
        return undefined;
      },
    );
    this.known.set(key, made, { size: 1 });
    return made;
  }

  /** Of other servers, in version 2; `custom` = the custom kinds, whose names are not theirs. What cannot be read is left out. */
  async ofRemotes(
    documents: readonly RemoteDescription[],
    rows: readonly KindRow[],
    custom: readonly KindRow[],
    dialect: Dialect,
    form: PartForm,
  ): Promise<readonly DocumentPart[]> {
    if (documents.length === 0) return [];
    const texts = documents.map(({ name, packed }) => ({ name, packed }));
    const taken = namesOfCustom(custom, OPENAPI_NAME_PREFIX[dialect]);
    try {
      const { parts, leftOut } = await this.threads.remote({ type: 'remote', rows, dialect, form, documents: texts, taken });
      for (const { name, message } of leftOut) this.options.leftOut?.(name, message);
      return parts;
    } catch (error) {
      const message = errorMessage(error);
      this.options.leftOut?.(documents.map(({ name }) => name).join(', '), message);
      return [];
    }
  }

  /** Of a group version in version 3: all of a built-in one, or what one of custom kinds has besides them. */
  async ofGroupVersion(
    rows: readonly KindRow[],
    { isBuiltIn, custom, ...subject }: DocumentSubject,
    form: PartForm,
  ): Promise<DocumentPart> {
    const of = isBuiltIn ? subject : undefined;
    const { dialect } = subject;
    const ready = isBuiltIn ? await this.ready.part(rows, subject, form) : undefined;
    if (ready !== undefined) return ready.part;
    const plain = custom.map(({ custom: _, ...row }) => row);
    return (await this.threads.make({ type: 'groupVersion', rows, custom: plain, of, dialect, form })).part;
  }

  /** Of all built-in kinds in version 2, with a digest of what it says, which is the same in every form; `rows` never change. */
  ofBuiltIn(rows: readonly KindRow[], dialect: Dialect, form: PartForm): Promise<MadePart> {
    const key = `${dialect} ${form.version} ${form.media}`;
    const before = this.builtIn.get(key);
    if (before !== undefined) return before;
    const made = this.ready
      .part(rows, { dialect }, form)
      .then((ready) => ready ?? this.threads.make({ type: 'builtIn', rows, dialect, form }));
    this.builtIn.set(key, made);
    // Whoever asks next tries anew.
    made.catch(() => this.builtIn.delete(key));
    return made;
  }
}
