/**
 * The table of `--authorization-mode`: the known modes and the authorizer that each adds to the chain. Files and
 * webhooks of authorizers are opened by `apiserver/options`.
 */
import { whenResolved } from '../../../shared/runtime/maybe-promise';
import { isInMastersGroup } from '../../../shared/api/identity/user';
import { ALL_RULES, ALLOW, NO_OPINION, NO_RULES, type Authorizer, type Decision } from '../../authorization/authorizer';
import { nodeAuthorizer, type NodeAuthorizerDependencies } from '../../authorization/node/authorizer';
import { rbacAuthorizer } from '../../authorization/rbac/authorizer';
import { explainDecision } from '../../authorization/rbac/explain';
import type { RbacPolicy } from '../../authorization/rbac/policy';

/** Called for decisions that end the chain, with the mode and the name of the authorizer that made them. */
export type OnDecision = (mode: AuthorizationMode, name: string, decision: 'allowed' | 'denied') => void;

/** The state that authorizers read. */
export interface AuthorizerDependencies {
  /** Absent when decisions are not counted. */
  readonly onDecision?: OnDecision;
  readonly rbac: RbacPolicy;
  readonly node: NodeAuthorizerDependencies;
}

/** Group system:masters has unrestricted access and comes before every other authorizer. */
const mastersAuthorizer: Authorizer = {
  authorize: (user): Decision => (isInMastersGroup(user) ? ALLOW : NO_OPINION),
  // As upstream's, it resolves no rules: those that SelfSubjectRulesReview lists for the group come from its RBAC binding.
  rules: () => NO_RULES,
};
const alwaysAllow: Authorizer = { authorize: (): Decision => ALLOW, rules: () => ALL_RULES };
const alwaysDeny: Authorizer = {
  authorize: (): Decision => ({ type: 'deny', reason: 'Everything is forbidden.' }),
  rules: () => NO_RULES,
};

/** The values of `--authorization-mode`, as upstream's. */
export const AUTHORIZATION_MODES = ['Node', 'RBAC', 'ABAC', 'Webhook', 'AlwaysAllow', 'AlwaysDeny'] as const;
/** One of these values. */
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

/** Modes without configuration files or other servers. */
type BuiltInMode = Exclude<AuthorizationMode, 'ABAC' | 'Webhook'>;

/** A link of the chain: a mode, or an authorizer that is configured by a file or calls another server. */
export type AuthorizerLink = BuiltInMode | Authorizer;

/** Whether the chain contains a mode. The modes do not change while the server runs. */
export const usesMode = (links: readonly AuthorizerLink[], mode: BuiltInMode): boolean => links.includes(mode);

const AUTHORIZER_BY_MODE: Readonly<Record<BuiltInMode, (deps: AuthorizerDependencies) => Authorizer>> = {
  Node: ({ node }) => nodeAuthorizer(node),
  RBAC: ({ rbac }) => ({ ...rbacAuthorizer(rbac), explain: (user, attributes) => explainDecision(rbac, user, attributes) }),
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
};

/**
 * The authorizers for the links, in their order, after the one for `system:masters`. Links after AlwaysDeny are left
 * out: they grant nothing and list no rules.
 */
export function createAuthorizers(links: readonly AuthorizerLink[], deps: AuthorizerDependencies): readonly Authorizer[] {
  const end = links.indexOf('AlwaysDeny') + 1;
  return [
    mastersAuthorizer,
    ...(end === 0 ? links : links.slice(0, end)).map((link) =>
      typeof link === 'string' ? withDecisionCallback(AUTHORIZER_BY_MODE[link](deps), link, link.toLowerCase(), deps.onDecision) : link,
    ),
  ];
}

/** Decides as the authorizer does, and calls `onDecision`. */
function withDecisionCallback(
  authorizer: Authorizer,
  mode: AuthorizationMode,
  name: string,
  onDecision: OnDecision | undefined,
): Authorizer {
  if (onDecision === undefined) return authorizer;
  const report = (decision: Decision): Decision => {
    if (decision.type !== 'no-opinion') onDecision(mode, name, decision.type === 'allow' ? 'allowed' : 'denied');
    return decision;
  };
  return { ...authorizer, authorize: (user, attributes) => whenResolved(authorizer.authorize(user, attributes), report) };
}
