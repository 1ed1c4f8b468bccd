/** Which set is of the Deployment's present template, which number its revision has, and which old sets nobody goes back to any more. Knows no server. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { objectAt, type JsonObject } from '../../shared/values/json';
import { templateHash, withoutNulls } from '../workload/template-hash';
import { minReadySecondsOf, numberAt, templateOf } from '../workload/spec';
import { annotated, annotationsOf, copiedAnnotations, HASH_LABEL, withAnnotation } from './names';
import { byAge, isSameTemplate, NO_STATUS, revisionOf, type PlannedSet } from './set';

/** Characters of the list of revisions that a set has had. */
const LONGEST_HISTORY = 2_000;

/** The oldest one: should there be several, all who look choose the same. */
export function findCurrent(deployment: ApiObject, sets: readonly PlannedSet[]): PlannedSet | undefined {
  const template = templateOf(deployment);
  return [...sets].sort(byAge).find((set) => isSameTemplate(set.template, template));
}

/** The set that the template asks for, under a name that tells templates apart. */
export function newSet(deployment: ApiObject): PlannedSet {
  const status = objectAt(deployment.body, 'status');
  const hash = templateHash(withoutNulls(templateOf(deployment)), numberAt(status, 'collisionCount') ?? 0);
  return {
    seen: undefined,
    name: `${deployment.name}-${hash}`,
    createdAt: '',
    isGoing: false,
    template: labelled(templateOf(deployment), hash),
    status: NO_STATUS,
    replicas: 0,
    minReadySeconds: minReadySecondsOf(deployment),
    annotations: {},
  };
}

function labelled(template: JsonObject, hash: string): JsonObject {
  const metadata = objectAt(template, 'metadata') ?? {};
  return { ...template, metadata: { ...metadata, labels: { ...objectAt(metadata, 'labels'), [HASH_LABEL]: hash } } };
}

/** One more than that of every other set. */
export function nextRevision(old: readonly PlannedSet[]): bigint {
  return old.map(revisionOf).reduce((highest, revision) => (revision > highest ? revision : highest), 0n) + 1n;
}

/** The present set takes the Deployment's annotations and the next revision; those that it has had stand in a list. */
export function markCurrent(deployment: ApiObject, set: PlannedSet, revision: bigint): void {
  const before = annotated(set.annotations, 'revision');
  set.minReadySeconds = minReadySecondsOf(deployment);
  set.annotations = copiedAnnotations(annotationsOf(deployment), set.annotations);
  if (revisionOf(set) >= revision) return;
  set.annotations = withAnnotation(set.annotations, 'revision', String(revision));
  if (before === undefined) return;
  const history = annotated(set.annotations, 'history') ?? '';
  const had = history === '' ? [before] : [...history.split(','), before];
  while (had.length > 1 && had.join(',').length > LONGEST_HISTORY) had.shift();
  set.annotations = withAnnotation(set.annotations, 'history', had.join(','));
}

/** Old sets beyond the limit that have no pods any more, the oldest revisions first. */
export function forgettable(deployment: ApiObject, old: readonly PlannedSet[]): readonly PlannedSet[] {
  const limit = numberAt(objectAt(deployment.body, 'spec'), 'revisionHistoryLimit');
  if (limit === undefined || limit === 2_147_483_647) return [];
  const kept = old.filter(({ isGoing }) => !isGoing);
  if (kept.length <= limit) return [];
  const ordered = [...kept].sort((one, other) => Number(revisionOf(one) - revisionOf(other)) || byAge(one, other));
  return ordered
    .slice(0, kept.length - limit)
    .filter(({ replicas, status }) => replicas === 0 && status.replicas === 0 && status.isCurrent);
}
