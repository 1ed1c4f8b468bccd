/**
 * Creates the links of the chain of authorizers from the flags, or from a configuration file that may change while the
 * server runs. A link is an authorizer, or the name of one that the server creates itself, such as Node and RBAC. A
 * change of the file may add and remove webhooks only.
 */
import { readFileSync } from 'node:fs';
import { appendAll } from '../../shared/values/append';
import { parseDuration } from '../../shared/cli/duration';
import { createAuthorizerWebhookRecorder } from '../metrics/condition-metrics';
import type { Meters } from '../metrics/registry/meters';
import type { Logger } from '../../shared/runtime/logger';
import { abacAuthorizer } from '../authorization/abac';
import type { Authorizer } from '../authorization/authorizer';
import { webhookAuthorizer } from '../authorization/webhook/authorizer';
import { compileMatchConditions } from '../authorization/webhook/match-conditions';
import type { AuthorizerLink } from '../server/access/authorizers';
import { authorizationFormat, type AuthorizationConfiguration, type ConfiguredWebhook } from './authorization-configuration';
import type { ServerFlags } from './flags/flags';
import { createWebhookCaller, KubeconfigWebhook, openWebhook, type KubeconfigWebhookDependencies } from './webhooks';

/** Dependencies of the configured authorizers. */
export interface AuthorizerLinkDependencies extends KubeconfigWebhookDependencies {
  readonly logger: Logger;
  readonly meters: Meters;
}

/** Time limit of a call of a webhook that flags configure; upstream's default for webhooks. */
const TIMEOUT_MS = 30_000;
/** Name of the webhook authorizer that flags configure. */
const DEFAULT_NAME = 'default';
/** Default of `authorizedTTL` of a configured webhook, as upstream's. */
const AUTHORIZED_TTL_MS = 5 * 60_000;
/** Default of `unauthorizedTTL` of a configured webhook, as upstream's. */
const UNAUTHORIZED_TTL_MS = 30_000;

/**
 * Resolves to a function that returns the links: the same list until the configuration changes. While a changed file is
 * unusable, the previous links stay in use. Rejects when a file is unusable at the start.
 */
export async function openAuthorizerLinks(flags: ServerFlags, deps: AuthorizerLinkDependencies): Promise<() => readonly AuthorizerLink[]> {
  const file = flags['authorization-config'];
  if (file === '') {
    const links = await Promise.all(flags['authorization-mode'].map((mode) => linkFromMode(mode, flags, deps)));
    return () => links;
  }
  let links: readonly AuthorizerLink[] = [];
  let webhooks: readonly KubeconfigWebhook[] = [];
  let fixedTypes: string | undefined;
  await deps.configurations.loadConfiguration({
    name: 'authorization',
    path: file,
    formats: [authorizationFormat({ hasSelectors: hasSelectors(flags) })],
    apply(configuration) {
      const newFixedTypes = fixedTypesOf(configuration);
      if (fixedTypes !== undefined && fixedTypes !== newFixedTypes) {
        throw new Error(
          `authorizers other than webhooks cannot be added or removed while the server runs: ${fixedTypes}, not ${newFixedTypes}`,
        );
      }
      const newWebhooks: KubeconfigWebhook[] = [];
      const files: string[] = [];
      links = configuration.authorizers.map((authorizer) =>
        linkFromConfiguration(authorizer, flags, deps, (kubeconfig) => {
          const webhook = new KubeconfigWebhook(kubeconfig, deps.clock);
          appendAll(files, webhook.read());
          newWebhooks.push(webhook);
          return webhook;
        }),
      );
      for (const webhook of webhooks) webhook.closeAfterCalls();
      webhooks = newWebhooks;
      fixedTypes = newFixedTypes;
      return files;
    },
  });
  return () => links;
}

async function linkFromMode(
  mode: ServerFlags['authorization-mode'][number],
  flags: ServerFlags,
  deps: AuthorizerLinkDependencies,
): Promise<AuthorizerLink> {
  switch (mode) {
    case 'ABAC':
      return abacFromFlags(flags);
    case 'Webhook':
      return webhookFromFlags(await openWebhook('authorization-webhook', flags['authorization-webhook-config-file'], deps), flags, deps);
    default:
      return mode;
  }
}

