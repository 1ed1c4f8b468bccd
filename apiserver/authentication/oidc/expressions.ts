/**
 * CEL expressions over the claims of a token and over the resulting user. They are compiled once, and the cost of each
 * evaluation is limited. Which expressions a token is evaluated with is left to claim-mapping.ts.
 */
import {
  CostBudget,
  compileExpression,
  CostExceededError,
  ErrorValue,
  type Expression,
  type Type,
  type Value,
} from '../../../shared/expression/engine';
import { untypedValue } from '../../../shared/expression/untyped-json';
import { ListValue } from '../../../shared/expression/values/value';
import type { JsonObject } from '../../../shared/values/json';
import type { UserInfo } from '../../../shared/api/identity/user';

/** An expression failed or has a value of the wrong type. */
export class ExpressionError extends Error {}

const CLAIMS_VARIABLES = new Map([['claims', { kind: 'map', key: { kind: 'string' }, value: { kind: 'dyn' } } as const]]);
const STRING_TYPE: Type = { kind: 'string' };
const STRING_LIST_TYPE: Type = { kind: 'list', item: STRING_TYPE };
const USER_VARIABLES = new Map<string, Type>([
  [
    'user',
    {
      kind: 'object',
      name: 'UserInfo',
      fields: new Map<string, Type>([
        ['username', STRING_TYPE],
        ['uid', STRING_TYPE],
        ['groups', STRING_LIST_TYPE],
        ['extra', { kind: 'map', key: STRING_TYPE, value: STRING_LIST_TYPE }],
      ]),
    },
  ],
]);

/** Cost limit of one evaluation, as for a rule of a custom resource. */
const EXPRESSION_COST_LIMIT = 1_000_000;

/** The expression, or the error of the compiler. */
export type CompileResult = { readonly expression: Expression } | { readonly error: string };

/** Compiles an expression over `claims`. */
export const compileClaimsExpression = (text: string): CompileResult => compile(text, CLAIMS_VARIABLES);
/** Compiles an expression over `user`. */
export const compileUserExpression = (text: string): CompileResult => compile(text, USER_VARIABLES);

function compile(text: string, variables: Parameters<typeof compileExpression>[1]): CompileResult {
  const expression = compileExpression(text, variables);
  return 'error' in expression ? expression : { expression };
}

/** The variable `claims` of an expression. */
export const claimVariables = (claims: JsonObject): ReadonlyMap<string, Value> => new Map([['claims', untypedValue(claims)]]);

/** The variable `user` of rules about the resulting user. */
export function userVariables({ name, uid = '', groups, extra = {} }: UserInfo): ReadonlyMap<string, Value> {
  const lists = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
  return new Map([['user', untypedValue({ username: name, uid, groups: [...groups], extra: lists })]]);
}

/** Evaluates the expression within the cost limit; throws {@link ExpressionError}. */
export function evaluate(expression: Expression, variables: ReadonlyMap<string, Value>): Value {
  // The expression sees claims and user as the issuer spells them, and the name of a service account from an issuer
  // (`system:serviceaccount:kube-system:a`) is converted to this server's spelling only after the rules. With `accounts`,
  // both spellings of such a name and of its namespace are equal, and all other texts have one spelling:
  // `claims.hd == 'kubernetes.io'` does not match `platform.io`, because a domain of a claim is no name of this API.
  const spellings = 'accounts';
  // No other evaluation shares the budget, so it is as large as the limit of the evaluation.
  const budget = new CostBudget(EXPRESSION_COST_LIMIT, spellings);
  let value: Value;
  try {
    value = expression.evaluate(variables, EXPRESSION_COST_LIMIT, budget);
  } catch (error) {
    if (error instanceof CostExceededError) throw new ExpressionError('the evaluation of the expression exceeds the cost limit');
    throw error;
  }
  if (value instanceof ErrorValue) throw new ExpressionError(value.message);
  return value;
}

/** Throws {@link ExpressionError} when the value is not a string. */
export function requireString(value: Value): string {
  if (typeof value !== 'string') throw new ExpressionError('must be a string');
  return value;
}

/**
 * Returns the non-empty strings of a string or of a list of strings, and an empty list for null. Throws
 * {@link ExpressionError} for other values.
 */
export function requireStrings(value: Value): readonly string[] {
  if (value === null) return [];
  const items = value instanceof ListValue ? [...value] : [value];
  const texts: string[] = [];
  for (const item of items) {
    if (typeof item !== 'string') throw new ExpressionError('must be a string or a list of strings');
    if (item !== '') texts.push(item);
  }
  return texts;
}
