/** The parts of a version that all versions may have alike; upstream then keeps and names them once for the whole definition. */
import type { FieldError } from '../../../shared/api/errors/field-error';
import { equalJson, objectAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { columnErrors, scaleErrors } from './columns';
import { schemaErrors } from './schema/schema';
import { selectableErrors } from './selectable';

export interface Part {
  readonly member: string;
  /** What upstream calls it below `spec` when all versions have it alike. */
  readonly sharedPlace: string;
  isAlike(versions: readonly JsonObject[]): boolean;
  errors(version: JsonObject, place: string): readonly FieldError[];
}

/** In upstream's order. */
export const PARTS: readonly Part[] = [
  part('schema', 'validation', (version, place) => {
    const schema = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema');
    return schema === undefined ? [] : schemaErrors(schema, `${place}.openAPIV3Schema`);
  }),
  part('subresources', 'subresources', scaleErrors),
  part('additionalPrinterColumns', 'additionalPrinterColumns', columnErrors),
  part('selectableFields', 'selectableFields', selectableErrors),
];

function part(member: string, sharedPlace: string, errors: Part['errors']): Part {
  const read = (version: JsonObject | undefined): JsonValue => version?.[member] ?? null;
  return { member, sharedPlace, errors, isAlike: ([first, ...others]) => others.every((other) => equalJson(read(other), read(first))) };
}
