/**
 * Warnings about a workload: its name at creation, and its Pod template whenever the generation changes. An update that
 * leaves the spec as it is repeats none.
 */
import type { JsonObject } from '../../../../shared/values/json';
import { podWarnings } from '../pod-template/warnings';
import type { Strategy } from '../../../registry/strategy';
import { podNameWarnings } from './name-warnings';
import type { CoreV1PodTemplateSpec, MetaV1ObjectMeta } from '../../../../shared/api/types/generated/members';

type Workload = JsonObject & { readonly metadata?: MetaV1ObjectMeta };
/** A spec or other object with a Pod template. */
type TemplateHolder = { readonly template?: CoreV1PodTemplateSpec };

/** Warning hooks, to be spread into a strategy. */
export type WarningRules<T extends JsonObject> = Required<Pick<Strategy<T>, 'warningsOnCreate' | 'warningsOnUpdate'>>;
/** Returns warnings about the object that holds the template; `fieldPath` is its path. */
type HolderWarnings<O> = (holder: O, fieldPath: string) => readonly string[];

/** `holderOf` returns the spec or other object with the template; `fieldPath` is its path, empty for the object itself. */
export function createTemplateWarnings<T extends Workload, O extends TemplateHolder>(
  holderOf: (object: T) => O | undefined,
  fieldPath: string,
  holderWarnings: HolderWarnings<O> = () => [],
): WarningRules<T> {
  const templatePath = fieldPath === '' ? 'template.' : `${fieldPath}.template.`;
  const warnings = (object: T): readonly string[] => {
    const holder = holderOf(object);
    if (holder === undefined) return [];
    const templateWarnings = holder.template === undefined ? [] : podWarnings(holder.template, templatePath);
    return [...holderWarnings(holder, fieldPath), ...templateWarnings];
  };
  return { warningsOnCreate: warnings, warningsOnUpdate: (object, old) => (isSpecChanged(object, old) ? warnings(object) : []) };
}

/** Whether an update changed the spec: the generation counts its changes. */
export const isSpecChanged = (object: Workload, old: Workload): boolean => object.metadata?.generation !== old.metadata?.generation;

/** As {@link createTemplateWarnings}, with warnings about the name, for workloads of which Pods get their names. */
export function createWorkloadWarnings<T extends Workload, O extends TemplateHolder>(
  holderOf: (object: T) => O | undefined,
  fieldPath: string,
  holderWarnings?: HolderWarnings<O>,
): WarningRules<T> {
  const rules = createTemplateWarnings(holderOf, fieldPath, holderWarnings);
  return {
    ...rules,
    warningsOnCreate: (object) => [...podNameWarnings(object), ...rules.warningsOnCreate(object)],
  };
}
