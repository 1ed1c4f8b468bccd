/** The file AuthenticationConfiguration: its form, its rules, and what it says as the authenticators want to know it. Reads no file. */
import type { Fault } from '../../shared/configuration/fault';
import type { Format } from '../../shared/configuration/read';
import { flag, listOf, object, text, word, type Configured } from '../../shared/configuration/schema';
import type { FeatureGates } from '../../shared/runtime/feature-gates';
import { ALL_ALGORITHMS, type ClaimRule, type ClaimSource, type TokenIssuerConfig } from '../authentication/oidc/issuer';
import { compileMapping } from '../authentication/oidc/mapping';

const source = object({}, { claim: text(), prefix: text(), expression: text() });
const issuer = object(
  { url: text('uri'), audiences: listOf(text(), 1) },
  { discoveryURL: text('uri'), certificateAuthority: text(), audienceMatchPolicy: word('MatchAny', '') },
);
const mappings = object(
  { username: source },
  {
    groups: source,
    uid: object({}, { claim: text(), expression: text() }),
    extra: listOf(object({ key: text(), valueExpression: text() }, {})),
  },
);
const SCHEMA = object(
  {},
  {
    jwt: listOf(
      object(
        { issuer, claimMappings: mappings },
        {
          claimValidationRules: listOf(object({}, { claim: text(), requiredValue: text(), expression: text(), message: text() })),
          userValidationRules: listOf(object({ expression: text() }, { message: text() })),
        },
      ),
    ),
    anonymous: object({ enabled: flag }, { conditions: listOf(object({ path: text() }, {})) }),
  },
);

export type AuthenticationConfiguration = Configured<typeof SCHEMA>;
type Jwt = NonNullable<AuthenticationConfiguration['jwt']>[number];
type Source = Configured<typeof source>;

const MOST_ISSUERS = 64;

/** `ownIssuers`: those of this server's own tokens. */
export function authenticationFormat(
  gates: Pick<FeatureGates, 'enabled'>,
  ownIssuers: readonly string[],
): Format<AuthenticationConfiguration> {
  return {
    kind: 'AuthenticationConfiguration',
    apiVersions: ['apiserver.config.platform.io/v1alpha1', 'apiserver.config.platform.io/v1beta1'],
    schema: SCHEMA,
    rules: ({ jwt = [], anonymous }) => [
      ...(jwt.length > MOST_ISSUERS ? [{ path: 'jwt', reason: `must have at most ${MOST_ISSUERS} items` }] : []),
      ...jwt.flatMap((one, index) => jwtFaults(one, `jwt[${index}]`, jwt.slice(0, index), ownIssuers)),
      ...(anonymous === undefined || gates.enabled('AnonymousAuthConfigurableEndpoints')
        ? []
        : [{ path: 'anonymous', reason: 'is not supported when the feature gate AnonymousAuthConfigurableEndpoints is off' }]),
      ...(anonymous?.enabled === false && (anonymous.conditions ?? []).length > 0
        ? [{ path: 'anonymous.conditions', reason: 'must be empty where nobody is let in' }]
        : []),
    ],
  };
}

function jwtFaults(jwt: Jwt, path: string, before: readonly Jwt[], ownIssuers: readonly string[]): readonly Fault[] {
  const { url, discoveryURL, audiences, audienceMatchPolicy = '' } = jwt.issuer;
  const faults: Fault[] = [];
  const fault = (member: string, reason: string): void => void faults.push({ path: `${path}.${member}`, reason });
  if (!url.startsWith('https://')) fault('issuer.url', 'must be an https address');
  if (before.some((other) => other.issuer.url === url)) fault('issuer.url', 'is that of another issuer');
  if (ownIssuers.includes(url)) fault('issuer.url', 'is the name of this server itself (--service-account-issuer)');
  if (discoveryURL !== undefined && !discoveryURL.startsWith('https://')) fault('issuer.discoveryURL', 'must be an https address');
  if (discoveryURL === url) fault('issuer.discoveryURL', 'must differ from the url');
  if (audiences.includes('')) fault('issuer.audiences', 'must not be empty');
  if (audiences.length > 1 && audienceMatchPolicy === '') fault('issuer.audienceMatchPolicy', 'must be MatchAny for several audiences');
  sourceFaults(jwt.claimMappings.username, 'claimMappings.username', 'required', fault);
  if (jwt.claimMappings.groups !== undefined) sourceFaults(jwt.claimMappings.groups, 'claimMappings.groups', 'required', fault);
  if (jwt.claimMappings.uid !== undefined) sourceFaults(jwt.claimMappings.uid, 'claimMappings.uid', 'none', fault);
  extraFaults(jwt, fault);
  if (namesUnprovenAddress(jwt)) fault('claimMappings.username.expression', 'must use claims.email_verified together with claims.email');
  if (faults.length > 0) return faults;
  const compiled = compileMapping(configOf(jwt));
  return 'faults' in compiled ? compiled.faults.map(({ path: member, reason }) => ({ path: `${path}.${member}`, reason })) : [];
}

