/**
 * Compiles node selectors and required node affinity to predicates over nodes. Label keys are recognised in both
 * dialects. Preferred affinity and taints are left to the callers.
 */
import { compileLabelSelector, type LabelMatcher, type LabelOperator } from '../../shared/api/selectors/label-selector';
import type { CoreV1NodeSelectorRequirement, CoreV1NodeSelectorTerm, CoreV1PodSpec } from '../../shared/api/types/generated/members';
import { otherQualifiedName } from '../../shared/names/dialect';
import { ownMember } from '../../shared/values/json';
import type { Node } from './nodes';
import { labelsOf } from './pods';

/** Whether a node has the labels of `nodeSelector` and matches the required node affinity. */
export function nodeMatcher({ nodeSelector = {}, affinity }: CoreV1PodSpec): (node: Node) => boolean {
  const selectedLabels = Object.entries(nodeSelector);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const matchesTerms = required === undefined ? undefined : nodeSelectorMatcher(required.nodeSelectorTerms ?? []);
  return (node) => {
    if (selectedLabels.length > 0) {
      const labels = labelsInBothSpellings(node);
      if (!selectedLabels.every(([key, value]) => labels[key] === value)) return false;
    }
    return matchesTerms === undefined || matchesTerms(node);
  };
}

/**
 * The names of the only nodes that can match, where every term of the required affinity has a `metadata.name In`
 * requirement. `undefined` when some term has none, so that any node may match.
 */
export function namedNodes({ affinity }: CoreV1PodSpec): ReadonlySet<string> | undefined {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const names = terms.map(
    ({ matchFields = [] }) => matchFields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In')?.values,
  );
  if (names.length === 0 || names.includes(undefined)) return undefined;
  return new Set(names.flatMap((values) => values ?? []));
}

/** Whether a node matches at least one of the terms. */
export function nodeSelectorMatcher(terms: readonly CoreV1NodeSelectorTerm[]): (node: Node) => boolean {
  const matchers = terms.map(termMatcher);
  return (node) => {
    const labels = labelsInBothSpellings(node);
    return matchers.some((matches) => matches(node.name, labels));
  };
}

/** The labels of a node, each also under its name in the other dialect. */
export function labelsInBothSpellings(node: Node): Readonly<Record<string, string>> {
  const labels = labelsOf(node);
  const respelled = Object.entries(labels).flatMap(([key, value]) => {
    const other = otherQualifiedName(key);
    return other === undefined ? [] : [[other, value] as const];
  });
  return { ...Object.fromEntries(respelled), ...labels };
}

type TermMatcher = (nodeName: string, labels: Readonly<Record<string, string>>) => boolean;

/** A term without requirements matches no node. */
function termMatcher({ matchExpressions = [], matchFields = [] }: CoreV1NodeSelectorTerm): TermMatcher {
  const matchesLabels = requirementsMatcher(matchExpressions);
  const matchesFields = requirementsMatcher(matchFields);
  if (matchesLabels === undefined || matchesFields === undefined) return () => false;
  if (matchExpressions.length === 0 && matchFields.length === 0) return () => false;
  return (nodeName, labels) => matchesLabels(labels) && matchesFields({ 'metadata.name': nodeName });
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: 'absent',
  Gt: '>',
  Lt: '<',
};

/** Undefined when a requirement has an unknown operator. */
function requirementsMatcher(requirements: readonly CoreV1NodeSelectorRequirement[]): LabelMatcher | undefined {
  const parsed = requirements.flatMap(({ key = '', operator = '', values = [] }) => {
    const labelOperator = ownMember(OPERATORS, operator);
    return labelOperator === undefined ? [] : [{ key, operator: labelOperator, values }];
  });
  return parsed.length < requirements.length ? undefined : compileLabelSelector(parsed);
}
