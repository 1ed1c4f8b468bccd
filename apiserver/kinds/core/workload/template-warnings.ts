/** What is worth a warning about a workload: its name, and the template of its Pods, whenever what is wished for changes. */
import type { JsonObject } from '../../../../shared/values/json';
import { podWarnings } from '../pod-template/warnings';
import type { Strategy } from '../../../registry/strategy';
import { nameWarnings } from './name-warnings';
import type { CoreV1PodTemplateSpec, MetaV1ObjectMeta } from '../../../../shared/api/types/generated/members';

type Workload = JsonObject & { readonly metadata?: MetaV1ObjectMeta };
type Owner = { readonly template?: CoreV1PodTemplateSpec };

/** The warnings of a strategy, to be spread into it. */
export type Warnings<T extends JsonObject> = Required<Pick<Strategy<T>, 'warningsOnCreate' | 'warningsOnUpdate'>>;
/** Of the object that has the template, at its place. */
type OwnerWarnings<O> = (owner: O, place: string) => readonly string[];

/** `ownerOf` finds what has the template, `place` is where that stands; empty = the object itself. */
export function templateWarnings<T extends Workload, O extends Owner>(
  ownerOf: (object: T) => O | undefined,
  place: string,
  ofOwner: OwnerWarnings<O> = () => [],
): Warnings<T> {
  const below = place === '' ? 'template.' : `${place}.template.`;
  const warnings = (object: T): readonly string[] => {
    const owner = ownerOf(object);
    const template = owner?.template;
    return [...(owner === undefined ? [] : ofOwner(owner, place)), ...(template === undefined ? [] : podWarnings(template, below))];
  };
  return { warningsOnCreate: warnings, warningsOnUpdate: (object, old) => (isWishedAnew(object, old) ? warnings(object) : []) };
}

export const isWishedAnew = (object: Workload, old: Workload): boolean => object.metadata?.generation !== old.metadata?.generation;

/** Of a workload whose Pods bear its name. */
export function workloadWarnings<T extends Workload, O extends Owner>(
  ownerOf: (object: T) => O | undefined,
  place: string,
  ofOwner?: OwnerWarnings<O>,
): Warnings<T> {
  const ofTemplate = templateWarnings(ownerOf, place, ofOwner);
  return {
    ...ofTemplate,
    warningsOnCreate: (object) => [...nameWarnings(object), ...ofTemplate.warningsOnCreate(object)],
  };
}
