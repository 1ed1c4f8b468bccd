/**
 * Composes documents of encoded parts: puts the compressed paths and schemas of all parts in order, with the other members
 * of the document around them. Nothing is encoded or compressed again. The callers decide which parts belong to a document.
 */
import { INFO, REQUIREMENTS, SECURITY_SCHEMES } from '../documents/documents';
import type { OpenApiVersion, PartForm } from '../documents/response-form';
import { encodeFieldHeader, encodeMessage } from '../message/message';
import { compressChunk, totalLength, type Chunk } from './chunk';
import { OPENAPI_MESSAGES } from './openapi-messages';
import type { DocumentPart } from './part';

/** The document with these parts, in their order. */
export function composeChunks(parts: readonly DocumentPart[], form: PartForm): readonly Chunk[] {
  const paths = parts.map((part) => part.paths);
  const schemas = parts.map((part) => part.schemas);
  return form.media === 'json' ? composeJson(paths, schemas, form.version) : composeProtobuf(paths, schemas, form.version);
}

const COMMA = compressChunk(',');

/** The texts of a JSON document around its paths and its schemas. */
interface DocumentFrame {
  readonly beforePaths: string;
  readonly beforeSchemas: string;
  readonly end: string;
}

const INFO_JSON = JSON.stringify(INFO);
const SECURITY_SCHEMES_JSON = JSON.stringify(SECURITY_SCHEMES);

const FRAMES: Readonly<Record<OpenApiVersion, DocumentFrame>> = {
  v2: {
    beforePaths: `{"swagger":"2.0","info":${INFO_JSON},"paths":{`,
    beforeSchemas: '},"definitions":{',
    end: `},"securityDefinitions":${SECURITY_SCHEMES_JSON},"security":${JSON.stringify(REQUIREMENTS)}}`,
  },
  v3: {
    beforePaths: `{"openapi":"3.0.0","info":${INFO_JSON},"paths":{`,
    beforeSchemas: '},"components":{"schemas":{',
    end: `},"securitySchemes":${SECURITY_SCHEMES_JSON}}}`,
  },
};

function composeJson(paths: readonly Chunk[], schemas: readonly Chunk[], version: OpenApiVersion): readonly Chunk[] {
  const { beforePaths, beforeSchemas, end } = FRAMES[version];
  return [compressChunk(beforePaths), ...separated(paths), compressChunk(beforeSchemas), ...separated(schemas), compressChunk(end)];
}

/** Puts a comma between the chunks that are not empty. */
function separated(chunks: readonly Chunk[]): readonly Chunk[] {
  const joined: Chunk[] = [];
  for (const chunk of chunks) {
    if (chunk.length === 0) continue;
    if (joined.length > 0) joined.push(COMMA);
    joined.push(chunk);
  }
  return joined;
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
