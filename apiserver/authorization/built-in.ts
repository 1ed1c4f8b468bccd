/**
 * What is allowed without any stored rule: everything to `system:masters`, discovery to every authenticated user, health and version to
 * everyone (behaviour-reference §9.12: cluster-admin, system:discovery, system:public-info-viewer, system:monitoring).
 */
import type { UserInfo } from '../../shared/api/user';
import { ALLOW, NO_OPINION, type Attributes, type Authorizer, type Decision } from './contract';

/** Group system:masters has unrestricted access and comes before every other authorizer. */
export const masters: Authorizer = {
  authorize: (user: UserInfo): Decision => (user.groups.includes('system:masters') ? ALLOW : NO_OPINION),
};

interface PathRule {
  readonly group: string;
  /** Exact paths; a trailing `*` stands for anything. */
  readonly paths: readonly string[];
}

const PUBLIC = ['/livez', '/readyz', '/healthz', '/version', '/version/'];

const RULES: readonly PathRule[] = [
  { group: 'system:authenticated', paths: [...PUBLIC, '/openapi', '/openapi/*', '/api', '/api/*', '/apis', '/apis/*'] },
  { group: 'system:unauthenticated', paths: PUBLIC },
  {
    group: 'system:monitoring',
    paths: ['/metrics', '/metrics/slis', '/livez', '/readyz', '/healthz', '/livez/*', '/readyz/*', '/healthz/*'],
  },
];

export const publicPaths: Authorizer = {
  authorize(user: UserInfo, attributes: Attributes): Decision {
    if (attributes.kind === 'resource' || attributes.verb !== 'get') return NO_OPINION;
    const { path } = attributes;
    const allowed = RULES.some((rule) => user.groups.includes(rule.group) && rule.paths.some((pattern) => covers(pattern, path)));
    return allowed ? ALLOW : NO_OPINION;
  },
};

function covers(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
