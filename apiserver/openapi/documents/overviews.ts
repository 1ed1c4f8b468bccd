/**
 * The operations of paths that belong to no resource: discovery of API groups and of their versions, the release, and
 * the OpenID discovery documents. Each path has its own v3 document. Custom groups have no such path (upstream
 * behaviour).
 */
import type { JsonObject } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import { groupInDialect, JSON_MEDIA_TYPE, type Dialect } from '../../../shared/names/dialect';
import { groupNames } from './operation-names';
import { STRING_TYPE, type Operation, type PathEntry } from './operations';

/** The type of the response of `/version`. */
export const RELEASE_TYPE = 'version.Info';

/** The overviews of the groups of the rows, by document name: `apis/apps`. Group names are spelled in the dialect. */
export function overviewsOf(rows: readonly KindRow[], dialect: Dialect): ReadonlyMap<string, PathEntry> {
  const groups = new Set(rows.filter(({ custom, group }) => custom === undefined && group !== '').map(({ group }) => group));
  return new Map([...groups].map((group) => [`apis/${groupInDialect(dialect, group)}`, groupOverview(group, dialect)]));
}

/** The overviews of paths of the server as a whole, by document name. */
export const OVERVIEWS: ReadonlyMap<string, PathEntry> = new Map([
  [
    'api',
    overviewEntry({
      path: '/api/',
      tag: 'core',
      id: 'getCoreAPIVersions',
      description: 'The versions of the core group.',
      type: 'meta.v1.APIVersions',
    }),
  ],
  [
    'apis',
    overviewEntry({ path: '/apis/', tag: 'apis', id: 'getAPIVersions', description: 'The API groups.', type: 'meta.v1.APIGroupList' }),
  ],
  [
    'version',
    overviewEntry({
      path: '/version/',
      tag: 'version',
      id: 'getCodeVersion',
      description: 'The release of the server.',
      type: RELEASE_TYPE,
      mediaTypes: { produces: [JSON_MEDIA_TYPE], consumes: [JSON_MEDIA_TYPE] },
    }),
  ],
]);

/**
 * The overviews of the OpenID discovery documents of service account tokens, by document name. They are served only for
 * some issuers.
 */
export const OPENID_OVERVIEWS: ReadonlyMap<string, PathEntry> = new Map([
  [
    '.well-known/openid-configuration',
    overviewEntry({
      path: '/.well-known/openid-configuration/',
      tag: 'WellKnown',
      id: 'getServiceAccountIssuerOpenIDConfiguration',
      description: 'The OpenID configuration of the service account issuer.',
      type: STRING_TYPE,
      mediaTypes: { produces: [JSON_MEDIA_TYPE] },
    }),
  ],
  [
    'openid/v1/jwks',
    overviewEntry({
      path: '/openid/v1/jwks/',
      tag: 'openid',
      id: 'getServiceAccountIssuerOpenIDKeyset',
      description: 'The public keys with which service account tokens are verified.',
      type: STRING_TYPE,
      mediaTypes: { produces: ['application/jwk-set+json'] },
    }),
  ],
]);

function groupOverview(group: string, dialect: Dialect): PathEntry {
  const { tag, prefix } = groupNames(group);
  return overviewEntry({
    path: `/apis/${groupInDialect(dialect, group)}/`,
    tag,
    id: `get${prefix}APIGroup`,
    description: 'The versions of the group.',
    type: 'meta.v1.APIGroup',
  });
}

/** A path that belongs to no resource, with its only operation, a GET. */
interface Overview extends Pick<PathEntry, 'mediaTypes' | 'path' | 'tag'>, Pick<Operation, 'description' | 'id'> {
  /** The type of the response. */
  readonly type: string;
}

function overviewEntry({ id, description, type, ...entry }: Overview): PathEntry {
  const responses = [{ code: 200, type }] as const;
  const operation: Operation = { method: 'get', id, description, parameters: [], responses, mayStream: false };
  return { ...entry, parameters: [], operations: [operation], isCustom: false };
}

/** In the order in which upstream lists the properties; in the next constant, in the order in which it requires them. */
const RELEASE_MEMBERS = ['buildDate', 'compiler', 'gitCommit', 'gitTreeState', 'gitVersion', 'goVersion', 'major', 'minor', 'platform'];
const REQUIRED_RELEASE_MEMBERS = [
  'major',
  'minor',
  'gitVersion',
  'gitCommit',
  'gitTreeState',
  'buildDate',
  'goVersion',
  'compiler',
  'platform',
];

/** The schema of the response of `/version`, which has no type in the tables. */
export function releaseSchema(version: 2 | 3): JsonObject {
  const member: JsonObject = version === 2 ? { type: 'string' } : { type: 'string', default: '' };
  return {
    description: 'The release of the server and how it was built.',
    type: 'object',
    required: REQUIRED_RELEASE_MEMBERS,
    properties: Object.fromEntries(RELEASE_MEMBERS.map((name) => [name, member])),
  };
}
