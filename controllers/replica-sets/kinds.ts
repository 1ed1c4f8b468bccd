/** The two kinds that keep so many pods of a template, as rows: the one selects by a selector, the older one by plain labels. */
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { compileLabelSelector, type LabelMatcher } from '../../shared/api/selectors/label-selector';
import { requirementsOfLabels } from '../../shared/api/selectors/object-selector';
import { isEmptyObject, objectAt } from '../../shared/values/json';
import { labelSelectorOf } from '../workload/label-selector';
import type { ControllerSettings } from '../runtime/controller';

export interface ReplicaKind {
  readonly resource: Resource;
  readonly queue: string;
  readonly concurrency: (settings: ControllerSettings) => number;
  /** Undefined = it selects nothing, and is left alone. */
  readonly selector: (owner: ApiObject) => LabelMatcher | undefined;
}

export const REPLICA_SET: ReplicaKind = {
  resource: resourceOf('apps.v1.ReplicaSet'),
  queue: 'replicaset',
  concurrency: ({ concurrentReplicaSetSyncs }) => concurrentReplicaSetSyncs,
  selector: labelSelectorOf,
};

export const REPLICATION_CONTROLLER: ReplicaKind = {
  resource: resourceOf('core.v1.ReplicationController'),
  queue: 'replicationmanager',
  concurrency: ({ concurrentReplicationControllerSyncs }) => concurrentReplicationControllerSyncs,
  selector({ body }) {
    const labels = objectAt(objectAt(body, 'spec'), 'selector');
    return labels === undefined || isEmptyObject(labels) ? undefined : compileLabelSelector(requirementsOfLabels(labels));
  },
};
