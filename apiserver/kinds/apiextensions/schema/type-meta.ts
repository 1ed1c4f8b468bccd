/**
 * What a schema may say of the kind, apiVersion and metadata of an object, be it the resource itself or one inside it: no defaults of the resource's
 * own, none for keys that nobody knows, and no objects within.
 */
import { appendAll } from '../../../../shared/values/append';
import { forbiddenField, type FieldError } from '../../../../shared/api/errors/field-error';
import type { JsonObject } from '../../../../shared/values/json';
import { atRoot, below, type Placed } from './walk';

const TYPE_META = /^\.properties\[(apiVersion|kind|metadata)\]$/;
const EMBEDDED = 'x-kubernetes-embedded-resource';

export function typeMetaErrors(root: JsonObject, place: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  visit(atRoot(root, place), { top: '', isInside: false, isInMap: false }, true, errors);
  return errors;
}

interface Surroundings {
  /** The member of the resource itself within which the schema stands; '' = in none. */
  readonly top: string;
  /** Within such a member of the resource or of an object inside it. */
  readonly isInside: boolean;
  /** And there below a key that is not named. */
  readonly isInMap: boolean;
}

function visit({ schema, place }: Placed, around: Surroundings, isRoot: boolean, errors: FieldError[]): void {
  appendAll(errors, errorsAt(schema, place, around));
  for (const inner of below(schema, place)) {
    const { step } = inner;
    const member = isRoot || schema[EMBEDDED] === true ? TYPE_META.exec(step)?.[1] : undefined;
    const isInside = around.isInside || member !== undefined;
    const isInMap = around.isInMap || (around.isInside && step === '.additionalProperties');
    visit(inner, { top: isRoot ? (member ?? '') : around.top, isInside, isInMap }, false, errors);
  }
}

function errorsAt(schema: JsonObject, place: string, { top, isInside, isInMap }: Surroundings): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isInside && schema[EMBEDDED] === true)
    errors.push(forbiddenField(`${place}.${EMBEDDED}`, 'must not be used inside of resource meta'));
  if (schema['default'] === undefined) return errors;
  const text = isInMap ? 'must not be set inside additionalProperties applying to object metadata' : `must not be set in top-level ${top}`;
  return isInMap || top !== '' ? [...errors, forbiddenField(`${place}.default`, text)] : errors;
}
