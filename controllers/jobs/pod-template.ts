/**
 * The pods of a Job: its template with the tracking finalizer and, for an Indexed Job, with the completion index. The
 * functions are pure.
 */
import type { CoreV1Container, CoreV1Pod, CoreV1PodSpec } from '../../shared/api/types/generated/members';
import { qualifiedNameInDialect, type Dialect } from '../../shared/names/dialect';
import { podFromTemplate } from '../workload/pod-control';
import { templateOf } from '../workload/spec';
import { INDEX_VARIABLE, isTrackingFinalizer, JOB_NAMES, JOBS } from './job';
import type { Job } from '../../shared/client/rest/typed-objects';

/** The 63 characters of a DNS label, without the five that the API server appends. */
const MAX_GENERATE_NAME_LENGTH = 58;

/** What distinguishes a new pod from others of its Job. */
export interface NewPod {
  /** The completion index; undefined for a Job that is not Indexed. */
  readonly index: number | undefined;
  /** Counted failures of the index; undefined without `backoffLimitPerIndex`. */
  readonly failures: number | undefined;
  /** Failures of the index that the Job's pod failure policy ignores. */
  readonly ignoredFailures: number;
}

/** The body of a new pod. The names of its labels and annotations are in the given dialect. */
export function podForJob(dialect: Dialect, job: Job, { index, failures, ignoredFailures }: NewPod): CoreV1Pod {
  const { metadata = {}, spec = {} } = podFromTemplate(templateOf(job), dialect, JOBS, job);
  const nameOf = (name: keyof typeof JOB_NAMES): string => qualifiedNameInDialect(dialect, JOB_NAMES[name]);
  const finalizers = (metadata.finalizers ?? []).filter((finalizer) => !isTrackingFinalizer(finalizer));
  const tracked = { ...metadata, finalizers: [...finalizers, nameOf('tracking')] };
  if (index === undefined) return { metadata: tracked, spec };
  const suffix = `-${index}-`;
  const counts: Record<string, string> = failures === undefined ? {} : { [nameOf('failures')]: String(failures) };
  if (failures !== undefined && ignoredFailures > 0) counts[nameOf('ignored')] = String(ignoredFailures);
  return {
    metadata: {
      ...tracked,
      generateName: `${job.name.slice(0, MAX_GENERATE_NAME_LENGTH - suffix.length)}${suffix}`,
      annotations: { ...metadata.annotations, [nameOf('index')]: String(index), ...counts },
      labels: { ...metadata.labels, [nameOf('index')]: String(index) },
    },
    spec: indexedSpec(spec, `${job.name}-${index}`, `metadata.labels['${nameOf('index')}']`),
  };
}

/** `fieldPath`: the label with the index, which the environment variable of each container is taken from. */
function indexedSpec(spec: CoreV1PodSpec, hostname: string, fieldPath: string): CoreV1PodSpec {
  const variable = { name: INDEX_VARIABLE, valueFrom: { fieldRef: { fieldPath } } };
  const withVariable = (container: CoreV1Container): CoreV1Container => {
    const { env = [] } = container;
    return env.some(({ name }) => name === INDEX_VARIABLE) ? container : { ...container, env: [...env, variable] };
  };
  const initContainers = spec.initContainers?.map(withVariable);
  const containers = spec.containers?.map(withVariable);
  return {
    ...spec,
    ...(initContainers === undefined ? {} : { initContainers }),
    ...(containers === undefined ? {} : { containers }),
    hostname,
  };
}
