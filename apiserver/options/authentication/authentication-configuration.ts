/**
 * Schema and validation of the AuthenticationConfiguration file, and its conversion to issuer configurations. Reads no
 * file and opens no connection; token-issuers.ts does.
 */
import type { InvalidField } from '../../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../../shared/configuration/read-configuration';
import { booleanSchema, listSchema, objectSchema, stringSchema, enumSchema, type ValueOf } from '../../../shared/configuration/schema';
import { parseCertificates } from '../../../shared/pki/certificate-bundle';
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import { ALL_ALGORITHMS, type ClaimRule, type ClaimSource, type TokenIssuerConfig } from '../../authentication/oidc/issuer';
import { compileClaimsExpression } from '../../authentication/oidc/expressions';
import { compileClaimMapping } from '../../authentication/oidc/claim-mapping';

const source = objectSchema({}, { claim: stringSchema(), prefix: stringSchema(), expression: stringSchema() });
const issuer = objectSchema(
  { url: stringSchema('uri'), audiences: listSchema(stringSchema(), 1) },
  { discoveryURL: stringSchema(), certificateAuthority: stringSchema(), audienceMatchPolicy: enumSchema('MatchAny', '') },
);
const mappings = objectSchema(
  { username: source },
  {
    groups: source,
    uid: objectSchema({}, { claim: stringSchema(), expression: stringSchema() }),
    extra: listSchema(objectSchema({ key: stringSchema(), valueExpression: stringSchema() }, {})),
  },
);
const SCHEMA = objectSchema(
  {},
  {
    jwt: listSchema(
      objectSchema(
        { issuer, claimMappings: mappings },
        {
          claimValidationRules: listSchema(
            objectSchema({}, { claim: stringSchema(), requiredValue: stringSchema(), expression: stringSchema(), message: stringSchema() }),
          ),
          userValidationRules: listSchema(objectSchema({ expression: stringSchema() }, { message: stringSchema() })),
        },
      ),
    ),
    anonymous: objectSchema({}, { enabled: booleanSchema, conditions: listSchema(objectSchema({}, { path: stringSchema() })) }),
  },
);

/** The file with the issuers of tokens and the rule for anonymous requests. */
export type AuthenticationConfiguration = ValueOf<typeof SCHEMA>;
type Jwt = NonNullable<AuthenticationConfiguration['jwt']>[number];
type Anonymous = NonNullable<AuthenticationConfiguration['anonymous']>;
type Source = ValueOf<typeof source>;

/** Limit of `jwt`, as upstream's. */
const MAX_ISSUERS = 64;

/** The format of the file. `ownIssuers`: issuers of this server's service account tokens, which the file must not name. */
export function authenticationFormat(
  gates: Pick<FeatureGates, 'isEnabled'>,
  ownIssuers: readonly string[],
): ConfigurationFormat<AuthenticationConfiguration> {
  return {
    kind: 'AuthenticationConfiguration',
    apiVersions: ['apiserver.config.platform.io/v1alpha1', 'apiserver.config.platform.io/v1beta1'],
    schema: SCHEMA,
    validate: ({ jwt = [], anonymous }) => [
      ...(jwt.length > MAX_ISSUERS ? [{ path: 'jwt', reason: `must have at most ${MAX_ISSUERS} items` }] : []),
      ...jwt.flatMap((authenticator, index) => jwtErrors(authenticator, `jwt[${index}]`, jwt.slice(0, index), ownIssuers)),
      ...(anonymous === undefined ? [] : anonymousErrors(anonymous, gates)),
    ],
  };
}

function anonymousErrors({ enabled, conditions = [] }: Anonymous, gates: Pick<FeatureGates, 'isEnabled'>): readonly InvalidField[] {
  const errors: InvalidField[] = [];
  if (!gates.isEnabled('AnonymousAuthConfigurableEndpoints')) {
    errors.push({ path: 'anonymous', reason: 'is not supported when the feature gate AnonymousAuthConfigurableEndpoints is off' });
  }
  if (enabled !== true && conditions.length > 0) {
    errors.push({ path: 'anonymous.conditions', reason: 'must be empty when anonymous requests are disabled' });
  }
  return errors;
}

