/** How messages about a custom resource show a value. */
import { formatGoSyntax } from '../../values/go-syntax';
import type { JsonValue } from '../../values/json';

/** A value of any type as upstream's messages show it. */
export function shownValue(value: JsonValue): string {
  return value === null ? '"null"' : formatGoSyntax(value);
}
