/**
 * Paths of values in a custom resource, in the notation of upstream's messages. Built while an object is checked, and
 * formatted only for an error.
 */

/** A member of the schema, a list index, or a key that the schema does not name. */
export type FieldPathElement = string | number | { readonly key: string };

/** `spec.list[0].map[key].a`. */
export function formatFieldPath(path: readonly FieldPathElement[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (typeof step === 'object') text += `[${step.key}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
