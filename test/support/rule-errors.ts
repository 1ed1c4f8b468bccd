/** The form in which recordings hold errors of validation rules (`x-kubernetes-validations`). */

/** Replaces the dump of a rule's Go struct in an error about the rule itself. */
const withoutRuleDump = (error: string): string =>
  error.replace(/Invalid value: apiextensions.ValidationRule\{.*?\}: (?=compilation|cel expr|program|messageE)/gs, 'Invalid value: R: ');

/** Sorted lines `<field>|<reason>|<message>`. */
export function ruleErrors(causes: readonly (readonly [field: string, reason: string, message: string])[]): string[] {
  return causes.map((cause) => withoutRuleDump(cause.join('|'))).sort();
}

/** Of the errors of a schema whose member `v` has the rule, those about the rule, without the path of the member. */
export function errorsOfMember(errors: readonly string[]): string[] {
  return errors
    .filter((error) => !error.includes('contributed to') && !error.includes('cost total for'))
    .map((error) => error.replace('S.properties[v]', ''));
}
