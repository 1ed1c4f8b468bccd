/** Applies the rules of metadata and kind stage by stage, in the order that the kind says. Changes nothing. */
import { withBoundedErrors, invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { invalid } from '../../../shared/api/errors/status';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import {
  unqualifiedFinalizersErrors,
  validateMutableMetadata,
  validateMetadata,
  validateMetadataChange,
  validateGenerateName,
  type MetadataRules,
} from '../../../shared/api/metadata/object-meta-rules';
import { spellingErrors } from '../../../shared/api/types/metadata-fields';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { checkPathSegment, checkPathSegmentPrefix, type NameCheck } from '../../../shared/values/name-formats';
import type { ResourceInfo } from '../object/resource-info';
import { CREATE, UPDATE, type Stage, type Stages } from '../stages';
import type { StrategyContext, UpdateRules } from '../strategy';

const NONE: readonly FieldError[] = [];

/** What comes before allocation and all other rules. Throws a 422 StatusError. */
export function prepareForAllocation(info: ResourceInfo, object: JsonObject, old: JsonObject | undefined, context: StrategyContext): void {
  const errors = info.strategy.prepareForAllocation?.(object, old, context) ?? NONE;
  if (errors.length > 0) throw refused(info, object, errors);
}

/** Throws a 422 StatusError. */
export function validateCreation(info: ResourceInfo, object: JsonObject, context: StrategyContext): void {
  const metadata = readMetadata(object);
  const { strategy } = info;
  judge(info, object, strategy.createStages ?? CREATE.usual, (stage) => {
    switch (stage) {
      case 'metadata':
        return validateMetadata(metadata, nameRules(info, object));
      case 'finalizers':
        return info.wantsQualifiedFinalizers ? unqualifiedFinalizersErrors(metadata) : NONE;
      case 'early':
        return strategy.validateEarly?.(object, undefined, context) ?? NONE;
      case 'object':
        return strategy.validate?.(object, undefined, context) ?? NONE;
      case 'path-prefix':
      case 'name-prefix':
      case 'changed-metadata':
      case 'metadata-change':
      case 'change':
        return NONE;
    }
  });
  const name = stringAt(metadata, 'name') ?? '';
  const faults = checkPathSegment(name).map((text) => invalidValue('metadata.name', name, text));
  if (faults.length > 0) throw refused(info, object, faults);
  refuseSpellingConflicts(info, object, undefined);
}

/** Throws a 422 StatusError when labels or annotations have both spellings of a name with different values. */
function refuseSpellingConflicts(info: ResourceInfo, object: JsonObject, old: JsonObject | undefined): void {
  const errors = spellingErrors(object, old, info.hubCodec.metadataFields);
  if (errors.length > 0) throw refused(info, object, errors);
}

/** The format of the kind's names, and what else the object demands of its own. */
function nameRules({ metadataRules, strategy }: ResourceInfo, object: JsonObject): MetadataRules {
  if (strategy.validateName === undefined) return metadataRules;
  const both =
    (format: NameCheck): NameCheck =>
    (name) => [...format(name), ...(strategy.validateName?.(object, name) ?? [])];
  return { ...metadataRules, name: both(metadataRules.name), generateName: both(metadataRules.generateName) };
}

/** `rules` = those of the endpoint. Throws a 422 StatusError. */
export function validateUpdate(
  info: ResourceInfo,
  rules: UpdateRules | undefined,
  object: JsonObject,
  old: JsonObject,
  context: StrategyContext,
): void {
  const metadata = readMetadata(object);
  const { strategy } = info;
  // Whatever is wrong with a change of metadata is wrong with them.
  let isFaultless = false;
  judge(info, object, rules?.stages ?? UPDATE.change, (stage) => {
    switch (stage) {
      case 'metadata': {
        const errors = validateMutableMetadata(metadata);
        isFaultless = errors.length === 0;
        return errors;
      }
      case 'changed-metadata':
        return isFaultless ? NONE : validateMutableMetadata(metadata, [], 'change');
      case 'path-prefix':
        return validateGenerateName(metadata, checkPathSegmentPrefix);
      case 'name-prefix':
        return validateGenerateName(metadata, nameRules(info, object).generateName);
      case 'metadata-change':
        return validateMetadataChange(metadata, readMetadata(old));
      case 'finalizers':
        return info.wantsQualifiedFinalizers ? unqualifiedFinalizersErrors(metadata) : NONE;
      case 'early':
        return strategy.validateEarly?.(object, old, context) ?? NONE;
      case 'object':
        return strategy.validate?.(object, old, context) ?? NONE;
      case 'change':
        return rules?.validate?.(object, old, context) ?? NONE;
    }
  });
  refuseSpellingConflicts(info, object, old);
}

/** Each stage is asked once, however often it is told. Throws when a group of stages has found something. */
function judge(info: ResourceInfo, object: JsonObject, stages: Stages, ask: (stage: Stage) => readonly FieldError[]): void {
  for (const group of stages) {
    let found: Map<Stage, readonly FieldError[]> | undefined;
    for (let index = 0; index < group.length; index += 1) {
      const stage = group[index];
      if (stage === undefined || group.indexOf(stage) !== index) continue;
      const errors = withBoundedErrors(() => ask(stage));
      if (errors.length > 0) found = (found ?? new Map<Stage, readonly FieldError[]>()).set(stage, errors);
    }
    if (found === undefined) continue;
    const told = group.map((stage) => found.get(stage) ?? NONE).filter(({ length }) => length > 0);
    const [only = NONE] = told;
    throw refused(info, object, told.length === 1 ? only : told.flat());
  }
}

function refused(info: ResourceInfo, object: JsonObject, errors: readonly FieldError[]): Error {
  return invalid({ group: info.hub.group, kind: info.kind }, stringAt(readMetadata(object), 'name') ?? '', errors);
}
