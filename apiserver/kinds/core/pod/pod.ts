/** Pod: first status, quality of service, graceful deletion, what an update may change. */
import { validateEphemeralContainers } from './ephemeral-containers';
import { podAnnotationErrors, podChangeErrors } from './changes';
import { liftGracePeriod, mirrorProfiles, oldNotations, takeLabelValues } from './prepare';
import { notAtFirst, validatePod } from './rules';
import { podStatusErrors } from './status';
import { podWarnings } from '../pod-template/warnings';
import { qualityOfService } from './quality-of-service';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import type { CoreV1Pod, CoreV1PodCondition } from '../../../../shared/api/types/generated/members';

const DEFAULT_GRACE_SECONDS = 30;

export const pod: Strategy<CoreV1Pod> = {
  earlyWarnings: oldNotations,
  prepareForCreate(object, { names }) {
    liftGracePeriod(object);
    mirrorProfiles(object, names);
    takeLabelValues(object);
    const gates = object.spec?.schedulingGates ?? [];
    const conditions = gates.length === 0 ? {} : { conditions: [heldByGates(object)] };
    object.status = { phase: 'Pending', qosClass: qualityOfService(object), ...conditions };
  },
  validate: (object, old) => [...validatePod(object), ...(old === undefined ? notAtFirst(object) : [])],
  warningsOnCreate: (object) => podWarnings(object, ''),
  update: { prepareForUpdate: liftGracePeriod, stages: UPDATE.metadataThenObjectThenChange, validate: podChangeErrors },
  ephemeralcontainers: { validate: validateEphemeralContainers },
  canonicalize: mirrorAddress,
  status: {
    prepareForUpdate(object, old) {
      const owners = old.metadata?.ownerReferences;
      const metadata = (object.metadata ??= {});
      if (owners === undefined) delete metadata.ownerReferences;
      else metadata.ownerReferences = owners;
    },
    validate: (object, old) => [...podAnnotationErrors(object, old), ...podStatusErrors(object, old)],
  },
  deletion: { checkGracefulDelete: graceSeconds },
  resetFields: new Map([['status', { 'f:metadata': { 'f:deletionTimestamp': {}, 'f:ownerReferences': {} }, 'f:spec': {} }]]),
};

function graceSeconds(object: CoreV1Pod, asked: number | undefined): number {
  const spec = object.spec ?? {};
  const phase = object.status?.phase;
  if ((spec.nodeName ?? '') === '' || phase === 'Succeeded' || phase === 'Failed') return 0;
  const wanted = spec.terminationGracePeriodSeconds;
  const period = asked ?? Number(wanted ?? DEFAULT_GRACE_SECONDS);
  return period < 0 ? 1 : period;
}

/** A pod with scheduling gates says from its first day why no scheduler looks at it. */
const heldByGates = (object: CoreV1Pod): CoreV1PodCondition => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: object.metadata?.creationTimestamp ?? null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

/** `podIP` is the first of `podIPs`; where they disagree, it counts. */
function mirrorAddress(object: CoreV1Pod): void {
  const status = object.status;
  if (status === undefined) return;
  const first = status.podIP ?? '';
  const head = status.podIPs?.[0];
  const listed = head?.ip ?? '';
  if (first !== '' && first !== listed) status.podIPs = [{ ip: first }];
  else if (first === '' && listed !== '') status.podIP = listed;
}
