/** The forms in which OpenAPI documents are sent, and which of them a client accepts. */
import type { JsonObject } from '../../shared/values/json';
import { JSON_MEDIA_TYPE } from '../../shared/names/dialect';
import { encodeMessage, type Messages } from './message';
import { OPENAPI_V2, OPENAPI_V3 } from './messages';

export type OpenApiVersion = 'v2' | 'v3';

export interface Form {
  readonly contentType: string;
  /** The document in this form; undefined = as JSON. */
  readonly encode?: (document: JsonObject) => Buffer;
}

const JSON_FORM: Form = { contentType: JSON_MEDIA_TYPE };
const ANY_JSON: ReadonlySet<string> = new Set([JSON_MEDIA_TYPE, 'application/*', '*/*']);
const MESSAGES: Readonly<Record<OpenApiVersion, Messages>> = { v2: OPENAPI_V2, v3: OPENAPI_V3 };

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
    encode: (document) => encodeMessage(MESSAGES[version], 'Document', document),
  };
}
