/**
 * Parts and digests of built-in kinds, made by the build (generate/main.ts): what these kinds say changes with the release only. They hold for the kinds that
 * they were made of; of any others, and where nothing was built, parts are made when they are asked for, as those of definitions are.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KindRow } from '../../shared/api/kinds';
import type { Dialect } from '../../shared/names/dialect';
import { errorCode } from '../../shared/runtime/error-code';
import { readFileIfExists } from '../../shared/runtime/files/read-file-if-exists';
import { parseJson } from '../../shared/serialization/strict-json';
import { isObject, objectAt, stringAt } from '../../shared/values/json';
import type { Chunk } from './chunk';
import type { PartForm } from './response-form';
import type { DocumentPart } from './part';
import type { DigestJob, Digests, MadePart } from './part-job';

const FOLDER = join(__dirname, 'ready');
const DIGESTS = 'digests.json';
/** Length and checksum of the paths and of the schemas, and how many bytes the paths take, as integers of four bytes. */
const HEAD_BYTES = 20;

/** Which document the part is of. */
interface Whose {
  /** Of its names. */
  readonly dialect: Dialect;
  /** As in the index of version 3; that of version 2 has none. */
  readonly name?: string;
}

export interface ReadyPart extends Whose {
  readonly form: PartForm;
  readonly part: DocumentPart;
}

/** What a document says in any form goes by this. */
export function digestName({ dialect, name = '' }: Whose): string {
  return `${dialect} ${name}`;
}

interface ReadyDigests {
  /** Which kinds they are of. */
  readonly kinds: string;
  readonly byName: ReadonlyMap<string, string>;
}

export class ReadyParts {
  private found: ReadyDigests | 'none' | undefined;
  private readonly identities = new WeakMap<readonly KindRow[], string>();

  constructor(private readonly folder = FOLDER) {}

  /** Undefined = not all of them are there. */
  digests({ rows, subjects }: DigestJob): Digests | undefined {
    const digests = this.digestsOf(rows);
    const found = new Map<string, string>();
    for (const subject of subjects) {
      const digest = digests?.get(digestName(subject));
      if (digest === undefined) return undefined;
      found.set(subject.name, digest);
    }
    return found;
  }

  /** A part, and the digest of what it says; undefined = it is not there. */
  async part(rows: readonly KindRow[], whose: Whose, form: PartForm): Promise<Required<MadePart> | undefined> {
    const digest = this.digestsOf(rows)?.get(digestName(whose));
    if (digest === undefined) return undefined;
    const bytes = await readFile(this.fileOf(whose, form)).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    return bytes === undefined ? undefined : { part: partIn(bytes), digest };
  }

  clear(): void {
    rmSync(this.folder, { recursive: true, force: true });
    this.found = undefined;
  }

  /** Once; what is there has to be cleared before. */
  write(rows: readonly KindRow[], digests: ReadonlyMap<string, string>, parts: readonly ReadyPart[]): void {
    mkdirSync(this.folder, { recursive: true });
    for (const ready of parts) writeFileSync(this.fileOf(ready, ready.form), bytesOf(ready.part));
    writeFileSync(join(this.folder, DIGESTS), JSON.stringify({ kinds: identityOf(rows), digests: Object.fromEntries(digests) }));
    this.found = undefined;
  }

  /** Undefined = they are of other kinds. */
  private digestsOf(rows: readonly KindRow[]): ReadonlyMap<string, string> | undefined {
    this.found ??= readDigests(join(this.folder, DIGESTS)) ?? 'none';
    if (this.found === 'none') return undefined;
    let identity = this.identities.get(rows);
    if (identity === undefined) this.identities.set(rows, (identity = identityOf(rows)));
    return identity === this.found.kinds ? this.found.byName : undefined;
  }

  private fileOf({ dialect, name = '' }: Whose, { version, media }: PartForm): string {
    return join(this.folder, [dialect, version, media, ...name.split('/')].join('-'));
  }
}

function readDigests(file: string): ReadyDigests | undefined {
  const bytes = readFileIfExists(file);
  const value = bytes === undefined ? undefined : parseJson(bytes).value;
  if (!isObject(value)) return undefined;
  const digests = Object.entries(objectAt(value, 'digests') ?? {});
  return {
    kinds: stringAt(value, 'kinds') ?? '',
    byName: new Map(digests.flatMap(([name, digest]) => (typeof digest === 'string' ? [[name, digest]] : []))),
  };
}

function identityOf(rows: readonly KindRow[]): string {
  return createHash('sha256').update(JSON.stringify(rows)).digest('base64');
}

function bytesOf({ paths, schemas }: DocumentPart): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  [paths.length, paths.crc, schemas.length, schemas.crc, paths.packed.length].forEach((value, index) =>
    head.writeUInt32LE(value, index * 4),
  );
  return Buffer.concat([head, paths.packed, schemas.packed]);
}

function partIn(bytes: Buffer): DocumentPart {
  const end = HEAD_BYTES + bytes.readUInt32LE(16);
  const chunk = (at: number, from: number, to: number): Chunk => ({
    length: bytes.readUInt32LE(at),
    crc: bytes.readUInt32LE(at + 4),
    packed: new Uint8Array(bytes.subarray(from, to)),
  });
  return { paths: chunk(0, HEAD_BYTES, end), schemas: chunk(8, end, bytes.length) };
}
