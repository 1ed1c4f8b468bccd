/** What a policy's expressions say of members that the kinds it is about do not have; decided from what is known of the kinds, without a server. */
import { policyVariables } from '../../shared/expression/admission/variables';
import { compileExpression } from '../../shared/expression/engine';
import { DYN, type Type } from '../../shared/expression/types/type';
import { canonicalApiVersion, canonicalGroup, groupIn, type Dialect } from '../../shared/names/dialect';
import { arrayAt, compareBytes, isObject, objectAt, stringAt, stringsAt, type JsonObject } from '../../shared/values/json';
import type { KnownKind } from './kind-types';

/** More kinds of one policy are not looked at. */
const MOST_KINDS = 100;

export interface KindChecks {
  readonly kinds: readonly KnownKind[];
  /** How groups are spelled in warnings. */
  readonly dialect: Dialect;
}

/** The status that this controller applies to a policy with this spec and generation. */
export function checkedStatus(spec: JsonObject, generation: number, checks: KindChecks): JsonObject {
  const warnings = expressionWarnings(spec, checks);
  return {
    observedGeneration: generation,
    typeChecking: warnings.length === 0 ? {} : { expressionWarnings: [...warnings] },
  };
}

function expressionWarnings(spec: JsonObject, checks: KindChecks): readonly JsonObject[] {
  const about = kindsOf(spec, checks.kinds).slice(0, MOST_KINDS);
  const types = about.map((kind) => [kind, variablesOf(spec, kind, checks.kinds)] as const);
  const warningFor = (fieldRef: string, text: string, authorizer: boolean): readonly JsonObject[] => {
    const found = types.flatMap(([kind, variables]) => {
      const fault = faultOf(text, variables(authorizer));
      return fault === undefined ? [] : [`${groupIn(checks.dialect, kind.group)}/${kind.version}, Kind=${kind.kind}: ${fault}`];
    });
    return found.length === 0 ? [] : [{ fieldRef, warning: found.join('\n') }];
  };
  return objectsAt(spec, 'validations').flatMap((validation, index) => {
    const place = `spec.validations[${index}]`;
    const [expression, message] = [stringAt(validation, 'expression') ?? '', stringAt(validation, 'messageExpression') ?? ''];
    return [
      ...warningFor(`${place}.expression`, expression, true),
      ...(message.trim() === '' ? [] : warningFor(`${place}.messageExpression`, message, false)),
    ];
  });
}

const objectsAt = (object: JsonObject | undefined, member: string): readonly JsonObject[] =>
  (arrayAt(object, member) ?? []).filter(isObject);

function faultOf(text: string, variables: ReadonlyMap<string, Type>): string | undefined {
  const compiled = compileExpression(text.trim(), variables);
  return 'fault' in compiled ? `${compiled.fault.replace(/^compilation failed: /, '')}\n` : undefined;
}

/** The groups and versions that a policy names, canonical. */
export function namedVersions(spec: JsonObject): readonly (readonly [group: string, version: string])[] {
  const found = new Map<string, readonly [string, string]>();
  const add = (group: string, version: string): unknown => found.set(`${group}/${version}`, [group, version]);
  for (const rule of objectsAt(objectAt(spec, 'matchConstraints'), 'resourceRules')) {
    for (const group of stringsAt(rule, 'apiGroups'))
      for (const version of stringsAt(rule, 'apiVersions')) add(canonicalGroup(group), version);
  }
  const [group, version] = splitVersion(stringAt(objectAt(spec, 'paramKind'), 'apiVersion') ?? '');
  add(group, version);
  return [...found.values()].filter((names) => !names.includes('*') && !names.includes(''));
}

function splitVersion(text: string): readonly [group: string, version: string] {
  const apiVersion = canonicalApiVersion(text);
  const slash = apiVersion.indexOf('/');
  return [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
}

/** The kinds that rules name; what a rule leaves open, and parts of objects, are not looked at. */
function kindsOf(spec: JsonObject, kinds: readonly KnownKind[]): readonly KnownKind[] {
  const found = new Map<string, KnownKind>();
  for (const rule of objectsAt(objectAt(spec, 'matchConstraints'), 'resourceRules')) {
    const [groups, versions, resources] = [stringsAt(rule, 'apiGroups'), stringsAt(rule, 'apiVersions'), stringsAt(rule, 'resources')];
    if ([...groups, ...versions].includes('*') || resources.includes('*')) continue;
    const canonical = groups.map(canonicalGroup);
    for (const kind of kinds) {
      if (canonical.includes(kind.group) && versions.includes(kind.version) && resources.includes(kind.resource))
        found.set(`${kind.group}/${kind.version}, Kind=${kind.kind}`, kind);
    }
  }
  return [...found].sort(([a], [b]) => compareBytes(a, b)).map(([, kind]) => kind);
}

type VariablesFor = (authorizer: boolean) => ReadonlyMap<string, Type>;

/** Parameters of a kind that nobody knows are not declared. */
function variablesOf(spec: JsonObject, kind: KnownKind, kinds: readonly KnownKind[]): VariablesFor {
  const object = kind.type();
  const params = parameterKind(spec, kinds)?.type();
  const variables = new Map<string, Type>();
  const all: VariablesFor = (authorizer) =>
    new Map<string, Type>([
      ...policyVariables({ params: false, authorizer, variables }),
      ['object', object],
      ['oldObject', object],
      ...(params === undefined ? [] : [['params', params] as const]),
    ]);
  for (const variable of objectsAt(spec, 'variables')) {
    const compiled = compileExpression((stringAt(variable, 'expression') ?? '').trim(), all(true));
    variables.set(stringAt(variable, 'name') ?? '', 'fault' in compiled ? DYN : compiled.type);
  }
  return all;
}

function parameterKind(spec: JsonObject, kinds: readonly KnownKind[]): KnownKind | undefined {
  const named = objectAt(spec, 'paramKind');
  const [group, version] = splitVersion(stringAt(named, 'apiVersion') ?? '');
  return kinds.find((one) => one.group === group && one.version === version && one.kind === stringAt(named, 'kind'));
}
