/** The commands `platform token`, `platform nodes` and `platform addons` against an API server. */
import { createBootstrapToken, deleteTokens, printTokens } from '../../../deploy/cli/commands/cluster/tokens';
import { applyAddonCommand, listAddonsCommand, deleteAddonCommand } from '../../../deploy/cli/commands/cluster/addons';
import {
  ADDONS_APPLY_FLAGS,
  ADDONS_LIST_FLAGS,
  CLUSTER_FLAGS,
  NODES_PREPARE_FLAGS,
  TOKEN_CREATE_FLAGS,
  TOKEN_LIST_FLAGS,
} from '../../../deploy/cli/commands/cluster/flags';
import { prepareNodes } from '../../../deploy/cli/commands/cluster/nodes';
import { writeClusterInfo } from '../../../deploy/cluster/cluster-info';
import { parseFlags, type FlagTable, type FlagValues } from '../../../shared/cli/flags';
import { createTestHost, type TestHost } from '../../support/command-host';
import { useFolder } from '../../support/use-resource';
import { useServer, writeKubeconfig, type Fixture } from '../http/fixture';
import { SERVER, SERVICE_RANGES, withAdministrator } from './prepared-cluster';

const TOKEN = 'abcdef.0123456789abcdef';
const { signal } = new AbortController();

/** Runs a command with the flags of its table. */
async function run<Table extends FlagTable>(
  table: Table,
  argv: readonly string[],
  command: (values: FlagValues<Table>, operands: readonly string[], host: TestHost) => Promise<number>,
): Promise<TestHost['printed']> {
  const parsed = parseFlags({ name: 'test', description: '', operands: '[NAME...]' }, table, argv);
  if (parsed.kind !== 'values') throw new Error(parsed.kind === 'error' ? parsed.message : parsed.text);
  const host = createTestHost({ directory: '/' });
  expect(await command(parsed.values, parsed.rest, host)).toBe(0);
  return host.printed;
}

/** The commands with a kubeconfig for the server. */
function commandsFor(api: Fixture, folder: string) {
  const withKubeconfig = (argv: readonly string[]): readonly string[] => [`--kubeconfig=${writeKubeconfig(api, folder)}`, ...argv];
  return {
    createToken: (...argv: string[]) => run(TOKEN_CREATE_FLAGS, withKubeconfig(argv), createBootstrapToken),
    listTokens: (...argv: string[]) => run(TOKEN_LIST_FLAGS, withKubeconfig(argv), (values, _, host) => printTokens(values, host)),
    deleteTokens: (...argv: string[]) => run(CLUSTER_FLAGS, withKubeconfig(argv), deleteTokens),
    prepareNodes: (...argv: string[]) => run(NODES_PREPARE_FLAGS, withKubeconfig(argv), (values, _, host) => prepareNodes(values, host)),
    applyAddon: (...argv: string[]) => run(ADDONS_APPLY_FLAGS, withKubeconfig(argv), applyAddonCommand),
    listAddons: (...argv: string[]) => run(ADDONS_LIST_FLAGS, withKubeconfig(argv), (values, _, host) => listAddonsCommand(values, host)),
    deleteAddon: (...argv: string[]) => run(CLUSTER_FLAGS, withKubeconfig(argv), deleteAddonCommand),
  };
}

