/** A pod stays five minutes on a node that is not ready or not reachable, unless it says otherwise itself. */
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { arrayAt, isObject, stringAt, type JsonValue } from '../../shared/values/json';
import type { MutatingPlugin } from './chain';
import { podMutation, WRITTEN_PODS } from './pod-creation';

const TAINTS = ['not-ready', 'unreachable'];
const SECONDS = 300;

/** `prefix`: of the names that the server writes (`platform.io`). */
export function defaultTolerationSeconds(prefix: string): MutatingPlugin {
  return podMutation('DefaultTolerationSeconds', WRITTEN_PODS, (_request, spec) => {
    const given = arrayAt(spec, 'tolerations') ?? [];
    const missing = TAINTS.filter((taint) => !given.some((toleration) => covers(toleration, `node.platform.io/${taint}`)));
    if (missing.length === 0) return;
    spec['tolerations'] = [
      ...given,
      ...missing.map((taint) => ({ key: `node.${prefix}/${taint}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS })),
    ];
  });
}

/** What it says of the taint's value does not count. */
function covers(toleration: JsonValue, taint: string): boolean {
  if (!isObject(toleration)) return false;
  const key = stringAt(toleration, 'key') ?? '';
  const effect = stringAt(toleration, 'effect') ?? '';
  return (key === '' || canonicalQualifiedName(key) === taint) && (effect === '' || effect === 'NoExecute');
}
