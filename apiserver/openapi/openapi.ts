/**
 * OpenAPI over HTTP: `/openapi/v2`, the index `/openapi/v3` and a document per group version. Documents are large and rarely asked for: their parts are
 * made on demand (parts.ts), the documents are put together of them, kept for a while, and forgotten; only hashes stay. What one definition changes is
 * its own part and the hash of its group version.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KindRow } from '../../shared/api/kinds';
import type { Dialect } from '../../shared/names/dialect';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { perRows } from '../registry/per-rows';
import { gzipOf, lengthOf, unpacked, type Chunk } from './chunk';
import type { OpenApiAnswer, OpenApiDocuments, OpenApiRequest } from './openapi-document';
import { chosenForm, type Form, type PartForm } from './response-form';
import { openIdPieceV2 } from './documents';
import { compose, PartEncoder, type DocumentPart } from './part';
import { Parts, type PartFailure, type RemoteDescription } from './parts';
import type { ReadyParts } from './prebuilt-parts';
import { byName, subjectsOf, type DocumentSubject, type DocumentSubjects } from './subjects';

export interface OpenApiParts {
  /** The built-in kinds among the served ones. */
  readonly builtIn: readonly KindRow[];
  /** What is served; the same list until something changes. */
  readonly rows: () => readonly KindRow[];
  /** Documents of other servers, which are asked for them; the same list until something changes. Absent = none. */
  readonly remotes?: () => readonly { readonly name: string; readonly url: string }[];
  /** What other servers say in version 2; the same list until something changes. Absent = nothing. */
  readonly descriptions?: () => readonly RemoteDescription[];
  readonly naming: Dialect;
  /** Whether the OpenID discovery documents of service account tokens are served. */
  readonly openId: boolean;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Told of parts that documents have to do without. */
  readonly failed: (failure: PartFailure) => void;
  /** Told of documents of other servers that have to be left out. */
  readonly leftOut?: (name: string, message: string) => void;
  /** Absent = those that the build has made. */
  readonly ready?: ReadyParts;
}

export interface OpenApi extends OpenApiDocuments {
  /** Makes what every answer needs, so that the first one need not wait for it. */
  prepare(): void;
}

export function createOpenApi(parts: OpenApiParts): OpenApi {
  return new OpenApiOfParts(parts);
}

const V2 = '/openapi/v2';
const V3 = '/openapi/v3';
/** How long documents and parts that no one asks for are kept. */
const KEEP_MS = 300_000;
const YEAR_MS = 365 * 24 * 3_600_000;
/** Of documents that are kept. */
const MOST_BYTES = 32 * 1024 * 1024;
/** What is shorter is not worth compressing. */
const COMPRESS_FROM_BYTES = 128 * 1024;
/** Parts that are waited for at once: more than threads that make them, so that none waits for the loop. */
const AT_ONCE = 8;
const NOTHING = Buffer.alloc(0);
const NONE: readonly never[] = [];
const UNCACHED = { 'cache-control': 'no-cache, private' };

/** A document as it is sent. */
interface Composed {
  readonly gzipped: Buffer;
  readonly length: number;
}

class OpenApiOfParts implements OpenApi {
  private readonly parts: Parts;
  private readonly subjects: () => DocumentSubjects;
  private readonly customRows: () => readonly KindRow[];
  /** Of built-in group versions, which never change. */
  private readonly digests = new Map<string, string>();
  private digesting: Promise<void> | undefined;
  private builtInV2: Promise<string> | undefined;
  private readonly hashes = new WeakMap<DocumentSubject, string>();
  private index: { readonly of: DocumentSubjects; readonly and: object; readonly body: Buffer } | undefined;
  private readonly composed = new LRUCache<string, Promise<Composed>>({ maxSize: MOST_BYTES });
  private forgetting: Timer | undefined;
  private readonly since: string;

  constructor(private readonly options: OpenApiParts) {
    const { clock, failed, leftOut, ready, rows, naming, openId } = options;
    this.parts = new Parts({ clock, failed, leftOut, ...(ready !== undefined && { ready }) });
    this.since = new Date(clock.now()).toUTCString();
    this.subjects = perRows(rows, (present) => subjectsOf(present, naming, openId));
    this.customRows = perRows(rows, (present) => present.filter(({ custom }) => custom !== undefined).sort(byName));
  }

  prepare(): void {
    // Who asks for documents is told what is wrong.
    this.digestBuiltIn().catch(() => undefined);
  }

  handle(request: OpenApiRequest): Promise<OpenApiAnswer> | undefined {
    const { path } = request;
    if (path === V2) return this.version2(request);
    if (path === V3) return this.indexAnswer();
    return path.startsWith(`${V3}/`) ? this.version3(path.slice(V3.length + 1), request) : undefined;
  }

