/**
 * Formats rules as upstream prints them in errors: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. Lists that are
 * empty are omitted.
 */
import { appendAll } from '../../../shared/values/append';
import type { Steps } from '../../../shared/scheduling/steps';
import type { PolicyRule } from './rule';

/** The lists of a rule and their names in the text, in upstream's order. */
const LISTS = [
  ['groups', 'APIGroups'],
  ['resources', 'Resources'],
  ['names', 'ResourceNames'],
  ['paths', 'NonResourceURLs'],
] as const;

const quoted = (list: readonly string[]): string => list.map((word) => JSON.stringify(word)).join(' ');

/** The rule as one line, with the members in upstream's order. */
export function formatRule(rule: PolicyRule): string {
  return `{${listsOf(rule)}Verbs:[${quoted(rule.verbs)}]}`;
}

const listsOf = (rule: PolicyRule): string =>
  LISTS.flatMap(([list, name]) => (rule[list].length === 0 ? [] : [`${name}:[${quoted(rule[list])}], `])).join('');

/** Formats the results of `breakdownRule`, one line per resource or path, sorted. Yields after each rule: there may be thousands. */
export function* formatRules(rules: readonly PolicyRule[]): Steps<string> {
  const verbsByLists = new Map<string, string[]>();
  const lines: string[] = [];
  for (const rule of rules) {
    yield;
    const lists = listsOf(rule);
    if (rule.paths.length > 0) lines.push(formatRule(rule));
    else {
      const existing = verbsByLists.get(lists);
      if (existing === undefined) verbsByLists.set(lists, [...rule.verbs]);
      else appendAll(existing, rule.verbs);
    }
  }
  for (const [lists, allVerbs] of verbsByLists) {
    yield;
    lines.push(`{${lists}Verbs:[${quoted(allVerbs)}]}`);
  }
  return lines.sort((a, b) => (a < b ? -1 : 1)).join('\n');
}
