/** `--authorization-mode` as data: which words there are and what each adds to the chain. */
import { builtIn, masters } from './built-in';
import { ALL_RULES, ALLOW, NO_RULES, type Authorizer, type Decision } from './authorizer';

const alwaysAllow: Authorizer = { authorize: (): Decision => ALLOW, rules: () => ALL_RULES };
const alwaysDeny: Authorizer = {
  authorize: (): Decision => ({ type: 'no-opinion', reason: 'Everything is forbidden.' }),
  rules: () => NO_RULES,
};

/** `BuiltIn`: the default roles of upstream that need no stored rules. */
export const AUTHORIZATION_MODES = ['BuiltIn', 'AlwaysAllow', 'AlwaysDeny'] as const;
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

const BY_MODE: Readonly<Record<AuthorizationMode, Authorizer>> = { BuiltIn: builtIn, AlwaysAllow: alwaysAllow, AlwaysDeny: alwaysDeny };

/** The chain for the modes given, in their order; masters always come first. */
export function authorizersFor(modes: readonly AuthorizationMode[]): readonly Authorizer[] {
  return [masters, ...modes.map((mode) => BY_MODE[mode])];
}
