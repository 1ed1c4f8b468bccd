/** What a pod of a StatefulSet is called, which claims are its own, and how it is made. Decided from the set, without a server. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { Resource } from '../../shared/client/rest/resource';
import { qualifiedNameIn, type Dialect } from '../../shared/names/dialect';
import { arrayAt, cloneJson, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { podFromTemplate } from '../workload/pod-control';
import { numberAt } from '../workload/spec';
import { REVISION_LABEL } from '../workload/controller-revision';
import { labelsOf } from '../runtime/pods';

/** Spelled as stock manifests select by them. */
const NAME_LABEL = qualifiedNameIn('kubernetes', 'statefulset.platform.io/pod-name');
const INDEX_LABEL = qualifiedNameIn('kubernetes', 'apps.platform.io/pod-index');

const specOf = ({ body }: ApiObject): JsonObject => objectAt(body, 'spec') ?? {};

/** The first ordinal. */
export const startOf = (set: ApiObject): number => numberAt(objectAt(specOf(set), 'ordinals'), 'start') ?? 0;

export const podName = (set: string, ordinal: number): string => `${set}-${ordinal}`;

const NAME = /^(.*)-(0|[1-9][0-9]{0,9})$/s;

/** Undefined = it is no name of a pod of the set. */
export function ordinalOf(set: string, pod: string): number | undefined {
  const [, parent, ordinal] = NAME.exec(pod) ?? [];
  return parent === set && ordinal !== undefined ? Number(ordinal) : undefined;
}

export const revisionOf = (pod: ApiObject): string => labelsOf(pod)[REVISION_LABEL] ?? '';

const claimTemplates = (set: ApiObject): readonly JsonObject[] => (arrayAt(specOf(set), 'volumeClaimTemplates') ?? []).filter(isObject);

const claimName = (template: JsonObject, pod: string): string => `${stringAt(objectAt(template, 'metadata'), 'name') ?? ''}-${pod}`;

export const claimNames = (set: ApiObject, pod: string): readonly string[] =>
  claimTemplates(set).map((template) => claimName(template, pod));

/** The claims of a pod, as they are made. */
export function claimsFor(set: ApiObject, pod: string): readonly JsonObject[] {
  const selected = objectAt(objectAt(specOf(set), 'selector'), 'matchLabels') ?? {};
  return claimTemplates(set).map((template) => {
    const metadata = objectAt(template, 'metadata') ?? {};
    const annotations = objectAt(metadata, 'annotations');
    return {
      metadata: {
        namespace: set.namespace,
        name: claimName(template, pod),
        labels: { ...objectAt(metadata, 'labels'), ...selected },
        ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      },
      spec: cloneJson(objectAt(template, 'spec') ?? {}),
    };
  });
}

export interface PodOrigin {
  readonly dialect: Dialect;
  /** Of the set. */
  readonly resource: Resource;
  readonly set: ApiObject;
  readonly template: JsonObject;
  /** Its name. */
  readonly revision: string;
}

export function podFor({ dialect, resource, set, template, revision }: PodOrigin, ordinal: number): JsonObject {
  const name = podName(set.name, ordinal);
  const pod = podFromTemplate(template, dialect, resource, set);
  const metadata = objectAt(pod, 'metadata') ?? {};
  const spec = objectAt(pod, 'spec') ?? {};
  const serviceName = stringAt(specOf(set), 'serviceName') ?? '';
  return {
    metadata: { ...metadata, name, labels: { ...objectAt(metadata, 'labels'), ...ownLabels(name, ordinal), [REVISION_LABEL]: revision } },
    spec: { ...spec, hostname: name, ...(serviceName === '' ? {} : { subdomain: serviceName }), ...volumes(set, name, spec) },
  };
}

const ownLabels = (name: string, ordinal: number): Readonly<Record<string, string>> => ({
  [NAME_LABEL]: name,
  [INDEX_LABEL]: String(ordinal),
});

/** Labels that it lacks; undefined where it has them: one that was taken in may not. */
export function missingLabels(pod: ApiObject, ordinal: number): Readonly<Record<string, string>> | undefined {
  const wanted = ownLabels(pod.name, ordinal);
  const labels = labelsOf(pod);
  return Object.entries(wanted).every(([key, value]) => labels[key] === value) ? undefined : wanted;
}

/** Those of claims stand in the place of others of their names. */
function volumes(set: ApiObject, pod: string, spec: JsonObject): JsonObject {
  const claimed = claimTemplates(set).map((template) => ({
    name: stringAt(objectAt(template, 'metadata'), 'name') ?? '',
    persistentVolumeClaim: { claimName: claimName(template, pod) },
  }));
  const names = new Set(claimed.map(({ name }) => name));
  const others = (arrayAt(spec, 'volumes') ?? []).filter((volume) => !isObject(volume) || !names.has(stringAt(volume, 'name') ?? ''));
  const all = [...claimed, ...others];
  return all.length === 0 ? {} : { volumes: all };
}
