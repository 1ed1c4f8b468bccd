/**
 * Builds a TokenReview for a remote server and reads its response. A response of another kind or version is an error,
 * never a user. Sending and caching are left to the authenticator.
 */
import { MalformedResponse } from '../../shared/client/rest/api-object';
import { parseBody } from '../../shared/client/rest/json-body';
import type { UserInfo } from '../../shared/api/identity/user';
import { apiVersionInDialect, canonicalApiVersion, type Dialect } from '../../shared/names/dialect';
import { isObject, objectAt, ownMember, type JsonObject, type JsonValue } from '../../shared/values/json';
import { quote } from '../../shared/values/text/quote';

/** The versions of the API in which a remote server can be asked. */
export type TokenReviewVersion = 'v1' | 'v1beta1';

/** The result of the remote server for the token. */
export type TokenReviewResult =
  /** `audiences`: those that the token is valid for; empty when the remote server does not support audiences. */
  | { readonly type: 'user'; readonly user: UserInfo; readonly audiences: readonly string[] }
  /** `error` is '' when the token is simply unknown. */
  | { readonly type: 'unknown'; readonly error: string };

const apiVersionOf = (version: TokenReviewVersion): string => `authentication.platform.io/${version}`;

/**
 * The body of the request, in the spelling of `dialect`. An empty list of audiences is left out: it is up to the remote
 * server then for which audiences the token must be valid.
 */
export function tokenReviewBody(dialect: Dialect, version: TokenReviewVersion, token: string, audiences: readonly string[]): Buffer {
  const review = {
    kind: 'TokenReview',
    apiVersion: apiVersionInDialect(dialect, apiVersionOf(version)),
    metadata: { creationTimestamp: null },
    spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
    status: { user: {} },
  };
  return Buffer.from(JSON.stringify(review));
}

/** Returns an error for a response that is not a TokenReview of the requested version. */
export function readTokenReview(body: Buffer, version: TokenReviewVersion): TokenReviewResult | MalformedResponse {
  try {
    return parseReview(body, version);
  } catch (error) {
    if (error instanceof MalformedResponse) return error;
    throw error;
  }
}

function parseReview(body: Buffer, version: TokenReviewVersion): TokenReviewResult {
  const review = parseBody(body.toString());
  if (!isObject(review)) throw new MalformedResponse('the response of the webhook is not an object');
  const apiVersion = textAt(review, 'apiVersion');
  const kind = textAt(review, 'kind');
  if (canonicalApiVersion(apiVersion) !== apiVersionOf(version) || kind !== 'TokenReview') {
    throw new MalformedResponse(
      `the response of the webhook is ${quote(kind)} of ${quote(apiVersion)}, expected a TokenReview of ${version}`,
    );
  }
  const status = objectAt(review, 'status') ?? {};
  if (ownMember(status, 'authenticated') !== true) return { type: 'unknown', error: textAt(status, 'error') };
  return { type: 'user', user: readUser(objectAt(status, 'user') ?? {}), audiences: textsAt(status, 'audiences') };
}

/** A user needs a name; groups alone do not make a user. */
function readUser(user: JsonObject): UserInfo {
  const name = textAt(user, 'username');
  const uid = textAt(user, 'uid');
  if (name === '') throw new MalformedResponse('the webhook authenticated a request without a user name');
  const extra = ownMember(user, 'extra') ?? {};
  if (!isObject(extra)) throw malformedMember('extra');
  const entries = Object.keys(extra).map((key) => [key, textsAt(extra, key)] as const);
  return {
    name,
    groups: textsAt(user, 'groups'),
    ...(uid === '' ? {} : { uid }),
    ...(entries.length === 0 ? {} : { extra: Object.fromEntries(entries) }),
  };
}

/** '' when the member is absent. Throws {@link MalformedResponse} when it has another type. */
function textAt(object: JsonObject, member: string): string {
  const value = ownMember(object, member) ?? '';
  if (typeof value !== 'string') throw malformedMember(member);
  return value;
}

/** Empty when the member is absent. Throws {@link MalformedResponse} when it has another type. */
function textsAt(object: JsonObject, member: string): readonly string[] {
  const value = ownMember(object, member) ?? [];
  if (!isStringArray(value)) throw malformedMember(member);
  return value;
}

const isStringArray = (value: JsonValue): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');

const malformedMember = (member: string): MalformedResponse =>
  new MalformedResponse(`the response of the webhook has an unexpected value in ${quote(member)}`);
