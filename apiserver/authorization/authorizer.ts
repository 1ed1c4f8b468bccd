/**
 * The interface of authorizers, which decide whether a user may make a request. Rejecting a request that none allows is left
 * to the caller of the chain (union.ts).
 */
import type { UserInfo } from '../../shared/api/identity/user';
import type { RequestSelectors } from './selectors';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';

/** The resource that names permissions to approve and sign certificates. It is not served. */
export const SIGNERS = 'signers';

/** A request for a resource. Group and namespace are in canonical spelling; absent parts are ''. */
export interface ResourceAttributes {
  readonly kind: 'resource';
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** The name of the object; that of a signer is in canonical spelling. */
  readonly name: string;
  /** Set only when the feature gate AuthorizeWithSelectors is on. */
  readonly selectors?: RequestSelectors;
}

/** A request for a path outside the resource API. `verb` is the method in lower case. */
export interface PathAttributes {
  readonly kind: 'path';
  readonly verb: string;
  readonly path: string;
}

/** The request that an authorizer decides about. */
export type Attributes = ResourceAttributes | PathAttributes;

/** `reason` may be empty. A `no-opinion` leaves the decision to the next authorizer. */
export type Decision =
  | { readonly type: 'allow'; readonly reason: string }
  /** Ends the chain of authorizers. */
  | { readonly type: 'deny'; readonly reason: string }
  | { readonly type: 'no-opinion'; readonly reason: string };

/** A permission for resources; `*` matches all. Groups are in canonical spelling. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  /** Empty for objects of every name. */
  readonly names: readonly string[];
}

/** A permission for paths; the verb `*` matches all. */
export interface PathRule {
  readonly verbs: readonly string[];
  /** A trailing `*` matches any suffix. */
  readonly paths: readonly string[];
}

/** The rules of a user in a namespace, for SelfSubjectRulesReview. */
export interface AccessRules {
  readonly resources: readonly ResourceRule[];
  readonly paths: readonly PathRule[];
  /** Whether the user may have more permissions than the rules show. */
  readonly isIncomplete: boolean;
  /** Errors of rule resolution. */
  readonly errors: readonly string[];
}

/**
 * Decides whether a user may make a request. The user need not be the one of the current request: reviews ask about the
 * access of others.
 */
export interface Authorizer {
  /**
   * Called for every request that no earlier authorizer has decided. Must not change its arguments. Must not throw or
   * reject when the authorizer itself fails, as with an unreachable webhook: the failure is a decision with a reason.
   */
  authorize(user: UserInfo, attributes: Attributes): MaybePromise<Decision>;
  /** The rules by which {@link authorize} allows requests of the user. Rules do not show what is denied. */
  rules(user: UserInfo, namespace: string): AccessRules;
  /**
   * Explains a decision in more detail than its reason, for users with permission to review the access of others. Absent
   * when there is nothing to add.
   */
  readonly explain?: (user: UserInfo, attributes: Attributes) => string;
}

/** Allows without a reason. */
export const ALLOW: Decision = { type: 'allow', reason: '' };
/** Leaves the decision to the next authorizer, without a reason. */
export const NO_OPINION: Decision = { type: 'no-opinion', reason: '' };
/** No permissions. */
export const NO_RULES: AccessRules = { resources: [], paths: [], isIncomplete: false, errors: [] };
/** All permissions. */
export const ALL_RULES: AccessRules = {
  resources: [{ verbs: ['*'], groups: ['*'], resources: ['*'], names: [] }],
  paths: [{ verbs: ['*'], paths: ['*'] }],
  isIncomplete: false,
  errors: [],
};
