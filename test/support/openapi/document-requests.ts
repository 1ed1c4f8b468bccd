/** Requests for the OpenAPI documents of a server in this process, of all kinds that are served by default. */
import type { OpenApiDocuments, OpenApiRequest, OpenApiResponse } from '../../../apiserver/openapi/openapi-document';
import { createOpenApi, type OpenApiOptions } from '../../../apiserver/openapi/openapi';
import { SERVED_KINDS } from '../../../shared/api/kinds';
import { isObject, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { ManualClock } from '../clock/manual-clock';

/** The path of the v3 document of the core group. */
export const CORE_DOCUMENT = '/openapi/v3/api/v1';
/** The names of the v3 documents about OpenID discovery. */
export const OPENID_DOCUMENTS = ['.well-known/openid-configuration', 'openid/v1/jwks'];

/** The documents of a server with these options. */
export function createDocuments(options: Partial<OpenApiOptions> = {}): OpenApiDocuments {
  return createOpenApi({
    builtIn: SERVED_KINDS,
    rows: () => SERVED_KINDS,
    naming: 'platform',
    servesOpenId: true,
    clock: new ManualClock(),
    onFailure: () => undefined,
    ...options,
  });
}

/** Requests a document that must be served, by default without Accept and without a query. */
export async function getDocument(
  documents: OpenApiDocuments,
  path: string,
  request: Partial<OpenApiRequest> = {},
): Promise<OpenApiResponse> {
  const response = await documents.handle({ path, query: '', accept: undefined, ifNoneMatch: undefined, ...request });
  if (response === undefined) throw new Error(`${path} is not served`);
  return response;
}

/** Requests a document as JSON. */
export async function readDocument(documents: OpenApiDocuments, path: string): Promise<JsonObject> {
  const { body } = await getDocument(documents, path);
  const value: JsonValue = JSON.parse(body.toString());
  if (!isObject(value)) throw new Error(`${path} is not an object`);
  return value;
}
