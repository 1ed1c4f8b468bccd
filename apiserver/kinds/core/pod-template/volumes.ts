/** The volumes of a pod: their names, and that each has one source. */
import { duplicate, forbiddenField, required } from '../../../../shared/api/errors/field-error';
import { objectAt, type JsonObject } from '../../../../shared/values/json';
import { dnsLabel } from '../../../../shared/values/name-formats';
import { listed } from '../../rules/field-rules';
import { checkFormat, textAt, type Errors } from '../../rules/checks';
import type { Volumes } from './mounts';
import { SOURCES } from './volume-sources';

const NONE: Volumes = new Map();

/** The volumes that containers may use: those in which nothing is wrong. */
export function checkVolumes(spec: JsonObject, specPlace: string, errors: Errors): Volumes {
  const volumes = listed(spec, 'volumes');
  if (volumes.length === 0) return NONE;
  const good = new Map<string, JsonObject>();
  volumes.forEach((volume, index) => {
    const place = `${specPlace}.volumes[${index}]`;
    const before = errors.length;
    checkSource(volume, place, errors);
    const name = textAt(volume, 'name');
    if (name === '') errors.push(required(`${place}.name`));
    else if (good.has(name)) errors.push(duplicate(`${place}.name`, name));
    else checkFormat(name, `${place}.name`, dnsLabel, errors);
    if (errors.length === before) good.set(name, volume);
  });
  return good;
}

/** A second source is not looked at. */
function checkSource(volume: JsonObject, place: string, errors: Errors): void {
  let found = 0;
  for (const { member, field = member, secondAs = field, rule } of SOURCES) {
    const source = objectAt(volume, member);
    if (source === undefined) continue;
    found += 1;
    if (found > 1) errors.push(forbiddenField(`${place}.${secondAs}`, 'may not specify more than 1 volume type'));
    else rule(source, `${place}.${field}`, errors);
  }
}
