/**
 * Parts of OpenAPI documents in the forms in which they are sent: encoded and compressed once, and put together to whole documents without being encoded
 * again. Pure; which parts belong to a document is decided elsewhere.
 */
import { createHash } from 'node:crypto';
import { PublishedSchema } from './published-schema';
import { pack, lengthOf, type Chunk } from './chunk';
import { INFO, REQUIREMENTS, SECURITY_SCHEMES, type CustomPiece, type Piece } from './documents';
import { encodeHead, encodeMessage, MessageWriter, type Messages } from './message';
import { MessageBytes } from './message-bytes';
import { OPENAPI_V2, OPENAPI_V3, PATHS, SCHEMAS } from './messages';
import { encodeJson, encodeMembersAsJson } from './schema-json';
import { SchemaMessageWriter } from './schema-message';

export type DocumentMedia = 'json' | 'protobuf';
export type OpenApiVersion = 'v2' | 'v3';

export interface PartForm {
  readonly version: OpenApiVersion;
  readonly media: DocumentMedia;
}

export interface DocumentPart {
  readonly paths: Chunk;
  readonly schemas: Chunk;
}

/** Parts are made one after another: the memory in which one grows is the next one's. */
const growing = new MessageBytes();

export function encodePart({ paths, schemas }: CustomPiece, form: PartForm): DocumentPart {
  return { paths: pack(encodeMembers(paths, form, 'paths')), schemas: pack(encodeMembers(schemas, form, 'schemas')) };
}

/** The same for pieces that say the same. */
export function digestOf({ paths, schemas }: Piece): string {
  return createHash('sha512').update(encodeJson(paths)).update(encodeJson(schemas)).digest('base64');
}

const MESSAGES: Readonly<Record<OpenApiVersion, Messages>> = { v2: OPENAPI_V2, v3: OPENAPI_V3 };

function encodeMembers(members: CustomPiece['schemas'], { version, media }: PartForm, which: keyof Piece): Uint8Array {
  const bytes = growing.begin();
  if (media === 'json') return encodeMembersAsJson(members, bytes);
  const [number, { entries }] = (which === 'paths' ? PATHS : SCHEMAS)[version];
  const writer = new MessageWriter(MESSAGES[version], bytes);
  for (const name in members) {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    if (value === undefined) continue;
    const start = writer.open(number);
    writer.text(1, name);
    if (value instanceof PublishedSchema) new SchemaMessageWriter(MESSAGES[version], bytes, value).root(2, entries);
    else writer.field(2, entries, value);
    bytes.close(start);
  }
  return bytes.finish();
}

/** A whole document of its parts, in their order. */
export function compose(parts: readonly DocumentPart[], form: PartForm): readonly Chunk[] {
  const [paths, schemas] = [parts.map((part) => part.paths), parts.map((part) => part.schemas)];
  return form.media === 'json' ? composeJson(paths, schemas, form.version) : composeProtobuf(paths, schemas, form.version);
}

const COMMA = pack(',');

function composeJson(paths: readonly Chunk[], schemas: readonly Chunk[], version: OpenApiVersion): readonly Chunk[] {
  const info = JSON.stringify(INFO);
  const security = JSON.stringify(SECURITY_SCHEMES);
  const [head, middle, end] =
    version === 'v2'
      ? [
          `{"swagger":"2.0","info":${info},"paths":{`,
          '},"definitions":{',
          `},"securityDefinitions":${security},"security":${JSON.stringify(REQUIREMENTS)}}`,
        ]
      : [`{"openapi":"3.0.0","info":${info},"paths":{`, '},"components":{"schemas":{', `},"securitySchemes":${security}}}`];
  return [pack(head), ...separated(paths), pack(middle), ...separated(schemas), pack(end)];
}

function separated(chunks: readonly Chunk[]): readonly Chunk[] {
  return chunks.filter(({ length }) => length > 0).flatMap((chunk, index) => (index === 0 ? [chunk] : [COMMA, chunk]));
}

/** Numbers of fields are those of the published messages: see messages.ts. */
function composeProtobuf(paths: readonly Chunk[], schemas: readonly Chunk[], version: OpenApiVersion): readonly Chunk[] {
  const messages = MESSAGES[version];
  if (version === 'v2') {
    return [
      pack(encodeMessage(messages, 'Document', { swagger: '2.0', info: INFO })),
      ...nested(8, paths),
      ...nested(9, schemas),
      pack(encodeMessage(messages, 'Document', { security: REQUIREMENTS, securityDefinitions: SECURITY_SCHEMES })),
    ];
  }
  const securitySchemes = pack(encodeMessage(messages, 'Components', { securitySchemes: SECURITY_SCHEMES }));
  return [
    pack(encodeMessage(messages, 'Document', { openapi: '3.0.0', info: INFO })),
    ...nested(4, paths),
    ...nested(5, [...nested(1, schemas), securitySchemes]),
  ];
}

/** A field that has a length. */
function nested(number: number, content: readonly Chunk[]): readonly Chunk[] {
  return [pack(encodeHead(number, lengthOf(content))), ...content];
}
