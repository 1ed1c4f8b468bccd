/**
 * Maps the claims of a verified token to a user, by the compiled configuration of its issuer. Does not verify
 * signatures.
 */
import { objectAt, ownMember, type JsonObject } from '../../../shared/values/json';
import type { UserInfo } from '../../../shared/api/identity/user';
import type { Expression, Value } from '../../../shared/expression/engine';
import {
  claimVariables,
  compileClaimsExpression,
  compileUserExpression,
  evaluate,
  ExpressionError,
  requireString,
  requireStrings,
  userVariables,
  type CompileResult,
} from './expressions';
import type { ClaimRule, ClaimSource, TokenIssuerConfig } from './issuer';

/** The token is valid, but its claims do not name an acceptable user. */
export class ClaimsError extends Error {}

/** An expression that does not compile, with its path in the configuration. */
export interface MappingError {
  readonly path: string;
  readonly reason: string;
}

/** Where a member of the user comes from: a claim, with the text that precedes each value, or an expression over `claims`. */
type Source = { readonly claim: string; readonly prefix: string } | { readonly expression: Expression };

type CompiledClaimRule =
  | Extract<ClaimRule, { readonly type: 'required' }>
  | { readonly type: 'expression'; readonly expression: Expression; readonly message: string };

/** The compiled mapping of one issuer. */
export interface ClaimMapping {
  /** Returns the user of a verified token; throws {@link ClaimsError} when the claims or the user break a rule. */
  mapToUser(claims: JsonObject): UserInfo;
}

/** Returns the mapping, or the errors of all expressions that do not compile or have the wrong type. */
export function compileClaimMapping(config: TokenIssuerConfig): ClaimMapping | { readonly errors: readonly MappingError[] } {
  const compiler = new MappingCompiler();
  const username = compiler.compileSource('claimMappings.username', config.username);
  const groups = compiler.compileSource('claimMappings.groups', config.groups);
  const uid = compiler.compileSource('claimMappings.uid', config.uid);
  const extra = config.extra.flatMap(({ key, expression: text }, index) => {
    const expression = compiler.compile(`claimMappings.extra[${index}].valueExpression`, text, compileClaimsExpression);
    return expression === undefined ? [] : [{ key, expression }];
  });
  const claimRules = config.claimRules.flatMap((rule, index): readonly CompiledClaimRule[] => {
    if (rule.type === 'required') return [rule];
    const expression = compiler.compileCondition(`claimValidationRules[${index}].expression`, rule.expression, compileClaimsExpression);
    return expression === undefined ? [] : [{ type: 'expression', expression, message: rule.message }];
  });
  const userRules = config.userRules.flatMap(({ expression: text, message }, index) => {
    const expression = compiler.compileCondition(`userValidationRules[${index}].expression`, text, compileUserExpression);
    return expression === undefined ? [] : [{ expression, message }];
  });
  const { errors } = compiler;
  if (errors.length > 0 || username === undefined) return { errors };
  return {
    mapToUser(claims) {
      const variables = claimVariables(claims);
      for (const rule of claimRules) {
        if (rule.type === 'required') requireClaim(claims, rule.claim, rule.value);
        else requireRule(rule.expression, variables, rule.message);
      }
      const user = buildUser({ username, groups, uid, extra }, claims, variables);
      for (const { expression, message } of userRules) requireRule(expression, userVariables(user), message);
      return user;
    },
  };
}

/** Compiles an expression over the claims, or over the user. */
type CompileText = (text: string) => CompileResult;

/**
 * Compiles the expressions of one issuer and collects their errors. `path` is the path of the expression in the
 * configuration. Each method returns `undefined` when it has added an error.
 */
class MappingCompiler {
  readonly errors: MappingError[] = [];

  compile(path: string, text: string, compileText: CompileText): Expression | undefined {
    const compiled = compileText(text);
    if ('expression' in compiled) return compiled.expression;
    this.errors.push({ path, reason: compiled.error });
    return undefined;
  }

  /** The expression must have a boolean value. */
  compileCondition(path: string, text: string, compileText: CompileText): Expression | undefined {
    const expression = this.compile(path, text, compileText);
    if (expression === undefined || expression.type.kind === 'bool') return expression;
    this.errors.push({ path, reason: 'must evaluate to bool' });
    return undefined;
  }

  /** Also returns `undefined` for a source that is not configured. */
  compileSource(path: string, configured: ClaimSource | undefined): Source | undefined {
    if (configured?.type !== 'expression') return configured;
    const expression = this.compile(`${path}.expression`, configured.expression, compileClaimsExpression);
    return expression === undefined ? undefined : { expression };
  }
}

