/** Formats a value of a custom resource for the messages of validation. */
import { formatGoSyntax } from '../../values/go-syntax';
import type { JsonValue } from '../../values/json';

/** A value of any type as upstream's messages show it: in Go syntax, `null` as a quoted word. */
export function shownValue(value: JsonValue): string {
  return value === null ? '"null"' : formatGoSyntax(value);
}
