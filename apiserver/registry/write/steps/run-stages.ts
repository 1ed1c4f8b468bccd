/**
 * Validates an object in the stages of its kind (registry/stages.ts): every error of the first group of stages with
 * errors is reported at once. Changes nothing; warnings are up to run-strategy.ts.
 */
import { withBoundedErrors, invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { invalid } from '../../../../shared/api/errors/status';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import {
  unqualifiedFinalizersErrors,
  validateMutableMetadata,
  validateMetadata,
  validateMetadataChange,
  validateGenerateName,
  type MetadataRules,
} from '../../../../shared/api/metadata/object-meta-rules';
import { spellingErrors } from '../../../../shared/api/types/metadata-fields';
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { checkPathSegment, checkPathSegmentPrefix, type NameCheck } from '../../../../shared/values/name-formats';
import type { ResourceInfo } from '../../object/resource-info';
import { CREATE, UPDATE, type Stage, type Stages } from '../../stages';
import type { StrategyContext, UpdateRules } from '../../strategy';

const NONE: readonly FieldError[] = [];

/** What the stages validate. */
export interface ValidatedObject {
  readonly info: ResourceInfo;
  /** The rules of the endpoint; `undefined` on create, and when the kind has none. */
  readonly rules: UpdateRules | undefined;
  readonly object: JsonObject;
  /** `undefined` on create. */
  readonly old: JsonObject | undefined;
  readonly context: StrategyContext;
}

/** Validates a new object in the stages of its kind for creates. Throws 422. */
export function validateCreation(info: ResourceInfo, object: JsonObject, context: StrategyContext): void {
  runStages(info.strategy.createStages ?? CREATE.usual, { info, rules: undefined, object, old: undefined, context });
  // Like rest.BeforeCreate, which checks after the rules of the kind that the name fits into a path.
  const name = stringAt(readMetadata(object), 'name') ?? '';
  const errors = checkPathSegment(name).map((text) => invalidValue('metadata.name', name, text));
  if (errors.length > 0) throw invalidObject(info, object, errors);
  refuseSpellingConflicts(info, object, undefined);
}

/** Validates a changed object. `rules`: of the endpoint. Throws 422. */
export function validateUpdate(validated: ValidatedObject & { readonly old: JsonObject }): void {
  const { info, rules, object, old } = validated;
  runStages(rules?.stages ?? UPDATE.change, validated);
  refuseSpellingConflicts(info, object, old);
}

/**
 * Validates each stage once, but reports its errors as often as it occurs. Throws after the first group with errors.
 */
function runStages(stages: Stages, validated: ValidatedObject): void {
  const validateStage = stageValidator(validated);
  for (const group of stages) {
    // Created with the first error, because most objects are valid.
    let errorsByStage: Map<Stage, readonly FieldError[]> | undefined;
    for (const [index, stage] of group.entries()) {
      const hasRun = group.indexOf(stage) !== index;
      if (hasRun) continue;
      const errors = withBoundedErrors(() => validateStage(stage));
      if (errors.length > 0) errorsByStage = (errorsByStage ?? new Map<Stage, readonly FieldError[]>()).set(stage, errors);
    }
    if (errorsByStage === undefined) continue;
    const reported = group.map((stage) => errorsByStage.get(stage) ?? NONE).filter(({ length }) => length > 0);
    const [first = NONE] = reported;
    throw invalidObject(validated.info, validated.object, reported.length === 1 ? first : reported.flat());
  }
}

type StageValidator = (stage: Stage) => readonly FieldError[];

function stageValidator({ info, rules, object, old, context }: ValidatedObject): StageValidator {
  const metadata = readMetadata(object);
  const { strategy } = info;
  // The stage `changed-metadata` finds no errors if `metadata` finds none.
  let isMetadataValid = false;
  return (stage) => {
    switch (stage) {
      case 'metadata': {
        const errors = old === undefined ? validateMetadata(metadata, nameRules(info, object)) : validateMutableMetadata(metadata);
        isMetadataValid = errors.length === 0;
        return errors;
      }
      case 'changed-metadata':
        return isMetadataValid ? NONE : validateMutableMetadata(metadata, { finalizers: 'unchecked' });
      case 'path-prefix':
        return validateGenerateName(metadata, checkPathSegmentPrefix);
      case 'name-prefix':
        return old === undefined ? NONE : validateGenerateName(metadata, nameRules(info, object).generateName);
      case 'metadata-change':
        return old === undefined ? NONE : validateMetadataChange(metadata, readMetadata(old));
      case 'finalizers':
        return info.requiresQualifiedFinalizers ? unqualifiedFinalizersErrors(metadata) : NONE;
      case 'early':
        return strategy.validateEarly?.(object, old, context) ?? NONE;
      case 'object':
        return strategy.validate?.(object, old, context) ?? NONE;
      case 'change':
        return old === undefined ? NONE : (rules?.validate?.(object, old, context) ?? NONE);
    }
  };
}

/** Throws 422 when labels or annotations have both spellings of a name with different values. */
function refuseSpellingConflicts(info: ResourceInfo, object: JsonObject, old: JsonObject | undefined): void {
  const errors = spellingErrors(object, old, info.hubCodec.metadataFields);
  if (errors.length > 0) throw invalidObject(info, object, errors);
}

/** The name format of the kind, and its rules for the name of this object. */
function nameRules({ metadataRules, strategy }: ResourceInfo, object: JsonObject): MetadataRules {
  if (strategy.validateName === undefined) return metadataRules;
  const withKindRules =
    (format: NameCheck): NameCheck =>
    (name) => [...format(name), ...(strategy.validateName?.(object, name) ?? [])];
  return { ...metadataRules, name: withKindRules(metadataRules.name), generateName: withKindRules(metadataRules.generateName) };
}

/** The rejection of the object: 422 with the errors. */
export function invalidObject(info: ResourceInfo, object: JsonObject, errors: readonly FieldError[]): Error {
  return invalid({ group: info.hub.group, kind: info.row.kind }, stringAt(readMetadata(object), 'name') ?? '', errors);
}
