/**
 * OpenAPI over HTTP: `/openapi/v2`, the index `/openapi/v3` and a document per group version. Documents are large
 * and rarely asked for: they are made on demand, kept for a while, and forgotten; only their hashes stay.
 */
import { createHash } from 'node:crypto';
import { apiVersionOf } from '../../shared/api/identity/identity';
import type { JsonObject } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { groupIn, type Dialect } from '../../shared/names/dialect';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { perRows } from '../registry/per-rows';
import type { OpenApiAnswer, OpenApiDocuments, OpenApiRequest } from './openapi-document';
import { readDescriptions, type Describe } from './descriptions';
import { documentV2, documentV3 } from './documents';
import { chosenForm, type Form } from './forms';

export interface OpenApiParts {
  /** What is served; the same list until something changes. */
  readonly rows: () => readonly KindRow[];
  readonly naming: Dialect;
  readonly clock: Pick<Clock, 'now' | 'after'>;
}

export function createOpenApi(parts: OpenApiParts): OpenApiDocuments {
  const present = perRows(parts.rows, (rows) => new OpenApi(parts, rows));
  return { handle: (request) => present().handle(request) };
}

const V2 = '/openapi/v2';
const V3 = '/openapi/v3';
/** How long a document that no one asks for is kept. */
const KEEP_MS = 30_000;
const YEAR_MS = 365 * 24 * 3_600_000;
const NOTHING = Buffer.alloc(0);
const UNCACHED = { 'cache-control': 'no-cache, private' };
const DIALECTS: readonly Dialect[] = ['platform', 'kubernetes'];

class OpenApi implements OpenApiDocuments {
  /** How each document is made: '' is that of version 2, others are named as in the index, `apis/<group>/<version>`. */
  private readonly makers = new Map<string, () => JsonObject>();
  private readonly hashes = new Map<string, string>();
  private readonly kept = new Map<string, Buffer>();
  private describe: Describe | undefined;
  private forgetting: Timer | undefined;
  private readonly since: string;

  constructor(
    private readonly parts: OpenApiParts,
    rows: readonly KindRow[],
  ) {
    const { naming } = parts;
    this.since = new Date(parts.clock.now()).toUTCString();
    this.makers.set('', () => documentV2(rows, naming, this.texts()));
    for (const row of rows) {
      for (const dialect of row.group === '' ? [naming] : DIALECTS) {
        const groupVersion = apiVersionOf({ group: groupIn(dialect, row.group), version: row.version });
        this.makers.set(row.group === '' ? `api/${groupVersion}` : `apis/${groupVersion}`, () =>
          documentV3(rows, row, dialect, this.texts()),
        );
      }
    }
  }

  handle(request: OpenApiRequest): OpenApiAnswer | undefined {
    const { path } = request;
    if (path === V2) return this.version2(request);
    if (path === V3) return this.index();
    return path.startsWith(`${V3}/`) ? this.version3(path.slice(V3.length + 1), request) : undefined;
  }

  private version2(request: OpenApiRequest): OpenApiAnswer {
    const form = chosenForm(request.accept, 'v2');
    if (form === undefined) return { status: 406, headers: UNCACHED, body: NOTHING };
    const etag = `"${this.hash('')}"`;
    const headers = { ...UNCACHED, etag, 'last-modified': this.since, vary: ['Accept-Encoding', 'Accept'] };
    if (request.ifNoneMatch === etag) return { status: 304, headers, body: NOTHING };
    return { status: 200, headers: { 'content-type': form.contentType, ...headers }, body: this.body('', form) };
  }

  /** Sent as plain text, as upstream does; clients read it all the same. */
  private index(): OpenApiAnswer {
    const names = [...this.makers.keys()].filter((name) => name !== '').sort();
    const paths = Object.fromEntries(names.map((name) => [name, { serverRelativeURL: this.address(name) }]));
    const headers = { 'content-type': 'text/plain; charset=utf-8', ...UNCACHED, 'last-modified': this.since };
    return { status: 200, headers, body: Buffer.from(`${JSON.stringify({ paths })}\n`) };
  }

  private version3(name: string, request: OpenApiRequest): OpenApiAnswer {
    if (name === '' || !this.makers.has(name)) return { status: 404, headers: UNCACHED, body: NOTHING };
    const form = chosenForm(request.accept, 'v3');
    if (form === undefined) return { status: 406, headers: UNCACHED, body: NOTHING };
    const hash = this.hash(name);
    const asked = new URLSearchParams(request.query).get('hash') ?? '';
    const headers = { 'content-type': form.contentType, etag: `"${hash}"`, 'last-modified': this.since, vary: 'Accept' };
    if (asked !== '' && asked !== hash) {
      return { status: 301, headers: { ...headers, ...UNCACHED, location: this.address(name) }, body: NOTHING };
    }
    const caching = asked === '' ? UNCACHED : this.immutable();
    if (request.ifNoneMatch === headers.etag) {
      return { status: 304, headers: { etag: headers.etag, vary: headers.vary, ...caching }, body: NOTHING };
    }
    return { status: 200, headers: { ...headers, ...caching }, body: this.body(name, form) };
  }

  private immutable(): Record<string, string> {
    return { 'cache-control': 'public, immutable', expires: new Date(this.parts.clock.now() + YEAR_MS).toUTCString() };
  }

  private address(name: string): string {
    return `${V3}/${name}?hash=${this.hash(name)}`;
  }

  private hash(name: string): string {
    const known = this.hashes.get(name);
    if (known !== undefined) return known;
    const hash = createHash('sha512').update(this.json(name)).digest('hex').toUpperCase();
    this.hashes.set(name, hash);
    return hash;
  }

  private body(name: string, form: Form): Buffer {
    return form.encode === undefined ? this.json(name) : form.encode(this.make(name));
  }

  private json(name: string): Buffer {
    this.stayAWhile();
    const known = this.kept.get(name);
    if (known !== undefined) return known;
    const made = Buffer.from(JSON.stringify(this.make(name)));
    this.kept.set(name, made);
    return made;
  }

  private texts(): Describe {
    this.stayAWhile();
    return (this.describe ??= readDescriptions());
  }

  /** What is kept goes when nobody has asked for a while. */
  private stayAWhile(): void {
    this.forgetting?.cancel();
    this.forgetting = this.parts.clock.after(KEEP_MS, () => {
      this.kept.clear();
      this.describe = undefined;
    });
  }

  private make(name: string): JsonObject {
    const make = this.makers.get(name);
    if (make === undefined) throw new Error(`there is no document ${name}`);
    return make();
  }
}
