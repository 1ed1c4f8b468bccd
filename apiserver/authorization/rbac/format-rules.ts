/**
 * Formats rules as upstream prints them in errors: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. Lists that are
 * empty are omitted. Which rules an error lists is left to the callers.
 */
import { appendAll } from '../../../shared/values/append';
import type { Steps } from '../../../shared/scheduling/steps';
import type { PolicyRule } from './rule';

/** The lists of a rule and their names in the text, in upstream's order. */
const LISTS = [
  { member: 'groups', name: 'APIGroups' },
  { member: 'resources', name: 'Resources' },
  { member: 'names', name: 'ResourceNames' },
  { member: 'paths', name: 'NonResourceURLs' },
] as const;

const quoted = (list: readonly string[]): string => list.map((word) => JSON.stringify(word)).join(' ');

/** The rule as one line, with the members in upstream's order. */
export function formatRule(rule: PolicyRule): string {
  return `{${listsOf(rule)}Verbs:[${quoted(rule.verbs)}]}`;
}

/** The non-empty lists except for the verbs: `APIGroups:[""], Resources:["pods"], `. */
const listsOf = (rule: PolicyRule): string =>
  LISTS.map(({ member, name }) => (rule[member].length === 0 ? '' : `${name}:[${quoted(rule[member])}], `)).join('');

/**
 * Formats the results of `breakdownRule`. Rules that differ in the verb only share a line, except for paths. The lines are
 * sorted. Yields after each rule, because there may be thousands.
 */
export function* formatRules(rules: readonly PolicyRule[]): Steps<string> {
  const verbsByLists = new Map<string, string[]>();
  const lines: string[] = [];
  for (const rule of rules) {
    yield;
    if (rule.paths.length > 0) {
      lines.push(formatRule(rule));
      continue;
    }
    const lists = listsOf(rule);
    const verbs = verbsByLists.get(lists);
    if (verbs === undefined) verbsByLists.set(lists, [...rule.verbs]);
    else appendAll(verbs, rule.verbs);
  }
  for (const [lists, verbs] of verbsByLists) {
    yield;
    lines.push(`{${lists}Verbs:[${quoted(verbs)}]}`);
  }
  return lines.sort((a, b) => (a < b ? -1 : 1)).join('\n');
}
