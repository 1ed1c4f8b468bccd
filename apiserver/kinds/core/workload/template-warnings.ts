/** What is worth a warning about a workload: its name, and the template of its Pods, whenever what is wished for changes. */
import type { JsonObject } from '../../../../shared/values/json';
import { podWarnings } from '../pod-template/warnings';
import type { Strategy } from '../../../registry/strategy';
import { podNameWarnings } from './name-warnings';
import type { CoreV1PodTemplateSpec, MetaV1ObjectMeta } from '../../../../shared/api/types/generated/members';

type Workload = JsonObject & { readonly metadata?: MetaV1ObjectMeta };
type TemplateHolder = { readonly template?: CoreV1PodTemplateSpec };

/** The warnings of a strategy, to be spread into it. */
export type WarningRules<T extends JsonObject> = Required<Pick<Strategy<T>, 'warningsOnCreate' | 'warningsOnUpdate'>>;
/** Of the object that has the template, at its place. */
type HolderWarnings<O> = (holder: O, fieldPath: string) => readonly string[];

/** `ownerOf` finds what has the template, `place` is where that stands; empty = the object itself. */
export function templateWarnings<T extends Workload, O extends TemplateHolder>(
  holderOf: (object: T) => O | undefined,
  fieldPath: string,
  holderWarnings: HolderWarnings<O> = () => [],
): WarningRules<T> {
  const templatePath = fieldPath === '' ? 'template.' : `${fieldPath}.template.`;
  const warnings = (object: T): readonly string[] => {
    const holder = holderOf(object);
    const template = holder?.template;
    return [
      ...(holder === undefined ? [] : holderWarnings(holder, fieldPath)),
      ...(template === undefined ? [] : podWarnings(template, templatePath)),
    ];
  };
  return { warningsOnCreate: warnings, warningsOnUpdate: (object, old) => (isSpecChanged(object, old) ? warnings(object) : []) };
}

export const isSpecChanged = (object: Workload, old: Workload): boolean => object.metadata?.generation !== old.metadata?.generation;

/** Of a workload whose Pods bear its name. */
export function workloadWarnings<T extends Workload, O extends TemplateHolder>(
  holderOf: (object: T) => O | undefined,
  fieldPath: string,
  holderWarnings?: HolderWarnings<O>,
): WarningRules<T> {
  const rules = templateWarnings(holderOf, fieldPath, holderWarnings);
  return {
    ...rules,
    warningsOnCreate: (object) => [...podNameWarnings(object), ...rules.warningsOnCreate(object)],
  };
}
