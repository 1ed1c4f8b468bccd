/**
 * The authorizer library for admission policies:
 * `authorizer.group('apps').resource('deployments').check('create').allowed()`. The value of `authorizer` contains the
 * function that decides ({@link Authorize}), which the server provides.
 */
import { checkDnsLabel, checkDnsSubdomain } from '../../values/name-formats';
import { ErrorValue, OpaqueValue } from '../values/value';
import { binary, isOpaque, isString, ternary, unary, type FunctionCosts, type FunctionOverload } from './function';

/** What an expression checks: access to a URL path or to a resource. Group names are spelled as in the expression. */
export type AuthorizationRequest =
  | { readonly kind: 'path'; readonly path: string; readonly verb: string }
  | {
      readonly kind: 'resource';
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
      readonly verb: string;
    };

/** The result of a check in an expression. */
export interface AuthorizationDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** `undefined` when the authorizer did not fail. */
  readonly error?: string | undefined;
}

/** Decides about the user of the admission request or, when `account` is given, about that service account. */
export type Authorize = (
  request: AuthorizationRequest,
  account?: { readonly namespace: string; readonly name: string },
) => AuthorizationDecision;

const PREFIX = 'kubernetes.authorization';

/** A value of this library. No two are equal. */
abstract class AuthorizationValue extends OpaqueValue {
  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

/** The variable `authorizer`: decisions about the user of the request, or about a service account. */
export class AuthorizerValue extends AuthorizationValue {
  readonly typeName = `${PREFIX}.Authorizer`;

  constructor(
    readonly authorize: Authorize,
    readonly account?: { readonly namespace: string; readonly name: string },
  ) {
    super();
  }

  /** The decision of the server's authorizers. */
  decide(request: AuthorizationRequest): AuthorizationDecision {
    return this.authorize(request, this.account);
  }
}

class PathCheck extends AuthorizationValue {
  readonly typeName = `${PREFIX}.PathCheck`;

  constructor(
    readonly authorizer: AuthorizerValue,
    readonly path: string,
  ) {
    super();
  }
}

class GroupCheck extends AuthorizationValue {
  readonly typeName = `${PREFIX}.GroupCheck`;

  constructor(
    readonly authorizer: AuthorizerValue,
    readonly group: string,
  ) {
    super();
  }
}

type ResourceAttributes = Omit<Extract<AuthorizationRequest, { kind: 'resource' }>, 'kind' | 'verb'>;

/** A check of access to a resource, to which an expression adds the attributes one by one. */
export class ResourceCheck extends AuthorizationValue {
  readonly typeName = `${PREFIX}.ResourceCheck`;

  constructor(
    readonly authorizer: AuthorizerValue,
    readonly attributes: ResourceAttributes,
  ) {
    super();
  }

  /** Returns a check with the changed attributes; values are immutable. */
  withAttributes(changes: Partial<ResourceAttributes>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.attributes, ...changes });
  }
}

class DecisionValue extends AuthorizationValue {
  readonly typeName = `${PREFIX}.Decision`;

  constructor(readonly decision: AuthorizationDecision) {
    super();
  }
}

const isAuthorizer = isOpaque(AuthorizerValue);
const isPathCheck = isOpaque(PathCheck);
const isGroupCheck = isOpaque(GroupCheck);
const isResourceCheck = isOpaque(ResourceCheck);
const isDecision = isOpaque(DecisionValue);

/** The published estimate. At run time upstream charges 1, as a recording of 300 checks in one expression shows. */
const CHECK_COSTS: FunctionCosts = { estimate: () => 350_000, charge: () => 1 };
/** The attributes of a check before an expression sets them. */
const UNSCOPED = { subresource: '', namespace: '', name: '' };

function forServiceAccount(authorizer: AuthorizerValue, namespace: string, name: string): AuthorizerValue | ErrorValue {
  const [namespaceError] = checkDnsLabel(namespace);
  if (namespaceError !== undefined) return new ErrorValue(`Invalid service account namespace`);
  const [nameError] = checkDnsSubdomain(name);
  if (nameError !== undefined) return new ErrorValue(`Invalid service account name`);
  return new AuthorizerValue(authorizer.authorize, { namespace, name });
}

/** The overloads, each with its signature, its checks of arguments, its function and its costs. */
export const AUTHORIZER_FUNCTIONS: readonly FunctionOverload[] = [
  binary(`${PREFIX}.Authorizer.path(string): ${PREFIX}.PathCheck`, [isAuthorizer, isString], (authorizer, path) =>
    path === '' ? new ErrorValue('path must not be empty') : new PathCheck(authorizer, path),
  ),
  binary(
    `${PREFIX}.Authorizer.group(string): ${PREFIX}.GroupCheck`,
    [isAuthorizer, isString],
    (authorizer, group) => new GroupCheck(authorizer, group),
  ),
  ternary(
    `${PREFIX}.Authorizer.serviceAccount(string, string): ${PREFIX}.Authorizer`,
    [isAuthorizer, isString, isString],
    forServiceAccount,
  ),
  binary(
    `${PREFIX}.PathCheck.check(string): ${PREFIX}.Decision`,
    [isPathCheck, isString],
    ({ authorizer, path }, verb) => new DecisionValue(authorizer.decide({ kind: 'path', path, verb })),
    CHECK_COSTS,
  ),
  binary(
    `${PREFIX}.GroupCheck.resource(string): ${PREFIX}.ResourceCheck`,
    [isGroupCheck, isString],
    ({ authorizer, group }, resource) => new ResourceCheck(authorizer, { group, resource, ...UNSCOPED }),
  ),
  binary(`${PREFIX}.ResourceCheck.subresource(string): ${PREFIX}.ResourceCheck`, [isResourceCheck, isString], (check, subresource) =>
    check.withAttributes({ subresource }),
  ),
  binary(`${PREFIX}.ResourceCheck.namespace(string): ${PREFIX}.ResourceCheck`, [isResourceCheck, isString], (check, namespace) =>
    check.withAttributes({ namespace }),
  ),
  binary(`${PREFIX}.ResourceCheck.name(string): ${PREFIX}.ResourceCheck`, [isResourceCheck, isString], (check, name) =>
    check.withAttributes({ name }),
  ),
  binary(
    `${PREFIX}.ResourceCheck.check(string): ${PREFIX}.Decision`,
    [isResourceCheck, isString],
    ({ authorizer, attributes }, verb) => new DecisionValue(authorizer.decide({ kind: 'resource', ...attributes, verb })),
    CHECK_COSTS,
  ),
  unary(`${PREFIX}.Decision.allowed(): bool`, isDecision, ({ decision }) => decision.allowed),
  unary(`${PREFIX}.Decision.reason(): string`, isDecision, ({ decision }) => decision.reason),
  unary(`${PREFIX}.Decision.errored(): bool`, isDecision, ({ decision }) => decision.error !== undefined),
  unary(`${PREFIX}.Decision.error(): string`, isDecision, ({ decision }) => decision.error ?? ''),
];