  private async version2(request: OpenApiRequest): Promise<OpenApiAnswer> {
    const form = chosenForm(request.accept, 'v2');
    if (form === undefined) return { status: 406, headers: UNCACHED, body: NOTHING };
    const custom = this.customRows();
    // Nobody has asked before, so the parts are needed, whatever the hash will be.
    if (this.builtInV2 === undefined) this.makeAhead(custom, form);
    const remote = this.options.descriptions?.() ?? NONE;
    const hash = await this.hashV2(custom, remote, form);
    const etag = `"${hash}"`;
    const headers = { ...UNCACHED, etag, 'last-modified': this.since, vary: ['Accept-Encoding', 'Accept'] };
    if (request.ifNoneMatch === etag) return { status: 304, headers, body: NOTHING };
    const composed = await this.document(`${V2} ${hash}`, 'v2', form, (partForm) => this.partsV2(custom, remote, partForm));
    return this.answer({ 'content-type': form.contentType, ...headers }, composed, request);
  }

  /** Sent as plain text, as upstream does; clients read it all the same. */
  private async indexAnswer(): Promise<OpenApiAnswer> {
    // Whoever asks what there is asks for some of it next.
    if (this.customRows().length > 0) this.parts.warm('some');
    await this.digestBuiltIn();
    const subjects = this.subjects();
    const remotes = this.options.remotes?.() ?? NONE;
    if (this.index?.of !== subjects || this.index.and !== remotes) {
      const urls = new Map([...subjects].map(([name, subject]) => [name, this.address(name, subject)]));
      for (const { name, url } of remotes) urls.set(name, url);
      const sorted = [...urls].sort(([a], [b]) => (a < b ? -1 : 1));
      const paths = Object.fromEntries(sorted.map(([name, serverRelativeURL]) => [name, { serverRelativeURL }]));
      this.index = { of: subjects, and: remotes, body: Buffer.from(`${JSON.stringify({ paths })}\n`) };
    }
    const headers = { 'content-type': 'text/plain; charset=utf-8', ...UNCACHED, 'last-modified': this.since };
    return { status: 200, headers, body: this.index.body };
  }

  private async version3(name: string, request: OpenApiRequest): Promise<OpenApiAnswer> {
    const subject = this.subjects().get(name);
    if (subject === undefined) return { status: 404, headers: UNCACHED, body: NOTHING };
    const form = chosenForm(request.accept, 'v3');
    if (form === undefined) return { status: 406, headers: UNCACHED, body: NOTHING };
    await this.digestBuiltIn();
    const hash = this.hashV3(name, subject);
    const asked = new URLSearchParams(request.query).get('hash') ?? '';
    const headers = { 'content-type': form.contentType, etag: `"${hash}"`, 'last-modified': this.since, vary: 'Accept' };
    if (asked !== '' && asked !== hash) {
      return { status: 301, headers: { ...headers, ...UNCACHED, location: this.address(name, subject) }, body: NOTHING };
    }
    const caching = asked === '' ? UNCACHED : this.immutable();
    if (request.ifNoneMatch === headers.etag) {
      return { status: 304, headers: { etag: headers.etag, vary: headers.vary, ...caching }, body: NOTHING };
    }
    const composed = await this.document(`${name} ${hash}`, 'v3', form, (partForm) => this.partsV3(subject, partForm));
    return this.answer({ ...headers, ...caching }, composed, request);
  }

