/**
 * Validates the volumes of Pods and templates: unique names, and exactly one source for each. The rules of the sources
 * are in volume-sources.ts.
 */
import { duplicateValue, invalidValue, requiredValue } from '../../../../../shared/api/errors/field-error';
import { checkDnsLabel, checkDnsSubdomain } from '../../../../../shared/values/name-formats';
import { quote } from '../../../../../shared/values/text/quote';
import { checkFirstUnionMember } from '../../../rules/union-members';
import { checkFormat, type Errors } from '../../../rules/checks';
import type { VolumesByName } from './volume-mounts';
import { POD_VOLUME_SOURCES } from './volume-sources';
import type { CoreV1PodSpec, CoreV1Volume } from '../../../../../shared/api/types/generated/members';

const NO_VOLUMES: VolumesByName = new Map();

/** Returns the valid volumes, which containers may use. `podName` is `undefined` in templates. */
export function checkVolumes(spec: CoreV1PodSpec, specPath: string, podName: string | undefined, errors: Errors): VolumesByName {
  const volumes = spec.volumes ?? [];
  if (volumes.length === 0) return NO_VOLUMES;
  const validVolumes = new Map<string, CoreV1Volume>();
  volumes.forEach((volume, index) => {
    const fieldPath = `${specPath}.volumes[${index}]`;
    const errorCountBefore = errors.length;
    // A second source is reported but not validated.
    checkFirstUnionMember(volume, fieldPath, POD_VOLUME_SOURCES, 'may not specify more than 1 volume type', errors);
    const name = volume.name ?? '';
    checkClaimName(volume, name, podName ?? '', `${fieldPath}.name`, errors);
    checkIscsiLength(volume, name, `${fieldPath}.name`, errors);
    if (name === '') errors.push(requiredValue(`${fieldPath}.name`));
    else if (validVolumes.has(name)) errors.push(duplicateValue(`${fieldPath}.name`, name));
    else checkFormat(name, `${fieldPath}.name`, checkDnsLabel, errors);
    if (errors.length === errorCountBefore) validVolumes.set(name, volume);
  });
  return validVolumes;
}

/** The name of the ephemeral volume's claim, which derives from those of the Pod and the volume, must be valid. */
function checkClaimName({ ephemeral }: CoreV1Volume, name: string, podName: string, field: string, errors: Errors): void {
  if (ephemeral === undefined || name === '' || podName === '') return;
  const claim = `${podName}-${name}`;
  for (const text of checkDnsSubdomain(claim)) errors.push(invalidValue(field, name, `PVC name ${quote(claim)}: ${text}`));
}

const MAX_ISCSI_LENGTH = 64;

/** With an initiator, `<volume name>:<target portal>` becomes the name of an iSCSI interface of the node. */
function checkIscsiLength({ iscsi }: CoreV1Volume, name: string, field: string, errors: Errors): void {
  if (iscsi?.initiatorName === undefined || Buffer.byteLength(`${name}:${iscsi.targetPortal ?? ''}`) <= MAX_ISCSI_LENGTH) return;
  const text = `Total length of <volume name>:<iscsi.targetPortal> must be under ${MAX_ISCSI_LENGTH} characters if iscsi.initiatorName is specified.`;
  errors.push(invalidValue(field, name, text));
}
