/** `--authorization-mode` as data: which words there are and what each adds to the chain. */
import { whenKnown } from '../../../shared/runtime/eventually';
import { isMaster } from '../../../shared/api/identity/user';
import { ALL_RULES, ALLOW, NO_OPINION, NO_RULES, type Authorizer, type Decision } from '../../authorization/authorizer';
import { nodeAuthorizer, type NodeAuthorizerParts } from '../../authorization/node/authorizer';
import { rbacAuthorizer } from '../../authorization/rbac/authorizer';
import { explain } from '../../authorization/rbac/explain';
import type { RbacPolicy } from '../../authorization/rbac/policy';

/** Hears of decisions that end the chain, by the mode and the name of who made them. */
export type Decided = (mode: AuthorizationMode, name: string, decision: 'allowed' | 'denied') => void;

/** What authorizers look at. */
export interface AuthorizerParts {
  /** Absent = nobody wants to know. */
  readonly decided?: Decided;
  readonly rbac: RbacPolicy;
  readonly node: NodeAuthorizerParts;
}

/** Group system:masters has unrestricted access and comes before every other authorizer. */
const masters: Authorizer = {
  authorize: (user): Decision => (isMaster(user) ? ALLOW : NO_OPINION),
  // Whoever may do anything does so by no rule.
  rules: () => NO_RULES,
};
const alwaysAllow: Authorizer = { authorize: (): Decision => ALLOW, rules: () => ALL_RULES };
const alwaysDeny: Authorizer = {
  authorize: (): Decision => ({ type: 'deny', reason: 'Everything is forbidden.' }),
  rules: () => NO_RULES,
};

export const AUTHORIZATION_MODES = ['Node', 'RBAC', 'ABAC', 'Webhook', 'AlwaysAllow', 'AlwaysDeny'] as const;
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

/** Those that rest on what is stored, or on nothing. */
type OwnMode = Exclude<AuthorizationMode, 'ABAC' | 'Webhook'>;

/** One link of the chain: a mode, or an authorizer that files and other servers make up. */
export type AuthorizerLink = OwnMode | Authorizer;

/** Modes stay as they are while a server runs. */
export const usesMode = (links: readonly AuthorizerLink[], mode: OwnMode): boolean => links.includes(mode);

const BY_MODE: Readonly<Record<OwnMode, (parts: AuthorizerParts) => Authorizer>> = {
  Node: ({ node }) => nodeAuthorizer(node),
  RBAC: ({ rbac }) => ({ ...rbacAuthorizer(rbac), explain: (user, attributes) => explain(rbac, user, attributes) }),
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
};

/** The authorizers for the links, in their order, after the one for `system:masters`. Links after AlwaysDeny are left out: they grant nothing and list no rules. */
export function authorizersFor(links: readonly AuthorizerLink[], parts: AuthorizerParts): readonly Authorizer[] {
  const end = links.indexOf('AlwaysDeny') + 1;
  return [
    masters,
    ...(end === 0 ? links : links.slice(0, end)).map((link) =>
      typeof link === 'string' ? told(BY_MODE[link](parts), link, link.toLowerCase(), parts.decided) : link,
    ),
  ];
}

/** Decides as the authorizer does, and tells. */
function told(authorizer: Authorizer, mode: AuthorizationMode, name: string, decided: Decided | undefined): Authorizer {
  if (decided === undefined) return authorizer;
  const tell = (decision: Decision): Decision => {
    if (decision.type !== 'no-opinion') decided(mode, name, decision.type === 'allow' ? 'allowed' : 'denied');
    return decision;
  };
  return { ...authorizer, authorize: (user, attributes) => whenKnown(authorizer.authorize(user, attributes), tell) };
}