/** Where the members of a user come from. */
interface Sources {
  readonly username: Source;
  readonly groups: Source | undefined;
  readonly uid: Source | undefined;
  readonly extra: readonly { readonly key: string; readonly expression: Expression }[];
}

function buildUser({ username, groups, uid, extra }: Sources, claims: JsonObject, variables: ReadonlyMap<string, Value>): UserInfo {
  const id = uid === undefined ? '' : readString('uid', uid, claims, variables);
  const extraEntries = extra.flatMap(({ key, expression }) => {
    const values = asClaimsError(`extra ${key}`, () => requireStrings(evaluate(expression, variables)));
    return values.length === 0 ? [] : [[key, values] as const];
  });
  return {
    name: readUserName(username, claims, variables),
    groups: groups === undefined ? [] : readGroups(groups, claims, variables),
    ...(id === '' ? {} : { uid: id }),
    ...(extraEntries.length === 0 ? {} : { extra: Object.fromEntries(extraEntries) }),
  };
}

/** An empty user name is rejected, also when a prefix would make it non-empty. */
function readUserName(source: Source, claims: JsonObject, variables: ReadonlyMap<string, Value>): string {
  // An unverified email address may belong to another user.
  if ('claim' in source && source.claim === 'email' && (ownMember(claims, 'email_verified') ?? true) !== true)
    throw new ClaimsError('oidc: email not verified');
  const name = readString('username', source, claims, variables);
  if (name === '') throw new ClaimsError('oidc: the token has no user name');
  return 'claim' in source ? source.prefix + name : name;
}

/** The text of the claim or expression, without the prefix. `target` names the member of the user in errors. */
function readString(target: string, source: Source, claims: JsonObject, variables: ReadonlyMap<string, Value>): string {
  if ('expression' in source) return asClaimsError(target, () => requireString(evaluate(source.expression, variables)));
  const value = ownMember(claims, source.claim);
  if (value === undefined) throw new ClaimsError(`oidc: parse ${target} claim ${JSON.stringify(source.claim)}: claim not present`);
  if (typeof value !== 'string') throw new ClaimsError(`oidc: parse ${target} claim ${JSON.stringify(source.claim)}: it is not a string`);
  return value;
}

/** An absent groups claim means no groups, unless it is a distributed claim. */
function readGroups(source: Source, claims: JsonObject, variables: ReadonlyMap<string, Value>): readonly string[] {
  if ('expression' in source) return asClaimsError('groups', () => requireStrings(evaluate(source.expression, variables)));
  const { claim, prefix } = source;
  const value = ownMember(claims, claim) ?? null;
  if (value === null && isDistributedClaim(claims, claim))
    throw new ClaimsError(`oidc: the claim ${JSON.stringify(claim)} is distributed, which is not supported`);
  if (value === null) return [];
  return (Array.isArray(value) ? value : [value]).map((text) => {
    if (typeof text !== 'string')
      throw new ClaimsError(`oidc: parse groups claim ${JSON.stringify(claim)}: it is neither a string nor a list of strings`);
    return prefix + text;
  });
}

/** Whether another server holds the claim: `_claim_names` contains the claim then. */
const isDistributedClaim = (claims: JsonObject, claim: string): boolean =>
  ownMember(objectAt(claims, '_claim_names') ?? {}, claim) !== undefined;

/** Throws {@link ClaimsError} unless the claim has the expected value. */
function requireClaim(claims: JsonObject, claim: string, expected: string): void {
  const value = ownMember(claims, claim);
  if (value === undefined) throw new ClaimsError(`oidc: required claim ${claim} not present in ID token`);
  if (value !== expected) throw new ClaimsError(`oidc: required claim ${claim} value does not match`);
}

/** Throws {@link ClaimsError} unless the expression is true. */
function requireRule(expression: Expression, variables: ReadonlyMap<string, Value>, message: string): void {
  if (asClaimsError('rule', () => evaluate(expression, variables)) !== true)
    throw new ClaimsError(`oidc: ${message === '' ? 'a validation rule is not satisfied' : message}`);
}

/** Calls `read`; an {@link ExpressionError} becomes a {@link ClaimsError} with `target` in its message. */
function asClaimsError<T>(target: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ExpressionError) throw new ClaimsError(`oidc: ${target}: ${error.message}`);
    throw error;
  }
}
