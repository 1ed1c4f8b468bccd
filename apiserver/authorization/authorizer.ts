/** What every authorizer is: a decision about who may do what. Never answers a request. */
import type { UserInfo } from '../../shared/api/identity/user';
import type { RequestSelectors } from './selectors';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';

/** Who may approve and sign is told by names that bear the product's name. Nobody serves this resource. */
export const SIGNERS = 'signers';

export interface ResourceAttributes {
  readonly kind: 'resource';
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** That of a signer is in canonical spelling. */
  readonly name: string;
  /** Only where the gate AuthorizeWithSelectors is on. */
  readonly selectors?: RequestSelectors;
}

export interface PathAttributes {
  readonly kind: 'path';
  readonly verb: string;
  readonly path: string;
}

export type Attributes = ResourceAttributes | PathAttributes;

/** `reason` may be empty. */
export type Decision =
  | { readonly type: 'allow'; readonly reason: string }
  /** Stops the chain. */
  | { readonly type: 'deny'; readonly reason: string }
  | { readonly type: 'no-opinion'; readonly reason: string };

/** Something that is allowed; `*` stands for anything. Groups are in canonical spelling. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  /** Empty = all. */
  readonly names: readonly string[];
}

export interface PathRule {
  readonly verbs: readonly string[];
  /** A trailing `*` stands for anything. */
  readonly paths: readonly string[];
}

/** What a user may do in a namespace, as far as an authorizer can tell without being asked about each thing. */
export interface AccessRules {
  readonly resources: readonly ResourceRule[];
  readonly paths: readonly PathRule[];
  /** There may be more that is allowed. */
  readonly incomplete: boolean;
  /** What went wrong on the way. */
  readonly errors: readonly string[];
}

export interface Authorizer {
  authorize(user: UserInfo, attributes: Attributes): MaybePromise<Decision>;
  rules(user: UserInfo, namespace: string): AccessRules;
  /** Why, for those who may ask about others; absent = there is no more to be said than the reason. */
  readonly explain?: (user: UserInfo, attributes: Attributes) => string;
}

export const ALLOW: Decision = { type: 'allow', reason: '' };
export const NO_OPINION: Decision = { type: 'no-opinion', reason: '' };
export const NO_RULES: AccessRules = { resources: [], paths: [], incomplete: false, errors: [] };
export const ALL_RULES: AccessRules = {
  resources: [{ verbs: ['*'], groups: ['*'], resources: ['*'], names: [] }],
  paths: [{ verbs: ['*'], paths: ['*'] }],
  incomplete: false,
  errors: [],
};
