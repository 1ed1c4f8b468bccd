/**
 * Questions to the authorizer that expressions of policies may ask: `authorizer.group('apps').resource('deployments').check('create').allowed()`. Who decides is
 * brought along by the value; nothing is decided here.
 */
import { checkDnsLabel, checkDnsSubdomain } from '../../values/name-formats';
import { Failure, OpaqueValue } from '../values/value';
import { binary, isOpaque, isString, ternary, unary, type Costs, type FunctionRow } from './function';

/** What is asked. Groups as the expression writes them. */
export type AccessQuestion =
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

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  /** Undefined = it could be told. */
  readonly error?: string | undefined;
}

/** Answers for a user; `account` = another one than who makes the request: a ServiceAccount. */
export type AskAccess = (question: AccessQuestion, account?: { readonly namespace: string; readonly name: string }) => AccessAnswer;

const PREFIX = 'kubernetes.authorization';

abstract class Asking extends OpaqueValue {
  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

export class AuthorizerValue extends Asking {
  readonly typeName = `${PREFIX}.Authorizer`;

  constructor(
    readonly ask: AskAccess,
    readonly account?: { readonly namespace: string; readonly name: string },
  ) {
    super();
  }

  answer(question: AccessQuestion): AccessAnswer {
    return this.ask(question, this.account);
  }
}

class PathCheck extends Asking {
  readonly typeName = `${PREFIX}.PathCheck`;

  constructor(
    readonly authorizer: AuthorizerValue,
    readonly path: string,
  ) {
    super();
  }
}

class GroupCheck extends Asking {
  readonly typeName = `${PREFIX}.GroupCheck`;

  constructor(
    readonly authorizer: AuthorizerValue,
    readonly group: string,
  ) {
    super();
  }
}

type Place = Omit<Extract<AccessQuestion, { kind: 'resource' }>, 'kind' | 'verb'>;

export class ResourceCheck extends Asking {
  readonly typeName = `${PREFIX}.ResourceCheck`;

  constructor(
    readonly authorizer: AuthorizerValue,
    readonly place: Place,
  ) {
    super();
  }

  with(more: Partial<Place>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.place, ...more });
  }
}

class DecisionValue extends Asking {
  readonly typeName = `${PREFIX}.Decision`;

  constructor(readonly answer: AccessAnswer) {
    super();
  }
}

const isAuthorizer = isOpaque(AuthorizerValue);
const isPathCheck = isOpaque(PathCheck);
const isGroupCheck = isOpaque(GroupCheck);
const isResourceCheck = isOpaque(ResourceCheck);
const isDecision = isOpaque(DecisionValue);

/** The published price, of which upstream charges nothing when it is asked in earnest: recorded with 300 questions in one expression. */
const CHECK: Costs = { estimate: () => 350_000, charge: () => 1 };
const NOWHERE = { subresource: '', namespace: '', name: '' };

function forAccount(authorizer: AuthorizerValue, namespace: string, name: string): AuthorizerValue | Failure {
  const [wrongNamespace] = checkDnsLabel(namespace);
  if (wrongNamespace !== undefined) return new Failure(`Invalid service account namespace`);
  const [wrongName] = checkDnsSubdomain(name);
  if (wrongName !== undefined) return new Failure(`Invalid service account name`);
  return new AuthorizerValue(authorizer.ask, { namespace, name });
}

export const AUTHORIZER_ROWS: readonly FunctionRow[] = [
  binary(`${PREFIX}.Authorizer.path(string): ${PREFIX}.PathCheck`, isAuthorizer, isString, (authorizer, path) =>
    path === '' ? new Failure('path must not be empty') : new PathCheck(authorizer, path),
  ),
  binary(
    `${PREFIX}.Authorizer.group(string): ${PREFIX}.GroupCheck`,
    isAuthorizer,
    isString,
    (authorizer, group) => new GroupCheck(authorizer, group),
  ),
  ternary(`${PREFIX}.Authorizer.serviceAccount(string, string): ${PREFIX}.Authorizer`, [isAuthorizer, isString, isString], forAccount),
  binary(
    `${PREFIX}.PathCheck.check(string): ${PREFIX}.Decision`,
    isPathCheck,
    isString,
    ({ authorizer, path }, verb) => new DecisionValue(authorizer.answer({ kind: 'path', path, verb })),
    CHECK,
  ),
  binary(
    `${PREFIX}.GroupCheck.resource(string): ${PREFIX}.ResourceCheck`,
    isGroupCheck,
    isString,
    ({ authorizer, group }, resource) => new ResourceCheck(authorizer, { group, resource, ...NOWHERE }),
  ),
  binary(`${PREFIX}.ResourceCheck.subresource(string): ${PREFIX}.ResourceCheck`, isResourceCheck, isString, (check, subresource) =>
    check.with({ subresource }),
  ),
  binary(`${PREFIX}.ResourceCheck.namespace(string): ${PREFIX}.ResourceCheck`, isResourceCheck, isString, (check, namespace) =>
    check.with({ namespace }),
  ),
  binary(`${PREFIX}.ResourceCheck.name(string): ${PREFIX}.ResourceCheck`, isResourceCheck, isString, (check, name) => check.with({ name })),
  binary(
    `${PREFIX}.ResourceCheck.check(string): ${PREFIX}.Decision`,
    isResourceCheck,
    isString,
    ({ authorizer, place }, verb) => new DecisionValue(authorizer.answer({ kind: 'resource', ...place, verb })),
    CHECK,
  ),
  unary(`${PREFIX}.Decision.allowed(): bool`, isDecision, ({ answer }) => answer.allowed),
  unary(`${PREFIX}.Decision.reason(): string`, isDecision, ({ answer }) => answer.reason),
  unary(`${PREFIX}.Decision.errored(): bool`, isDecision, ({ answer }) => answer.error !== undefined),
  unary(`${PREFIX}.Decision.error(): string`, isDecision, ({ answer }) => answer.error ?? ''),
];
