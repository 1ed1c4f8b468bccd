/** What a part of a document is made of, as it can be sent to a thread, and how it is made. */
import { gunzipSync } from 'node:zlib';
import type { CustomVersion } from '../../shared/api/structural/version';
import { readSchema } from '../../shared/api/structural/read-schema';
import type { KindRow } from '../../shared/api/kinds';
import type { Dialect } from '../../shared/names/dialect';
import type { Describe } from './descriptions';
import { builtInPieceV3, groupPieceV3, pieceV2, type BuiltInSubject, type CustomRow } from './documents';
import type { PartForm } from './response-form';
import { RemotePieces, type LeftOut } from './remote-pieces';
import { digestOf, PartEncoder, type DocumentPart } from './part';

interface Common {
  /** Of names; see documents.ts. */
  readonly dialect: Dialect;
  readonly form: PartForm;
}

/** One version of a custom kind. */
interface CustomJob extends Common {
  readonly type: 'custom';
  readonly row: CustomRow;
  /** JSON, in memory of its own. */
  readonly schema: Uint8Array<ArrayBuffer>;
}

/** All built-in kinds, for version 2. */
interface BuiltInJob extends Common {
  readonly type: 'builtIn';
  readonly rows: readonly KindRow[];
}

/** One group version in version 3: all of a built-in one, or what one of custom kinds has besides them. */
interface GroupVersionJob extends Common {
  readonly type: 'groupVersion';
  /** The built-in kinds. */
  readonly rows: readonly KindRow[];
  /** Its custom kinds. */
  readonly custom: readonly CustomRow[];
  /** A built-in one. */
  readonly of: BuiltInSubject | undefined;
}

/** What other servers say of themselves, for version 2. */
export interface RemoteJob {
  readonly type: 'remote';
  /** The built-in kinds, with whose definitions theirs are compared. */
  readonly rows: readonly KindRow[];
  readonly dialect: Dialect;
  readonly form: PartForm;
  /** In their order; the texts compressed with gzip. */
  readonly documents: readonly { readonly name: string; readonly packed: Uint8Array }[];
  /** Names of definitions of custom kinds. */
  readonly taken: readonly string[];
}

export interface RemoteParts {
  readonly parts: readonly DocumentPart[];
  readonly leftOut: readonly LeftOut[];
}

export type PartJob = BuiltInJob | CustomJob | GroupVersionJob;

/** What the documents of built-in group versions say in version 3, as digests by the documents' names. */
export interface DigestJob {
  readonly type: 'digests';
  readonly rows: readonly KindRow[];
  readonly subjects: readonly BuiltInSubject[];
}

export type Digests = ReadonlyMap<string, string>;

export interface MadePart {
  readonly part: DocumentPart;
  /** Of what it says, whatever its form; only of built-in kinds, as custom ones are told apart by what they are made of. */
  readonly digest?: string;
}

/** Does what is asked, one after another; `describe` knows the texts of types. */
export class PartMaker {
  private readonly encoder = new PartEncoder();

  constructor(private readonly describe: Describe) {}

  make(job: PartJob): MadePart {
    const { dialect, form } = job;
    switch (job.type) {
      case 'builtIn': {
        const piece = pieceV2(job.rows, dialect, this.describe);
        return { part: this.encoder.ofPiece(piece, form), digest: digestOf(piece) };
      }
      case 'groupVersion': {
        const custom = job.custom.map((row) => ({ ...row, custom: textOnly(NO_TEXT) }));
        const { of, rows } = job;
        const piece = of === undefined ? groupPieceV3(custom, rows, dialect, this.describe) : builtInPieceV3(rows, of, this.describe);
        return { part: this.encoder.ofPiece(piece, form) };
      }
      case 'custom':
        return { part: this.encoder.ofCustom({ ...job.row, custom: textOnly(job.schema) }, dialect, form) };
    }
  }

  digests({ rows, subjects }: DigestJob): Digests {
    return new Map(subjects.map((subject) => [subject.name, digestOf(builtInPieceV3(rows, subject, this.describe))]));
  }

  remote({ rows, dialect, form, documents, taken }: RemoteJob): RemoteParts {
    const pieces = new RemotePieces(pieceV2(rows, dialect, this.describe).schemas, new Set(taken));
    const parts: DocumentPart[] = [];
    for (const { name, packed } of documents) {
      const piece = pieces.add({ name, text: gunzipSync(packed).toString() });
      if (piece !== undefined) parts.push(this.encoder.ofPiece(piece, form));
    }
    return { parts, leftOut: pieces.leftOut };
  }
}

const NO_TEXT = Buffer.from('{}');

/** What documents ask of a version of a custom kind. */
function textOnly(text: Uint8Array): CustomVersion {
  return {
    definition: '',
    schema: NOTHING,
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

const NOTHING = readSchema({});
