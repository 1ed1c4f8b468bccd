/** Finds the pod template in workload objects. */
import { objectAt, type JsonObject } from '../../../../shared/values/json';

const SPEC_TEMPLATE = ['spec', 'template'];

/** Path of the template, by resource, a dot, and group. */
const TEMPLATE_PATHS: Readonly<Record<string, readonly string[]>> = {
  'podtemplates.': ['template'],
  'replicationcontrollers.': SPEC_TEMPLATE,
  'daemonsets.apps': SPEC_TEMPLATE,
  'deployments.apps': SPEC_TEMPLATE,
  'replicasets.apps': SPEC_TEMPLATE,
  'statefulsets.apps': SPEC_TEMPLATE,
  'jobs.batch': SPEC_TEMPLATE,
  'cronjobs.batch': ['spec', 'jobTemplate', ...SPEC_TEMPLATE],
};

type ResourceNames = Readonly<Record<'group' | 'resource', string>>;

export const hasPodTemplate = ({ resource, group }: ResourceNames): boolean => Object.hasOwn(TEMPLATE_PATHS, `${resource}.${group}`);

export function podTemplateOf({ resource, group }: ResourceNames, object: JsonObject): JsonObject | undefined {
  let value: JsonObject | undefined = object;
  for (const member of TEMPLATE_PATHS[`${resource}.${group}`] ?? []) value = objectAt(value, member);
  return value;
}
