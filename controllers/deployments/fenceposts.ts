/**
 * Resolves `maxSurge` and `maxUnavailable` of a Deployment, which may be percentages, to numbers of pods. "Fenceposts"
 * is upstream's word for the two.
 */
import { replicasOf } from '../workload/spec';
import { isRollingUpdate, type Deployment } from './deployment';

/** Numbers of pods, both 0 or more. */
export interface Fenceposts {
  /** Pods beyond `spec.replicas`. */
  readonly maxSurge: number;
  /** Pods of `spec.replicas` that may be unavailable. */
  readonly maxUnavailable: number;
}

/**
 * Percentages of `maxSurge` are rounded up, of `maxUnavailable` down. When both resolve to 0, one pod may be unavailable:
 * otherwise no rollout could proceed. `maxUnavailable` is at most the replicas. Both are 0 for the Recreate strategy.
 */
export function resolveFenceposts(deployment: Deployment): Fenceposts {
  if (!isRollingUpdate(deployment)) return { maxSurge: 0, maxUnavailable: 0 };
  const replicas = replicasOf(deployment);
  const rollingUpdate = deployment.body.spec?.strategy?.rollingUpdate;
  const maxSurge = resolveIntOrPercent(rollingUpdate?.maxSurge, replicas, Math.ceil);
  const maxUnavailable = resolveIntOrPercent(rollingUpdate?.maxUnavailable, replicas, Math.floor);
  const allowed = maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable;
  return { maxSurge, maxUnavailable: Math.min(allowed, replicas) };
}

/** `25%`. */
const PERCENT = /^[0-9]+%$/;

/** Multiplies before it divides, so that 7% of 100 is exactly 7. */
function resolveIntOrPercent(value: number | string | undefined, replicas: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  if (value === undefined || !PERCENT.test(value)) return 0;
  return round((Number(value.slice(0, -1)) * replicas) / 100);
}
