/**
 * Fields of a version that upstream moves to the top level of the spec when all versions have the same value; then
 * they are validated once, under another field path.
 */
import { appendAll } from '../../../shared/values/append';
import { equalJson, type JsonValue } from '../../../shared/values/json';
import type { Errors } from '../rules/checks';
import { checkPrinterColumns, checkScaleSubresource } from './printer-columns';
import { validateSchema } from './schema/validate-schema';
import { checkSelectableFields } from './selectable-fields';
import type { ApiextensionsV1CustomResourceDefinitionVersion } from '../../../shared/api/types/generated/members';

type Version = ApiextensionsV1CustomResourceDefinitionVersion;

/** A field that may be shared by all versions. */
export interface VersionField {
  readonly member: keyof Version;
  /** Name below `spec` when all versions have the same value. */
  readonly topLevelName: string;
  readonly isSameInAll: (versions: readonly Version[]) => boolean;
  /** `fieldPath` is that of the member, not of the version. */
  readonly check: (version: Version, fieldPath: string, errors: Errors, context: VersionContext) => void;
}

/** The context of the version that a check depends on. */
export interface VersionContext {
  /** Whether the version, or any version when the value is shared, has a status subresource. */
  readonly hasStatus: boolean;
}

/** In upstream's order. */
export const VERSION_FIELDS: readonly VersionField[] = [
  createVersionField('schema', 'validation', (version, fieldPath, errors, context) => {
    const schema = version.schema?.openAPIV3Schema;
    if (schema !== undefined) appendAll(errors, validateSchema(schema, `${fieldPath}.openAPIV3Schema`, context));
  }),
  createVersionField('subresources', 'subresources', checkScaleSubresource),
  createVersionField('additionalPrinterColumns', 'additionalPrinterColumns', checkPrinterColumns),
  createVersionField('selectableFields', 'selectableFields', checkSelectableFields),
];

function createVersionField(member: keyof Version, topLevelName: string, check: VersionField['check']): VersionField {
  const valueIn = (version: Version | undefined): JsonValue => version?.[member] ?? null;
  const isSameInAll = ([first, ...others]: readonly Version[]): boolean =>
    others.every((other) => equalJson(valueIn(other), valueIn(first)));
  return { member, topLevelName, isSameInAll, check };
}
