/**
 * Operations of the discovery and version paths: API groups, versions of a group, and the release. Each has its own v3
 * document. Custom groups have none (upstream behaviour).
 */
import type { JsonObject } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import { groupInDialect, JSON_MEDIA_TYPE, type Dialect } from '../../../shared/names/dialect';
import { groupIdOf, STRING_TYPE, type PathEntry } from './operations';

export const RELEASE_TYPE = 'version.Info';

/** By document name. The groups are those of the rows that are listed in the dialect. */
export function overviewsOf(rows: readonly KindRow[], dialect: Dialect): ReadonlyMap<string, PathEntry> {
  const groups = new Set(rows.filter(({ custom, group }) => custom === undefined && group !== '').map(({ group }) => group));
  return new Map([...groups].map((group) => [`apis/${groupInDialect(dialect, group)}`, groupOverview(group, dialect)]));
}

/** Paths of the server as a whole. */
export const OVERVIEWS: ReadonlyMap<string, PathEntry> = new Map([
  ['api', overview('/api/', 'core', 'getCoreAPIVersions', 'The versions of the core group.', 'meta.v1.APIVersions')],
  ['apis', overview('/apis/', 'apis', 'getAPIVersions', 'The API groups.', 'meta.v1.APIGroupList')],
  [
    'version',
    {
      ...overview('/version/', 'version', 'getCodeVersion', 'The release of the server.', RELEASE_TYPE),
      mediaTypes: { produces: [JSON_MEDIA_TYPE], consumes: [JSON_MEDIA_TYPE] },
    },
  ],
]);

/** The OpenID discovery documents of service account tokens, which are served only for some issuers. */
export const OPENID_OVERVIEWS: ReadonlyMap<string, PathEntry> = new Map([
  [
    '.well-known/openid-configuration',
    {
      ...overview(
        '/.well-known/openid-configuration/',
        'WellKnown',
        'getServiceAccountIssuerOpenIDConfiguration',
        'The OpenID configuration of the service account issuer.',
        STRING_TYPE,
      ),
      mediaTypes: { produces: [JSON_MEDIA_TYPE] },
    },
  ],
  [
    'openid/v1/jwks',
    {
      ...overview(
        '/openid/v1/jwks/',
        'openid',
        'getServiceAccountIssuerOpenIDKeyset',
        'The public keys with which service account tokens are verified.',
        STRING_TYPE,
      ),
      mediaTypes: { produces: ['application/jwk-set+json'] },
    },
  ],
]);

function groupOverview(group: string, dialect: Dialect): PathEntry {
  const { tag, prefix } = groupIdOf(group);
  return overview(
    `/apis/${groupInDialect(dialect, group)}/`,
    tag,
    `get${prefix}APIGroup`,
    'The versions of the group.',
    'meta.v1.APIGroup',
  );
}

function overview(path: string, tag: string, id: string, description: string, type: string): PathEntry {
  const responses = [{ code: 200, type }] as const;
  return {
    path,
    tag,
    parameters: [],
    operations: [{ method: 'get', id, description, parameters: [], responses, watchable: false }],
  };
}

const RELEASE_MEMBERS = ['buildDate', 'compiler', 'gitCommit', 'gitTreeState', 'gitVersion', 'goVersion', 'major', 'minor', 'platform'];
const RELEASE_ORDER = ['major', 'minor', 'gitVersion', 'gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform'];

/** The response of `/version` has no type in the tables. */
export function releaseSchema(version: 2 | 3): JsonObject {
  const member: JsonObject = version === 2 ? { type: 'string' } : { type: 'string', default: '' };
  return {
    description: 'The release of the server and how it was built.',
    type: 'object',
    required: RELEASE_ORDER,
    properties: Object.fromEntries(RELEASE_MEMBERS.map((name) => [name, member])),
  };
}
