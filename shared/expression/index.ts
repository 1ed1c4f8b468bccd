/** What other folders use of the expression language. */
export { checkRules } from './custom/check-rules';
export { compileRules, type RuleOutcome, type Rules } from './custom/compile-rules';
