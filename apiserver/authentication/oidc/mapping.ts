/** From the claims of a token that is known to be good to a user: what is configured of its issuer, compiled. Checks no signature. */
import { objectAt, own, type JsonObject } from '../../../shared/values/json';
import type { UserInfo } from '../../../shared/api/identity/user';
import type { Expression, Value } from '../../../shared/expression/engine';
import {
  claimVariables,
  compileClaims,
  compileUser,
  evaluate,
  ExpressionError,
  textOf,
  textsOf,
  userVariables,
  type Compiled,
} from './expressions';
import type { ClaimRule, ClaimSource, TokenIssuerConfig } from './issuer';

/** The token is good, but says of nobody who may come in. */
export class ClaimsError extends Error {}

/** An expression that cannot be compiled, with the place in the configuration. */
export interface MappingFault {
  readonly path: string;
  readonly reason: string;
}

type Source = { readonly claim: string; readonly prefix: string } | { readonly expression: Expression };

type CompiledClaimRule =
  | Extract<ClaimRule, { readonly type: 'required' }>
  | { readonly type: 'expression'; readonly expression: Expression; readonly message: string };

export interface Mapping {
  /** Throws {@link ClaimsError}. */
  user(claims: JsonObject): UserInfo;
}

export function compileMapping(config: TokenIssuerConfig): Mapping | { readonly faults: readonly MappingFault[] } {
  const faults: MappingFault[] = [];
  const compile = (path: string, text: string, by: (text: string) => Compiled): Expression | undefined => {
    const compiled = by(text);
    if ('expression' in compiled) return compiled.expression;
    faults.push({ path, reason: compiled.fault });
    return undefined;
  };
  const condition = (path: string, text: string, by: (text: string) => Compiled): Expression | undefined => {
    const expression = compile(path, text, by);
    if (expression === undefined || expression.type.kind === 'bool') return expression;
    faults.push({ path, reason: 'must evaluate to bool' });
    return undefined;
  };
  const source = (path: string, given: ClaimSource | undefined): Source | undefined => {
    if (given?.type !== 'expression') return given;
    const expression = compile(`${path}.expression`, given.expression, compileClaims);
    return expression === undefined ? undefined : { expression };
  };
  const username = source('claimMappings.username', config.username);
  const groups = source('claimMappings.groups', config.groups);
  const uid = source('claimMappings.uid', config.uid);
  const extra = config.extra.flatMap(({ key, expression: text }, index) => {
    const expression = compile(`claimMappings.extra[${index}].valueExpression`, text, compileClaims);
    return expression === undefined ? [] : [{ key, expression }];
  });
  const claimRules = config.claimRules.flatMap((rule, index): readonly CompiledClaimRule[] => {
    if (rule.type === 'required') return [rule];
    const expression = condition(`claimValidationRules[${index}].expression`, rule.expression, compileClaims);
    return expression === undefined ? [] : [{ type: 'expression', expression, message: rule.message }];
  });
  const userRules = config.userRules.flatMap(({ expression: text, message }, index) => {
    const expression = condition(`userValidationRules[${index}].expression`, text, compileUser);
    return expression === undefined ? [] : [{ expression, message }];
  });
  if (faults.length > 0 || username === undefined) return { faults };
  return {
    user(claims) {
      const variables = claimVariables(claims);
      for (const rule of claimRules) {
        if (rule.type === 'required') requireClaim(claims, rule.claim, rule.value);
        else requireTrue(rule.expression, variables, rule.message);
      }
      const user = userOf({ username, groups, uid, extra }, claims, variables);
      for (const { expression, message } of userRules) requireTrue(expression, userVariables(user), message);
      return user;
    },
  };
}

interface Sources {
  readonly username: Source;
  readonly groups: Source | undefined;
  readonly uid: Source | undefined;
  readonly extra: readonly { readonly key: string; readonly expression: Expression }[];
}

function userOf({ username, groups, uid, extra }: Sources, claims: JsonObject, variables: ReadonlyMap<string, Value>): UserInfo {
  const id = uid === undefined ? '' : single('uid', uid, claims, variables);
  const more = extra.flatMap(({ key, expression }) => {
    const values = guarded(`extra ${key}`, () => textsOf(evaluate(expression, variables)));
    return values.length === 0 ? [] : [[key, values] as const];
  });
  return {
    name: nameOf(username, claims, variables),
    groups: groups === undefined ? [] : groupsOf(groups, claims, variables),
    ...(id === '' ? {} : { uid: id }),
    ...(more.length === 0 ? {} : { extra: Object.fromEntries(more) }),
  };
}

/** Somebody without a name is nobody, whatever would be put before it. */
function nameOf(source: Source, claims: JsonObject, variables: ReadonlyMap<string, Value>): string {
  // An address that was never proven to be somebody's is nobody's name.
  if ('claim' in source && source.claim === 'email' && (own(claims, 'email_verified') ?? true) !== true)
    throw new ClaimsError('oidc: email not verified');
  const name = single('username', source, claims, variables);
  if (name === '') throw new ClaimsError('oidc: the token names no user');
  return 'claim' in source ? source.prefix + name : name;
}

function single(what: string, source: Source, claims: JsonObject, variables: ReadonlyMap<string, Value>): string {
  if ('expression' in source) return guarded(what, () => textOf(evaluate(source.expression, variables)));
  const value = own(claims, source.claim);
  if (value === undefined) throw new ClaimsError(`oidc: parse ${what} claim ${JSON.stringify(source.claim)}: claim not present`);
  if (typeof value !== 'string') throw new ClaimsError(`oidc: parse ${what} claim ${JSON.stringify(source.claim)}: it is no text`);
  return value;
}

function groupsOf(source: Source, claims: JsonObject, variables: ReadonlyMap<string, Value>): readonly string[] {
  if ('expression' in source) return guarded('groups', () => textsOf(evaluate(source.expression, variables)));
  const { claim, prefix } = source;
  const value = own(claims, claim) ?? null;
  if (value === null && isElsewhere(claims, claim))
    throw new ClaimsError(`oidc: the claim ${JSON.stringify(claim)} is kept elsewhere, and is not fetched`);
  return (Array.isArray(value) ? value : value === null ? [] : [value]).map((text) => {
    if (typeof text !== 'string')
      throw new ClaimsError(`oidc: parse groups claim ${JSON.stringify(claim)}: it is no text and no list of texts`);
    return prefix + text;
  });
}

/** Whether the token says that another server has the claim: rules about groups must not take them for none. */
const isElsewhere = (claims: JsonObject, claim: string): boolean => own(objectAt(claims, '_claim_names') ?? {}, claim) !== undefined;

function requireClaim(claims: JsonObject, claim: string, wanted: string): void {
  const value = own(claims, claim);
  if (value === undefined) throw new ClaimsError(`oidc: required claim ${claim} not present in ID token`);
  if (value !== wanted) throw new ClaimsError(`oidc: required claim ${claim} value does not match`);
}

function requireTrue(expression: Expression, variables: ReadonlyMap<string, Value>, message: string): void {
  if (guarded('rule', () => evaluate(expression, variables)) !== true)
    throw new ClaimsError(`oidc: ${message === '' ? 'a rule is not satisfied' : message}`);
}

function guarded<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ExpressionError) throw new ClaimsError(`oidc: ${what}: ${error.message}`);
    throw error;
  }
}
