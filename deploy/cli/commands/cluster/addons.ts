/** `platform addons`: installs, lists and deletes the add-ons that a cluster with real nodes needs. */
import { isConflict } from '../../../../shared/client/rest/api-error';
import type { Addon, AddonSettings } from '../../../addons/addon';
import { ADDONS, applyAddon, deleteAddon, manifestOf, readAddonState, type AddonState } from '../../../addons/manage-addons';
import { CommandError, type CommandHost } from '../../terminal/host';
import { formatTable } from '../../terminal/text-table';
import { NETWORK_FLAGS, type AddonsApplyFlags, type AddonsListFlags, type ClusterFlags } from './flags';
import { networkOf, readJoinAddress } from './nodes';
import { withCluster, type OpenCluster } from './open-cluster';

/**
 * `platform addons apply`. Resolves to the exit code 0. With `--print` it writes the manifest and changes nothing. Throws
 * {@link CommandError} for an unknown add-on, for a cluster that nodes cannot join, and for a conflict with
 * another manager.
 */
export async function applyAddonCommand(flags: AddonsApplyFlags, operands: readonly string[], host: CommandHost): Promise<number> {
  const addon = addonOf(operands);
  return withCluster(flags, host, async (cluster) => {
    const settings = await settingsOf(addon, flags, cluster);
    if (flags.print) {
      host.write(manifestOf(addon, settings));
      return 0;
    }
    const onApplied = (name: string): void => host.write(`${name} applied\n`);
    await applyAddon(cluster.client, { addon, settings, force: flags['force-conflicts'], onApplied }, cluster.signal).catch(
      (error: unknown) => {
        if (isConflict(error)) throw new CommandError(`${error.message}\n--force-conflicts takes over the fields`);
        throw error;
      },
    );
    return 0;
  });
}

/** `platform addons list`. Resolves to the exit code 0. */
export async function listAddonsCommand(flags: AddonsListFlags, host: CommandHost): Promise<number> {
  return withCluster(flags, host, async ({ client, signal }) => {
    const states = await Promise.all(ADDONS.map((addon) => readAddonState(client, addon, signal)));
    host.write(flags.output === 'json' ? `${JSON.stringify(states.map(stateDocument), undefined, 2)}\n` : statesTable(states));
    return 0;
  });
}

/** For JSON, which has no `undefined`: `image` is null when the add-on is not installed. */
const stateDocument = ({ image, ...others }: AddonState) => ({ ...others, image: image ?? null });

function statesTable(states: readonly AddonState[]): string {
  const rows = states.map(({ name, image, readyPods, desiredPods }) =>
    image === undefined ? [name, '<not installed>', ''] : [name, image, `${readyPods}/${desiredPods}`],
  );
  return formatTable(['ADDON', 'IMAGE', 'READY'], rows);
}

/**
 * `platform addons delete`. Resolves to the exit code 0, also when objects are missing. Throws {@link CommandError} for an
 * unknown add-on and for a cluster that nodes cannot join.
 */
export async function deleteAddonCommand(flags: ClusterFlags, operands: readonly string[], host: CommandHost): Promise<number> {
  const addon = addonOf(operands);
  return withCluster(flags, host, async (cluster) => {
    // The names of an add-on's objects do not depend on its settings, and deleting needs only names.
    const defaults = { 'cluster-domain': NETWORK_FLAGS['cluster-domain'].default, 'cluster-cidr': '', image: '' };
    const settings = await settingsOf(addon, defaults, cluster);
    const onDeleted = (name: string): void => host.write(`${name} deleted\n`);
    await deleteAddon(cluster.client, { addon, settings, onDeleted }, cluster.signal);
    return 0;
  });
}

function addonOf([name = '']: readonly string[]): Addon {
  const addon = ADDONS.find((candidate) => candidate.name === name);
  if (addon === undefined) throw new CommandError(`there is no add-on ${JSON.stringify(name)}`);
  return addon;
}

async function settingsOf(
  addon: Addon,
  flags: Pick<AddonsApplyFlags, 'cluster-domain' | 'cluster-cidr' | 'image'>,
  cluster: OpenCluster,
): Promise<AddonSettings> {
  const { server } = await readJoinAddress(cluster);
  return { image: flags.image || addon.defaultImage, network: networkOf(flags, cluster), server };
}