type Report = (member: string, reason: string) => void;

function sourceFaults(given: Source, member: string, prefix: 'required' | 'none', fault: Report): void {
  const { claim = '', expression = '' } = given;
  if ((claim === '') === (expression === '')) fault(member, 'must have either a claim or an expression');
  if (prefix === 'required' && claim !== '' && given.prefix === undefined)
    fault(`${member}.prefix`, 'is required with a claim; it may be empty');
  if (expression !== '' && (given.prefix ?? '') !== '') fault(`${member}.prefix`, 'must be empty with an expression');
}

const KEY = /^[a-z0-9.-]+\/[^A-Z]+$/;

function extraFaults({ claimMappings: { extra = [] }, claimValidationRules = [] }: Jwt, fault: Report): void {
  extra.forEach(({ key }, index) => {
    if (!KEY.test(key)) fault(`claimMappings.extra[${index}].key`, 'must be a path with a domain before it, in lower case');
    if (extra.findIndex((other) => other.key === key) < index) fault(`claimMappings.extra[${index}].key`, 'occurs twice');
  });
  claimValidationRules.forEach(({ claim = '', expression = '' }, index) => {
    if ((claim === '') === (expression === '')) fault(`claimValidationRules[${index}]`, 'must have either a claim or an expression');
  });
}

const ADDRESS = /\bclaims\.\??email\b/;
const PROOF = /\bclaims\.\??email_verified\b/;

/** An address that was never proven to be somebody's must not name him. */
function namesUnprovenAddress({ claimMappings, claimValidationRules = [] }: Jwt): boolean {
  const name = claimMappings.username.expression ?? '';
  if (!ADDRESS.test(name)) return false;
  const others = [
    ...(claimMappings.extra ?? []).map(({ valueExpression }) => valueExpression),
    ...claimValidationRules.map(({ expression = '' }) => expression),
  ];
  return ![name, ...others].some((expression) => PROOF.test(expression));
}

/** Of a configuration that keeps the rules. */
export function issuersOf({ jwt = [] }: AuthenticationConfiguration): readonly TokenIssuerConfig[] {
  return jwt.map(configOf);
}

function configOf({
  issuer: from,
  claimMappings: { username, groups, uid, extra = [] },
  claimValidationRules = [],
  userValidationRules = [],
}: Jwt): TokenIssuerConfig {
  return {
    url: from.url,
    discoveryUrl: from.discoveryURL,
    audiences: from.audiences,
    authority: from.certificateAuthority,
    algorithms: ALL_ALGORITHMS,
    username: sourceOf(username),
    groups: groups === undefined ? undefined : sourceOf(groups),
    uid: uid === undefined ? undefined : sourceOf(uid),
    extra: extra.map(({ key, valueExpression }) => ({ key, expression: valueExpression })),
    claimRules: claimValidationRules.map(({ claim = '', requiredValue = '', expression = '', message = '' }): ClaimRule =>
      expression === '' ? { type: 'required', claim, value: requiredValue } : { type: 'expression', expression, message },
    ),
    userRules: userValidationRules.map(({ expression, message = '' }) => ({ expression, message })),
  };
}

function sourceOf({ claim = '', prefix = '', expression = '' }: Source): ClaimSource {
  return expression === '' ? { type: 'claim', claim, prefix } : { type: 'expression', expression };
}