function jwtErrors(jwt: Jwt, path: string, earlier: readonly Jwt[], ownIssuers: readonly string[]): readonly InvalidField[] {
  const errors: InvalidField[] = [];
  const report: Report = (member, reason) => {
    errors.push({ path: `${path}.${member}`, reason });
  };
  reportIssuer(jwt, earlier, ownIssuers, report);
  const { username, groups, uid } = jwt.claimMappings;
  if (!isConfigured(username)) report('claimMappings.username', 'must have either a claim or an expression');
  reportSource(username, 'claimMappings.username', 'required', report);
  if (groups !== undefined) reportSource(groups, 'claimMappings.groups', 'required', report);
  if (uid !== undefined) reportSource(uid, 'claimMappings.uid', 'none', report);
  reportExtra(jwt, report);
  reportClaimRules(jwt, report);
  const userExpressions = (jwt.userValidationRules ?? []).map(({ expression }) => expression);
  for (const index of duplicateIndexes(userExpressions)) report(`userValidationRules[${index}].expression`, 'occurs twice');
  if (usesUnverifiedEmail(jwt)) report('claimMappings.username.expression', 'must use claims.email_verified together with claims.email');
  // Only a structurally valid mapping can be compiled.
  if (errors.length > 0) return errors;
  const compiled = compileClaimMapping(configOf(jwt));
  return 'errors' in compiled ? compiled.errors.map(({ path: member, reason }) => ({ path: `${path}.${member}`, reason })) : [];
}

/** Adds an error. `member`: path of the member, relative to the entry of `jwt`. */
type Report = (member: string, reason: string) => void;

function reportIssuer({ issuer: config }: Jwt, earlier: readonly Jwt[], ownIssuers: readonly string[], report: Report): void {
  const { url, discoveryURL = '', audiences, audienceMatchPolicy = '', certificateAuthority = '' } = config;
  const urlError = issuerUrlError(url);
  if (urlError !== undefined) report('issuer.url', urlError);
  if (earlier.some((other) => other.issuer.url === url)) report('issuer.url', 'is already the url of another issuer');
  if (ownIssuers.includes(url)) report('issuer.url', 'is the name of this server itself (--service-account-issuer)');
  const discoveryError = discoveryURL === '' ? undefined : issuerUrlError(discoveryURL);
  if (discoveryError !== undefined) report('issuer.discoveryURL', discoveryError);
  if (discoveryURL === url) report('issuer.discoveryURL', 'must differ from the url');
  if (discoveryURL !== '' && earlier.some((other) => other.issuer.discoveryURL === discoveryURL)) {
    report('issuer.discoveryURL', 'is already the discoveryURL of another issuer');
  }
  if (audiences.includes('')) report('issuer.audiences', 'must not be empty');
  for (const index of duplicateIndexes(audiences)) report(`issuer.audiences[${index}]`, 'occurs twice');
  if (audiences.length > 1 && audienceMatchPolicy === '') report('issuer.audienceMatchPolicy', 'must be MatchAny for several audiences');
  if (certificateAuthority !== '' && !hasValidCertificates(certificateAuthority)) {
    report('issuer.certificateAuthority', 'must contain at least one PEM certificate, and only valid ones');
  }
}

/** The error of an issuer URL or discovery URL; `undefined` when it is valid. */
function issuerUrlError(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'https:') return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (address.includes('?')) return 'must not have a query';
  return address.includes('#') ? 'must not have a fragment' : undefined;
}

function hasValidCertificates(bundle: string): boolean {
  try {
    return parseCertificates(bundle).length > 0;
  } catch {
    return false;
  }
}

/** The indexes of the texts that occur before; empty texts do not count. */
const duplicateIndexes = (texts: readonly string[]): readonly number[] =>
  texts.flatMap((text, index) => (text !== '' && texts.indexOf(text) < index ? [index] : []));

