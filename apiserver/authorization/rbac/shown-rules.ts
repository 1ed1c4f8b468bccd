/** Rules as refusals show them, in upstream's words. */
import { appendAll } from '../../../shared/values/append';
import type { Steps } from '../../../shared/scheduling/steps';
import type { PolicyRule } from './rule';

const LISTS = [
  ['groups', 'APIGroups'],
  ['resources', 'Resources'],
  ['names', 'ResourceNames'],
  ['paths', 'NonResourceURLs'],
] as const;

const quoted = (list: readonly string[]): string => list.map((word) => JSON.stringify(word)).join(' ');

export function shownRule(rule: PolicyRule): string {
  return `{${listsOf(rule)}Verbs:[${quoted(rule.verbs)}]}`;
}

const listsOf = (rule: PolicyRule): string =>
  LISTS.flatMap(([list, word]) => (rule[list].length === 0 ? [] : [`${word}:[${quoted(rule[list])}], `])).join('');

/** Rules that allow one thing each, one a line, those of one resource together, sorted. */
export function* shownRules(rules: readonly PolicyRule[]): Steps<string> {
  const verbs = new Map<string, string[]>();
  const lines: string[] = [];
  for (const rule of rules) {
    yield;
    const what = listsOf(rule);
    if (rule.paths.length > 0) lines.push(shownRule(rule));
    else {
      const together = verbs.get(what);
      if (together === undefined) verbs.set(what, [...rule.verbs]);
      else appendAll(together, rule.verbs);
    }
  }
  for (const [what, all] of verbs) {
    yield;
    lines.push(`{${what}Verbs:[${quoted(all)}]}`);
  }
  return lines.sort((one, other) => (one < other ? -1 : 1)).join('\n');
}
