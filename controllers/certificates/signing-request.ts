/**
 * CertificateSigningRequests as the certificate controllers read and update them: parsed once, with canonical signer
 * names and times in milliseconds. The decisions are left to the controllers.
 */
import type {
  CertificatesV1CertificateSigningRequest,
  CertificatesV1CertificateSigningRequestCondition,
} from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../shared/names/dialect';

export const SIGNING_REQUESTS = resourceOf('certificates.v1.CertificateSigningRequest');

export type SigningRequestObject = ApiObject<CertificatesV1CertificateSigningRequest>;

/** A parsed CertificateSigningRequest. */
export interface SigningRequest {
  readonly name: string;
  /** The PKCS #10 request, PEM. */
  readonly request: string;
  /** In canonical spelling. */
  readonly signerName: string;
  readonly usages: readonly string[];
  /** The requested lifetime; undefined when the signer chooses it. */
  readonly expirationSeconds: number | undefined;
  /** The user that created the request. */
  readonly username: string;
  readonly conditions: readonly SigningRequestCondition[];
  /** The certificate chain, PEM; '' until it is issued. */
  readonly certificate: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A decision about the request, or the failure to sign it. Its status is always True. */
export interface SigningRequestCondition {
  readonly type: string;
  /** Milliseconds since 1970; NaN when it is unknown. */
  readonly updatedAt: number;
}

/** Missing members of the spec are '' or empty, and missing times NaN. */
export function parseSigningRequest({ name, metadata, body: { spec, status } }: SigningRequestObject): SigningRequest {
  return {
    name,
    request: decodeBase64(spec?.request ?? ''),
    signerName: canonicalQualifiedName(spec?.signerName ?? ''),
    usages: spec?.usages ?? [],
    expirationSeconds: spec?.expirationSeconds,
    username: spec?.username ?? '',
    conditions: (status?.conditions ?? []).map(({ type = '', lastUpdateTime }) => ({ type, updatedAt: Date.parse(lastUpdateTime ?? '') })),
    certificate: decodeBase64(status?.certificate ?? ''),
    createdAt: Date.parse(metadata.creationTimestamp ?? ''),
  };
}

/** Decodes PEM texts, which are ASCII. */
const decodeBase64 = (text: string): string => Buffer.from(text, 'base64').toString('latin1');

/** Whether the request has a condition of the type, such as `Approved`. */
export const hasCondition = ({ conditions }: Pick<SigningRequest, 'conditions'>, type: string): boolean =>
  conditions.some((condition) => condition.type === type);

/** The body with one more condition. `now`: milliseconds since 1970. */
export function withNewCondition(
  { body }: SigningRequestObject,
  { type, reason, message }: { readonly type: 'Approved' | 'Failed'; readonly reason: string; readonly message: string },
  now: number,
): CertificatesV1CertificateSigningRequest {
  const time = formatTimestamp(now);
  const condition: CertificatesV1CertificateSigningRequestCondition = {
    type,
    status: 'True',
    reason,
    message,
    lastUpdateTime: time,
    lastTransitionTime: time,
  };
  return { ...body, status: { ...body.status, conditions: [...(body.status?.conditions ?? []), condition] } };
}

/** The body with the issued certificate (PEM). */
export function withCertificate({ body }: SigningRequestObject, certificate: string): CertificatesV1CertificateSigningRequest {
  return { ...body, status: { ...body.status, certificate: Buffer.from(certificate).toString('base64') } };
}
