/** The pods of a Job: its template, held until they are counted, and with their index where they have one. Knows no server. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { qualifiedNameIn, type Dialect } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { podFromTemplate } from '../workload/pod-control';
import { templateOf } from '../workload/spec';
import { INDEX_VARIABLE, isTracking, JOB_NAMES, JOBS } from './names';
import type { PodWish } from './reconcile';

/** Of what comes before the part that is made up. */
const LONGEST_PREFIX = 58;

export function podOf(dialect: Dialect, job: ApiObject, { index, failures, ignored }: PodWish): JsonObject {
  const { metadata, spec } = podFromTemplate(templateOf(job), dialect, JOBS, job);
  const shown = isObject(metadata) ? metadata : {};
  const named = (name: keyof typeof JOB_NAMES): string => qualifiedNameIn(dialect, JOB_NAMES[name]);
  const finalizers = (arrayAt(shown, 'finalizers') ?? []).filter((finalizer) => typeof finalizer !== 'string' || !isTracking(finalizer));
  const held = { ...shown, finalizers: [...finalizers, named('tracking')] };
  if (index === undefined) return { metadata: held, spec: spec ?? {} };
  const suffix = `-${index}-`;
  const counts: Record<string, string> = failures === undefined ? {} : { [named('failures')]: String(failures) };
  if (failures !== undefined && ignored > 0) counts[named('ignored')] = String(ignored);
  return {
    metadata: {
      ...held,
      generateName: `${job.name.slice(0, LONGEST_PREFIX - suffix.length)}${suffix}`,
      annotations: { ...objectAt(shown, 'annotations'), [named('index')]: String(index), ...counts },
      labels: { ...objectAt(shown, 'labels'), [named('index')]: String(index) },
    },
    spec: indexedSpec(isObject(spec) ? spec : {}, `${job.name}-${index}`, `metadata.labels['${named('index')}']`),
  };
}

function indexedSpec(spec: JsonObject, hostname: string, fieldPath: string): JsonObject {
  const variable = { name: INDEX_VARIABLE, valueFrom: { fieldRef: { fieldPath } } };
  const knows = (container: JsonValue): JsonValue => {
    if (!isObject(container)) return container;
    const env = arrayAt(container, 'env') ?? [];
    const isThere = env.some((known) => isObject(known) && known['name'] === INDEX_VARIABLE);
    return isThere ? container : { ...container, env: [...env, variable] };
  };
  const containers = Object.fromEntries(
    ['initContainers', 'containers'].flatMap((member) => {
      const list = arrayAt(spec, member);
      return list === undefined ? [] : [[member, list.map(knows)]];
    }),
  );
  return { ...spec, ...containers, hostname };
}
