/**
 * Parts of OpenAPI documents in their encodings: encoded and compressed once, then composed into whole documents
 * without encoding them again. The callers decide which parts belong to a document.
 *
 * Three words: a piece is paths and schemas as values ({@link DocumentPiece}), a part is an encoded piece
 * ({@link DocumentPart}), and a chunk is a compressed sequence of bytes, such as the paths of a part ({@link Chunk}).
 */
import { createHash } from 'node:crypto';
import type { KindRow } from '../../../shared/api/kinds';
import { OPENAPI_NAME_PREFIX, type Dialect } from '../../../shared/names/dialect';
import { compressChunk, totalLength, type Chunk } from './chunk';
import { customSchemas } from '../documents/custom-schemas';
import { INFO, REQUIREMENTS, SECURITY_SCHEMES, type DocumentPiece } from '../documents/documents';
import type { OpenApiVersion, PartForm } from '../documents/response-form';
import { encodeFieldHeader, encodeMessage, ENTRY_NAME, ENTRY_VALUE, MessageWriter } from '../message/message';
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

/** A whole document, composed of its parts in order. */
export function composeChunks(parts: readonly DocumentPart[], form: PartForm): readonly Chunk[] {
  const paths = parts.map((part) => part.paths);
  const schemas = parts.map((part) => part.schemas);
  return form.media === 'json' ? composeJson(paths, schemas, form.version) : composeProtobuf(paths, schemas, form.version);
}

const COMMA = compressChunk(',');

function composeJson(paths: readonly Chunk[], schemas: readonly Chunk[], version: OpenApiVersion): readonly Chunk[] {
  const info = JSON.stringify(INFO);
  const security = JSON.stringify(SECURITY_SCHEMES);
  const frame =
    version === 'v2'
      ? {
          beforePaths: `{"swagger":"2.0","info":${info},"paths":{`,
          beforeSchemas: '},"definitions":{',
          end: `},"securityDefinitions":${security},"security":${JSON.stringify(REQUIREMENTS)}}`,
        }
      : {
          beforePaths: `{"openapi":"3.0.0","info":${info},"paths":{`,
          beforeSchemas: '},"components":{"schemas":{',
          end: `},"securitySchemes":${security}}}`,
        };
  return [
    compressChunk(frame.beforePaths),
    ...separated(paths),
    compressChunk(frame.beforeSchemas),
    ...separated(schemas),
    compressChunk(frame.end),
  ];
}

/** Puts a comma between the chunks that are not empty. */
function separated(chunks: readonly Chunk[]): readonly Chunk[] {
  return chunks.filter(({ length }) => length > 0).flatMap((chunk, index) => (index === 0 ? [chunk] : [COMMA, chunk]));
}

/** Numbers of the fields that are composed of chunks; those of the published messages (openapi-messages.ts). */
const FIELDS_V2 = { paths: 8, definitions: 9 };
const FIELDS_V3 = { paths: 4, components: 5 };
const COMPONENTS_FIELDS = { schemas: 1 };

function composeProtobuf(paths: readonly Chunk[], schemas: readonly Chunk[], version: OpenApiVersion): readonly Chunk[] {
  const messages = OPENAPI_MESSAGES[version];
  if (version === 'v2') {
    return [
      compressChunk(encodeMessage(messages, 'Document', { swagger: '2.0', info: INFO })),
      ...messageField(FIELDS_V2.paths, paths),
      ...messageField(FIELDS_V2.definitions, schemas),
      compressChunk(encodeMessage(messages, 'Document', { security: REQUIREMENTS, securityDefinitions: SECURITY_SCHEMES })),
    ];
  }
  const securitySchemes = compressChunk(encodeMessage(messages, 'Components', { securitySchemes: SECURITY_SCHEMES }));
  return [
    compressChunk(encodeMessage(messages, 'Document', { openapi: '3.0.0', info: INFO })),
    ...messageField(FIELDS_V3.paths, paths),
    ...messageField(FIELDS_V3.components, [...messageField(COMPONENTS_FIELDS.schemas, schemas), securitySchemes]),
  ];
}

/** A field with a nested message that the chunks contain. */
function messageField(number: number, content: readonly Chunk[]): readonly Chunk[] {
  return [compressChunk(encodeFieldHeader(number, totalLength(content))), ...content];
}
