/**
 * The OpenID discovery documents, with which other parties verify this server's service account tokens: issuer and
 * public keys. Served only for issuers with an https URL, because clients look for them there.
 */
import type { JsonObject } from '../../shared/values/json';
import { notAcceptable } from '../../shared/api/errors/status';
import { JSON_MEDIA_TYPE } from '../../shared/names/dialect';
import { memoizeBySource } from '../../shared/runtime/memoize-by-source';
import type { DocumentRequest, DocumentHandler } from './document-handler';

/** The keys that other parties need to verify tokens. */
export interface PublishedKeys {
  /** Names of the signature algorithms of tokens. */
  readonly algorithms: readonly string[];
  readonly keySet: JsonObject;
}

/** The issuer, its addresses and its keys, which the documents state. */
export interface OpenIdDependencies {
  /** The claim `iss` of issued tokens. */
  readonly issuer: string;
  /** `host:port` under which clients reach this server. */
  readonly serverAddress: string;
  /** URL of the key set; `undefined` when this server publishes it. */
  readonly keySetAddress?: string | undefined;
  /** The keys that tokens are verified with at present; the same object until they change. */
  readonly keys: () => PublishedKeys;
}

/** The paths of the configuration and of the key set, in this order. */
export const OPENID_PATHS = ['/.well-known/openid-configuration', '/openid/v1/jwks'] as const;
const KEY_SET_MEDIA_TYPE = 'application/jwk-set+json';

/** An encoded document. */
interface OpenIdDocument {
  readonly mediaType: string;
  readonly body: Buffer;
}

/** The handler of the OpenID discovery documents. */
export interface OpenId extends DocumentHandler {
  /** Whether the discovery documents are served. */
  serves(): boolean;
}

/** Serves nothing unless the issuer is an https URL without query and fragment. */
export function createOpenId(deps: OpenIdDependencies): OpenId {
  const isServed = isDiscoverable(deps.issuer);
  const currentDocuments = memoizeBySource(deps.keys, (keys) => openIdDocuments(deps, keys));
  return {
    serves: () => isServed,
    handle(request) {
      const document = isServed ? currentDocuments().get(request.path.replace(/\/$/, '')) : undefined;
      if (document === undefined) return undefined;
      const { mediaType, body } = document;
      if (!accepts(request, mediaType)) throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${mediaType}`, {});
      return { status: 200, headers: { 'content-type': mediaType, 'cache-control': 'public, max-age=3600' }, body };
    },
  };
}

function openIdDocuments(
  { issuer, serverAddress, keySetAddress }: OpenIdDependencies,
  { algorithms, keySet }: PublishedKeys,
): ReadonlyMap<string, OpenIdDocument> {
  const [configurationPath, keySetPath] = OPENID_PATHS;
  const configuration: JsonObject = {
    issuer,
    jwks_uri: keySetAddress ?? `https://${serverAddress}${keySetPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(algorithms)].sort(),
  };
  return new Map([
    [configurationPath, { mediaType: JSON_MEDIA_TYPE, body: Buffer.from(JSON.stringify(configuration)) }],
    [keySetPath, { mediaType: KEY_SET_MEDIA_TYPE, body: Buffer.from(JSON.stringify(keySet)) }],
  ]);
}

/** Whether clients can derive the address of the documents from the issuer. */
function isDiscoverable(issuer: string): boolean {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  return url?.protocol === 'https:' && !issuer.includes('?') && !issuer.includes('#');
}

/** Whether the Accept header allows the media type. Parameters such as `q` are ignored. */
function accepts({ accept }: DocumentRequest, mediaType: string): boolean {
  if (accept === undefined || accept === '') return true;
  const acceptedTypes = accept.split(',').map((clause) => clause.split(';', 1)[0]?.trim());
  return acceptedTypes.includes(mediaType) || acceptedTypes.includes('*/*');
}
