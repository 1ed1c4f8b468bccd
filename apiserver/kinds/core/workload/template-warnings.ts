/** What is worth a warning about a workload: its name, and the template of its Pods, whenever what is wished for changes. */
import { objectAt, own, type JsonObject } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { podWarnings } from '../pod-template/warnings';
import type { Strategy } from '../../../registry/strategy';
import { nameWarnings } from './name-warnings';

/** The warnings of a strategy, to be spread into it. */
export type Warnings = Required<Pick<Strategy, 'warningsOnCreate' | 'warningsOnUpdate'>>;
/** Of the object that has the template, at its place. */
type OwnerWarnings = (owner: JsonObject, place: string) => readonly string[];

/** `path` = the members on the way to the template's owner. */
export function templateWarnings(path: readonly string[], ofOwner: OwnerWarnings = () => []): Warnings {
  const place = path.join('.');
  const below = [...path, 'template', ''].join('.');
  const warnings = (object: JsonObject): readonly string[] => {
    let owner: JsonObject | undefined = object;
    for (const member of path) owner = objectAt(owner, member);
    const template = objectAt(owner, 'template');
    return [...(owner === undefined ? [] : ofOwner(owner, place)), ...(template === undefined ? [] : podWarnings(template, below))];
  };
  return { warningsOnCreate: warnings, warningsOnUpdate: (object, old) => (isWishedAnew(object, old) ? warnings(object) : []) };
}

export const isWishedAnew = (object: JsonObject, old: JsonObject): boolean =>
  own(readMetadata(object), 'generation') !== own(readMetadata(old), 'generation');

/** Of a workload whose Pods bear its name. */
export function workloadWarnings(path: readonly string[], ofOwner?: OwnerWarnings): Warnings {
  const ofTemplate = templateWarnings(path, ofOwner);
  return { ...ofTemplate, warningsOnCreate: (object) => [...nameWarnings(object), ...ofTemplate.warningsOnCreate(object)] };
}