  private async answer(headers: OpenApiAnswer['headers'], composed: Composed, { acceptsGzip }: OpenApiRequest): Promise<OpenApiAnswer> {
    if (acceptsGzip === true && composed.length > COMPRESS_FROM_BYTES) {
      return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: composed.gzipped };
    }
    return { status: 200, headers, body: await unpacked(composed.gzipped) };
  }

  private immutable(): Record<string, string> {
    return { 'cache-control': 'public, immutable', expires: new Date(this.options.clock.now() + YEAR_MS).toUTCString() };
  }

  private address(name: string, subject: DocumentSubject): string {
    return `${V3}/${name}?hash=${this.hashV3(name, subject)}`;
  }

  private hashV3(name: string, subject: DocumentSubject): string {
    const ofBuiltIn = this.digests.get(name);
    const known = subject.custom.length === 0 ? ofBuiltIn : this.hashes.get(subject);
    if (known !== undefined) return known;
    const made = hashOf([ofBuiltIn ?? this.sharedDigest, ...subject.custom.map((row) => this.parts.identityOf(row))]);
    this.hashes.set(subject, made);
    return made;
  }

  /** Changes when what is published of built-in kinds does, to which custom ones refer. */
  private get sharedDigest(): string {
    return this.digests.get('api/v1') ?? '';
  }

  private async hashV2(custom: readonly KindRow[], remote: readonly RemoteDescription[], form: Form): Promise<string> {
    const ofRemotes = remote.flatMap(({ name, id }) => [name, id]);
    const ofOpenId = this.options.openId ? [] : ['without OpenID'];
    return hashOf([await this.digestV2(form), ...ofOpenId, ...custom.map((row) => this.parts.identityOf(row)), ...ofRemotes]);
  }

  /** Found with the part that is asked for first. */
  private digestV2({ media }: Form): Promise<string> {
    const { builtIn, naming } = this.options;
    this.builtInV2 ??= this.parts.ofBuiltIn(builtIn, naming, { version: 'v2', media }).then(({ digest = '' }) => digest);
    return this.builtInV2;
  }

  /** Once. */
  private digestBuiltIn(): Promise<void> {
    return (this.digesting ??= this.makeDigests().catch((error: unknown) => {
      // Whoever asks next tries anew.
      this.digesting = undefined;
      throw error;
    }));
  }

  private async makeDigests(): Promise<void> {
    const subjects = [...this.subjects().values()].flatMap(({ custom: _, isBuiltIn, ...subject }) => (isBuiltIn ? [subject] : []));
    const digests = await this.parts.digests({ type: 'digests', rows: this.options.builtIn, subjects });
    for (const [name, digest] of digests) this.digests.set(name, hashOf([digest]));
  }

  /** The document that is kept, or a new one, made once for all who wait. */
  private document(
    key: string,
    version: 'v2' | 'v3',
    { media }: Form,
    partsOf: (form: PartForm) => Promise<readonly DocumentPart[]>,
  ): Promise<Composed> {
    this.stayAWhile();
    const full = `${key} ${media}`;
    const known = this.composed.get(full);
    if (known !== undefined) return known;
    const form = { version, media };
    const made = partsOf(form).then((parts) => composedOf(compose(parts, form)));
    this.composed.set(full, made, { size: 1 });
    made.then(
      ({ gzipped }) => this.composed.set(full, made, { size: gzipped.length }),
      // Whoever asks next tries anew.
      () => this.composed.delete(full),
    );
    return made;
  }

  private async partsV2(
    custom: readonly KindRow[],
    remote: readonly RemoteDescription[],
    form: PartForm,
  ): Promise<readonly DocumentPart[]> {
    const { builtIn, naming, openId } = this.options;
    const [{ part }, customParts, remoteParts] = await Promise.all([
      this.parts.ofBuiltIn(builtIn, naming, form),
      this.customParts(custom, naming, form),
      this.parts.ofRemotes(remote, builtIn, custom, naming, form),
    ]);
    const openIdPart = openId ? [new PartEncoder().ofPiece(openIdPieceV2(naming), form)] : [];
    return [part, ...openIdPart, ...customParts, ...remoteParts];
  }

  /** Beside what else has to be found out first. */
  private makeAhead(custom: readonly KindRow[], { media }: Form): void {
    this.parts.warm('all');
    // Who waits for them is told what is wrong.
    this.customParts(custom, this.options.naming, { version: 'v2', media }).catch(() => undefined);
  }

  private async partsV3(subject: DocumentSubject, form: PartForm): Promise<readonly DocumentPart[]> {
    const { custom, dialect } = subject;
    const [shared, customParts] = await Promise.all([
      this.parts.ofGroupVersion(this.options.builtIn, subject, form),
      this.customParts(custom, dialect, form),
    ]);
    return [shared, ...customParts];
  }

  private async customParts(rows: readonly KindRow[], dialect: Dialect, form: PartForm): Promise<readonly DocumentPart[]> {
    const made = new Array<DocumentPart | undefined>(rows.length);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < rows.length; at = next++) {
        const row = rows[at];
        if (row !== undefined) made[at] = await this.parts.ofCustom(row, dialect, form);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return made.filter((part) => part !== undefined);
  }

  /** What is kept goes when nobody has asked for a while. */
  private stayAWhile(): void {
    this.forgetting?.cancel();
    this.forgetting = this.options.clock.after(KEEP_MS, () => {
      this.composed.clear();
      this.parts.forget();
    });
  }
}

function composedOf(chunks: readonly Chunk[]): Composed {
  return { gzipped: gzipOf(chunks), length: lengthOf(chunks) };
}

function hashOf(texts: readonly string[]): string {
  return createHash('sha512').update(texts.join('\n')).digest('hex').toUpperCase();
}
