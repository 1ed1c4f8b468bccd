/** A pod of a DaemonSet: how it is made for a node, and for which node one was made. Decided from the objects, without a server. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { Resource } from '../../shared/client/rest/resource';
import type { Dialect } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, stringAt, stringsAt, type JsonObject } from '../../shared/values/json';
import { podFromTemplate } from '../workload/pod-control';
import { templateOf } from '../workload/spec';
import { REVISION_LABEL } from '../workload/controller-revision';
import { labelsOf, nodeNameOf } from '../runtime/pods';
import { tolerationsOf } from './placement';

const GENERATION_LABEL = 'pod-template-generation';
const GENERATION = 'deprecated.daemonset.template.generation';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const NAME_FIELD = 'metadata.name';

export interface DaemonOrigin {
  readonly dialect: Dialect;
  /** Of the set. */
  readonly resource: Resource;
  readonly set: ApiObject;
  /** Of the template. */
  readonly hash: string;
}

/** The scheduler puts it there. */
export function podFor({ dialect, resource, set, hash }: DaemonOrigin, node: string): JsonObject {
  const pod = podFromTemplate(templateOf(set), dialect, resource, set);
  const [metadata, spec] = [objectAt(pod, 'metadata') ?? {}, objectAt(pod, 'spec') ?? {}];
  const generation = stringAt(objectAt(objectAt(set.body, 'metadata'), 'annotations'), GENERATION);
  const labels = {
    ...objectAt(metadata, 'labels'),
    ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
    [REVISION_LABEL]: hash,
  };
  const affinity = objectAt(spec, 'affinity');
  const terms = [{ matchFields: [{ key: NAME_FIELD, operator: 'In', values: [node] }] }];
  const nodeAffinity = { ...objectAt(affinity, 'nodeAffinity'), [REQUIRED]: { nodeSelectorTerms: terms } };
  return {
    metadata: { ...metadata, labels },
    spec: { ...spec, affinity: { ...affinity, nodeAffinity }, tolerations: [...tolerationsOf(spec, dialect)] },
  };
}

/** '' = nobody knows. */
export function nodeOf(pod: ApiObject): string {
  const placed = nodeNameOf(pod);
  if (placed !== '') return placed;
  const required = objectAt(objectAt(objectAt(objectAt(pod.body, 'spec'), 'affinity'), 'nodeAffinity'), REQUIRED);
  const terms = (arrayAt(required, 'nodeSelectorTerms') ?? []).filter(isObject);
  const fields = terms.flatMap((term) => (arrayAt(term, 'matchFields') ?? []).filter(isObject));
  const named = fields.find((field) => stringAt(field, 'key') === NAME_FIELD && stringAt(field, 'operator') === 'In');
  return stringsAt(named ?? {}, 'values')[0] ?? '';
}

export const hashOf = (pod: ApiObject): string => labelsOf(pod)[REVISION_LABEL] ?? '';