describe('on a cluster with upstream names', () => {
  const folder = useFolder('node-commands');
  const api = useServer(() => ({ naming: 'kubernetes', serviceRanges: SERVICE_RANGES }));
  const commands = () => commandsFor(api, folder);

  it('platform token list prints a created token', async () => {
    expect((await commands().createToken('--ttl=0', '--description=rack 7', TOKEN)).output).toBe(`${TOKEN}\n`);
    const { output } = await commands().listTokens();
    expect(output).toMatch(/^TOKEN +TTL +EXPIRES +USAGES +DESCRIPTION +EXTRA GROUPS\n/);
    expect(output).toMatch(
      /^abcdef\.\S+ +<forever> +<never> +authentication,signing +rack 7 +system:bootstrappers:kubeadm:default-node-token$/m,
    );
  });

  it('platform token create refuses the id of another token', async () => {
    await expect(commands().createToken(TOKEN)).rejects.toThrow('a token with the id abcdef exists');
  });

  it('platform token delete deletes a token once', async () => {
    expect((await commands().deleteTokens(TOKEN)).output).toBe('bootstrap token "abcdef" deleted\n');
    await expect(commands().deleteTokens('abcdef')).rejects.toThrow('there is no token with the id abcdef');
    expect((await commands().listTokens('--output=json')).output).toBe('[]\n');
  });

  it('platform token create gives a random token the ttl, the usages and the groups of the flags', async () => {
    const { output } = await commands().createToken('--ttl=1h', '--usages=authentication', '--groups=system:bootstrappers:a');
    const token = output.trim();
    expect(token).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    const [row] = JSON.parse((await commands().listTokens('--output=json')).output) as Record<string, unknown>[];
    expect(row).toMatchObject({ token, usages: ['authentication'], groups: ['system:bootstrappers:a'], description: '' });
    const remaining = Date.parse(String(row?.['expires'])) - Date.now();
    // The hour of --ttl, less what has passed since.
    expect(remaining).toBeGreaterThan(3_500_000);
    expect(remaining).toBeLessThanOrEqual(3_600_000);
    await commands().deleteTokens(token);
  });

  it.each([
    [['short'], 'is not a token'],
    [['--groups=system:masters'], 'is not system:bootstrappers:'],
    [['--usages=signing,joining'], '"joining" is not one of authentication, signing'],
    [['--usages=signing', '--groups=system:bootstrappers:a'], '--groups needs the usage authentication'],
  ])('platform token create %j is refused', async (argv, message) => {
    await expect(commands().createToken(...argv)).rejects.toThrow(message);
  });

  it('platform nodes prepare asks for cluster-info', async () => {
    await expect(commands().prepareNodes()).rejects.toThrow('the ConfigMap cluster-info is missing in kube-public');
  });

  it('platform token create prints the command that joins a node', async () => {
    await withAdministrator(api, (client) =>
      writeClusterInfo(client, { server: SERVER.origin, authority: api.authority.certificate, naming: 'kubernetes' }, signal),
    );
    const { output, errors } = await commands().createToken('--print-join-command', TOKEN);
    expect(output).toMatch(
      /^kubeadm join 192\.0\.2\.1:6443 --token abcdef\.0123456789abcdef --discovery-token-ca-cert-hash sha256:[0-9a-f]{64}\n$/,
    );
    expect(errors).toBe('');
    expect((await commands().prepareNodes()).output).toBe('everything exists: nodes join at 192.0.2.1:6443\n');
  });

  it('warns when only this machine reaches the published address', async () => {
    await withAdministrator(api, (client) =>
      writeClusterInfo(client, { server: 'https://127.0.0.1:6443', authority: api.authority.certificate, naming: 'kubernetes' }, signal),
    );
    expect((await commands().prepareNodes()).errors).toContain('which only this machine reaches');
  });

  it('platform addons apply --print installs nothing', async () => {
    expect((await commands().applyAddon('coredns', '--print')).output).toContain('clusterIP: 10.96.0.10\n');
    expect((await commands().listAddons()).output).toMatch(/^coredns +<not installed>$/m);
  });

  it('platform addons list prints an installed add-on', async () => {
    const { output } = await commands().applyAddon('coredns', '--image=registry.example/coredns:v2');
    expect(output).toContain('deployments/coredns applied\nservices/kube-dns applied\n');
    expect((await commands().listAddons()).output).toMatch(/^coredns +registry\.example\/coredns:v2 +0\/2$/m);
  });

  it('platform addons delete deletes the objects of an add-on once', async () => {
    expect((await commands().deleteAddon('coredns')).output).toMatch(/^services\/kube-dns deleted\ndeployments\/coredns deleted\n/);
    expect((await commands().deleteAddon('coredns')).output).toBe('');
  });

  it('platform addons apply refuses to overwrite what others have changed, unless it is forced', async () => {
    await commands().applyAddon('coredns');
    const path = '/api/v1/namespaces/kube-system/configmaps/coredns';
    await api.mergePatch(path, { data: { Corefile: 'mine' } });
    await expect(commands().applyAddon('coredns')).rejects.toThrow('--force-conflicts takes over the fields');
    await commands().applyAddon('coredns', '--force-conflicts');
    expect(JSON.stringify(await api.read(path))).toContain('loadbalance');
  });
});

describe('on a cluster with neutral names', () => {
  const folder = useFolder('neutral-commands');
  const api = useServer(() => ({ naming: 'platform' }));
  const commands = () => commandsFor(api, folder);

  it('platform token manages tokens', async () => {
    await commands().createToken(TOKEN);
    expect((await commands().listTokens()).output).toContain(TOKEN);
    await commands().deleteTokens('abcdef');
  });

  it('what real nodes need is refused with the flag to set', async () => {
    const message = "real nodes need a control plane with upstream's names: start it with --naming=kubernetes";
    await expect(commands().createToken('--print-join-command')).rejects.toThrow(message);
    await expect(commands().prepareNodes()).rejects.toThrow(message);
    await expect(commands().applyAddon('coredns')).rejects.toThrow(message);
    expect((await commands().listTokens('--output=json')).output).toBe('[]\n');
  });
});

it('a command without a kubeconfig names the command that creates one', async () => {
  const argv = ['--data-dir=/nowhere'];
  await expect(run(TOKEN_LIST_FLAGS, argv, (values, _, host) => printTokens(values, host))).rejects.toThrow(
    "/nowhere/admin.kubeconfig does not exist: 'platform start' creates it",
  );
});
