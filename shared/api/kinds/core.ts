/** The kinds of the core group, and their newer versions in other groups. */
import { BINDING, EVICTION, POD_CONNECTIONS, proxyOf, scaledWorkload } from './operations';
import { TOKEN_REQUEST } from './reviews';
import { rowsOf, same, STATUS, type KindRow } from './row';

const core = rowsOf('', 'v1', 'core.v1');
const events = rowsOf('events.platform.io', 'v1', 'events.v1');

/** What both versions of an Event have in common. */
const EVENT = { shortNames: ['ev'], createOnUpdate: true, noGarbageCollection: true, ownFieldLabels: 'plain', expires: true } as const;
const REGARDING = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

export const CORE: readonly KindRow[] = [
  core('ConfigMap', 'configmaps', { shortNames: ['cm'] }),
  core('Endpoints', 'endpoints', { shortNames: ['ep'], segment: 'services/endpoints', createOnUpdate: true }),
  core('Event', 'events', {
    ...EVENT,
    nameFormat: 'path-segment',
    selectableFields: [
      ...same(...REGARDING.map((member) => `involvedObject.${member}`), 'reason', 'reportingComponent'),
      { name: 'source', path: 'source.component', fallback: 'reportingComponent' },
      { name: 'type', path: 'type' },
    ],
  }),
  events('Event', 'events', {
    ...EVENT,
    storedAs: { group: '', version: 'v1' },
    selectableFields: [
      ...REGARDING.map((member) => ({
        name: `regarding.${member}`,
        path: `involvedObject.${member}`,
        storedName: `involvedObject.${member}`,
      })),
      ...same('reason'),
      { name: 'reportingController', path: 'reportingComponent', storedName: 'reportingComponent' },
      ...same('type'),
    ],
  }),
  core('LimitRange', 'limitranges', { shortNames: ['limits'], createOnUpdate: true }),
  core('Namespace', 'namespaces', {
    scope: 'cluster',
    shortNames: ['ns'],
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    subresources: [{ name: 'finalize', verbs: ['update'] }, STATUS],
    nameFormat: 'dns-label',
    nameIsNamespace: true,
    returnsDeletedObject: 'unpublished',
    ownFieldLabels: 'plain',
    selectableFields: same('status.phase'),
  }),
  core('Node', 'nodes', {
    scope: 'cluster',
    shortNames: ['no'],
    subresources: [proxyOf('Node'), STATUS],
    segment: 'minions',
    ownFieldLabels: 'plain',
    selectableFields: [{ name: 'spec.unschedulable', path: 'spec.unschedulable', absent: 'false' }],
  }),
  core('PersistentVolume', 'persistentvolumes', {
    scope: 'cluster',
    shortNames: ['pv'],
    subresources: [STATUS],
    returnsDeletedObject: true,
  }),
  core('PersistentVolumeClaim', 'persistentvolumeclaims', { shortNames: ['pvc'], subresources: [STATUS], returnsDeletedObject: true }),
  core('Pod', 'pods', {
    shortNames: ['po'],
    categories: ['all'],
    subresources: [
      ...POD_CONNECTIONS,
      { name: 'binding', verbs: ['create'], kind: BINDING, answersStatus: true, bodyIsCondition: true },
      { name: 'ephemeralcontainers', verbs: ['get', 'patch', 'update'] },
      { name: 'eviction', verbs: ['create'], kind: EVICTION, answersStatus: true },
      STATUS,
    ],
    returnsDeletedObject: true,
    ownFieldLabels: 'plain',
    selectableFields: [
      { name: 'spec.nodeName', path: 'spec.nodeName', indexed: true },
      ...same('spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName'),
      { name: 'spec.hostNetwork', path: 'spec.hostNetwork', absent: 'false' },
      ...same('status.phase', 'status.podIP', 'status.nominatedNodeName'),
    ],
  }),
  core('PodTemplate', 'podtemplates', { generation: 'counted', returnsDeletedObject: true }),
  core('ReplicationController', 'replicationcontrollers', {
    orphansByDefault: true,
    shortNames: ['rc'],
    categories: ['all'],
    subresources: scaledWorkload('autoscaling'),
    segment: 'controllers',
    generation: 'counted',
    ownFieldLabels: 'plain',
    selectableFields: [{ name: 'status.replicas', path: 'status.replicas', absent: '0' }],
  }),
  core('ResourceQuota', 'resourcequotas', { shortNames: ['quota'], subresources: [STATUS], returnsDeletedObject: true }),
  core('Secret', 'secrets', { ownFieldLabels: 'plain', selectableFields: same('type') }),
  core('ServiceAccount', 'serviceaccounts', {
    shortNames: ['sa'],
    returnsDeletedObject: true,
    subresources: [{ name: 'token', verbs: ['create'], kind: TOKEN_REQUEST }],
  }),
  core('Service', 'services', {
    shortNames: ['svc'],
    categories: ['all'],
    subresources: [proxyOf('Service'), STATUS],
    segment: 'services/specs',
    nameFormat: 'dns-1035-label',
    createOnUpdate: true,
    returnsDeletedObject: true,
    ownFieldLabels: 'plain',
    selectableFields: same('spec.clusterIP', 'spec.type'),
  }),
];
