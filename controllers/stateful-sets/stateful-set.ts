/**
 * The kinds that the StatefulSet controller works on, except ControllerRevision (workload/controller-revision.ts), and
 * members of a StatefulSet's spec with their defaults.
 */
import type { AppsV1StatefulSet } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';

export const STATEFUL_SETS = resourceOf('apps.v1.StatefulSet');
export const PODS = resourceOf('core.v1.Pod');
export const CLAIMS = resourceOf('core.v1.PersistentVolumeClaim');

export type StatefulSet = ApiObject<AppsV1StatefulSet>;

/** The API's default, for objects that were stored without it. */
const DEFAULT_REVISION_HISTORY_LIMIT = 10;

/** The lowest ordinal. */
export const startOrdinalOf = ({ body }: StatefulSet): number => body.spec?.ordinals?.start ?? 0;

/** `RollingUpdate` or `OnDelete`. */
export const updateStrategyOf = ({ body }: StatefulSet): string => body.spec?.updateStrategy?.type ?? 'RollingUpdate';

export const revisionHistoryLimitOf = ({ body }: StatefulSet): number => body.spec?.revisionHistoryLimit ?? DEFAULT_REVISION_HISTORY_LIMIT;

/**
 * The number of pods with the lowest ordinals that keep the current revision during a rolling update; 0 with `OnDelete`,
 * where every new pod gets the update revision.
 */
export const partitionOf = (set: StatefulSet): number =>
  updateStrategyOf(set) === 'OnDelete' ? 0 : (set.body.spec?.updateStrategy?.rollingUpdate?.partition ?? 0);
