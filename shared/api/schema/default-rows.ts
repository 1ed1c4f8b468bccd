/**
 * What an unset member becomes, by type (specification §2.3, behaviour-reference §5; each checked against upstream's answers). A row is a
 * plain value; what depends on other members is a small rule in default-rules.ts.
 */
import type { JsonValue } from '../json';

const FILE_MODE = 0o644;

export const DEFAULTS: Readonly<Record<string, Readonly<Record<string, JsonValue>>>> = {
  'core.v1.AzureDiskVolumeSource': { cachingMode: 'ReadWrite', fsType: 'ext4', kind: 'Shared', readOnly: false },
  'core.v1.ConfigMapVolumeSource': { defaultMode: FILE_MODE },
  'core.v1.Container': { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
  'core.v1.ContainerPort': { protocol: 'TCP' },
  'core.v1.DownwardAPIVolumeSource': { defaultMode: FILE_MODE },
  'core.v1.EndpointPort': { protocol: 'TCP' },
  'core.v1.EphemeralContainer': { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
  'core.v1.GRPCAction': { service: '' },
  'core.v1.HostPathVolumeSource': { type: '' },
  'core.v1.HTTPGetAction': { path: '/', scheme: 'HTTP' },
  'core.v1.ISCSIVolumeSource': { iscsiInterface: 'default' },
  'core.v1.NamespaceStatus': { phase: 'Active' },
  'core.v1.ObjectFieldSelector': { apiVersion: 'v1' },
  'core.v1.PersistentVolumeClaimSpec': { volumeMode: 'Filesystem' },
  'core.v1.PodSpec': {
    dnsPolicy: 'ClusterFirst',
    enableServiceLinks: true,
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  },
  'core.v1.Probe': { failureThreshold: 3, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1 },
  'core.v1.ProjectedVolumeSource': { defaultMode: FILE_MODE },
  'core.v1.RBDVolumeSource': { keyring: '/etc/ceph/keyring', pool: 'rbd', user: 'admin' },
  'core.v1.ScaleIOVolumeSource': { fsType: 'xfs', storageMode: 'ThinProvisioned' },
  'core.v1.Secret': { type: 'Opaque' },
  'core.v1.SecretVolumeSource': { defaultMode: FILE_MODE },
  'core.v1.ServiceAccountTokenProjection': { expirationSeconds: 3600 },
  'core.v1.ServicePort': { protocol: 'TCP' },
  'core.v1.ServiceSpec': { sessionAffinity: 'None', type: 'ClusterIP' },
};
