/**
 * TokenRequest: issues a token for a service account, with the lifetime, the audiences and the bound object of the
 * request. When the request states a uid, the bound object must have it. Signing is left to the token issuer.
 */
import { invalidValue } from '../../shared/api/errors/field-error';
import { parseApiVersion, type GroupVersion } from '../../shared/api/identity/identity';
import type {
  AuthenticationV1BoundObjectReference,
  AuthenticationV1TokenRequest,
  AuthenticationV1TokenRequestSpec,
  CoreV1Pod,
} from '../../shared/api/types/generated/members';
import type { JsonObject } from '../../shared/values/json';
import { readMetadata, formatTimestamp } from '../../shared/api/metadata/object-meta';
import { badRequest, conflict, invalid, routeNotFound, StatusError } from '../../shared/api/errors/status';
import type { Clock } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';
import type { BindableResource } from '../authentication/service-account/bound-objects';
import type { ObjectClaim } from '../authentication/service-account/claims';
import type { IssueToken } from '../authentication/service-account/issuer';
import type { Reader, RequestContext, Resource } from '../registry/verbs';
import type { OperationHandler } from '../registry/operations/operation';
import { parseEntry } from '../registry/object/stored-object';

/** Issues tokens, and finds the objects that tokens are issued for and bound to. */
export interface TokenRequestDependencies {
  readonly issueToken: IssueToken;
  /** The audiences of this server, which a token has when the request names none. */
  readonly apiAudiences: readonly string[];
  /** Upper bound for the requested lifetime; `undefined`: no bound beyond that of the API. */
  readonly maxExpirationSeconds: number | undefined;
  /** Whether tokens that kubelets request for pods are valid for a year. */
  readonly extendExpiration: boolean;
  readonly reader: Pick<Reader, 'get'>;
  readonly resources: Readonly<Record<BindableResource, Resource>>;
  readonly clock: Clock;
  readonly random: Random;
}

const GROUP_KIND = { group: 'authentication.platform.io', kind: 'TokenRequest' };

/** Limits of `expirationSeconds` of a TokenRequest in the API. */
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/**
 * The lifetime by which a token that a kubelet requests for a pod is recognized: the ServiceAccount admission plug-in
 * puts it into pods. Programs that read their token only once would fail after it, so such tokens are valid for a year,
 * and uses after the requested lifetime are counted.
 */
const EXTENDED_FROM_SECONDS = 3607;
const EXTENDED_TO_SECONDS = 365 * 24 * 3600;

/** `deps` is `undefined` when the server issues no tokens; every request is then rejected. */
export function requestToken(deps: TokenRequestDependencies | undefined): OperationHandler {
  if (deps === undefined) return () => Promise.reject(routeNotFound());
  return async ({ context, key, object }) => {
    const { clock } = deps;
    const account = await readObject(deps, context, { resource: 'serviceaccounts', namespace: key.namespace, name: key.name });
    checkName(object, key.name);
    const spec = readSpec(object, deps.apiAudiences);
    const seconds = grantedSeconds(deps, context, spec);
    const bound = await readBoundObjects(deps, context, key, spec.boundObjectRef ?? undefined);
    const now = Math.floor(clock.now() / 1000);
    const audiences = spec.audiences ?? [];
    const isExtended = shouldExtend(deps, bound, seconds, audiences);
    const id = deps.random.uuid();
    context.addAuditAnnotation?.('authentication.platform.io/issued-credential-id', `JTI=${id}`);
    const token = await deps.issueToken({
      audiences,
      expires: now + (isExtended ? EXTENDED_TO_SECONDS : seconds),
      ...(isExtended ? { warnAfter: now + seconds } : {}),
      notBefore: now,
      issuedAt: now,
      id,
      namespace: key.namespace,
      account: claimOf(key.name, account),
      ...bound,
    });
    const metadata = { ...readMetadata(object), name: key.name, creationTimestamp: formatTimestamp(now * 1000) };
    // An extended token also reports the requested lifetime, so that the kubelet renews it in time.
    return {
      ...object,
      metadata,
      spec: { ...spec, expirationSeconds: seconds },
      status: { token, expirationTimestamp: formatTimestamp((now + seconds) * 1000) },
    };
  };
}

function checkName(object: JsonObject, name: string): void {
  const { name: given = '' } = readMetadata(object);
  if (given === '' || given === name) return;
  throw invalid(GROUP_KIND, name, [invalidValue('metadata.name', given, 'must match the service account name if specified')]);
}

/** The spec with its audiences. Throws 422 for an invalid expiration. */
function readSpec({ spec = {} }: AuthenticationV1TokenRequest, apiAudiences: readonly string[]): AuthenticationV1TokenRequestSpec {
  const seconds = secondsOf(spec);
  const error = durationError(seconds);
  if (error !== undefined) throw invalid(GROUP_KIND, '', [invalidValue('spec.expirationSeconds', seconds, error)]);
  return (spec.audiences ?? []).length > 0 ? spec : { ...spec, audiences: [...apiAudiences] };
}

