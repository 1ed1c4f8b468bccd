/**
 * Match conditions of an authorization webhook: CEL expressions over the SubjectAccessReview that decide whether the
 * webhook is called. They are type-checked and compiled once, and the cost of their evaluation is bounded. Calling the webhook
 * is left to authorizer.ts.
 */
import {
  CostBudget,
  compileExpression,
  CostExceededError,
  ErrorValue,
  type Expression,
  type Type,
} from '../../../shared/expression/engine';
import { untypedValue } from '../../../shared/expression/untyped-json';
import { listTypeOf, mapTypeOf, printType, STRING } from '../../../shared/expression/types/type';
import type { AuthorizationV1SubjectAccessReviewSpec } from '../../../shared/api/types/generated/members';
import type { JsonObject } from '../../../shared/values/json';

/** `yes`: all expressions are true. `no`: one is false. `error`: one failed, and none is false. */
export type MatchResult = 'yes' | 'no' | 'error';

/** Whether the webhook is called for a review. Never throws. */
export type MatchConditions = (spec: AuthorizationV1SubjectAccessReviewSpec) => MatchResult;

/** Cost limit of one expression, as upstream's. */
const EXPRESSION_COST_LIMIT = 1_000_000;

/** A type with these fields. Its name has the prefix of upstream's types, because error messages contain it. */
const objectType = (name: string, fields: Readonly<Record<string, Type>>): Type => ({
  kind: 'object',
  name: `kubernetes.${name}`,
  fields: new Map(Object.entries(fields)),
});

const REQUIREMENTS = listTypeOf(objectType('SelectorRequirement', { key: STRING, operator: STRING, values: listTypeOf(STRING) }));
const selectorType = (name: string): Type => objectType(name, { rawSelector: STRING, requirements: REQUIREMENTS });
const SELECTORS = { fieldSelector: selectorType('FieldSelectorAttributes'), labelSelector: selectorType('LabelSelectorAttributes') };

const textFields = (names: readonly string[]): Readonly<Record<string, Type>> => Object.fromEntries(names.map((name) => [name, STRING]));
/** The members of `resourceAttributes` that are texts. */
const RESOURCE_TEXTS = ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'];
/** The members of `nonResourceAttributes`, all of them texts. */
const PATH_TEXTS = ['path', 'verb'];

/** The type of the variable `request`. */
function variablesOf(hasSelectors: boolean): ReadonlyMap<string, Type> {
  const spec = objectType('SubjectAccessReviewSpec', {
    resourceAttributes: objectType('ResourceAttributes', { ...textFields(RESOURCE_TEXTS), ...(hasSelectors ? SELECTORS : {}) }),
    nonResourceAttributes: objectType('NonResourceAttributes', textFields(PATH_TEXTS)),
    user: STRING,
    groups: listTypeOf(STRING),
    extra: mapTypeOf(STRING, listTypeOf(STRING)),
    uid: STRING,
  });
  return new Map([['request', spec]]);
}

/** Why the expression at an index cannot be used. */
export interface ConditionError {
  readonly index: number;
  /** In upstream's words. */
  readonly reason: string;
}

/**
 * Returns the conditions, or the errors of all expressions that cannot be used. `hasSelectors`: whether the feature gate
 * AuthorizeWithSelectors is on, so that expressions can use the selectors of the request.
 */
export function compileMatchConditions(
  expressions: readonly string[],
  { hasSelectors }: { readonly hasSelectors: boolean } = { hasSelectors: false },
): { readonly conditions: MatchConditions } | { readonly errors: readonly ConditionError[] } {
  const variables = variablesOf(hasSelectors);
  const compiled = expressions.map((text) => compileExpression(text, variables));
  const errors = compiled.flatMap((result, index) => {
    const reason = errorOf(expressions, index, result);
    return reason === undefined ? [] : [{ index, reason }];
  });
  if (errors.length > 0) return { errors };
  const valid = compiled.filter((result): result is Expression => !('error' in result));
  return {
    conditions(spec) {
      const values = new Map([['request', untypedValue(requestVariable(spec))]]);
      let hasFailed = false;
      for (const expression of valid) {
        const value = evaluate(expression, values);
        if (value === false) return 'no';
        hasFailed ||= value !== true;
      }
      return hasFailed ? 'error' : 'yes';
    },
  };
}

/** Why the expression at the index cannot be used; `undefined` when it can. `compiled` is its compilation. */
function errorOf(expressions: readonly string[], index: number, compiled: ReturnType<typeof compileExpression>): string | undefined {
  const text = expressions[index] ?? '';
  if (text.trim() === '') return 'Required value';
  if (expressions.indexOf(text) < index) return `Duplicate value: ${JSON.stringify(text)}`;
  const invalid = `Invalid value: ${JSON.stringify(text)}`;
  if ('error' in compiled) return `${invalid}: ${compiled.error}`;
  const { type } = compiled;
  return type.kind === 'bool'
    ? undefined
    : `${invalid}: must evaluate to bool but got ${type.kind === 'null' ? 'null_type' : printType(type)}`;
}

/**
 * The value of the variable `request`. Either `resourceAttributes` or `nonResourceAttributes` is absent. Other members
 * that the review lacks are empty, so that an expression can read them.
 */
function requestVariable(spec: AuthorizationV1SubjectAccessReviewSpec): JsonObject {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  return {
    user: '',
    groups: [],
    extra: {},
    uid: '',
    ...spec,
    ...(resource === undefined ? {} : { resourceAttributes: { ...emptyTexts(RESOURCE_TEXTS), ...resource } }),
    ...(path === undefined ? {} : { nonResourceAttributes: { ...emptyTexts(PATH_TEXTS), ...path } }),
  };
}

const emptyTexts = (names: readonly string[]): JsonObject => Object.fromEntries(names.map((name) => [name, '']));

/** `undefined` when the evaluation fails. */
function evaluate(expression: Expression, variables: Parameters<Expression['evaluate']>[0]): unknown {
  try {
    const value = expression.evaluate(variables, EXPRESSION_COST_LIMIT, new CostBudget(EXPRESSION_COST_LIMIT));
    return value instanceof ErrorValue ? undefined : value;
  } catch (error) {
    if (error instanceof CostExceededError) return undefined;
    throw error;
  }
}
