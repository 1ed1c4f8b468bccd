/** Pod (behaviour-reference §5.16, the minimum): first status, quality of service, graceful deletion, what an update may change. */
import { forbiddenField, invalidAs, invalidValue, type FieldError } from '../../../shared/api/field-error';
import { arrayAt, cloneJson, equalJson, isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/api/json';
import { metadataOf, readMetadata } from '../../../shared/api/object-meta';
import { validateEphemeralContainers } from './ephemeral-containers';
import { ipErrors, ipFamily } from './addresses';
import { liftGracePeriod, mirrorProfiles, oldNotations, takeLabelValues } from './pod-prepare';
import { imagesRequired, notAtFirst, validatePod } from './pod-rules';
import { podWarnings } from './pod-template/warnings';
import { qualityOfService } from './quality-of-service';
import type { Strategy } from './strategy';

const DEFAULT_GRACE_SECONDS = 30;

export const pod: Strategy = {
  warningsFirst: oldNotations,
  prepareForCreate(object, { names }) {
    liftGracePeriod(object);
    mirrorProfiles(object, names);
    takeLabelValues(object);
    const gates = arrayAt(specOf(object), 'schedulingGates') ?? [];
    const conditions = gates.length === 0 ? {} : { conditions: [heldByGates(object)] };
    object['status'] = { phase: 'Pending', qosClass: qualityOfService(object), ...conditions };
  },
  validate: (object, _, old) => [...validatePod(object, old), ...(old === undefined ? notAtFirst(object) : [])],
  warnings: (object, old) => (old === undefined ? podWarnings(object, '') : []),
  update: { state: 'first', validate: validateChange },
  ephemeralcontainers: { validate: validateEphemeralContainers },
  mirror: mirrorAddress,
  status: {
    prepare(object, old) {
      const owners = own(readMetadata(old), 'ownerReferences');
      const metadata = metadataOf(object);
      if (owners === undefined) delete metadata['ownerReferences'];
      else metadata['ownerReferences'] = owners;
    },
    validate: validateStatus,
  },
  gracePeriod(object, asked) {
    const spec = objectAt(object, 'spec') ?? {};
    const phase = stringAt(objectAt(object, 'status') ?? {}, 'phase');
    if ((stringAt(spec, 'nodeName') ?? '') === '' || phase === 'Succeeded' || phase === 'Failed') return 0;
    const wanted = own(spec, 'terminationGracePeriodSeconds');
    const period = asked ?? (typeof wanted === 'number' ? wanted : DEFAULT_GRACE_SECONDS);
    return period < 0 ? 1 : period;
  },
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

/** A pod with scheduling gates says from its first day why no scheduler looks at it. */
const heldByGates = (object: JsonObject): JsonObject => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: stringAt(readMetadata(object), 'creationTimestamp') ?? null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

const ONLY =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` ' +
  '(allow it to be set to 1 if it was previously negative)';

function validateChange(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [spec, before] = [specOf(object), specOf(old)];
  for (const member of ['containers', 'initContainers']) {
    if (arrayAt(spec, member)?.length !== arrayAt(before, member)?.length) {
      return [
        forbiddenField(`spec.${member}`, `pod updates may not add or remove ${member === 'containers' ? 'containers' : 'init containers'}`),
      ];
    }
  }
  const ofDeadline = deadlineErrors(spec, before);
  const errors = [...imagesRequired(spec), ...ofDeadline];
  if (ofDeadline.length > 0) return errors;
  const rest = cloneJson(spec);
  for (const member of ['containers', 'initContainers']) takeImages(rest, before, member);
  for (const member of ['activeDeadlineSeconds', 'schedulingGates']) {
    if (member !== 'schedulingGates' || onlyRemoves(spec, before, member)) takeMember(rest, before, member);
  }
  if (onlyAdds(spec, before, 'tolerations')) takeMember(rest, before, 'tolerations');
  const grace = own(before, 'terminationGracePeriodSeconds');
  if (typeof grace === 'number' && grace < 0 && own(spec, 'terminationGracePeriodSeconds') === 1) {
    takeMember(rest, before, 'terminationGracePeriodSeconds');
  }
  return equalJson(rest, before) ? errors : [...errors, forbiddenField('spec', ONLY)];
}

function takeMember(spec: JsonObject, before: JsonObject, member: string): void {
  const value = own(before, member);
  if (value === undefined) delete spec[member];
  else spec[member] = value;
}

/** Makes the images equal, so that what still differs is a change that is not allowed. */
function takeImages(spec: JsonObject, before: JsonObject, member: string): void {
  const old = arrayAt(before, member) ?? [];
  (arrayAt(spec, member) ?? []).forEach((container, index) => {
    const other = old[index];
    if (isObject(container) && isObject(other)) takeMember(container, other, 'image');
  });
}

const onlyAdds = (spec: JsonObject, before: JsonObject, member: string): boolean => holds(spec, before, member);
const onlyRemoves = (spec: JsonObject, before: JsonObject, member: string): boolean => holds(before, spec, member);

/** Whether every item of `part` is in `whole`. */
function holds(whole: JsonObject, part: JsonObject, member: string): boolean {
  const items = arrayAt(whole, member) ?? [];
  return (arrayAt(part, member) ?? []).every((wanted) => items.some((item) => equalJson(item, wanted)));
}

function deadlineErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const [now, then] = [own(spec, 'activeDeadlineSeconds'), own(before, 'activeDeadlineSeconds')];
  if (typeof then !== 'number' || now === then) return [];
  if (typeof now !== 'number') return [invalidAs(field, '"null"', 'must not update from a positive integer to nil value')];
  return now > then ? [invalidValue(field, now, 'must be less than or equal to previous value')] : [];
}

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

function validateStatus(object: JsonObject): readonly FieldError[] {
  const field = 'status.podIPs';
  const addresses = (arrayAt(objectAt(object, 'status'), 'podIPs') ?? []).map((item) =>
    isObject(item) ? (stringAt(item, 'ip') ?? '') : '',
  );
  const errors = addresses.flatMap((address, index) => ipErrors(address, `${field}[${index}]`));
  const families = new Set(addresses.map(ipFamily));
  if (addresses.length > 2 || (addresses.length === 2 && families.size < 2)) {
    errors.push(invalidValue(field, addresses, 'may specify no more than one IP for each IP family'));
  }
  return errors;
}