function durationError(seconds: number): string | undefined {
  if (seconds < MIN_SECONDS) return 'may not specify a duration less than 10 minutes';
  return seconds > MAX_SECONDS ? 'may not specify a duration larger than 2^32 seconds' : undefined;
}

function secondsOf({ expirationSeconds }: AuthenticationV1TokenRequestSpec): number {
  return Number(expirationSeconds ?? 0);
}

/** The requested seconds, at most the maximum of the server. Adds a warning to the response when it shortens them. */
function grantedSeconds(
  { maxExpirationSeconds: maximum }: TokenRequestDependencies,
  context: RequestContext,
  spec: AuthenticationV1TokenRequestSpec,
): number {
  const requested = secondsOf(spec);
  if (maximum === undefined || requested <= maximum) return requested;
  context.warn(`requested expiration of ${requested} seconds shortened to ${maximum} seconds`);
  return maximum;
}

/** Claims of the object that the token is bound to, and of the node of a pod. */
interface BoundObjects {
  readonly pod?: ObjectClaim;
  readonly secret?: ObjectClaim;
  readonly node?: ObjectClaim;
}

/** Whether this is the token that a kubelet requests for a pod; see {@link EXTENDED_FROM_SECONDS}. */
function shouldExtend(
  { extendExpiration, apiAudiences }: TokenRequestDependencies,
  { pod }: BoundObjects,
  seconds: number,
  audiences: readonly string[],
): boolean {
  const isForThisServer = audiences.every((audience) => apiAudiences.includes(audience));
  return extendExpiration && pod !== undefined && seconds === EXTENDED_FROM_SECONDS && isForThisServer;
}

/**
 * Reads the object that the token is bound to. Throws 400 for another kind, without a name, and for a pod of another
 * service account; 404 when the object does not exist; 409 when it has another uid.
 */
async function readBoundObjects(
  deps: TokenRequestDependencies,
  context: RequestContext,
  key: { readonly namespace: string; readonly name: string },
  reference: AuthenticationV1BoundObjectReference | undefined,
): Promise<BoundObjects> {
  if (reference === undefined) return {};
  const { apiVersion = '', kind = '', name = '' } = reference;
  const groupVersion = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  // All bindable kinds are in the core group: another group leads to the default.
  switch (groupVersion.group === '' ? kind : '') {
    case 'Pod': {
      const pod: CoreV1Pod = await readObject(deps, context, { resource: 'pods', namespace: key.namespace, name });
      if ((pod.spec?.serviceAccountName ?? '') !== key.name) {
        throw badRequest(`cannot bind token for serviceaccount "${key.name}" to pod running with different serviceaccount name.`);
      }
      checkUid(kind, name, reference, pod);
      return { pod: claimOf(name, pod), ...(await readNodeOf(deps, context, pod)) };
    }
    case 'Secret': {
      const secret = await readObject(deps, context, { resource: 'secrets', namespace: key.namespace, name });
      checkUid(kind, name, reference, secret);
      return { secret: claimOf(name, secret) };
    }
    case 'Node': {
      const node = await readObject(deps, context, { resource: 'nodes', namespace: '', name });
      checkUid(kind, name, reference, node);
      return { node: claimOf(name, node) };
    }
    default:
      throw badRequest(`cannot bind token to object of type ${kindText(groupVersion, kind)}`);
  }
}

function kindText({ group, version }: GroupVersion, kind: string): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** The claim of the node that a pod is bound to; without a uid when the node does not exist. Empty for an unbound pod. */
async function readNodeOf(
  deps: TokenRequestDependencies,
  context: RequestContext,
  { spec }: CoreV1Pod,
): Promise<Pick<BoundObjects, 'node'>> {
  const name = spec?.nodeName ?? '';
  if (name === '') return {};
  try {
    return { node: claimOf(name, await readObject(deps, context, { resource: 'nodes', namespace: '', name })) };
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return { node: { name, uid: '' } };
    throw error;
  }
}

/** Throws 409 when the reference states another uid than that of the object. */
function checkUid(kind: string, name: string, { uid: expected = '' }: AuthenticationV1BoundObjectReference, object: JsonObject): void {
  const actual = claimOf(name, object).uid;
  if (expected === '' || expected === actual) return;
  const text = `the UID in the bound object reference (${expected}) does not match the UID in record. The object might have been deleted and then recreated`;
  throw conflict({ group: '', resource: kind }, name, text);
}

function claimOf(name: string, object: JsonObject): ObjectClaim {
  return { name, uid: readMetadata(object).uid ?? '' };
}

/** `namespace` is '' for a resource without namespaces. */
interface ObjectReference {
  readonly resource: BindableResource;
  readonly namespace: string;
  readonly name: string;
}

/** Throws 400 without a name, 404 when the object does not exist. */
async function readObject(
  { reader, resources }: TokenRequestDependencies,
  context: RequestContext,
  { resource, namespace, name }: ObjectReference,
): Promise<JsonObject> {
  if (name === '') throw badRequest('Name parameter required.');
  return parseEntry(await reader.get(context, resources[resource], { namespace, name }, undefined)).object;
}
