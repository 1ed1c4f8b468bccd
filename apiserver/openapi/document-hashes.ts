/**
 * The hashes of OpenAPI documents, by which clients and the server know whether a document has changed. Computed without
 * building the documents: from digests of the built-in kinds, which never change, and from the identities of the custom
 * definitions. A changed definition changes the hash of its group version and that of the v2 document.
 */
import { createHash } from 'node:crypto';
import type { KindRow } from '../../shared/api/kinds';
import type { Dialect } from '../../shared/names/dialect';
import type { ResponseForm } from './documents/response-form';
import type { Parts, RemoteOpenApiDescription } from './parts/parts';
import type { DocumentSubject, DocumentSubjects } from './parts/subjects';

/** The members of the options of the documents on which hashes depend. */
interface HashOptions {
  readonly builtIn: readonly KindRow[];
  readonly naming: Dialect;
  readonly servesOpenId: boolean;
}

/** The hashes of all documents of a server. */
export class DocumentHashes {
  /** Digests of built-in group versions by document name. Empty until {@link ensureDigests}. */
  private readonly digests = new Map<string, string>();
  private pendingDigests: Promise<void> | undefined;
  /** The digest of the built-in kinds in the v2 document, once it was requested. */
  private digestV2: Promise<string> | undefined;
  /** Hashes of v3 documents with custom kinds. */
  private readonly hashesV3 = new WeakMap<DocumentSubject, string>();

  constructor(
    private readonly parts: Parts,
    private readonly subjects: () => DocumentSubjects,
    private readonly options: HashOptions,
  ) {}

  /** Whether the v2 document was requested before. */
  get hasDigestV2(): boolean {
    return this.digestV2 !== undefined;
  }

  /** The hash of a v3 document, which changes with its contents. Requires {@link ensureDigests}. */
  hashV3(name: string, subject: DocumentSubject): string {
    const builtInDigest = this.digests.get(name);
    const existing = subject.custom.length === 0 ? builtInDigest : this.hashesV3.get(subject);
    if (existing !== undefined) return existing;
    const hash = hashOf([builtInDigest ?? this.sharedDigest, ...subject.custom.map((row) => this.parts.identityOf(row))]);
    this.hashesV3.set(subject, hash);
    return hash;
  }

  /**
   * Part of the hash of a document that has custom kinds only. It changes with the built-in types to which those refer:
   * the digest of the core group stands for the release.
   */
  private get sharedDigest(): string {
    return this.digests.get('api/v1') ?? '';
  }

  /** The hash of the v2 document, which changes with its contents and is the same for every encoding. */
  async hashV2(custom: readonly KindRow[], remote: readonly RemoteOpenApiDescription[], form: ResponseForm): Promise<string> {
    const remoteIdentities = remote.flatMap(({ name, id }) => [name, id]);
    const openIdMark = this.options.servesOpenId ? [] : ['without OpenID'];
    const customIdentities = custom.map((row) => this.parts.identityOf(row));
    return hashOf([await this.ensureDigestV2(form), ...openIdMark, ...customIdentities, ...remoteIdentities]);
  }

  /** The digest of the built-in kinds. It comes with their part, and is the same for every encoding of the part. */
  private ensureDigestV2({ media }: ResponseForm): Promise<string> {
    const { builtIn, naming } = this.options;
    this.digestV2 ??= this.parts.buildBuiltIn(builtIn, naming, { version: 'v2', media }).then(({ digest = '' }) => digest);
    return this.digestV2;
  }

  /** Resolves once the digests of the built-in group versions are known. Rejects when they cannot be computed. */
  ensureDigests(): Promise<void> {
    return (this.pendingDigests ??= this.computeDigests().catch((error: unknown) => {
      // The next request retries.
      this.pendingDigests = undefined;
      throw error;
    }));
  }

  private async computeDigests(): Promise<void> {
    const builtInSubjects = [...this.subjects().values()].filter(({ isBuiltIn }) => isBuiltIn);
    const subjects = builtInSubjects.map(({ custom: _, isBuiltIn: __, ...subject }) => subject);
    const digests = await this.parts.digests({ type: 'digests', rows: this.options.builtIn, subjects });
    for (const [name, digest] of digests) this.digests.set(name, hashOf([digest]));
  }
}

/** The form of all hashes, as upstream prints them: 128 uppercase digits. */
function hashOf(texts: readonly string[]): string {
  return createHash('sha512').update(texts.join('\n')).digest('hex').toUpperCase();
}
