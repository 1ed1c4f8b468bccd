/** The parts of a version that all versions may have alike; upstream then keeps and names them once for the whole definition. */
import { appendAll } from '../../../shared/values/append';
import { equalJson, type JsonValue } from '../../../shared/values/json';
import type { Errors } from '../rules/checks';
import { checkColumns, checkScale } from './columns';
import { schemaErrors } from './schema/schema';
import { checkSelectable } from './selectable';
import type { ApiextensionsV1CustomResourceDefinitionVersion } from '../../../shared/api/types/generated/members';

type Version = ApiextensionsV1CustomResourceDefinitionVersion;

export interface DefinitionPart {
  readonly member: keyof Version;
  /** What upstream calls it below `spec` when all versions have it alike. */
  readonly sharedPlace: string;
  isAlike(versions: readonly Version[]): boolean;
  /** `hasStatus` = somebody who has it alike has a status endpoint. */
  check(version: Version, place: string, errors: Errors, hasStatus: boolean): void;
}

/** In upstream's order. */
export const PARTS: readonly DefinitionPart[] = [
  part('schema', 'validation', (version, place, errors, hasStatus) => {
    const schema = version.schema?.openAPIV3Schema;
    if (schema !== undefined) appendAll(errors, schemaErrors(schema, `${place}.openAPIV3Schema`, hasStatus));
  }),
  part('subresources', 'subresources', checkScale),
  part('additionalPrinterColumns', 'additionalPrinterColumns', checkColumns),
  part('selectableFields', 'selectableFields', checkSelectable),
];

function part(member: keyof Version, sharedPlace: string, check: DefinitionPart['check']): DefinitionPart {
  const read = (version: Version | undefined): JsonValue => version?.[member] ?? null;
  return { member, sharedPlace, check, isAlike: ([first, ...others]) => others.every((other) => equalJson(read(other), read(first))) };
}
