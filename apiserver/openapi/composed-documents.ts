/**
 * The documents that were composed of their parts, kept in compressed form while clients request any of them. What a
 * document contains is left to the caller.
 */
import { LRUCache } from 'lru-cache';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { PartForm } from './documents/response-form';
import { gzipOf, totalLength } from './parts/chunk';
import { composeChunks } from './parts/compose-document';
import type { DocumentPart } from './parts/part';

/** How long documents are kept after the last request. */
const RETENTION_MS = 300_000;
/** Maximum size of the documents in compressed form. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** A composed document; `length` is that before compression. */
export interface ComposedDocument {
  readonly gzipped: Buffer;
  readonly length: number;
}

/** The cache of the documents of one server. */
export class ComposedDocuments {
  private readonly documents = new LRUCache<string, Promise<ComposedDocument>>({ maxSize: MAX_CACHED_BYTES });
  private evictionTimer: Timer | undefined;

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    /** Called when all documents are evicted. */
    private readonly onEvicted: () => void,
  ) {}

  /**
   * The cached document, or a new one that concurrent requests share. `contents` identifies what the document contains.
   */
  composeOnce(contents: string, form: PartForm, createParts: () => Promise<readonly DocumentPart[]>): Promise<ComposedDocument> {
    this.extendRetention();
    const key = `${contents} ${form.media}`;
    const existing = this.documents.get(key);
    if (existing !== undefined) return existing;
    const document = createParts().then((parts) => compose(parts, form));
    // The size is known once the document is composed; the cache requires one of at least 1.
    this.documents.set(key, document, { size: 1 });
    document.then(
      ({ gzipped }) => this.documents.set(key, document, { size: gzipped.length }),
      // The next request retries.
      () => this.documents.delete(key),
    );
    return document;
  }

  /** Evicts all documents when none was requested for a while. */
  private extendRetention(): void {
    this.evictionTimer?.cancel();
    this.evictionTimer = this.clock.after(RETENTION_MS, () => {
      this.documents.clear();
      this.onEvicted();
    });
  }
}

function compose(parts: readonly DocumentPart[], form: PartForm): ComposedDocument {
  const chunks = composeChunks(parts, form);
  return { gzipped: gzipOf(chunks), length: totalLength(chunks) };
}
