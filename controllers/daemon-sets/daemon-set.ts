/** The kinds that the DaemonSet controller works on, and members of a DaemonSet's spec with their defaults. */
import type { AppsV1DaemonSet } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';

export const DAEMON_SETS = resourceOf('apps.v1.DaemonSet');

export type DaemonSet = ApiObject<AppsV1DaemonSet>;

/** The API's default, for objects that were stored without it. */
const DEFAULT_REVISION_HISTORY_LIMIT = 10;

/** `RollingUpdate` or `OnDelete`. */
export const updateStrategyOf = ({ body }: DaemonSet): string => body.spec?.updateStrategy?.type ?? 'RollingUpdate';

export const revisionHistoryLimitOf = ({ body }: DaemonSet): number => body.spec?.revisionHistoryLimit ?? DEFAULT_REVISION_HISTORY_LIMIT;

/** Numbers of nodes that a rolling update may use at a time. */
export interface RollingUpdateLimits {
  /** Nodes that may have a pod of the new revision beside that of the old one. */
  readonly maxSurge: number;
  /** Nodes without an available pod. */
  readonly maxUnavailable: number;
}

/**
 * `desired`: the number of nodes that should run a pod, of which percentages are taken. When both limits resolve to 0,
 * one pod may be unavailable: otherwise no rolling update could proceed.
 */
export function rollingUpdateLimitsOf({ body }: DaemonSet, desired: number): RollingUpdateLimits {
  const rollingUpdate = body.spec?.updateStrategy?.rollingUpdate;
  const maxSurge = resolveIntOrPercent(rollingUpdate?.maxSurge, 0, desired);
  const maxUnavailable = resolveIntOrPercent(rollingUpdate?.maxUnavailable, 1, desired);
  return { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

/** `25%`. */
const PERCENT = /^(\d{1,9})%$/;

/** Percentages are rounded up; other text counts as the default. */
function resolveIntOrPercent(value: number | string | undefined, defaultValue: number, desired: number): number {
  if (typeof value === 'number') return value;
  const percent = value === undefined ? undefined : PERCENT.exec(value)?.[1];
  return percent === undefined ? defaultValue : Math.ceil((Number(percent) * desired) / 100);
}
