/**
 * Validates the schemas of `apiVersion`, `kind` and `metadata` in the schema of a custom resource, at its top level and
 * in embedded objects. They must not contain embedded objects, nor defaults below `additionalProperties`. At the top
 * level they must not contain any defaults. The files beside this one have the other rules of structural schemas.
 */
import { appendAll } from '../../../../shared/values/append';
import { forbiddenField, type FieldError } from '../../../../shared/api/errors/field-error';
import type { JsonObject } from '../../../../shared/values/json';
import { locateRoot, subschemas, type LocatedSchema } from './subschemas';

/** The step to one of the members, such as `.properties[kind]`. */
const TYPE_META = /^\.properties\[(apiVersion|kind|metadata)\]$/;
const EMBEDDED = 'x-kubernetes-embedded-resource';

const ROOT_CONTEXT: SchemaContext = { isRoot: true, topLevelMember: '', isInTypeMeta: false, isInAdditionalProperties: false };

export function validateTypeMetaSchemas(root: JsonObject, fieldPath: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  visit(locateRoot(root, fieldPath), ROOT_CONTEXT, errors);
  return errors;
}

/** The position of a schema in the schema of a custom resource. */
interface SchemaContext {
  readonly isRoot: boolean;
  /** The top-level member that contains the schema; '' for none. */
  readonly topLevelMember: string;
  /** Whether it is within apiVersion, kind or metadata of the resource or of an embedded object. */
  readonly isInTypeMeta: boolean;
  /** Whether it is within such a member, below `additionalProperties`. */
  readonly isInAdditionalProperties: boolean;
}

function visit({ schema, fieldPath }: LocatedSchema, context: SchemaContext, errors: FieldError[]): void {
  appendAll(errors, schemaErrors(schema, fieldPath, context));
  for (const inner of subschemas(schema, fieldPath)) {
    const { step } = inner;
    const isObjectRoot = context.isRoot || schema[EMBEDDED] === true;
    const typeMetaMember = isObjectRoot ? TYPE_META.exec(step)?.[1] : undefined;
    const innerContext: SchemaContext = {
      isRoot: false,
      topLevelMember: context.isRoot ? (typeMetaMember ?? '') : context.topLevelMember,
      isInTypeMeta: context.isInTypeMeta || typeMetaMember !== undefined,
      isInAdditionalProperties: context.isInAdditionalProperties || (context.isInTypeMeta && step === '.additionalProperties'),
    };
    visit(inner, innerContext, errors);
  }
}

function schemaErrors(
  schema: JsonObject,
  fieldPath: string,
  { topLevelMember, isInTypeMeta, isInAdditionalProperties }: SchemaContext,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isInTypeMeta && schema[EMBEDDED] === true) {
    errors.push(forbiddenField(`${fieldPath}.${EMBEDDED}`, 'must not be used inside of resource meta'));
  }
  if (schema['default'] === undefined) return errors;
  const text = isInAdditionalProperties
    ? 'must not be set inside additionalProperties applying to object metadata'
    : `must not be set in top-level ${topLevelMember}`;
  return isInAdditionalProperties || topLevelMember !== '' ? [...errors, forbiddenField(`${fieldPath}.default`, text)] : errors;
}
