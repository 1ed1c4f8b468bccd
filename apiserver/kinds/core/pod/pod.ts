/**
 * Pod strategy: initial status, QoS class, graceful deletion, and the allowed updates. The server alone computes the
 * QoS class. The rules of the spec are in pod-template, those of updates in pod-update.ts and pod-status.ts.
 */
import { validateEphemeralContainers } from './ephemeral-containers';
import { validatePodAnnotationUpdate, validatePodUpdate } from './pod-update';
import { normalizeGracePeriod, syncAppArmorProfiles, appArmorAnnotationWarnings, applyMatchLabelKeys } from './prepare-pod';
import { validatePodCreate, validatePod } from './validate-pod';
import { validatePodStatusUpdate } from './pod-status';
import { podWarnings } from '../pod-template/warnings';
import { computePodQos } from './pod-qos';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import type { CoreV1Pod, CoreV1PodCondition } from '../../../../shared/api/types/generated/members';

const DEFAULT_GRACE_SECONDS = 30;

export const pod: Strategy<CoreV1Pod> = {
  earlyWarnings: appArmorAnnotationWarnings,
  prepareForCreate(object, { names }) {
    normalizeGracePeriod(object);
    syncAppArmorProfiles(object, names);
    applyMatchLabelKeys(object);
    const gates = object.spec?.schedulingGates ?? [];
    const conditions = gates.length === 0 ? {} : { conditions: [schedulingGatedCondition(object)] };
    object.status = { phase: 'Pending', qosClass: computePodQos(object), ...conditions };
  },
  validate: (object, old) => [...validatePod(object), ...(old === undefined ? validatePodCreate(object) : [])],
  warningsOnCreate: (object) => podWarnings(object, ''),
  update: { prepareForUpdate: normalizeGracePeriod, stages: UPDATE.metadataThenObjectThenChange, validate: validatePodUpdate },
  ephemeralcontainers: { validate: validateEphemeralContainers },
  canonicalize: syncPodIps,
  status: {
    /** Keeps the owners: an update of the status cannot change them. */
    prepareForUpdate(object, old) {
      const owners = old.metadata?.ownerReferences;
      const metadata = (object.metadata ??= {});
      if (owners === undefined) delete metadata.ownerReferences;
      else metadata.ownerReferences = owners;
    },
    validate: (object, old) => [...validatePodAnnotationUpdate(object, old), ...validatePodStatusUpdate(object, old)],
  },
  deletion: { checkGracefulDelete: gracefulDeletionSeconds },
  resetFields: new Map([['status', { 'f:metadata': { 'f:deletionTimestamp': {}, 'f:ownerReferences': {} }, 'f:spec': {} }]]),
};

/**
 * The grace period in seconds; 0 for a Pod that no kubelet runs, which is deleted at once. `requested`: the grace
 * period of the delete options.
 */
function gracefulDeletionSeconds(object: CoreV1Pod, requested: number | undefined): number {
  const spec = object.spec ?? {};
  const phase = object.status?.phase;
  if ((spec.nodeName ?? '') === '' || phase === 'Succeeded' || phase === 'Failed') return 0;
  const podGracePeriod = spec.terminationGracePeriodSeconds;
  const period = requested ?? Number(podGracePeriod ?? DEFAULT_GRACE_SECONDS);
  return period < 0 ? 1 : period;
}

/** The PodScheduled condition of a new Pod with scheduling gates, which the scheduler ignores. */
const schedulingGatedCondition = (object: CoreV1Pod): CoreV1PodCondition => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: object.metadata?.creationTimestamp ?? null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

/** Keeps `podIP` equal to the first of `podIPs`; when both are set and differ, `podIP` replaces the list. */
function syncPodIps(object: CoreV1Pod): void {
  const status = object.status;
  if (status === undefined) return;
  const podIp = status.podIP ?? '';
  const firstEntry = status.podIPs?.[0];
  const listedIp = firstEntry?.ip ?? '';
  if (podIp !== '' && podIp !== listedIp) status.podIPs = [{ ip: podIp }];
  else if (podIp === '' && listedIp !== '') status.podIP = listedIp;
}
