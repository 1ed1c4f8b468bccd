/** On which nodes the pods of a template may be: by its selector, its affinity and the taints that it tolerates. Decided from the objects, without a server. */
import { compileLabelSelector, type LabelMatcher, type LabelOperator } from '../../shared/api/selectors/label-selector';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { otherQualifiedName, qualifiedNameInDialect, type Dialect } from '../../shared/names/dialect';
import { arrayAt, cloneJson, isObject, objectAt, own, stringAt, stringsAt, type JsonObject } from '../../shared/values/json';
import { taintsOf, tolerates } from '../runtime/nodes';
import { labelsOf } from '../runtime/pods';

export interface Placement {
  /** There is to be a pod. */
  readonly runs: boolean;
  /** One that is there may stay. */
  readonly stays: boolean;
}

const NOWHERE: Placement = { runs: false, stays: false };

/** Every daemon's pod tolerates these troubles of its node: it may be there to mend them. */
const TOLERATED: readonly (readonly [key: string, effect: string])[] = [
  ['node.platform.io/not-ready', 'NoExecute'],
  ['node.platform.io/unreachable', 'NoExecute'],
  ['node.platform.io/disk-pressure', 'NoSchedule'],
  ['node.platform.io/memory-pressure', 'NoSchedule'],
  ['node.platform.io/pid-pressure', 'NoSchedule'],
  ['node.platform.io/unschedulable', 'NoSchedule'],
];
/** Of those that use the network of their node. */
const TOLERATED_BY_HOST: readonly [key: string, effect: string] = ['node.platform.io/network-unavailable', 'NoSchedule'];

/** The template's own, one of the same key and effect replaced in its place, and those that are added. */
export function tolerationsOf(spec: JsonObject, dialect: Dialect): readonly JsonObject[] {
  const all = (arrayAt(spec, 'tolerations') ?? []).filter(isObject).map(cloneJson);
  const isOnHost = own(spec, 'hostNetwork') === true;
  for (const [name, effect] of isOnHost ? [...TOLERATED, TOLERATED_BY_HOST] : TOLERATED) {
    const made = { key: qualifiedNameInDialect(dialect, name), operator: 'Exists', effect };
    const isSame = (one: JsonObject): boolean =>
      ['key', 'operator', 'effect', 'value'].every((member) => (stringAt(one, member) ?? '') === (stringAt(made, member) ?? ''));
    const index = all.findIndex(isSame);
    if (index < 0) all.push(made);
    else all[index] = made;
  }
  return all;
}

/** Worked out once for all nodes. */
export function placementOf(spec: JsonObject, dialect: Dialect): (node: ApiObject) => Placement {
  const isSelected = selectorOf(spec);
  const nodeName = stringAt(spec, 'nodeName') ?? '';
  const tolerations = tolerationsOf(spec, dialect);
  return (node) => {
    if ((nodeName !== '' && nodeName !== node.name) || !isSelected(node)) return NOWHERE;
    const untolerated = taintsOf(node).filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
    const stays = untolerated.every(({ effect }) => effect !== 'NoExecute');
    return { runs: stays && untolerated.every(({ effect }) => effect !== 'NoSchedule'), stays };
  };
}

function selectorOf(spec: JsonObject): (node: ApiObject) => boolean {
  const wanted = Object.entries(objectAt(spec, 'nodeSelector') ?? {});
  const required = objectAt(objectAt(objectAt(spec, 'affinity'), 'nodeAffinity'), 'requiredDuringSchedulingIgnoredDuringExecution');
  const terms = required === undefined ? undefined : (arrayAt(required, 'nodeSelectorTerms') ?? []).filter(isObject).map(termOf);
  return (node) => {
    const labels = knownLabels(node);
    if (!wanted.every(([key, value]) => labels[key] === value)) return false;
    return terms === undefined || terms.some((fits) => fits(node.name, labels));
  };
}

/** In either spelling. */
function knownLabels(node: ApiObject): Readonly<Record<string, string>> {
  const labels = labelsOf(node);
  const others = Object.entries(labels).flatMap(([key, value]) => {
    const other = otherQualifiedName(key);
    return other === undefined ? [] : [[other, value] as const];
  });
  return { ...Object.fromEntries(others), ...labels };
}

type Term = (name: string, labels: Readonly<Record<string, string>>) => boolean;

/** One that says nothing fits no node. */
function termOf(term: JsonObject): Term {
  const [byLabels, byFields] = [requirements(term, 'matchExpressions'), requirements(term, 'matchFields')];
  if (byLabels === undefined || byFields === undefined || (byLabels.count === 0 && byFields.count === 0)) return () => false;
  return (name, labels) => byLabels.fits(labels) && byFields.fits({ 'metadata.name': name });
}

const OPERATORS: Readonly<Partial<Record<string, LabelOperator>>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: 'absent',
  Gt: '>',
  Lt: '<',
};

/** Undefined = there is one that nobody understands. */
function requirements(term: JsonObject, member: string): { readonly count: number; readonly fits: LabelMatcher } | undefined {
  const found = (arrayAt(term, member) ?? []).filter(isObject).map((requirement) => {
    const operator = OPERATORS[stringAt(requirement, 'operator') ?? ''];
    return operator === undefined
      ? undefined
      : { key: stringAt(requirement, 'key') ?? '', operator, values: stringsAt(requirement, 'values') };
  });
  const known = found.filter((one) => one !== undefined);
  return known.length < found.length ? undefined : { count: known.length, fits: compileLabelSelector(known) };
}
