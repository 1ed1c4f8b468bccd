/** `platform token`: creates, lists and deletes bootstrap tokens, with which machines join the cluster. */
import {
  BOOTSTRAP_TOKEN_USAGES,
  isBootstrapperGroup,
  isBootstrapTokenId,
  parseBootstrapToken,
  type BootstrapToken,
  type BootstrapTokenUsage,
} from '../../../../shared/api/identity/bootstrap-token';
import { isAlreadyExists, isNotFound } from '../../../../shared/client/rest/api-error';
import { UsageError } from '../../../../shared/cli/flags';
import { BOOTSTRAP_SECRET_PREFIX } from '../../../../shared/names/bootstrap-token';
import { createToken, deleteToken, formatToken, generateToken, listTokens, type TokenSettings } from '../../../nodes/bootstrap-tokens';
import { joinCommand } from '../../../nodes/join-command';
import { CommandError, type CommandHost } from '../../terminal/host';
import { formatTable } from '../../terminal/text-table';
import { formatSpan } from '../../terminal/units';
import { TOKEN_DEFAULTS, type ClusterFlags, type TokenCreateFlags, type TokenListFlags } from './flags';
import { prepareCluster, warnAboutLoopback } from './nodes';
import { assertServesNodes, withCluster } from './open-cluster';

/**
 * `platform token create`. Resolves to the exit code 0. The token is random unless it is given. With
 * `--print-join-command` the cluster is prepared for nodes first. Throws {@link UsageError} for invalid flags, and
 * {@link CommandError} when the id is in use or nodes cannot join.
 */
export async function createBootstrapToken(flags: TokenCreateFlags, [given]: readonly string[], host: CommandHost): Promise<number> {
  const settings = settingsOf(flags, given, host);
  return withCluster(flags, host, async (cluster) => {
    const { client, signal } = cluster;
    if (flags['print-join-command']) assertServesNodes(cluster);
    const address = flags['print-join-command'] ? (await prepareCluster(flags, cluster)).address : undefined;
    await createToken(client, settings, signal).catch((error: unknown) => {
      if (isAlreadyExists(error)) throw new CommandError(`a token with the id ${settings.token.id} exists`);
      throw error;
    });
    if (address !== undefined) warnAboutLoopback(address, host);
    host.write(`${address === undefined ? formatToken(settings.token) : joinCommand(address, settings.token)}\n`);
    return 0;
  });
}

/** Throws {@link UsageError} for what no token may have. */
function settingsOf(flags: TokenCreateFlags, given: string | undefined, { random, clock }: CommandHost): TokenSettings {
  const token = given === undefined ? generateToken(random) : parseBootstrapToken(given);
  if (token === undefined)
    throw new UsageError(`${JSON.stringify(given)} is not a token: 6 characters, a dot and 16 characters of a-z and 0-9`);
  const groups = flags.groups.length === 0 ? TOKEN_DEFAULTS.groups : flags.groups;
  const invalidGroup = groups.find((group) => !isBootstrapperGroup(group));
  if (invalidGroup !== undefined)
    throw new UsageError(`--groups: ${JSON.stringify(invalidGroup)} is not system:bootstrappers: and characters of a-z, 0-9, - and :`);
  const names = flags.usages.length === 0 ? TOKEN_DEFAULTS.usages : flags.usages;
  const invalidUsage = names.find((name) => !isUsage(name));
  if (invalidUsage !== undefined)
    throw new UsageError(`--usages: ${JSON.stringify(invalidUsage)} is not one of ${BOOTSTRAP_TOKEN_USAGES.join(', ')}`);
  const usages = BOOTSTRAP_TOKEN_USAGES.filter((usage) => names.includes(usage));
  if (!usages.includes('authentication') && flags.groups.length > 0) throw new UsageError('--groups needs the usage authentication');
  return {
    token,
    description: flags.description,
    expiresAt: flags.ttl === 0 ? Infinity : clock.now() + flags.ttl,
    usages,
    groups: usages.includes('authentication') ? groups : [],
  };
}

const isUsage = (name: string): name is BootstrapTokenUsage => BOOTSTRAP_TOKEN_USAGES.some((usage) => usage === name);

/** `platform token list`. Resolves to the exit code 0. */
export async function printTokens(flags: TokenListFlags, host: CommandHost): Promise<number> {
  return withCluster(flags, host, async ({ client, signal }) => {
    const tokens = await listTokens(client, signal);
    host.write(
      flags.output === 'json' ? `${JSON.stringify(tokens.map(tokenDocument), undefined, 2)}\n` : tokensTable(tokens, host.clock.now()),
    );
    return 0;
  });
}

const expirationOf = ({ expiresAt }: TokenSettings): string | null =>
  Number.isFinite(expiresAt) ? new Date(expiresAt).toISOString() : null;

/** `expires` is null for a token that does not expire, and for one with a malformed expiration. */
const tokenDocument = (settings: TokenSettings) => ({
  token: formatToken(settings.token),
  expires: expirationOf(settings),
  usages: settings.usages,
  description: settings.description,
  groups: settings.groups,
});

/** `now`: milliseconds since 1970. */
export function tokensTable(tokens: readonly TokenSettings[], now: number): string {
  const rows = tokens.map((settings) => [
    formatToken(settings.token),
    ttlText(settings.expiresAt, now),
    expirationOf(settings)?.replace('.000', '') ?? '<never>',
    settings.usages.join(',') || '<none>',
    settings.description || '<none>',
    settings.groups.join(',') || '<none>',
  ]);
  return formatTable(['TOKEN', 'TTL', 'EXPIRES', 'USAGES', 'DESCRIPTION', 'EXTRA GROUPS'], rows);
}

/** A token with a malformed expiration counts as expired, as the API server treats it. */
function ttlText(expiresAt: number, now: number): string {
  if (expiresAt === Infinity) return '<forever>';
  return expiresAt <= now ? '<expired>' : formatSpan(expiresAt - now);
}

/**
 * `platform token delete`. Resolves to the exit code 0. Each operand is a token or the id of one. Throws
 * {@link UsageError} for any other operand, and {@link CommandError} for a token that does not exist; tokens before it
 * are deleted then.
 */
export async function deleteTokens(flags: ClusterFlags, operands: readonly string[], host: CommandHost): Promise<number> {
  const ids = operands.map(idOf);
  return withCluster(flags, host, async ({ client, signal }) => {
    for (const id of ids) {
      await deleteToken(client, id, signal).catch((error: unknown) => {
        if (isNotFound(error)) throw new CommandError(`there is no token with the id ${id} (Secret ${BOOTSTRAP_SECRET_PREFIX}${id})`);
        throw error;
      });
      host.write(`bootstrap token ${JSON.stringify(id)} deleted\n`);
    }
    return 0;
  });
}

function idOf(operand: string): string {
  const token: Pick<BootstrapToken, 'id'> | undefined = isBootstrapTokenId(operand) ? { id: operand } : parseBootstrapToken(operand);
  if (token === undefined) throw new UsageError(`${JSON.stringify(operand)} is neither a token nor the id of one`);
  return token.id;
}
