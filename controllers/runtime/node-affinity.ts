/**
 * Compiles node selectors and required node affinity to predicates over nodes. Label keys match in either spelling.
 * Preferred affinity and taints are left to the callers.
 */
import { compileLabelSelector, type LabelMatcher, type LabelOperator } from '../../shared/api/selectors/label-selector';
import type { CoreV1NodeSelectorRequirement, CoreV1NodeSelectorTerm, CoreV1PodSpec } from '../../shared/api/types/generated/members';
import { valueInEitherSpelling } from '../../shared/names/spellings';
import { ownMember } from '../../shared/values/json';
import type { Node } from './nodes';
import { labelsOf } from './pods';

/** Whether a node has the labels of `nodeSelector` and matches the required node affinity. */
export function nodeMatcher({ nodeSelector = {}, affinity }: CoreV1PodSpec): (node: Node) => boolean {
  const selectedLabels = Object.entries(nodeSelector);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const matchesTerms = required === undefined ? undefined : nodeSelectorMatcher(required.nodeSelectorTerms ?? []);
  return (node) => {
    const labels = labelsOf(node);
    if (!selectedLabels.every(([key, value]) => valueInEitherSpelling(labels, key) === value)) return false;
    return matchesTerms === undefined || matchesTerms(node);
  };
}

/**
 * The names of the only nodes that can match, where every term of the required affinity has a `metadata.name In`
 * requirement. `undefined` without required affinity, or when some term has no such requirement: then any node may
 * match.
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
  return (node) => matchers.some((matches) => matches(node));
}

/** A term without requirements, or with an unknown operator, matches no node. */
function termMatcher({ matchExpressions = [], matchFields = [] }: CoreV1NodeSelectorTerm): (node: Node) => boolean {
  const matchesLabels = requirementsMatcher(matchExpressions);
  const matchesFields = requirementsMatcher(matchFields);
  if (matchesLabels === undefined || matchesFields === undefined) return () => false;
  if (matchExpressions.length === 0 && matchFields.length === 0) return () => false;
  return (node) => matchesLabels(labelsOf(node)) && matchesFields({ 'metadata.name': node.name });
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: 'absent',
  Gt: '>',
  Lt: '<',
};

/** `undefined` when a requirement has an unknown operator. */
function requirementsMatcher(requirements: readonly CoreV1NodeSelectorRequirement[]): LabelMatcher | undefined {
  const parsed = requirements.flatMap(({ key = '', operator = '', values = [] }) => {
    const labelOperator = ownMember(OPERATORS, operator);
    return labelOperator === undefined ? [] : [{ key, operator: labelOperator, values }];
  });
  return parsed.length < requirements.length ? undefined : compileLabelSelector(parsed);
}
