/**
 * Parts and digests of built-in kinds, prebuilt by the build (generate/main.ts), because they change only with the
 * release. They are valid for the kinds that they were built for; for other kinds, and without a build, parts are built
 * on demand.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KindRow } from '../../../shared/api/kinds';
import type { Dialect } from '../../../shared/names/dialect';
import { errorCode } from '../../../shared/runtime/error-code';
import { readFileIfExists } from '../../../shared/runtime/files/read-file-if-exists';
import { parseJson } from '../../../shared/serialization/json/strict-json';
import { isObject, objectAt, stringAt } from '../../../shared/values/json';
import type { Chunk } from './chunk';
import type { PartForm } from '../documents/response-form';
import type { DocumentPart } from './part';
import type { DigestJob, Digests, BuiltPart } from './part-job';

/** The folder that the build writes. */
const FOLDER = join(__dirname, 'ready');
const DIGESTS_FILE = 'digests.json';
/** Offsets of the numbers (4 bytes each) at the start of a file. The compressed paths and schemas follow. */
const HEAD = { pathsLength: 0, pathsCrc: 4, schemasLength: 8, schemasCrc: 12, packedPathsLength: 16 } as const;
const HEAD_BYTES = 20;

/** Identifies a document of the built-in kinds. */
interface DocumentId {
  /** The dialect of its names. */
  readonly dialect: Dialect;
  /** The name in the v3 index; absent for the v2 document. */
  readonly name?: string;
}

/** A part that the build has encoded. */
export interface PrebuiltPart extends DocumentId {
  readonly form: PartForm;
  readonly part: DocumentPart;
}

/** The key of a document's digest, which is independent of the encoding. */
export function digestKey({ dialect, name = '' }: DocumentId): string {
  return `${dialect} ${name}`;
}

/** The content of the file of digests. */
interface PrebuiltDigests {
  /** Identity of the kinds. */
  readonly kinds: string;
  readonly byName: ReadonlyMap<string, string>;
}

/** The files in one folder; absent files mean that nothing is prebuilt. */
export class PrebuiltParts {
  /** `undefined` until the file is read. */
  private digestsFile: PrebuiltDigests | 'none' | undefined;
  private readonly identities = new WeakMap<readonly KindRow[], string>();

  constructor(private readonly folder = FOLDER) {}

  /** The digests of the job; `undefined` when one of them is missing. */
  digests({ rows, subjects }: DigestJob): Digests | undefined {
    const digests = this.digestsOf(rows);
    const digestsByName = new Map<string, string>();
    for (const subject of subjects) {
      const digest = digests?.get(digestKey(subject));
      if (digest === undefined) return undefined;
      digestsByName.set(subject.name, digest);
    }
    return digestsByName;
  }

  /** A part with the digest of its contents; `undefined` when it does not exist. */
  async part(rows: readonly KindRow[], document: DocumentId, form: PartForm): Promise<Required<BuiltPart> | undefined> {
    const digest = this.digestsOf(rows)?.get(digestKey(document));
    if (digest === undefined) return undefined;
    const bytes = await readFile(this.fileOf(document, form)).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    return bytes === undefined ? undefined : { part: partIn(bytes), digest };
  }

  /** Removes all parts and digests. */
  clear(): void {
    rmSync(this.folder, { recursive: true, force: true });
    this.digestsFile = undefined;
  }

  /** Writes all parts and digests; the folder must have been cleared. */
  write(rows: readonly KindRow[], digests: ReadonlyMap<string, string>, parts: readonly PrebuiltPart[]): void {
    mkdirSync(this.folder, { recursive: true });
    for (const builtPart of parts) writeFileSync(this.fileOf(builtPart, builtPart.form), bytesOf(builtPart.part));
    writeFileSync(join(this.folder, DIGESTS_FILE), JSON.stringify({ kinds: identityOf(rows), digests: Object.fromEntries(digests) }));
    this.digestsFile = undefined;
  }

  /** The digests by {@link digestKey}; `undefined` when they belong to other kinds. */
  private digestsOf(rows: readonly KindRow[]): ReadonlyMap<string, string> | undefined {
    this.digestsFile ??= readDigests(join(this.folder, DIGESTS_FILE)) ?? 'none';
    if (this.digestsFile === 'none') return undefined;
    const identity = this.identities.get(rows) ?? identityOf(rows);
    this.identities.set(rows, identity);
    return identity === this.digestsFile.kinds ? this.digestsFile.byName : undefined;
  }

  private fileOf({ dialect, name = '' }: DocumentId, { version, media }: PartForm): string {
    return join(this.folder, [dialect, version, media, ...name.split('/')].join('-'));
  }
}

function readDigests(file: string): PrebuiltDigests | undefined {
  const bytes = readFileIfExists(file);
  const value = bytes === undefined ? undefined : parseJson(bytes).value;
  if (!isObject(value)) return undefined;
  const digests = Object.entries(objectAt(value, 'digests') ?? {});
  return {
    kinds: stringAt(value, 'kinds') ?? '',
    byName: new Map(digests.flatMap(([name, digest]) => (typeof digest === 'string' ? [[name, digest]] : []))),
  };
}

/** Equal for equal kinds. */
function identityOf(rows: readonly KindRow[]): string {
  return createHash('sha256').update(JSON.stringify(rows)).digest('base64');
}

/** The content of the file of a part. */
function bytesOf({ paths, schemas }: DocumentPart): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(paths.length, HEAD.pathsLength);
  head.writeUInt32LE(paths.crc, HEAD.pathsCrc);
  head.writeUInt32LE(schemas.length, HEAD.schemasLength);
  head.writeUInt32LE(schemas.crc, HEAD.schemasCrc);
  head.writeUInt32LE(paths.packed.length, HEAD.packedPathsLength);
  return Buffer.concat([head, paths.packed, schemas.packed]);
}

/** The part in the content of a file. */
function partIn(bytes: Buffer): DocumentPart {
  const pathsEnd = HEAD_BYTES + bytes.readUInt32LE(HEAD.packedPathsLength);
  const paths: Chunk = {
    length: bytes.readUInt32LE(HEAD.pathsLength),
    crc: bytes.readUInt32LE(HEAD.pathsCrc),
    packed: new Uint8Array(bytes.subarray(HEAD_BYTES, pathsEnd)),
  };
  const schemas: Chunk = {
    length: bytes.readUInt32LE(HEAD.schemasLength),
    crc: bytes.readUInt32LE(HEAD.schemasCrc),
    packed: new Uint8Array(bytes.subarray(pathsEnd)),
  };
  return { paths, schemas };
}
