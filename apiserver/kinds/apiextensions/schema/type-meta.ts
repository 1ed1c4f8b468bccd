/**
 * Validates the schemas of apiVersion, kind and metadata, of the resource and of embedded objects: no defaults at the
 * top level, none under `additionalProperties`, and no embedded objects within.
 */
import { appendAll } from '../../../../shared/values/append';
import { forbiddenField, type FieldError } from '../../../../shared/api/errors/field-error';
import type { JsonObject } from '../../../../shared/values/json';
import { locateRoot, subschemas, type LocatedSchema } from './subschemas';

const TYPE_META = /^\.properties\[(apiVersion|kind|metadata)\]$/;
const EMBEDDED = 'x-kubernetes-embedded-resource';

export function validateTypeMetaSchemas(root: JsonObject, fieldPath: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  visit(locateRoot(root, fieldPath), { topLevelMember: '', isInTypeMeta: false, isInAdditionalProperties: false }, true, errors);
  return errors;
}

interface SchemaContext {
  /** The top-level member that contains the schema; '' for none. */
  readonly topLevelMember: string;
  /** Within apiVersion, kind or metadata of the resource or of an embedded object. */
  readonly isInTypeMeta: boolean;
  /** Within such a member, below `additionalProperties`. */
  readonly isInAdditionalProperties: boolean;
}

function visit({ schema, fieldPath }: LocatedSchema, context: SchemaContext, isRoot: boolean, errors: FieldError[]): void {
  appendAll(errors, schemaErrors(schema, fieldPath, context));
  for (const inner of subschemas(schema, fieldPath)) {
    const { step } = inner;
    const member = isRoot || schema[EMBEDDED] === true ? TYPE_META.exec(step)?.[1] : undefined;
    const isInTypeMeta = context.isInTypeMeta || member !== undefined;
    const isInAdditionalProperties = context.isInAdditionalProperties || (context.isInTypeMeta && step === '.additionalProperties');
    visit(
      inner,
      { topLevelMember: isRoot ? (member ?? '') : context.topLevelMember, isInTypeMeta, isInAdditionalProperties },
      false,
      errors,
    );
  }
}

function schemaErrors(
  schema: JsonObject,
  fieldPath: string,
  { topLevelMember, isInTypeMeta, isInAdditionalProperties }: SchemaContext,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isInTypeMeta && schema[EMBEDDED] === true)
    errors.push(forbiddenField(`${fieldPath}.${EMBEDDED}`, 'must not be used inside of resource meta'));
  if (schema['default'] === undefined) return errors;
  const text = isInAdditionalProperties
    ? 'must not be set inside additionalProperties applying to object metadata'
    : `must not be set in top-level ${topLevelMember}`;
  return isInAdditionalProperties || topLevelMember !== '' ? [...errors, forbiddenField(`${fieldPath}.default`, text)] : errors;
}
