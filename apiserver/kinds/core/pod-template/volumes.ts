/** The volumes of a pod: their names, and that each has one source. */
import { duplicateValue, invalidValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { checkDnsLabel, checkDnsSubdomain } from '../../../../shared/values/name-formats';
import { quote } from '../../../../shared/values/quote';
import { checkFirstPart } from '../../rules/parts';
import { checkFormat, type Errors } from '../../rules/checks';
import type { Volumes } from './mounts';
import { SOURCES } from './volume-sources';
import type { CoreV1PodSpec, CoreV1Volume } from '../../../../shared/api/types/generated/members';

const NONE: Volumes = new Map();

/** The volumes that containers may use: those in which nothing is wrong. `podName` = that of the pod, which a template does not know. */
export function checkVolumes(spec: CoreV1PodSpec, specPlace: string, podName: string | undefined, errors: Errors): Volumes {
  const volumes = spec.volumes ?? [];
  if (volumes.length === 0) return NONE;
  const good = new Map<string, CoreV1Volume>();
  volumes.forEach((volume, index) => {
    const place = `${specPlace}.volumes[${index}]`;
    const before = errors.length;
    // A second source is not looked at.
    checkFirstPart(volume, place, SOURCES, 'may not specify more than 1 volume type', errors);
    const name = volume.name ?? '';
    checkClaimName(volume, name, podName ?? '', `${place}.name`, errors);
    checkIscsiLength(volume, name, `${place}.name`, errors);
    if (name === '') errors.push(requiredValue(`${place}.name`));
    else if (good.has(name)) errors.push(duplicateValue(`${place}.name`, name));
    else checkFormat(name, `${place}.name`, checkDnsLabel, errors);
    if (errors.length === before) good.set(name, volume);
  });
  return good;
}

/** The claim that will be made for the volume is named after it and the pod. */
function checkClaimName({ ephemeral }: CoreV1Volume, name: string, podName: string, field: string, errors: Errors): void {
  if (ephemeral === undefined || name === '' || podName === '') return;
  const claim = `${podName}-${name}`;
  for (const text of checkDnsSubdomain(claim)) errors.push(invalidValue(field, name, `PVC name ${quote(claim)}: ${text}`));
}

const LONGEST_ISCSI = 64;

function checkIscsiLength({ iscsi }: CoreV1Volume, name: string, field: string, errors: Errors): void {
  if (iscsi?.initiatorName === undefined || Buffer.byteLength(`${name}:${iscsi.targetPortal ?? ''}`) <= LONGEST_ISCSI) return;
  const text = `Total length of <volume name>:<iscsi.targetPortal> must be under ${LONGEST_ISCSI} characters if iscsi.initiatorName is specified.`;
  errors.push(invalidValue(field, name, text));
}