const isConfigured = ({ claim = '', expression = '' }: Source): boolean => claim !== '' || expression !== '';

/** `prefix`: whether a claim must have one, or cannot have any. */
function reportSource(config: Source, member: string, prefix: 'required' | 'none', report: Report): void {
  const { claim = '', expression = '' } = config;
  if (claim !== '' && expression !== '') report(member, 'must have either a claim or an expression');
  if (prefix === 'required' && claim !== '' && config.prefix === undefined) {
    report(`${member}.prefix`, 'is required with a claim; it may be empty');
  }
  if (expression !== '' && config.prefix !== undefined) report(`${member}.prefix`, 'cannot be combined with an expression');
}

/** A lowercase domain, a slash and a path: `example.com/team`. */
const EXTRA_KEY = /^[a-z0-9.-]+\/[a-z0-9/\-._~%!$&'()*+,;=:]+$/;

function reportExtra({ claimMappings: { extra = [] } }: Jwt, report: Report): void {
  extra.forEach(({ key }, index) => {
    if (!EXTRA_KEY.test(key)) report(`claimMappings.extra[${index}].key`, 'must be a path with a domain prefix, in lower case');
  });
  for (const index of duplicateIndexes(extra.map(({ key }) => key))) report(`claimMappings.extra[${index}].key`, 'occurs twice');
}

function reportClaimRules({ claimValidationRules: rules = [] }: Jwt, report: Report): void {
  rules.forEach(({ claim = '', requiredValue = '', expression = '', message = '' }, index) => {
    const path = `claimValidationRules[${index}]`;
    const hasClaim = claim !== '';
    const hasExpression = expression !== '';
    if (hasClaim === hasExpression) report(path, 'must have either a claim or an expression');
    else if (hasClaim && message !== '') report(`${path}.message`, 'cannot be combined with a claim');
    else if (hasExpression && requiredValue !== '') report(`${path}.requiredValue`, 'cannot be combined with an expression');
  });
  for (const member of ['claim', 'expression'] as const) {
    const values = rules.map((rule) => rule[member] ?? '');
    for (const index of duplicateIndexes(values)) report(`claimValidationRules[${index}].${member}`, 'occurs twice');
  }
}

/**
 * Whether the username is computed from `claims.email` while no expression reads `claims.email_verified`. An unverified
 * address could then impersonate another user.
 */
function usesUnverifiedEmail({ claimMappings, claimValidationRules = [] }: Jwt): boolean {
  const reads = (member: string, expression: string): boolean => {
    const compiled = compileClaimsExpression(expression);
    return 'expression' in compiled && compiled.expression.readsMember('claims', member);
  };
  const username = claimMappings.username.expression ?? '';
  if (!reads('email', username)) return false;
  const otherExpressions = [
    ...(claimMappings.extra ?? []).map(({ valueExpression }) => valueExpression),
    ...claimValidationRules.map(({ expression = '' }) => expression),
  ];
  return ![username, ...otherExpressions].some((expression) => reads('email_verified', expression));
}

/** The issuers of a valid configuration. */
export function issuersOf({ jwt = [] }: AuthenticationConfiguration): readonly TokenIssuerConfig[] {
  return jwt.map(configOf);
}

function configOf({
  issuer: issuerConfig,
  claimMappings: { username, groups, uid, extra = [] },
  claimValidationRules = [],
  userValidationRules = [],
}: Jwt): TokenIssuerConfig {
  return {
    url: issuerConfig.url,
    discoveryUrl: issuerConfig.discoveryURL === '' ? undefined : issuerConfig.discoveryURL,
    audiences: issuerConfig.audiences,
    authority: issuerConfig.certificateAuthority === '' ? undefined : issuerConfig.certificateAuthority,
    algorithms: ALL_ALGORITHMS,
    username: sourceOf(username),
    groups: groups !== undefined && isConfigured(groups) ? sourceOf(groups) : undefined,
    uid: uid !== undefined && isConfigured(uid) ? sourceOf(uid) : undefined,
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
