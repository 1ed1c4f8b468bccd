/** What is said of the pods that a namespace has when more is to be enforced in it: those with the same findings stand in one line under the first one's name. */
import type { JsonObject } from '../../../shared/values/json';
import { yieldIfDue } from '../../../shared/scheduling/yielding';
import { parseEntry } from '../../registry/object/stored-object';
import type { Entry } from '../../cache/cache';
import type { AdmissionRequest } from '../../registry/admission';
import { policyText, type LevelVersion } from './policy';
import { securedPod } from './pod';
import { findingsIn } from './standards';

/** So many are looked at. */
const MOST = 3_000;

export interface ExistingPods {
  readonly count: number;
  readonly entries: Iterable<Entry>;
}

export async function warnOfExisting(
  { context, name: namespace }: Pick<AdmissionRequest, 'context' | 'name'>,
  enforce: LevelVersion,
  { count, entries }: ExistingPods,
  isExempt: (pod: JsonObject) => boolean,
): Promise<void> {
  const groups = new Map<string, { readonly name: string; more: number }>();
  let seen = 0;
  for (const entry of entries) {
    if (++seen > MOST) break;
    // A pod takes as long as a small request: others come in between.
    await yieldIfDue(context);
    const { object } = parseEntry(entry);
    if (isExempt(object)) continue;
    const found = findingsIn(securedPod(object), enforce.level, enforce.minor);
    if (found.length === 0) continue;
    const reasons = found.map(({ reason }) => reason).join(', ');
    const group = groups.get(reasons);
    if (group === undefined) groups.set(reasons, { name: entry.key.slice(namespace.length + 1), more: 0 });
    else group.more += 1;
  }
  if (count > MOST) context.warn(`new PodSecurity enforce level only checked against the first ${MOST} of ${count} existing pods`);
  if (groups.size > 0)
    context.warn(
      `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level "${policyText(enforce)}"`,
    );
  for (const [reasons, { name, more }] of groups) context.warn(`${name}${others(more)}: ${reasons}`);
}

function others(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' (and 1 other pod)' : ` (and ${count} other pods)`;
}
