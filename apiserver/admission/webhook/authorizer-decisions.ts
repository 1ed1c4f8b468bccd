/**
 * Authorizer checks of CEL expressions in one request. Expressions are synchronous, but the authorizer may not be: then
 * {@link PendingResult} aborts the evaluation, and the caller repeats it when the decision has arrived. Each distinct
 * check is made once. Repeating the evaluation is left to the callers.
 */
import type { AuthorizationDecision, AuthorizationRequest, Authorize } from '../../../shared/expression/library/authorizer';
import { serviceAccountGroups, serviceAccountUserName, type UserInfo } from '../../../shared/api/identity/user';
import type { MaybePromise } from '../../../shared/runtime/maybe-promise';
import { errorMessage } from '../../../shared/runtime/error-message';
import { canonicalGroup } from '../../../shared/names/dialect';

/**
 * Decides about a check of an expression; `group` is in canonical spelling. A decision that needs no call is returned
 * synchronously.
 */
export type AuthorizeCheck = (user: UserInfo, check: AuthorizationRequest) => MaybePromise<AuthorizationDecision>;

/** Aborts an evaluation; the caller repeats it when `ready` resolves. */
export class PendingResult extends Error {
  constructor(readonly ready: Promise<void>) {
    super('the result is not available yet');
  }
}

/** Bounds the distinct checks of a request: the cost limit of expressions would allow thousands of calls. */
const MAX_CHECKS = 256;
const TOO_MANY_CHECKS: AuthorizationDecision = { allowed: false, reason: '', error: `more than ${MAX_CHECKS} questions to the authorizer` };

/** The decisions for one request and its user. */
export class AuthorizerDecisions {
  /** By the JSON of the check and its user. */
  private readonly decisions = new Map<string, AuthorizationDecision>();

  constructor(
    private readonly authorize: AuthorizeCheck,
    private readonly user: UserInfo,
  ) {}

  /** The function that expressions call. Throws {@link PendingResult} while the authorizer decides. */
  readonly check: Authorize = (request, account) => {
    const key = JSON.stringify([request, account]);
    const cached = this.decisions.get(key);
    if (cached !== undefined) return cached;
    if (this.decisions.size >= MAX_CHECKS) return TOO_MANY_CHECKS;
    const canonicalRequest = request.kind === 'path' ? request : { ...request, group: canonicalGroup(request.group) };
    const response = this.authorize(account === undefined ? this.user : userOf(account), canonicalRequest);
    if (response instanceof Promise) {
      const storeDecision = (decision: AuthorizationDecision): void => void this.decisions.set(key, decision);
      const storeError = (error: unknown): void => storeDecision({ allowed: false, reason: '', error: errorMessage(error) });
      throw new PendingResult(response.then(storeDecision, storeError));
    }
    this.decisions.set(key, response);
    return response;
  };
}

/** The user of a service account that an expression names. */
const userOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo => ({
  name: serviceAccountUserName(namespace, name),
  groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
});
