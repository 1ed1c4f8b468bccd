/**
 * OpenAPI over HTTP: `/openapi/v2`, the index `/openapi/v3` and a document per group version. Documents are large and
 * rarely requested, so their parts are built on demand (parts/parts.ts) and composed to documents, which are cached for a
 * while (composed-documents.ts). Only hashes are kept (document-hashes.ts).
 */
import type { KindRow } from '../../shared/api/kinds';
import type { Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import { memoizeBySource } from '../../shared/runtime/memoize-by-source';
import { ComposedDocuments, type ComposedDocument } from './composed-documents';
import { gunzipToBuffer } from './parts/chunk';
import { DocumentHashes } from './document-hashes';
import type { OpenApiResponse, OpenApiDocuments, OpenApiRequest } from './openapi-document';
import { negotiateForm, type ResponseForm, type PartForm } from './documents/response-form';
import { buildOpenIdPieceV2 } from './documents/documents';
import { PartEncoder, type DocumentPart } from './parts/part';
import { Parts, type PartFailure, type RemoteOpenApiDescription } from './parts/parts';
import type { PrebuiltParts } from './parts/prebuilt-parts';
import { byName, subjectsOf, type DocumentSubject, type DocumentSubjects } from './parts/subjects';

/** What the documents describe, and where omissions are reported. */
export interface OpenApiOptions {
  /** The built-in kinds among the served ones. */
  readonly builtIn: readonly KindRow[];
  /** The served kinds; the same list until something changes. */
  readonly rows: () => readonly KindRow[];
  /**
   * Documents of aggregated API servers, which clients request from them; the same list until something changes. Absent
   * without aggregation.
   */
  readonly remotes?: () => readonly { readonly name: string; readonly url: string }[];
  /** The v2 documents of aggregated API servers; the same list until something changes. Absent without aggregation. */
  readonly descriptions?: () => readonly RemoteOpenApiDescription[];
  readonly naming: Dialect;
  /** Whether the OpenID discovery documents of service account tokens are served. */
  readonly servesOpenId: boolean;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Called for parts that the documents omit because they cannot be built. */
  readonly onFailure: (failure: PartFailure) => void;
  /** Called for documents of aggregated API servers that are rejected. */
  readonly onRejected?: (name: string, message: string) => void;
  /** Absent for the prebuilt parts of the build. */
  readonly prebuiltParts?: PrebuiltParts;
}

/** The documents, which can be prepared before they are requested. */
export interface OpenApi extends OpenApiDocuments {
  /** Starts computing the digests that every response needs, so that the first request does not wait for them. */
  prepare(): void;
}

/** Builds nothing before the first request, unless `prepare` is called earlier. */
export function createOpenApi(options: OpenApiOptions): OpenApi {
  return new OpenApiService(options);
}

const V2_PATH = '/openapi/v2';
const V3_PATH = '/openapi/v3';
/** How long clients may cache a document that is requested with its hash. */
const YEAR_MS = 365 * 24 * 3_600_000;
/** Shorter bodies are not compressed. */
const MIN_COMPRESSED_BYTES = 128 * 1024;
/** Parts that are built concurrently: more than there are threads, so that no thread waits for the event loop. */
const CONCURRENT_PARTS = 8;
const EMPTY_BODY = Buffer.alloc(0);
const NO_REMOTES: readonly never[] = [];
/** Headers of responses that clients must not cache. */
const UNCACHED = { 'cache-control': 'no-cache, private' };

/** Responds to requests for the documents of one server. */
class OpenApiService implements OpenApi {
  private readonly parts: Parts;
  private readonly subjects: () => DocumentSubjects;
  private readonly customRows: () => readonly KindRow[];
  private readonly hashes: DocumentHashes;
  /** The body of the index and what it was made of. */
  private index: { readonly subjects: DocumentSubjects; readonly remotes: object; readonly body: Buffer } | undefined;
  private readonly documents: ComposedDocuments;
  private readonly lastModified: string;

  constructor(private readonly options: OpenApiOptions) {
    const { clock, onFailure, onRejected, prebuiltParts, rows, naming, servesOpenId } = options;
    this.parts = new Parts({ clock, onFailure, onRejected, ...(prebuiltParts !== undefined && { prebuiltParts }) });
    this.documents = new ComposedDocuments(clock, () => this.parts.clear());
    this.lastModified = new Date(clock.now()).toUTCString();
    this.subjects = memoizeBySource(rows, (currentRows) => subjectsOf(currentRows, { naming, servesOpenId }));
    this.hashes = new DocumentHashes(this.parts, this.subjects, options);
    this.customRows = memoizeBySource(rows, (currentRows) => currentRows.filter(({ custom }) => custom !== undefined).sort(byName));
  }

  prepare(): void {
    // A failure is reported by the next request for a document.
    this.hashes.ensureDigests().catch(() => undefined);
  }

  handle(request: OpenApiRequest): Promise<OpenApiResponse> | undefined {
    const { path } = request;
    if (path === V2_PATH) return this.respondV2(request);
    if (path === V3_PATH) return this.respondIndex();
    return path.startsWith(`${V3_PATH}/`) ? this.respondV3(path.slice(V3_PATH.length + 1), request) : undefined;
  }

  /** The one document of all kinds. */
  private async respondV2(request: OpenApiRequest): Promise<OpenApiResponse> {
    const form = negotiateForm(request.accept, 'v2');
    if (form === undefined) return { status: 406, headers: UNCACHED, body: EMPTY_BODY };
    const custom = this.customRows();
    // On the first request no document is cached, so the parts are needed whatever the hash will be.
    if (!this.hashes.hasDigestV2) this.prepareCustomParts(custom, form);
    const remote = this.options.descriptions?.() ?? NO_REMOTES;
    const hash = await this.hashes.hashV2(custom, remote, form);
    const etag = `"${hash}"`;
    const headers = { ...UNCACHED, etag, 'last-modified': this.lastModified, vary: ['Accept-Encoding', 'Accept'] };
    if (request.ifNoneMatch === etag) return { status: 304, headers, body: EMPTY_BODY };
    const partForm = { version: 'v2', media: form.media } as const;
    const document = await this.documents.composeOnce(`${V2_PATH} ${hash}`, partForm, () => this.buildPartsV2(custom, remote, partForm));
    return this.respond({ 'content-type': form.contentType, ...headers }, document, request);
  }

  /** The content type is plain text, as upstream sends it; clients accept it. */
  private async respondIndex(): Promise<OpenApiResponse> {
    // A client that reads the index requests documents next.
    if (this.customRows().length > 0) this.parts.warm('some');
    await this.hashes.ensureDigests();
    const subjects = this.subjects();
    const remotes = this.options.remotes?.() ?? NO_REMOTES;
    if (this.index?.subjects !== subjects || this.index.remotes !== remotes) {
      this.index = { subjects, remotes, body: this.buildIndex(subjects, remotes) };
    }
    const headers = { 'content-type': 'text/plain; charset=utf-8', ...UNCACHED, 'last-modified': this.lastModified };
    return { status: 200, headers, body: this.index.body };
  }

  /** The URLs of all v3 documents by name; those of aggregated API servers take precedence. */
  private buildIndex(subjects: DocumentSubjects, remotes: readonly { readonly name: string; readonly url: string }[]): Buffer {
    const urls = new Map([...subjects].map(([name, subject]) => [name, this.urlOf(name, subject)]));
    for (const { name, url } of remotes) urls.set(name, url);
    const sorted = [...urls].sort(([a], [b]) => (a < b ? -1 : 1));
    const paths = Object.fromEntries(sorted.map(([name, serverRelativeURL]) => [name, { serverRelativeURL }]));
    return Buffer.from(`${JSON.stringify({ paths })}\n`);
  }

  /** `name` is that in the index. A document that is requested with its hash is immutable. */
  private async respondV3(name: string, request: OpenApiRequest): Promise<OpenApiResponse> {
    const subject = this.subjects().get(name);
    if (subject === undefined) return { status: 404, headers: UNCACHED, body: EMPTY_BODY };
    const form = negotiateForm(request.accept, 'v3');
    if (form === undefined) return { status: 406, headers: UNCACHED, body: EMPTY_BODY };
    await this.hashes.ensureDigests();
    const hash = this.hashes.hashV3(name, subject);
    const requestedHash = new URLSearchParams(request.query).get('hash') ?? '';
    const headers = { 'content-type': form.contentType, etag: `"${hash}"`, 'last-modified': this.lastModified, vary: 'Accept' };
    if (requestedHash !== '' && requestedHash !== hash) {
      return { status: 301, headers: { ...headers, ...UNCACHED, location: this.urlOf(name, subject) }, body: EMPTY_BODY };
    }
    const caching = requestedHash === '' ? UNCACHED : this.immutableHeaders();
    if (request.ifNoneMatch === headers.etag) {
      return { status: 304, headers: { etag: headers.etag, vary: headers.vary, ...caching }, body: EMPTY_BODY };
    }
    const partForm = { version: 'v3', media: form.media } as const;
    const document = await this.documents.composeOnce(`${name} ${hash}`, partForm, () => this.buildPartsV3(subject, partForm));
    return this.respond({ ...headers, ...caching }, document, request);
  }

  /** Responds with the document, compressed when the client accepts that and the document is long. */
  private async respond(
    headers: OpenApiResponse['headers'],
    document: ComposedDocument,
    { acceptsGzip }: OpenApiRequest,
  ): Promise<OpenApiResponse> {
    if (acceptsGzip === true && document.length > MIN_COMPRESSED_BYTES) {
      return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: document.gzipped };
    }
    return { status: 200, headers, body: await gunzipToBuffer(document.gzipped) };
  }

  private immutableHeaders(): Record<string, string> {
    return { 'cache-control': 'public, immutable', expires: new Date(this.options.clock.now() + YEAR_MS).toUTCString() };
  }

  /** The URL of a v3 document with its hash. */
  private urlOf(name: string, subject: DocumentSubject): string {
    return `${V3_PATH}/${name}?hash=${this.hashes.hashV3(name, subject)}`;
  }

  /** The parts of the v2 document. */
  private async buildPartsV2(
    custom: readonly KindRow[],
    remote: readonly RemoteOpenApiDescription[],
    form: PartForm,
  ): Promise<readonly DocumentPart[]> {
    const { builtIn, naming, servesOpenId } = this.options;
    const [{ part }, customParts, remoteParts] = await Promise.all([
      this.parts.buildBuiltIn(builtIn, naming, form),
      this.buildCustomParts(custom, naming, form),
      this.parts.buildRemotes(remote, { builtIn, custom, dialect: naming, form }),
    ]);
    const openIdPart = servesOpenId ? [new PartEncoder().encodePiece(buildOpenIdPieceV2(naming), form)] : [];
    return [part, ...openIdPart, ...customParts, ...remoteParts];
  }

  /** Starts building the parts concurrently with other work. */
  private prepareCustomParts(custom: readonly KindRow[], { media }: ResponseForm): void {
    this.parts.warm('all');
    // A failure is reported by the request that awaits the parts.
    this.buildCustomParts(custom, this.options.naming, { version: 'v2', media }).catch(() => undefined);
  }

  /** The parts of a v3 document. */
  private async buildPartsV3(subject: DocumentSubject, form: PartForm): Promise<readonly DocumentPart[]> {
    const { custom, dialect } = subject;
    const [shared, customParts] = await Promise.all([
      this.parts.buildGroupVersion(this.options.builtIn, subject, form),
      this.buildCustomParts(custom, dialect, form),
    ]);
    return [shared, ...customParts];
  }

  /**
   * The parts of the kinds in their order, without those that cannot be built; at most {@link CONCURRENT_PARTS} at
   * once.
   */
  private async buildCustomParts(rows: readonly KindRow[], dialect: Dialect, form: PartForm): Promise<readonly DocumentPart[]> {
    const parts = new Array<DocumentPart | undefined>(rows.length);
    const remainingRows = rows.entries();
    /** Takes one kind after another, together with the other calls. */
    const buildRemaining = async (): Promise<void> => {
      for (const [index, row] of remainingRows) parts[index] = await this.parts.buildCustom(row, dialect, form);
    };
    await Promise.all(Array.from({ length: CONCURRENT_PARTS }, buildRemaining));
    return parts.filter((part) => part !== undefined);
  }
}
