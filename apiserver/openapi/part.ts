/**
 * Parts of OpenAPI documents in the forms in which they are sent: encoded and compressed once, and put together to whole documents without being encoded
 * again. Which parts belong to a document is decided elsewhere.
 */
import { createHash } from 'node:crypto';
import type { KindRow } from '../../shared/api/kinds';
import { OPENAPI_NAME_PREFIX, type Dialect } from '../../shared/names/dialect';
import { pack, lengthOf, type Chunk } from './chunk';
import { customSchemas } from './custom-schemas';
import { INFO, REQUIREMENTS, SECURITY_SCHEMES, type Piece } from './documents';
import type { OpenApiVersion, PartForm } from './response-form';
import { encodeHead, encodeMessage, MessageWriter } from './message';
import { MessageBytes } from './message-buffer';
import { MESSAGES, PATHS, SCHEMAS } from './openapi-messages';
import { PathTemplates } from './path-templates';
import { PublishedSchema } from './published-schema';
import { encodeJson, encodeMembersAsJson, type DocumentMembers } from './schema-json';
import { SchemaMessageWriter } from './schema-message';

export interface DocumentPart {
  readonly paths: Chunk;
  readonly schemas: Chunk;
}

/** Makes parts one after another: the memory in which one grows is the next one's, and so is what kinds have in common. */
export class PartEncoder {
  private readonly growing = new MessageBytes();
  private readonly templates = new PathTemplates();

  ofPiece({ paths, schemas }: Piece, form: PartForm): DocumentPart {
    return { paths: this.members(paths, form, 'paths'), schemas: this.members(schemas, form, 'schemas') };
  }

  /** What one version of a custom kind adds: whatever it refers to beside is that of built-in kinds. `naming` spells these. */
  ofCustom(row: KindRow, naming: Dialect, form: PartForm): DocumentPart {
    const bytes = this.growing.begin();
    this.templates.write(row, naming, form, bytes);
    const paths = pack(bytes.finish());
    const schemas = customSchemas(row, { version: form.version === 'v2' ? 2 : 3, root: OPENAPI_NAME_PREFIX[naming] });
    return { paths, schemas: this.members(schemas, form, 'schemas') };
  }

  private members(members: DocumentMembers, form: PartForm, which: keyof Piece): Chunk {
    const bytes = this.growing.begin();
    if (form.media === 'json') return pack(encodeMembersAsJson(members, bytes));
    writeMembers(members, form.version, which, bytes);
    return pack(bytes.finish());
  }
}

/** The same for pieces that say the same. */
export function digestOf({ paths, schemas }: Piece): string {
  return createHash('sha512').update(encodeJson(paths)).update(encodeJson(schemas)).digest('base64');
}

function writeMembers(members: DocumentMembers, version: OpenApiVersion, which: keyof Piece, bytes: MessageBytes): void {
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
