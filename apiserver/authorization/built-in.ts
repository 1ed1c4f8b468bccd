/**
 * What is allowed without any stored rule: everything to `system:masters`, discovery and questions about oneself to every authenticated user, health
 * and version to everyone (upstream's roles cluster-admin, system:discovery, system:basic-user, system:public-info-viewer,
 * system:monitoring, system:service-account-issuer-discovery).
 */
import type { UserInfo } from '../../shared/api/identity/user';
import {
  ALL_RULES,
  ALLOW,
  NO_OPINION,
  NO_RULES,
  type Attributes,
  type Authorizer,
  type Decision,
  type PathRule,
  type ResourceAttributes,
  type ResourceRule,
  type AccessRules,
} from './authorizer';

const MASTERS = 'system:masters';

/** Group system:masters has unrestricted access and comes before every other authorizer. */
export const masters: Authorizer = {
  authorize: (user: UserInfo): Decision => (user.groups.includes(MASTERS) ? ALLOW : NO_OPINION),
  // Whoever may do anything does so by no rule.
  rules: () => NO_RULES,
};

interface Grant {
  readonly group: string;
  readonly resources?: readonly ResourceRule[];
  readonly paths?: readonly PathRule[];
}

const PUBLIC = ['/healthz', '/livez', '/readyz', '/version', '/version/'];

const get = (paths: readonly string[]): readonly PathRule[] => [{ verbs: ['get'], paths }];
const create = (group: string, ...resources: string[]): ResourceRule => ({ verbs: ['create'], groups: [group], resources, names: [] });

const GRANTS: readonly Grant[] = [
  { group: MASTERS, resources: ALL_RULES.resources, paths: ALL_RULES.paths },
  {
    group: 'system:authenticated',
    resources: [
      create('authorization.platform.io', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'),
      create('authentication.platform.io', 'selfsubjectreviews'),
    ],
    paths: get(['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/openapi', '/openapi/*', '/readyz', '/version', '/version/']),
  },
  { group: 'system:authenticated', paths: get(PUBLIC) },
  { group: 'system:unauthenticated', paths: get(PUBLIC) },
  {
    group: 'system:monitoring',
    paths: get(['/healthz', '/healthz/*', '/livez', '/livez/*', '/metrics', '/metrics/slis', '/readyz', '/readyz/*']),
  },
  {
    group: 'system:serviceaccounts',
    paths: get(['/.well-known/openid-configuration', '/.well-known/openid-configuration/', '/openid/v1/jwks', '/openid/v1/jwks/']),
  },
];

export const builtIn: Authorizer = {
  authorize(user: UserInfo, attributes: Attributes): Decision {
    const allowed = GRANTS.some(({ group, resources = [], paths = [] }) => {
      if (!user.groups.includes(group)) return false;
      if (attributes.kind === 'resource') return resources.some((rule) => coversResource(rule, attributes));
      return paths.some((rule) => includes(rule.verbs, attributes.verb) && rule.paths.some((path) => coversPath(path, attributes.path)));
    });
    return allowed ? ALLOW : NO_OPINION;
  },

  rules(user: UserInfo): AccessRules {
    const grants = GRANTS.filter(({ group }) => user.groups.includes(group));
    return {
      ...NO_RULES,
      resources: grants.flatMap(({ resources = [] }) => resources),
      paths: grants.flatMap(({ paths = [] }) => paths),
    };
  },
};

function coversResource(rule: ResourceRule, { verb, group, resource, subresource }: ResourceAttributes): boolean {
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return includes(rule.verbs, verb) && includes(rule.groups, group) && includes(rule.resources, full);
}

function includes(list: readonly string[], word: string): boolean {
  return list.includes(word) || list.includes('*');
}

function coversPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
