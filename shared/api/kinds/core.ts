/** The stored kinds of the core group, and the Event of the group `events`, which is stored as that of the core group. */
import { BINDING, EVICTION, POD_CONNECTIONS, proxySubresource, scaleAndStatus } from './virtual';
import { TOKEN_REQUEST } from './reviews';
import { rowFactory, fieldsNamedByPath, STATUS, type KindRow } from './row';

const core = rowFactory('', 'v1', 'core.v1');
const events = rowFactory('events.platform.io', 'v1', 'events.v1');

/** What the rows of Event in the two groups have in common. */
const EVENT = {
  shortNames: ['ev'],
  allowsCreateOnUpdate: true,
  noGarbageCollection: true,
  fieldLabelErrorForm: 'plain',
  expires: true,
} as const;
/** The members of an Event's ObjectReference (`involvedObject`) by which Events can be selected. */
const REFERENCE_MEMBERS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

export const CORE_KINDS: readonly KindRow[] = [
  core('ConfigMap', 'configmaps', { shortNames: ['cm'] }),
  core('Endpoints', 'endpoints', { shortNames: ['ep'], storageSegment: 'services/endpoints', allowsCreateOnUpdate: true }),
  core('Event', 'events', {
    ...EVENT,
    nameFormat: 'path-segment',
    selectableFields: [
      ...fieldsNamedByPath(...REFERENCE_MEMBERS.map((member) => `involvedObject.${member}`), 'reason', 'reportingComponent'),
      { name: 'source', path: 'source.component', fallback: 'reportingComponent' },
      ...fieldsNamedByPath('type'),
    ],
  }),
  events('Event', 'events', {
    ...EVENT,
    storedAs: { group: '', version: 'v1' },
    selectableFields: [
      // The names are those of this version, the paths those of the stored one.
      ...REFERENCE_MEMBERS.map((member) => ({
        name: `regarding.${member}`,
        path: `involvedObject.${member}`,
        storedName: `involvedObject.${member}`,
      })),
      ...fieldsNamedByPath('reason'),
      { name: 'reportingController', path: 'reportingComponent', storedName: 'reportingComponent' },
      ...fieldsNamedByPath('type'),
    ],
  }),
  core('LimitRange', 'limitranges', { shortNames: ['limits'], allowsCreateOnUpdate: true }),
  core('Namespace', 'namespaces', {
    scope: 'cluster',
    shortNames: ['ns'],
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    subresources: [{ name: 'finalize', verbs: ['update'] }, STATUS],
    nameFormat: 'dns-label',
    nameIsNamespace: true,
    returnsDeletedObject: 'unpublished',
    fieldLabelErrorForm: 'plain',
    selectableFields: fieldsNamedByPath('status.phase'),
  }),
  core('Node', 'nodes', {
    scope: 'cluster',
    shortNames: ['no'],
    subresources: [proxySubresource('Node'), STATUS],
    storageSegment: 'minions',
    fieldLabelErrorForm: 'plain',
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
      { name: 'binding', verbs: ['create'], kind: BINDING, returnsStatus: true, bodyHasPreconditions: true },
      { name: 'ephemeralcontainers', verbs: ['get', 'patch', 'update'] },
      { name: 'eviction', verbs: ['create'], kind: EVICTION, returnsStatus: true },
      STATUS,
    ],
    returnsDeletedObject: true,
    fieldLabelErrorForm: 'plain',
    selectableFields: [
      { name: 'spec.nodeName', path: 'spec.nodeName', indexed: true },
      ...fieldsNamedByPath('spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName'),
      { name: 'spec.hostNetwork', path: 'spec.hostNetwork', absent: 'false' },
      ...fieldsNamedByPath('status.phase', 'status.podIP', 'status.nominatedNodeName'),
    ],
  }),
  core('PodTemplate', 'podtemplates', { generation: 'counted', returnsDeletedObject: true }),
  core('ReplicationController', 'replicationcontrollers', {
    orphansByDefault: true,
    shortNames: ['rc'],
    categories: ['all'],
    subresources: scaleAndStatus('autoscaling'),
    storageSegment: 'controllers',
    generation: 'counted',
    fieldLabelErrorForm: 'plain',
    selectableFields: [{ name: 'status.replicas', path: 'status.replicas', absent: '0' }],
  }),
  core('ResourceQuota', 'resourcequotas', { shortNames: ['quota'], subresources: [STATUS], returnsDeletedObject: true }),
  core('Secret', 'secrets', { fieldLabelErrorForm: 'plain', selectableFields: fieldsNamedByPath('type') }),
  core('ServiceAccount', 'serviceaccounts', {
    shortNames: ['sa'],
    returnsDeletedObject: true,
    subresources: [{ name: 'token', verbs: ['create'], kind: TOKEN_REQUEST }],
  }),
  core('Service', 'services', {
    shortNames: ['svc'],
    categories: ['all'],
    subresources: [proxySubresource('Service'), STATUS],
    storageSegment: 'services/specs',
    nameFormat: 'dns-1035-label',
    allowsCreateOnUpdate: true,
    returnsDeletedObject: true,
    fieldLabelErrorForm: 'plain',
    selectableFields: fieldsNamedByPath('spec.clusterIP', 'spec.type'),
  }),
];
