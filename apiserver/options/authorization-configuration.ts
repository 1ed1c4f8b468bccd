/**
 * Schema and validation of the AuthorizationConfiguration file: the authorizers in order. Reads no file and calls no
 * webhook; authorizer-links.ts creates the authorizers.
 */
import type { InvalidField } from '../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../shared/configuration/read-configuration';
import { DURATION_FORMAT, listSchema, objectSchema, stringSchema, enumSchema, type ValueOf } from '../../shared/configuration/schema';
import { parseDuration } from '../../shared/cli/duration';
import { appendAll } from '../../shared/values/append';
import { compileMatchConditions } from '../authorization/webhook/match-conditions';

const webhook = objectSchema(
  {
    timeout: stringSchema(DURATION_FORMAT),
    subjectAccessReviewVersion: enumSchema('v1', 'v1beta1'),
    failurePolicy: enumSchema('NoOpinion', 'Deny'),
    connectionInfo: objectSchema({ type: enumSchema('KubeConfigFile', 'InClusterConfig') }, { kubeConfigFile: stringSchema() }),
  },
  {
    authorizedTTL: stringSchema(DURATION_FORMAT),
    unauthorizedTTL: stringSchema(DURATION_FORMAT),
    matchConditionSubjectAccessReviewVersion: enumSchema('v1'),
    matchConditions: listSchema(objectSchema({ expression: stringSchema() }, {})),
  },
);
const SCHEMA = objectSchema(
  {
    authorizers: listSchema(
      objectSchema({ type: enumSchema('Webhook', 'Node', 'RBAC', 'ABAC', 'AlwaysAllow', 'AlwaysDeny'), name: stringSchema() }, { webhook }),
      1,
    ),
  },
  {},
);

/** The file with all authorizers, in the order in which they are asked. */
export type AuthorizationConfiguration = ValueOf<typeof SCHEMA>;
/** One of the authorizers; its `type` decides which other members it may have. */
export type ConfiguredAuthorizer = AuthorizationConfiguration['authorizers'][number];
/** The settings of an authorizer that is a webhook. */
export type ConfiguredWebhook = NonNullable<ConfiguredAuthorizer['webhook']>;

/** Limit of the match conditions of a webhook, as upstream's. */
const MAX_CONDITIONS = 64;
/** Limit of `timeout`, as upstream's. */
const MAX_TIMEOUT_MS = 30_000;
/** A name such as `team-a.example.com`, of at most 253 characters. */
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

interface ConditionOptions {
  /** Whether match conditions may use the selectors of a request (feature gate AuthorizeWithSelectors). */
  readonly hasSelectors: boolean;
}

/** Reads and validates the file; what match conditions may contain depends on `options`. */
export const authorizationFormat = (options: ConditionOptions): ConfigurationFormat<AuthorizationConfiguration> => ({
  kind: 'AuthorizationConfiguration',
  apiVersions: ['apiserver.config.platform.io/v1alpha1', 'apiserver.config.platform.io/v1beta1'],
  schema: SCHEMA,
  validate: ({ authorizers }) =>
    authorizers.flatMap((authorizer, index) => authorizerErrors(authorizer, `authorizers[${index}]`, authorizers.slice(0, index), options)),
});

function authorizerErrors(
  authorizer: ConfiguredAuthorizer,
  path: string,
  earlier: readonly ConfiguredAuthorizer[],
  options: ConditionOptions,
): readonly InvalidField[] {
  const errors: InvalidField[] = [];
  const { name, type, webhook: config } = authorizer;
  if (!NAME.test(name)) errors.push({ path: `${path}.name`, reason: 'must be a lowercase RFC 1123 subdomain' });
  if (earlier.some((other) => other.name === name)) {
    errors.push({ path: `${path}.name`, reason: 'is already the name of another authorizer' });
  }
  if (type === 'Webhook') {
    if (config === undefined) errors.push({ path: `${path}.webhook`, reason: 'is required' });
    else appendAll(errors, webhookErrors(config, `${path}.webhook`, options));
    return errors;
  }
  if (earlier.some((other) => other.type === type)) errors.push({ path: `${path}.type`, reason: `${type} may occur only once` });
  if (config !== undefined) errors.push({ path: `${path}.webhook`, reason: `must not be set for type ${type}` });
  return errors;
}

function webhookErrors(config: ConfiguredWebhook, path: string, options: ConditionOptions): readonly InvalidField[] {
  const { connectionInfo, matchConditions = [], matchConditionSubjectAccessReviewVersion } = config;
  const timeout = parseDuration(config.timeout) ?? 0;
  const errors: InvalidField[] = [];
  const report = (member: string, reason: string): void => {
    errors.push({ path: `${path}.${member}`, reason });
  };
  if (timeout <= 0 || timeout > MAX_TIMEOUT_MS) report('timeout', 'must be more than 0s and at most 30s');
  for (const member of ['authorizedTTL', 'unauthorizedTTL'] as const) {
    const ttlMs = parseDuration(config[member] ?? '') ?? 0;
    if (ttlMs < 0) report(member, 'must not be negative');
  }
  if (connectionInfo.type === 'InClusterConfig') {
    report('connectionInfo.type', 'InClusterConfig is not supported: the API server would call itself');
  } else if ((connectionInfo.kubeConfigFile ?? '') === '') report('connectionInfo.kubeConfigFile', 'is required');
  if (matchConditions.length > MAX_CONDITIONS) report('matchConditions', `must have at most ${MAX_CONDITIONS} items`);
  if (matchConditions.length > 0 && matchConditionSubjectAccessReviewVersion === undefined) {
    report('matchConditionSubjectAccessReviewVersion', 'is required');
  }
  const compiled = compileMatchConditions(
    matchConditions.map(({ expression }) => expression),
    options,
  );
  if ('errors' in compiled) {
    for (const { index, reason } of compiled.errors) report(`matchConditions[${index}].expression`, reason);
  }
  return errors;
}
