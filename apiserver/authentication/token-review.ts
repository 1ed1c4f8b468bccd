/** A TokenReview as it is sent to a remote server, and as that answers. Sends nothing. */
import { MalformedAnswer } from '../../shared/client/rest/api-object';
import { parseBody } from '../../shared/client/rest/json-body';
import type { UserInfo } from '../../shared/api/identity/user';
import { apiVersionInDialect, canonicalApiVersion, type Dialect } from '../../shared/names/dialect';
import { isObject, objectAt, own, type JsonObject, type JsonValue } from '../../shared/values/json';
import { quote } from '../../shared/values/quote';

export type TokenReviewVersion = 'v1' | 'v1beta1';

export type Review =
  /** `audiences`: those that the token is good for; none = the remote server does not know of any. */
  | { readonly type: 'user'; readonly user: UserInfo; readonly audiences: readonly string[] }
  /** `error` = '': it knows nothing of this token. */
  | { readonly type: 'unknown'; readonly error: string };

const apiVersionOf = (version: TokenReviewVersion): string => `authentication.platform.io/${version}`;

export function reviewRequest(dialect: Dialect, version: TokenReviewVersion, token: string, audiences: readonly string[]): Buffer {
  const review = {
    kind: 'TokenReview',
    apiVersion: apiVersionInDialect(dialect, apiVersionOf(version)),
    metadata: { creationTimestamp: null },
    spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
    status: { user: {} },
  };
  return Buffer.from(JSON.stringify(review));
}

/** An error for whatever is not a TokenReview of the version that was asked for. */
export function readReview(body: Buffer, version: TokenReviewVersion): Review | MalformedAnswer {
  try {
    return parsedReview(body, version);
  } catch (error) {
    if (error instanceof MalformedAnswer) return error;
    throw error;
  }
}

function parsedReview(body: Buffer, version: TokenReviewVersion): Review {
  const review = parseBody(body.toString());
  if (!isObject(review)) throw new MalformedAnswer('the webhook answered with something that is no object');
  const [apiVersion, kind] = [textAt(review, 'apiVersion'), textAt(review, 'kind')];
  if (canonicalApiVersion(apiVersion) !== apiVersionOf(version) || kind !== 'TokenReview') {
    throw new MalformedAnswer(`the webhook answered with ${quote(kind)} of ${quote(apiVersion)}, not with a TokenReview of ${version}`);
  }
  const status = objectAt(review, 'status') ?? {};
  if (own(status, 'authenticated') !== true) return { type: 'unknown', error: textAt(status, 'error') };
  return { type: 'user', user: readUser(objectAt(status, 'user') ?? {}), audiences: textsAt(status, 'audiences') };
}

/** Somebody without a name is nobody, whatever groups he is said to be in. */
function readUser(user: JsonObject): UserInfo {
  const [name, uid] = [textAt(user, 'username'), textAt(user, 'uid')];
  if (name === '') throw new MalformedAnswer('the webhook let somebody in without saying who it is');
  const extra = own(user, 'extra') ?? {};
  if (!isObject(extra)) throw unexpected('extra');
  const entries = Object.keys(extra).map((key) => [key, textsAt(extra, key)] as const);
  return {
    name,
    groups: textsAt(user, 'groups'),
    ...(uid === '' ? {} : { uid }),
    ...(entries.length === 0 ? {} : { extra: Object.fromEntries(entries) }),
  };
}

function textAt(object: JsonObject, member: string): string {
  const value = own(object, member) ?? '';
  if (typeof value !== 'string') throw unexpected(member);
  return value;
}

function textsAt(object: JsonObject, member: string): readonly string[] {
  const value = own(object, member) ?? [];
  if (!isTexts(value)) throw unexpected(member);
  return value;
}

const isTexts = (value: JsonValue): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');

const unexpected = (member: string): MalformedAnswer =>
  new MalformedAnswer(`the webhook's answer has something unexpected in ${quote(member)}`);
