/**
 * Content negotiation of OpenAPI documents: JSON or the published protobuf form. The first supported type of the Accept
 * header is chosen, without regard to quality values.
 */
import { JSON_MEDIA_TYPE } from '../../../shared/names/dialect';

/** `protobuf` is the form that github.com/google/gnostic defines for OpenAPI documents. */
export type DocumentMedia = 'json' | 'protobuf';
/** OpenAPI 2.0 or 3.0. */
export type OpenApiVersion = 'v2' | 'v3';

/** The encoding of a document and of its parts. */
export interface PartForm {
  readonly version: OpenApiVersion;
  readonly media: DocumentMedia;
}

/** The negotiated form of a document. */
export interface ResponseForm {
  readonly contentType: string;
  readonly media: DocumentMedia;
}

const JSON_FORM: ResponseForm = { contentType: JSON_MEDIA_TYPE, media: 'json' };
/** The media ranges that include JSON. */
const ANY_JSON: ReadonlySet<string> = new Set([JSON_MEDIA_TYPE, 'application/*', '*/*']);

/** The form for an Accept header: JSON without a header; `undefined` when no type of the header is supported. */
export function negotiateForm(accept: string | undefined, version: OpenApiVersion): ResponseForm | undefined {
  if (accept === undefined || accept.trim() === '') return JSON_FORM;
  for (const clause of accept.split(',')) {
    const type = clause.split(';')[0]?.trim() ?? '';
    if (ANY_JSON.has(type)) return JSON_FORM;
    if (isProtobuf(type, version)) return protobufForm(version);
  }
  return undefined;
}

/** Clients send two spellings. `@` is not permitted in a media type, so responses have the other spelling. */
function isProtobuf(type: string, version: OpenApiVersion): boolean {
  const prefix = `application/com.github.proto-openapi.spec.${version}`;
  return type === `${prefix}@v1.0+protobuf` || type === `${prefix}.v1.0+protobuf`;
}

function protobufForm(version: OpenApiVersion): ResponseForm {
  return {
    contentType: `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`,
    media: 'protobuf',
  };
}
