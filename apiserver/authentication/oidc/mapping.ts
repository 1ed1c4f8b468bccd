/** From the claims of a token that is known to be good to a user: what is configured of its issuer, compiled. Checks no signature. */
import { own, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { UserInfo } from '../../../shared/api/identity/user';
import type { Expression, Value } from '../../../shared/expression/engine';
import {
  claimVariables,
  compileClaims,
  compileUser,
  evaluate,
  ExpressionError,
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
    const expression = compile(`claimValidationRules[${index}].expression`, rule.expression, compileClaims);
    return expression === undefined ? [] : [{ type: 'expression', expression, message: rule.message }];
  });
  const userRules = config.userRules.flatMap(({ expression: text, message }, index) => {
    const expression = compile(`userValidationRules[${index}].expression`, text, compileUser);
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

function userOf(sources: Sources, claims: JsonObject, variables: ReadonlyMap<string, Value>): UserInfo {
  const [name = ''] = valuesOf('username', sources.username, claims, variables);
  if (name === '') throw new ClaimsError('oidc: the token names no user');
  const [uid = ''] = sources.uid === undefined ? [] : valuesOf('uid', sources.uid, claims, variables);
  const extra = sources.extra.flatMap(({ key, expression }) => {
    const values = guarded(`extra ${key}`, () => textsOf(evaluate(expression, variables)));
    return values.length === 0 ? [] : [[key, values] as const];
  });
  return {
    name,
    groups: sources.groups === undefined ? [] : valuesOf('groups', sources.groups, claims, variables),
    ...(uid === '' ? {} : { uid }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

function valuesOf(what: string, source: Source, claims: JsonObject, variables: ReadonlyMap<string, Value>): readonly string[] {
  if ('expression' in source) return guarded(what, () => textsOf(evaluate(source.expression, variables)));
  const { claim, prefix } = source;
  const value = own(claims, claim);
  // An address that was never proven to be somebody's is nobody's name.
  if (what === 'username' && claim === 'email' && (own(claims, 'email_verified') ?? true) !== true)
    throw new ClaimsError('oidc: email not verified');
  return textsIn(claim, value).map((text) => prefix + text);
}

function textsIn(claim: string, value: JsonValue | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  const all = Array.isArray(value) ? value : [value];
  return all.map((item) => {
    if (typeof item !== 'string') throw new ClaimsError(`oidc: the claim ${JSON.stringify(claim)} is no text`);
    return item;
  });
}

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
