/**
 * The kinds of the two replica controllers, as rows. A ReplicationController has the spec and the status of a ReplicaSet,
 * but its selector is a map of labels.
 */
import type {
  AppsV1ReplicaSet,
  AppsV1ReplicaSetStatus,
  CoreV1PodTemplateSpec,
  CoreV1ReplicationController,
  MetaV1ObjectMeta,
} from '../../shared/api/types/generated/members';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { compileLabelSelector, type LabelMatcher } from '../../shared/api/selectors/label-selector';
import { requirementsOfLabels } from '../../shared/api/selectors/object-selector';
import { isEmptyObject } from '../../shared/values/json';
import { labelMatcherOf } from '../workload/label-matcher';
import type { ControllerSettings } from '../runtime/controller';

/** The members that a ReplicaSet and a ReplicationController share. */
export type ReplicaOwnerBody = {
  metadata?: MetaV1ObjectMeta;
  spec?: { replicas?: number; minReadySeconds?: number; template?: CoreV1PodTemplateSpec };
  status?: AppsV1ReplicaSetStatus;
};

/** A ReplicaSet or a ReplicationController. */
export type ReplicaOwner = ApiObject<ReplicaOwnerBody>;

/** What differs between the two controllers. */
export interface ReplicaKind<Body extends ReplicaOwnerBody> {
  readonly resource: Resource<Body>;
  /** The name of the queue in metrics. */
  readonly queue: string;
  readonly concurrency: (settings: ControllerSettings) => number;
  /** The compiled selector; undefined for an empty one: the controller ignores such an object. */
  readonly matcherOf: (replicaSet: ApiObject<Body>) => LabelMatcher | undefined;
}

export const REPLICA_SET: ReplicaKind<AppsV1ReplicaSet> = {
  resource: resourceOf('apps.v1.ReplicaSet'),
  queue: 'replicaset',
  concurrency: ({ concurrentReplicaSetSyncs }) => concurrentReplicaSetSyncs,
  matcherOf: labelMatcherOf,
};

export const REPLICATION_CONTROLLER: ReplicaKind<CoreV1ReplicationController> = {
  resource: resourceOf('core.v1.ReplicationController'),
  queue: 'replicationmanager',
  concurrency: ({ concurrentReplicationControllerSyncs }) => concurrentReplicationControllerSyncs,
  matcherOf({ body }) {
    const labels = body.spec?.selector;
    return labels === undefined || isEmptyObject(labels) ? undefined : compileLabelSelector(requirementsOfLabels(labels));
  },
};
