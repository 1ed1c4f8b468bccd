/**
 * Encodes parts of OpenAPI documents and compresses them. Composing parts to documents is left to compose-document.ts.
 *
 * Three words: a piece is paths and schemas as values ({@link DocumentPiece}), a part is an encoded piece
 * ({@link DocumentPart}), and a chunk is a compressed sequence of bytes, such as the paths of a part ({@link Chunk}).
 */
import { createHash } from 'node:crypto';
import type { KindRow } from '../../../shared/api/kinds';
import { OPENAPI_NAME_PREFIX, type Dialect } from '../../../shared/names/dialect';
import { compressChunk, type Chunk } from './chunk';
import { customSchemas } from '../documents/custom-schemas';
import type { DocumentPiece } from '../documents/documents';
import type { OpenApiVersion, PartForm } from '../documents/response-form';
import { ENTRY_NAME, ENTRY_VALUE, MessageWriter } from '../message/message';
import { MessageBuffer } from '../../../shared/serialization/protobuf/message-buffer';
import { OPENAPI_MESSAGES, PATHS_FIELD, SCHEMAS_FIELD } from './openapi-messages';
import { PathTemplates } from './path-templates';
import { PublishedSchema } from '../documents/published-schema';
import { encodeJson, encodeMembersAsJson, type DocumentMembers } from '../documents/schema-json';
import { SchemaMessageWriter } from './schema-message';

/** The paths and schemas of one part, encoded and compressed. */
export interface DocumentPart {
  readonly paths: Chunk;
  readonly schemas: Chunk;
}

/** Encodes parts one after another, reusing the buffer and the path templates. */
export class PartEncoder {
  private readonly buffer = new MessageBuffer();
  private readonly templates = new PathTemplates();

  /** Encodes and compresses a piece. */
  encodePiece({ paths, schemas }: DocumentPiece, form: PartForm): DocumentPart {
    return { paths: this.encodeMembers(paths, form, 'paths'), schemas: this.encodeMembers(schemas, form, 'schemas') };
  }

  /**
   * Encodes the part of one version of a custom kind. It does not contain the built-in types to which the kind refers;
   * `naming` is the dialect of their names.
   */
  encodeCustom(row: KindRow, naming: Dialect, form: PartForm): DocumentPart {
    const bytes = this.buffer.reset();
    this.templates.write(row, naming, form, bytes);
    const paths = compressChunk(bytes.finish());
    const schemas = customSchemas(row, { version: form.version === 'v2' ? 2 : 3, namePrefix: OPENAPI_NAME_PREFIX[naming] });
    return { paths, schemas: this.encodeMembers(schemas, form, 'schemas') };
  }

  private encodeMembers(members: DocumentMembers, form: PartForm, kind: keyof DocumentPiece): Chunk {
    const bytes = this.buffer.reset();
    if (form.media === 'json') return compressChunk(encodeMembersAsJson(members, bytes));
    writeMembersAsMessage(members, form.version, kind, bytes);
    return compressChunk(bytes.finish());
  }
}

/** A digest that is equal for pieces with equal contents. */
export function digestOf({ paths, schemas }: DocumentPiece): string {
  return createHash('sha512').update(encodeJson(paths)).update(encodeJson(schemas)).digest('base64');
}

/** Writes one entry of the field of paths or schemas for each member. */
function writeMembersAsMessage(members: DocumentMembers, version: OpenApiVersion, kind: keyof DocumentPiece, bytes: MessageBuffer): void {
  const [number, { entries }] = (kind === 'paths' ? PATHS_FIELD : SCHEMAS_FIELD)[version];
  const writer = new MessageWriter(OPENAPI_MESSAGES[version], bytes);
  for (const name in members) {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    if (value === undefined) continue;
    const start = writer.open(number);
    writer.text(ENTRY_NAME, name);
    if (value instanceof PublishedSchema) new SchemaMessageWriter(OPENAPI_MESSAGES[version], bytes, value).root(ENTRY_VALUE, entries);
    else writer.field(ENTRY_VALUE, entries, value);
    bytes.close(start);
  }
}
