/**
 * Builds the AdmissionReview v1 of a request in the spelling of one dialect, with members in upstream's order.
 * admission-response.ts reads the response.
 */
import type { KindRow } from '../../../shared/api/kinds';
import type { ServedResource } from '../../registry/verbs';
import { apiVersionInDialect, groupInDialect, type Dialect } from '../../../shared/names/dialect';
import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import type { AdmissionRequest, OperationOptions } from '../../registry/admission';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { namespaceOf } from './match';

/** The apiVersion of reviews, in canonical spelling. */
export const ADMISSION_REVIEW_VERSION = 'admission.platform.io/v1';
const OPTIONS_API_VERSION = 'meta.platform.io/v1';
/** The kind of the requests to webhooks and of their responses. */
export const ADMISSION_REVIEW_KIND = 'AdmissionReview';

/** The kinds that a review names: those of the matched rule, and those of the request. */
export interface ReviewedKinds {
  /** The resource of the matched rule. */
  readonly matchedAs: ServedResource;
  /** The kind of the objects in the version of `matchedAs`. */
  readonly kind: KindRow;
  /** The kind of the objects in the requested version. */
  readonly requestKind: KindRow;
}

/** The `request` of the review without the objects. */
export function admissionRequestOf(
  request: AdmissionRequest,
  { matchedAs, kind, requestKind }: ReviewedKinds,
  dialect: Dialect,
): JsonObject {
  const { resource, subresource = '', operation, user, dryRun } = request;
  const name = request.name === '' ? (readMetadata(request.object ?? {}).name ?? '') : request.name;
  const subResource = subresource === '' ? {} : { subResource: subresource };
  const requestSubResource = subresource === '' ? {} : { requestSubResource: subresource };
  const namespace = namespaceOf(request);
  return {
    kind: kindOf(kind, dialect),
    resource: resourceOf(matchedAs.row, dialect),
    ...subResource,
    requestKind: kindOf(requestKind, dialect),
    requestResource: resourceOf(resource.row, dialect),
    ...requestSubResource,
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: userOf(user),
    dryRun,
    options: optionsOf(request, dialect),
  };
}

const kindOf = ({ group, version, kind }: KindRow, dialect: Dialect): JsonObject => ({
  group: groupInDialect(dialect, group),
  version,
  kind,
});
const resourceOf = ({ group, version, resource }: KindRow, dialect: Dialect): JsonObject => ({
  group: groupInDialect(dialect, group),
  version,
  resource,
});

/** The user as `authentication/v1` UserInfo. */
function userOf({ name, uid = '', groups, extra = {} }: AdmissionRequest['user']): JsonObject {
  const extraKeys = Object.keys(extra).sort();
  const extraValues = Object.fromEntries(extraKeys.map((key) => [key, [...(extra[key] ?? [])]]));
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extraKeys.length === 0 ? {} : { extra: extraValues }),
  };
}

/** The kind of the options, by operation. CONNECT has none. */
const OPTIONS_KIND = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/** The options of the request; null for CONNECT. */
function optionsOf({ operation, dryRun, options }: AdmissionRequest, dialect: Dialect): JsonObject | null {
  if (operation === 'CONNECT') return null;
  const dryRunOptions: JsonObject = dryRun ? { dryRun: ['All'] } : {};
  return {
    kind: OPTIONS_KIND[operation],
    apiVersion: apiVersionInDialect(dialect, OPTIONS_API_VERSION),
    ...(operation === 'DELETE' ? { ...deleteOptions(options), ...dryRunOptions } : { ...dryRunOptions, ...writeOptions(options) }),
  };
}

const writeOptions = ({ fieldManager, fieldValidation }: OperationOptions): JsonObject => ({
  ...(fieldManager === undefined ? {} : { fieldManager }),
  ...(fieldValidation === undefined ? {} : { fieldValidation }),
});

function deleteOptions({ gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy }: OperationOptions): JsonObject {
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions: { ...preconditions } }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  };
}

/** JSON of the objects of a request; `null` for an absent one. */
export interface ObjectTexts {
  readonly object: string;
  readonly oldObject: string;
}

/** The JSON of the review. `request` is the result of {@link admissionRequestOf}. */
export function reviewBody(uid: string, request: JsonObject, { object, oldObject }: ObjectTexts, dialect: Dialect): Buffer {
  // Upstream's order is: the other members, object, oldObject, dryRun, options. The objects are inserted as they are.
  const { dryRun = false, options = null, ...membersBeforeObjects } = request;
  const firstMembers = stringifyJson({ uid, ...membersBeforeObjects }).slice(1, -1);
  const lastMembers = `"object":${object},"oldObject":${oldObject},"dryRun":${stringifyJson(dryRun)},"options":${stringifyJson(options)}`;
  const head = `"kind":"${ADMISSION_REVIEW_KIND}","apiVersion":"${apiVersionInDialect(dialect, ADMISSION_REVIEW_VERSION)}"`;
  return Buffer.from(`{${head},"request":{${firstMembers},${lastMembers}}}`);
}
