/** The forms in which OpenAPI documents are sent, and which of them a client accepts. */
import { JSON_MEDIA_TYPE } from '../../shared/names/dialect';

export type DocumentMedia = 'json' | 'protobuf';
export type OpenApiVersion = 'v2' | 'v3';

/** Of a document and of each of its parts. */
export interface PartForm {
  readonly version: OpenApiVersion;
  readonly media: DocumentMedia;
}

export interface Form {
  readonly contentType: string;
  readonly media: DocumentMedia;
}

const JSON_FORM: Form = { contentType: JSON_MEDIA_TYPE, media: 'json' };
const ANY_JSON: ReadonlySet<string> = new Set([JSON_MEDIA_TYPE, 'application/*', '*/*']);

/** The first clause that fits decides; undefined = none does. No header means JSON. */
export function chosenForm(accept: string | undefined, version: OpenApiVersion): Form | undefined {
  if (accept === undefined || accept.trim() === '') return JSON_FORM;
  for (const clause of accept.split(',')) {
    const type = clause.split(';')[0]?.trim() ?? '';
    if (ANY_JSON.has(type)) return JSON_FORM;
    if (isProtobuf(type, version)) return protobufForm(version);
  }
  return undefined;
}

/** Two spellings are in use; `@` may not stand in a media type, so answers use the other one. */
function isProtobuf(type: string, version: OpenApiVersion): boolean {
  const prefix = `application/com.github.proto-openapi.spec.${version}`;
  return type === `${prefix}@v1.0+protobuf` || type === `${prefix}.v1.0+protobuf`;
}

function protobufForm(version: OpenApiVersion): Form {
  return {
    contentType: `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`,
    media: 'protobuf',
  };
}
