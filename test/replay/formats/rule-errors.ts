/** The form in which recordings hold errors of validation rules (`x-kubernetes-validations`). */

/** The dump of a rule's Go struct in an error about the rule itself. */
const RULE_DUMP = /Invalid value: apiextensions.ValidationRule\{.*?\}: (?=compilation|cel expr|program|messageE)/gs;
/** The name of the type of `self`, which ends with a random number. */
const SELF_TYPE = /\bselfType\d+/g;

/** Sorted lines `<field>|<reason>|<message>`. */
export function ruleErrors(causes: readonly (readonly [field: string, reason: string, message: string])[]): string[] {
  return causes.map((cause) => cause.join('|').replace(RULE_DUMP, 'Invalid value: R: ').replace(SELF_TYPE, 'selfType')).sort();
}

/**
 * Filters the errors of a schema with the rule on its member `v`: those about the rule, without the path of the member.
 */
export function errorsOfMember(errors: readonly string[]): string[] {
  return errors
    .filter((error) => !error.includes('contributed to') && !error.includes('cost total for'))
    .map((error) => error.replace('S.properties[v]', ''));
}
