/** What the controllers read of a CertificateSigningRequest, and what they add to it. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';

export const REQUESTS = resourceOf('certificates.v1.CertificateSigningRequest');

export interface RequestCondition {
  readonly type: string;
  /** Milliseconds since 1970; NaN = not known. */
  readonly updated: number;
}

export interface SigningRequest {
  readonly name: string;
  /** PEM. */
  readonly text: string;
  /** In canonical spelling. */
  readonly signer: string;
  readonly usages: readonly string[];
  /** Of the life that is asked for. */
  readonly seconds: number | undefined;
  readonly username: string;
  readonly conditions: readonly RequestCondition[];
  /** PEM; '' = none yet. */
  readonly certificate: string;
  /** Milliseconds since 1970. */
  readonly created: number;
}

export function readSigningRequest({ name, body }: ApiObject): SigningRequest {
  const [spec, status] = [objectAt(body, 'spec'), objectAt(body, 'status')];
  const seconds = spec === undefined ? undefined : own(spec, 'expirationSeconds');
  const decoded = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString('latin1');
  return {
    name,
    text: decoded(stringAt(spec, 'request')),
    signer: canonicalQualifiedName(stringAt(spec, 'signerName') ?? ''),
    usages: (arrayAt(spec, 'usages') ?? []).filter((usage) => typeof usage === 'string'),
    seconds: typeof seconds === 'number' ? seconds : undefined,
    username: stringAt(spec, 'username') ?? '',
    conditions: (arrayAt(status, 'conditions') ?? []).filter(isObject).map((condition) => ({
      type: stringAt(condition, 'type') ?? '',
      updated: Date.parse(stringAt(condition, 'lastUpdateTime') ?? ''),
    })),
    certificate: decoded(stringAt(status, 'certificate')),
    created: Date.parse(stringAt(objectAt(body, 'metadata'), 'creationTimestamp') ?? ''),
  };
}

export const has = ({ conditions }: SigningRequest, type: string): boolean => conditions.some((condition) => condition.type === type);

export function withCondition({ body }: ApiObject, type: 'Approved' | 'Failed', reason: string, message: string, now: number): JsonObject {
  const status = objectAt(body, 'status') ?? {};
  const time = formatTimestamp(now);
  const condition = { type, status: 'True', reason, message, lastUpdateTime: time, lastTransitionTime: time };
  return { ...body, status: { ...status, conditions: [...(arrayAt(status, 'conditions') ?? []), condition] } };
}

export function withCertificate({ body }: ApiObject, certificate: string): JsonObject {
  return { ...body, status: { ...objectAt(body, 'status'), certificate: Buffer.from(certificate).toString('base64') } };
}
