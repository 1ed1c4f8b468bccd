/** Where the kinds that make pods say what these will be. */
import { objectAt, type JsonObject } from '../../../shared/values/json';

const TEMPLATE = ['spec', 'template'];

/** By resource, a dot, and group. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  'podtemplates.': ['template'],
  'replicationcontrollers.': TEMPLATE,
  'daemonsets.apps': TEMPLATE,
  'deployments.apps': TEMPLATE,
  'replicasets.apps': TEMPLATE,
  'statefulsets.apps': TEMPLATE,
  'jobs.batch': TEMPLATE,
  'cronjobs.batch': ['spec', 'jobTemplate', ...TEMPLATE],
};

type ResourceNames = Readonly<Record<'group' | 'resource', string>>;

export const hasTemplate = ({ resource, group }: ResourceNames): boolean => Object.hasOwn(PLACES, `${resource}.${group}`);

export function templateIn({ resource, group }: ResourceNames, object: JsonObject): JsonObject | undefined {
  let found: JsonObject | undefined = object;
  for (const member of PLACES[`${resource}.${group}`] ?? []) found = objectAt(found, member);
  return found;
}
