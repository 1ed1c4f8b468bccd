/**
 * Warns about the existing pods of a namespace that violate a new enforce level. Pods with the same violations share
 * one warning, under the name of the first.
 */
import type { CoreV1Pod } from '../../../../shared/api/types/generated/members';
import { yieldIfDue } from '../../../../shared/scheduling/yielding';
import { parseEntry } from '../../../registry/object/stored-object';
import type { Entry } from '../../../cache/cache';
import type { AdmissionRequest } from '../../../registry/admission';
import { levelVersionText, type LevelVersion } from './policy';
import { securedPod } from './secured-pod';
import { findViolations } from './standards';

/** At most this many pods are evaluated. */
const MAX_CHECKED_PODS = 3_000;

/** The pods of one namespace. */
export interface ExistingPods {
  /** The number of all pods; `entries` are only read as far as they are evaluated. */
  readonly count: number;
  readonly entries: Iterable<Entry>;
}

/**
 * Adds the warnings to the response of a request that updates a Namespace. Exempt pods are skipped, but count towards
 * the limit.
 */
export async function warnAboutExistingPods(
  { context, name: namespace }: Pick<AdmissionRequest, 'context' | 'name'>,
  enforce: LevelVersion,
  { count, entries }: ExistingPods,
  isExempt: (pod: CoreV1Pod) => boolean,
): Promise<void> {
  /** By the reasons of their violations, the first pod and the number of other pods. */
  const groups = new Map<string, { readonly name: string; otherCount: number }>();
  let checkedPods = 0;
  for (const entry of entries) {
    checkedPods += 1;
    if (checkedPods > MAX_CHECKED_PODS) break;
    // Evaluating a pod takes as long as a small request.
    await yieldIfDue(context);
    const pod: CoreV1Pod = parseEntry(entry).object;
    if (isExempt(pod)) continue;
    const violations = findViolations(securedPod(pod), enforce.level, enforce.minor);
    if (violations.length === 0) continue;
    const reasons = violations.map(({ reason }) => reason).join(', ');
    const group = groups.get(reasons);
    if (group !== undefined) group.otherCount += 1;
    // The key of a pod is `NAMESPACE/NAME`.
    else groups.set(reasons, { name: entry.key.slice(namespace.length + 1), otherCount: 0 });
  }
  if (count > MAX_CHECKED_PODS)
    context.warn(`new PodSecurity enforce level only checked against the first ${MAX_CHECKED_PODS} of ${count} existing pods`);
  if (groups.size > 0)
    context.warn(
      `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level "${levelVersionText(enforce)}"`,
    );
  for (const [reasons, { name, otherCount }] of groups) context.warn(`${name}${otherPodsText(otherCount)}: ${reasons}`);
}

/** `count`: the number of other pods with the same violations. */
function otherPodsText(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' (and 1 other pod)' : ` (and ${count} other pods)`;
}