function linkFromConfiguration(
  { type, name, webhook }: AuthorizationConfiguration['authorizers'][number],
  flags: ServerFlags,
  deps: AuthorizerLinkDependencies,
  openKubeconfig: (file: string) => KubeconfigWebhook,
): AuthorizerLink {
  switch (type) {
    case 'ABAC':
      return abacFromFlags(flags);
    case 'Webhook':
      // The validation of the file guarantees a webhook.
      if (webhook === undefined) throw new Error('an authorizer of type Webhook needs a webhook');
      return webhookFromConfiguration({ ...webhook, name }, openKubeconfig(webhook.connectionInfo.kubeConfigFile ?? ''), flags, deps);
    default:
      return type;
  }
}

/** The types other than Webhook, which a changed file must keep, as sorted text: `Node, RBAC`. */
const fixedTypesOf = ({ authorizers }: AuthorizationConfiguration): string =>
  authorizers
    .map(({ type }) => type)
    .filter((type) => type !== 'Webhook')
    .sort()
    .join(', ');

function abacFromFlags(flags: ServerFlags): Authorizer {
  const file = flags['authorization-policy-file'];
  return abacAuthorizer(file, readFileSync(file, 'utf8'));
}

function webhookFromFlags(webhook: KubeconfigWebhook, flags: ServerFlags, deps: AuthorizerLinkDependencies): Authorizer {
  return webhookAuthorizer({
    ...commonOptions(DEFAULT_NAME, flags, deps),
    send: createWebhookCaller(webhook, deps, { timeoutMs: TIMEOUT_MS }),
    version: flags['authorization-webhook-version'],
    allowedTtlMs: flags['authorization-webhook-cache-authorized-ttl'],
    notAllowedTtlMs: flags['authorization-webhook-cache-unauthorized-ttl'],
    onFailure: 'NoOpinion',
    matchConditions: undefined,
  });
}

function webhookFromConfiguration(
  configured: ConfiguredWebhook & { readonly name: string },
  webhook: KubeconfigWebhook,
  flags: ServerFlags,
  deps: AuthorizerLinkDependencies,
): Authorizer {
  const { name, matchConditions = [], timeout, authorizedTTL, unauthorizedTTL } = configured;
  const compiled = compileMatchConditions(
    matchConditions.map(({ expression }) => expression),
    { hasSelectors: hasSelectors(flags) },
  );
  return webhookAuthorizer({
    ...commonOptions(name, flags, deps),
    send: createWebhookCaller(webhook, deps, { timeoutMs: parseDuration(timeout) ?? TIMEOUT_MS }),
    version: configured.subjectAccessReviewVersion,
    allowedTtlMs: parseDuration(authorizedTTL ?? '') ?? AUTHORIZED_TTL_MS,
    notAllowedTtlMs: parseDuration(unauthorizedTTL ?? '') ?? UNAUTHORIZED_TTL_MS,
    onFailure: configured.failurePolicy,
    matchConditions: 'conditions' in compiled && matchConditions.length > 0 ? compiled.conditions : undefined,
  });
}

const hasSelectors = (flags: ServerFlags): boolean => flags['feature-gates'].isEnabled('AuthorizeWithSelectors');

function commonOptions(name: string, flags: ServerFlags, { clock, logger, meters }: AuthorizerLinkDependencies) {
  const onError = (message: string, error: unknown): void => logger.warn(message, { error });
  return { dialect: flags.naming, clock, metrics: createAuthorizerWebhookRecorder(meters, name), onError } as const;
}

/** The error of the combined flags; `undefined` when they are valid. `given`: names of the flags on the command line. */
export function authorizationFlagError(flags: ServerFlags, given: ReadonlySet<string>): string | undefined {
  const modes = flags['authorization-mode'];
  const file = flags['authorization-config'];
  if (file !== '' && given.has('authorization-mode')) return '--authorization-config and --authorization-mode are mutually exclusive';
  const hasPolicyFile = flags['authorization-policy-file'] !== '';
  if (file === '' && modes.includes('ABAC') !== hasPolicyFile) {
    return '--authorization-mode=ABAC and --authorization-policy-file must be set together';
  }
  const hasWebhookFile = flags['authorization-webhook-config-file'] !== '';
  if (modes.includes('Webhook') !== hasWebhookFile) {
    return '--authorization-mode=Webhook and --authorization-webhook-config-file must be set together';
  }
  return undefined;
}
