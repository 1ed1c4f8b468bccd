/** Expressions over the claims of a token and the user that comes of them: compiled once, and bounded in what one token may cost. */
import {
  Budget,
  compileExpression,
  CostExceeded,
  Failure,
  type Expression,
  type Type,
  type Value,
} from '../../../shared/expression/engine';
import { untypedValue } from '../../../shared/expression/untyped-json';
import { ListValue } from '../../../shared/expression/values/value';
import type { JsonObject } from '../../../shared/values/json';
import type { UserInfo } from '../../../shared/api/identity/user';

/** An expression does not say what it should of a token. */
export class ExpressionError extends Error {}

const CLAIMS = new Map([['claims', { kind: 'map', key: { kind: 'string' }, value: { kind: 'dyn' } } as const]]);
const TEXT: Type = { kind: 'string' };
const TEXTS: Type = { kind: 'list', item: TEXT };
const USER = new Map<string, Type>([
  [
    'user',
    {
      kind: 'object',
      name: 'UserInfo',
      fields: new Map<string, Type>([
        ['username', TEXT],
        ['uid', TEXT],
        ['groups', TEXTS],
        ['extra', { kind: 'map', key: TEXT, value: TEXTS }],
      ]),
    },
  ],
]);

/** What one expression may cost: as much as a rule of a custom resource. */
const LIMIT = 1_000_000;

export type Compiled = { readonly expression: Expression } | { readonly fault: string };

export const compileClaims = (text: string): Compiled => compiled(text, CLAIMS);
export const compileUser = (text: string): Compiled => compiled(text, USER);

function compiled(text: string, variables: Parameters<typeof compileExpression>[1]): Compiled {
  const expression = compileExpression(text, variables);
  return 'fault' in expression ? expression : { expression };
}

export const claimVariables = (claims: JsonObject): ReadonlyMap<string, Value> => new Map([['claims', untypedValue(claims)]]);

export function userVariables({ name, uid = '', groups, extra = {} }: UserInfo): ReadonlyMap<string, Value> {
  const lists = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
  return new Map([['user', untypedValue({ username: name, uid, groups: [...groups], extra: lists })]]);
}

/**
 * Throws {@link ExpressionError}. Claims are in the words of their issuer: domains there (`claims.hd == 'kubernetes.io'`) are not names of this API, and have one spelling.
 * Users of service accounts have two, because they are brought to this server's spelling afterwards.
 */
export function evaluate(expression: Expression, variables: ReadonlyMap<string, Value>): Value {
  let value: Value;
  try {
    value = expression.evaluate(variables, LIMIT, new Budget(LIMIT, 'accounts'));
  } catch (error) {
    if (error instanceof CostExceeded) throw new ExpressionError('the expression costs too much');
    throw error;
  }
  if (value instanceof Failure) throw new ExpressionError(value.message);
  return value;
}

/** A text; anything else throws {@link ExpressionError}. */
export function textOf(value: Value): string {
  if (typeof value !== 'string') throw new ExpressionError('a text is wanted');
  return value;
}

/** Those that are not empty of a text, a list of texts, or nothing; anything else throws {@link ExpressionError}. */
export function textsOf(value: Value): readonly string[] {
  if (value === null) return [];
  const texts = value instanceof ListValue ? [...value] : [value];
  return texts
    .map((text) => {
      if (typeof text !== 'string') throw new ExpressionError('a text or a list of texts is wanted');
      return text;
    })
    .filter((text) => text !== '');
}
