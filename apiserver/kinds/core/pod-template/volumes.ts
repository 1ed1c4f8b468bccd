/** The volumes of a pod: their names, and that each has one source. */
import { duplicate, required } from '../../../../shared/api/errors/field-error';
import { dnsLabel } from '../../../../shared/values/name-formats';
import { checkFirstPart } from '../../rules/parts';
import { checkFormat, type Errors } from '../../rules/checks';
import type { Volumes } from './mounts';
import { SOURCES } from './volume-sources';
import type { CoreV1PodSpec, CoreV1Volume } from '../../../../shared/api/types/generated/members';

const NONE: Volumes = new Map();

/** The volumes that containers may use: those in which nothing is wrong. */
export function checkVolumes(spec: CoreV1PodSpec, specPlace: string, errors: Errors): Volumes {
  const volumes = spec.volumes ?? [];
  if (volumes.length === 0) return NONE;
  const good = new Map<string, CoreV1Volume>();
  volumes.forEach((volume, index) => {
    const place = `${specPlace}.volumes[${index}]`;
    const before = errors.length;
    // A second source is not looked at.
    checkFirstPart(volume, place, SOURCES, 'may not specify more than 1 volume type', errors);
    const name = volume.name ?? '';
    if (name === '') errors.push(required(`${place}.name`));
    else if (good.has(name)) errors.push(duplicate(`${place}.name`, name));
    else checkFormat(name, `${place}.name`, dnsLabel, errors);
    if (errors.length === before) good.set(name, volume);
  });
  return good;
}
