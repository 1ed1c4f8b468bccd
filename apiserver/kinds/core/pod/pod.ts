/** Pod (behaviour-reference §5.16, the minimum): first status, quality of service, graceful deletion, what an update may change. */
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../../../shared/values/json';
import { metadataOf, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { validateEphemeralContainers } from './ephemeral-containers';
import { podChangeErrors } from './changes';
import { liftGracePeriod, mirrorProfiles, oldNotations, takeLabelValues } from './prepare';
import { notAtFirst, validatePod } from './rules';
import { podStatusErrors } from './status';
import { podWarnings } from '../pod-template/warnings';
import { qualityOfService } from './quality-of-service';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';

const DEFAULT_GRACE_SECONDS = 30;

export const pod: Strategy = {
  earlyWarnings: oldNotations,
  prepareForCreate(object, { names }) {
    liftGracePeriod(object);
    mirrorProfiles(object, names);
    takeLabelValues(object);
    const gates = arrayAt(specOf(object), 'schedulingGates') ?? [];
    const conditions = gates.length === 0 ? {} : { conditions: [heldByGates(object)] };
    object['status'] = { phase: 'Pending', qosClass: qualityOfService(object), ...conditions };
  },
  validate: (object, old) => [...validatePod(object), ...(old === undefined ? notAtFirst(object) : [])],
  warningsOnCreate: (object) => podWarnings(object, ''),
  update: { prepareForUpdate: liftGracePeriod, stages: UPDATE.metadataThenObjectThenChange, validate: podChangeErrors },
  ephemeralcontainers: { validate: validateEphemeralContainers },
  canonicalize: mirrorAddress,
  status: {
    prepareForUpdate(object, old) {
      const owners = own(readMetadata(old), 'ownerReferences');
      const metadata = metadataOf(object);
      if (owners === undefined) delete metadata['ownerReferences'];
      else metadata['ownerReferences'] = owners;
    },
    validate: podStatusErrors,
  },
  deletion: { checkGracefulDelete: graceSeconds },
  resetFields: new Map([['status', { 'f:metadata': { 'f:deletionTimestamp': {}, 'f:ownerReferences': {} }, 'f:spec': {} }]]),
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

function graceSeconds(object: JsonObject, asked: number | undefined): number {
  const spec = objectAt(object, 'spec') ?? {};
  const phase = stringAt(objectAt(object, 'status') ?? {}, 'phase');
  if ((stringAt(spec, 'nodeName') ?? '') === '' || phase === 'Succeeded' || phase === 'Failed') return 0;
  const wanted = own(spec, 'terminationGracePeriodSeconds');
  const period = asked ?? (typeof wanted === 'number' ? wanted : DEFAULT_GRACE_SECONDS);
  return period < 0 ? 1 : period;
}

/** A pod with scheduling gates says from its first day why no scheduler looks at it. */
const heldByGates = (object: JsonObject): JsonObject => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: stringAt(readMetadata(object), 'creationTimestamp') ?? null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

/** `podIP` is the first of `podIPs`; where they disagree, it counts. */
function mirrorAddress(object: JsonObject): void {
  const status = objectAt(object, 'status');
  if (status === undefined) return;
  const first = stringAt(status, 'podIP') ?? '';
  const head = arrayAt(status, 'podIPs')?.[0];
  const listed = isObject(head) ? (stringAt(head, 'ip') ?? '') : '';
  if (first !== '' && first !== listed) status['podIPs'] = [{ ip: first }];
  else if (first === '' && listed !== '') status['podIP'] = listed;
}
