/**
 * Type-checks the expressions of a ValidatingAdmissionPolicy against the kinds that its rules match: an expression that
 * refers to a field that a kind does not have gets a warning in the policy's status. Pure: works on the given kinds.
 */
import type {
  AdmissionregistrationV1ExpressionWarning,
  AdmissionregistrationV1ValidatingAdmissionPolicySpec,
  AdmissionregistrationV1ValidatingAdmissionPolicyStatus,
} from '../../shared/api/types/generated/members';
import { policyVariables } from '../../shared/expression/admission/variables';
import { compileExpression } from '../../shared/expression/engine';
import { DYN, type Type } from '../../shared/expression/types/type';
import { canonicalApiVersion, canonicalGroup, groupInDialect, type Dialect } from '../../shared/names/dialect';
import { compareBytes } from '../../shared/values/json';
import type { KnownKind } from './kind-types';

export type PolicySpec = AdmissionregistrationV1ValidatingAdmissionPolicySpec;

/** The prefix of the engine's messages, which upstream's warnings do not have. */
const COMPILATION_FAILED = /^compilation failed: /;
/** Kinds of a policy beyond this number are not checked. */
const MAX_KINDS = 100;

/** The kinds that the API server serves, as far as they are known. */
export interface TypeCheckingContext {
  readonly kinds: readonly KnownKind[];
  /** The spelling of the groups in warnings. */
  readonly dialect: Dialect;
}

/** The status that the controller applies to a policy with this spec and generation. */
export function typeCheckedStatus(
  spec: PolicySpec,
  generation: number,
  context: TypeCheckingContext,
): AdmissionregistrationV1ValidatingAdmissionPolicyStatus {
  const warnings = expressionWarnings(spec, context);
  return {
    observedGeneration: generation,
    typeChecking: warnings.length === 0 ? {} : { expressionWarnings: [...warnings] },
  };
}

/** One warning for each expression that is invalid for some matched kind. */
function expressionWarnings(
  spec: PolicySpec,
  { kinds, dialect }: TypeCheckingContext,
): readonly AdmissionregistrationV1ExpressionWarning[] {
  const matched = matchedKinds(spec, kinds).slice(0, MAX_KINDS);
  const typed = matched.map((kind) => ({ kind, variablesFor: variablesOf(spec, kind, kinds) }));
  const warningFor = (
    fieldRef: string,
    expression: string,
    { hasAuthorizer }: { readonly hasAuthorizer: boolean },
  ): readonly AdmissionregistrationV1ExpressionWarning[] => {
    const messages = typed.flatMap(({ kind, variablesFor }) => {
      const error = compileError(expression, variablesFor({ hasAuthorizer }));
      return error === undefined ? [] : [`${groupInDialect(dialect, kind.group)}/${kind.version}, Kind=${kind.kind}: ${error}`];
    });
    return messages.length === 0 ? [] : [{ fieldRef, warning: messages.join('\n') }];
  };
  return (spec.validations ?? []).flatMap(({ expression = '', messageExpression = '' }, index) => {
    const field = `spec.validations[${index}]`;
    return [
      ...warningFor(`${field}.expression`, expression, { hasAuthorizer: true }),
      ...(messageExpression.trim() === '' ? [] : warningFor(`${field}.messageExpression`, messageExpression, { hasAuthorizer: false })),
    ];
  });
}

/** `undefined` for a valid expression. */
function compileError(expression: string, variables: ReadonlyMap<string, Type>): string | undefined {
  const compiled = compileExpression(expression.trim(), variables);
  return 'error' in compiled ? `${compiled.error.replace(COMPILATION_FAILED, '')}\n` : undefined;
}

/** The groups and versions of the resource rules and of paramKind, in canonical spelling, without wildcards. */
export function referencedVersions(spec: PolicySpec): readonly (readonly [group: string, version: string])[] {
  const versions = new Map<string, readonly [string, string]>();
  const add = (group: string, version: string): unknown => versions.set(`${group}/${version}`, [group, version]);
  for (const { apiGroups = [], apiVersions = [] } of spec.matchConstraints?.resourceRules ?? []) {
    for (const group of apiGroups) for (const version of apiVersions) add(canonicalGroup(group), version);
  }
  const paramVersion = splitApiVersion(spec.paramKind?.apiVersion ?? '');
  add(paramVersion.group, paramVersion.version);
  return [...versions.values()].filter((names) => !names.includes('*') && !names.includes(''));
}

function splitApiVersion(text: string): { readonly group: string; readonly version: string } {
  const apiVersion = canonicalApiVersion(text);
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}

/** The kinds that the resource rules name. Rules with wildcards and subresources are ignored, as upstream does. */
function matchedKinds(spec: PolicySpec, kinds: readonly KnownKind[]): readonly KnownKind[] {
  const matched = new Map<string, KnownKind>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of spec.matchConstraints?.resourceRules ?? []) {
    if ([...apiGroups, ...apiVersions].includes('*') || resources.includes('*')) continue;
    const groups = apiGroups.map(canonicalGroup);
    for (const kind of kinds) {
      const isMatch = groups.includes(kind.group) && apiVersions.includes(kind.version) && resources.includes(kind.resource);
      if (isMatch) matched.set(`${kind.group}/${kind.version}, Kind=${kind.kind}`, kind);
    }
  }
  return [...matched].sort(([a], [b]) => compareBytes(a, b)).map(([, kind]) => kind);
}

/** Returns the types of the variables that an expression may use. */
type VariablesFor = (options: { readonly hasAuthorizer: boolean }) => ReadonlyMap<string, Type>;

/** The types of the variables in expressions. `params` is declared if its kind is known. */
function variablesOf(spec: PolicySpec, kind: KnownKind, kinds: readonly KnownKind[]): VariablesFor {
  const object = kind.type();
  const params = paramKindOf(spec, kinds)?.type();
  const variables = new Map<string, Type>();
  const variablesFor: VariablesFor = ({ hasAuthorizer }) =>
    new Map<string, Type>([
      ...policyVariables({ hasParams: false, hasAuthorizer, variables }),
      ['object', object],
      ['oldObject', object],
      ...(params === undefined ? [] : [['params', params] as const]),
    ]);
  for (const { name = '', expression = '' } of spec.variables ?? []) {
    const compiled = compileExpression(expression.trim(), variablesFor({ hasAuthorizer: true }));
    variables.set(name, 'error' in compiled ? DYN : compiled.type);
  }
  return variablesFor;
}

function paramKindOf({ paramKind }: PolicySpec, kinds: readonly KnownKind[]): KnownKind | undefined {
  const { group, version } = splitApiVersion(paramKind?.apiVersion ?? '');
  return kinds.find((kind) => kind.group === group && kind.version === version && kind.kind === paramKind?.kind);
}
