/** Where in a custom resource a value stands, as messages say it. */

/** A member that the schema names, an index, or a key that it does not name. */
export type PathPart = string | number | { readonly key: string };

/** `spec.list[0].map[key].a`. */
export function fieldText(path: readonly PathPart[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (typeof step === 'object') text += `[${step.key}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
