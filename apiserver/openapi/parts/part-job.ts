/**
 * Jobs that build parts of documents, in a form that can be sent to a worker thread, and their execution. A job
 * contains all of its input except the descriptions of types, which each thread reads itself.
 */
import { gunzipSync } from 'node:zlib';
import type { CustomVersion } from '../../../shared/api/structural/version';
import { readSchema } from '../../../shared/api/structural/read-schema';
import type { KindRow } from '../../../shared/api/kinds';
import type { Dialect } from '../../../shared/names/dialect';
import type { Describe } from '../documents/descriptions';
import { buildBuiltInPieceV3, buildGroupPieceV3, buildPieceV2, type BuiltInSubject, type CustomRow } from '../documents/documents';
import type { PartForm } from '../documents/response-form';
import { RemotePieces, type RejectedDocument } from './remote-pieces';
import { digestOf, PartEncoder, type DocumentPart } from './part';

/** The members of all jobs that build a part. */
interface CommonJob {
  /** The dialect of names; see documents.ts. */
  readonly dialect: Dialect;
  readonly form: PartForm;
}

/** Builds the part of one version of a custom kind. */
interface CustomJob extends CommonJob {
  readonly type: 'custom';
  readonly row: CustomRow;
  /** JSON, in a buffer of its own. */
  readonly schema: Uint8Array<ArrayBuffer>;
}

/** Builds the part of all built-in kinds for v2. */
interface BuiltInJob extends CommonJob {
  readonly type: 'builtIn';
  readonly rows: readonly KindRow[];
}

/**
 * Builds the part of one group version for v3: all of a built-in one, or the additional piece of one with custom kinds.
 */
interface GroupVersionJob extends CommonJob {
  readonly type: 'groupVersion';
  /** The built-in kinds. */
  readonly rows: readonly KindRow[];
  /** The custom kinds of the group version. */
  readonly customRows: readonly CustomRow[];
  /** Set for a built-in group version. */
  readonly subject: BuiltInSubject | undefined;
}

/** Builds the parts of aggregated API servers for v2. */
export interface RemoteJob {
  readonly type: 'remote';
  /** The built-in kinds; their definitions are compared with those of the documents. */
  readonly rows: readonly KindRow[];
  readonly dialect: Dialect;
  readonly form: PartForm;
  /** In document order; the texts are compressed with gzip. */
  readonly documents: readonly { readonly name: string; readonly gzipped: Uint8Array }[];
  /** Names of definitions of custom kinds. */
  readonly takenNames: readonly string[];
}

/** The result of a {@link RemoteJob}: documents that are not rejected have their part. */
export interface RemoteParts {
  readonly parts: readonly DocumentPart[];
  readonly rejected: readonly RejectedDocument[];
}

/** A job that results in one {@link BuiltPart}. */
export type PartJob = BuiltInJob | CustomJob | GroupVersionJob;

/** Computes digests of the v3 documents of built-in group versions, by document name. */
export interface DigestJob {
  readonly type: 'digests';
  readonly rows: readonly KindRow[];
  readonly subjects: readonly BuiltInSubject[];
}

/** By document name. */
export type Digests = ReadonlyMap<string, string>;

/** The result of a job. */
export interface BuiltPart {
  readonly part: DocumentPart;
  /**
   * Digest of the contents, independent of the encoding. Set only by the job `builtIn`: v3 documents get theirs from a
   * `DigestJob`, and custom kinds are identified by their definition.
   */
  readonly digest?: string;
}

/** The schema of a custom version in place of one that documents do not need. */
const EMPTY_SCHEMA = readSchema({});
const EMPTY_SCHEMA_JSON = Buffer.from('{}');

/** Executes jobs one after another. Its methods throw when a document cannot be built. `describe` describes the types. */
export class PartBuilder {
  private readonly encoder = new PartEncoder();

  constructor(private readonly describe: Describe) {}

  /** Builds one part. */
  build(job: PartJob): BuiltPart {
    const { dialect, form } = job;
    switch (job.type) {
      case 'builtIn': {
        const piece = buildPieceV2(job.rows, dialect, this.describe);
        return { part: this.encoder.encodePiece(piece, form), digest: digestOf(piece) };
      }
      case 'groupVersion': {
        const { subject, rows } = job;
        // The piece contains only the built-in types to which custom kinds refer; each kind's schema is the part of a
        // `CustomJob`.
        const customRows = job.customRows.map((row) => ({ ...row, custom: customVersionOf(EMPTY_SCHEMA_JSON) }));
        const isBuiltIn = subject !== undefined;
        const piece = isBuiltIn
          ? buildBuiltInPieceV3(rows, subject, this.describe)
          : buildGroupPieceV3(customRows, rows, dialect, this.describe);
        return { part: this.encoder.encodePiece(piece, form) };
      }
      case 'custom':
        return { part: this.encoder.encodeCustom({ ...job.row, custom: customVersionOf(job.schema) }, dialect, form) };
    }
  }

  /** Computes the digests of built-in documents. */
  digests({ rows, subjects }: DigestJob): Digests {
    return new Map(subjects.map((subject) => [subject.name, digestOf(buildBuiltInPieceV3(rows, subject, this.describe))]));
  }

  /** Builds the parts of aggregated API servers, without those of rejected documents. */
  remote({ rows, dialect, form, documents, takenNames }: RemoteJob): RemoteParts {
    const pieces = new RemotePieces(buildPieceV2(rows, dialect, this.describe).schemas, new Set(takenNames));
    const parts: DocumentPart[] = [];
    for (const { name, gzipped } of documents) {
      const piece = pieces.add({ name, text: gunzipSync(gzipped).toString() });
      if (piece !== undefined) parts.push(this.encoder.encodePiece(piece, form));
    }
    return { parts, rejected: pieces.rejected };
  }
}

/** A custom version with the JSON of its schema. Documents need none of its other members, which are empty. */
function customVersionOf(text: Uint8Array): CustomVersion {
  return {
    definition: '',
    schema: EMPTY_SCHEMA,
    schemaText: () => Buffer.from(text.buffer, text.byteOffset, text.byteLength),
    schemaId: '',
    displayId: '',
    versions: new Map(),
    storageVersion: '',
    webhook: undefined,
    columns: [],
    scale: undefined,
  };
}
