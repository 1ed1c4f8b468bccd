/**
 * The commands of `platform`. Help, completion scripts and docs/reference/commands.md are made from this table. The
 * modules of a command are loaded when it runs.
 */
import { command, type Command, type CommandOutcome, type CommandProgram } from '../../shared/cli/command-table';
import type { FlagTable } from '../../shared/cli/flags';
import { SHELLS } from '../../shared/cli/completion/completion-script';
import { versionText } from '../../shared/names/dialect';
import { BACKUP_FLAGS, MIGRATE_FLAGS, RESTORE_FLAGS, VERIFY_FLAGS } from '../migrate/flags';
import {
  CERTIFICATES_CREATE_FLAGS,
  CERTIFICATES_CREATE_SECRETS_FLAGS,
  CERTIFICATES_LIST_FLAGS,
  DATA_DIR_FLAGS,
  KUBECONFIG_FLAGS,
  LOGS_FLAGS,
  RESET_FLAGS,
  START_FLAGS,
  STATUS_FLAGS,
  STOP_FLAGS,
  VERSION_FLAGS,
} from './commands/flags';
import {
  ADDONS_APPLY_FLAGS,
  ADDONS_LIST_FLAGS,
  CLUSTER_FLAGS,
  NODES_PREPARE_FLAGS,
  TOKEN_CREATE_FLAGS,
  TOKEN_LIST_FLAGS,
} from './commands/cluster/flags';
import type { CommandHost } from './terminal/host';

const CONTROL_PLANE = 'Control plane';
const ACCESS = 'Access';
const NODES = 'Nodes';
const DATA = 'Data';
const PROGRAMS = 'Programs';
const OTHER = 'Other';

const LOGGED_PROGRAMS = ['apiserver', 'controllers', 'simulation', 'supervisor'];
const ADDON_NAMES = ['coredns', 'kube-proxy'];
const ADDON_OPERAND = { placeholder: ADDON_NAMES.join('|'), choices: ADDON_NAMES, min: 1, max: 1 };
const CERTIFICATE_NAMES = ['apiserver', 'admin', 'controllers', 'front-proxy-client', 'kubelet-client', 'simulation'];

/** The flags that `start` passes to its programs. */
const loadPassedFlags = async (): Promise<FlagTable> => ({ ...(await loadControllerFlags()), ...(await loadServerFlags()) });

const loadServerFlags = async (): Promise<FlagTable> => (await import('../../apiserver/options/flags/flags.js')).FLAGS;
const loadSimulationFlags = async (): Promise<FlagTable> => (await import('../../controllers/simulation/flags.js')).flags;
const loadControllerFlags = async (): Promise<FlagTable> => (await import('../../controllers/flags.js')).flags;

const COMMANDS: readonly Command<CommandHost>[] = [
  command({
    name: 'start',
    section: CONTROL_PLANE,
    summary: 'Run a control plane on this machine: API servers and controllers',
    details:
      'Other flags of the API server go to each API server, other flags of the controllers to them.\n\nIn a checkout, npm start is the same command: npm start -- --help.',
    examples: [
      'start',
      'start --detach --data-dir=/var/lib/platform',
      'start --etcd-servers=http://127.0.0.1:2379 --replicas=3',
      'start --naming=kubernetes --feature-gates=WatchList=true',
    ],
    flags: START_FLAGS,
    collectsUnknown: true,
    version: versionText,
    loadMoreFlags: loadPassedFlags,
    load: async () => (await import('./commands/start.js')).start,
  }),
  command({
    name: 'stop',
    section: CONTROL_PLANE,
    summary: 'End the control plane of a data folder in order',
    flags: STOP_FLAGS,
    load: async () => {
      const { stop } = await import('./commands/stop.js');
      return ({ values }, host: CommandHost) => stop(values, host);
    },
  }),
  command({
    name: 'status',
    section: CONTROL_PLANE,
    summary: 'Print the state, API servers, leaders, store and certificates',
    details: 'The exit code is 0 when all API servers are ready, 1 when they are not, and 3 when nothing runs.',
    examples: ['status --output=json'],
    flags: STATUS_FLAGS,
    load: async () => {
      const { status } = await import('./commands/status.js');
      return ({ values }, host: CommandHost) => status(values, host);
    },
  }),
  command({
    name: 'logs',
    section: CONTROL_PLANE,
    summary: 'Print the logs of a control plane that runs in the background',
    examples: ['logs --follow apiserver', 'logs --tail=20'],
    flags: LOGS_FLAGS,
    operands: { placeholder: `[${LOGGED_PROGRAMS.join('|')}]`, choices: LOGGED_PROGRAMS, min: 0, max: 1 },
    load: async () => {
      const { logs } = await import('./commands/logs.js');
      return ({ values, operands }, host: CommandHost) => logs(values, operands, host);
    },
  }),
  command({
    name: 'reset',
    section: CONTROL_PLANE,
    summary: 'Delete the certificates and data of a stopped control plane',
    flags: RESET_FLAGS,
    load: async () => {
      const { reset } = await import('./commands/reset.js');
      return ({ values }, host: CommandHost) => reset(values, host);
    },
  }),
  command({
    name: 'kubeconfig',
    section: ACCESS,
    summary: "Print the administrator's kubeconfig, or merge it into the user's",
    examples: ['kubeconfig', 'kubeconfig --merge --context=shop'],
    flags: KUBECONFIG_FLAGS,
    load: async () => {
      const { kubeconfig } = await import('./commands/kubeconfig.js');
      return ({ values }, host: CommandHost) => kubeconfig(values, host);
    },
  }),
  command({
    name: 'certificates list',
    section: ACCESS,
    summary: 'List the certificates and when they expire',
    flags: CERTIFICATES_LIST_FLAGS,
    load: async () => {
      const { printCertificates } = await import('./commands/certificates.js');
      return ({ values }, host: CommandHost) => printCertificates(values, host);
    },
  }),
  command({
    name: 'certificates renew',
    section: ACCESS,
    summary: 'Issue certificates again, by default all, from the authorities of the data folder',
    details: 'Running programs use the new certificates without a restart. The authorities and the keys of tokens stay.',
    flags: DATA_DIR_FLAGS,
    operands: { placeholder: '[NAME...]', choices: CERTIFICATE_NAMES, min: 0, max: CERTIFICATE_NAMES.length },
    load: async () => {
      const { renewNamedCertificates } = await import('./commands/certificates.js');
      return ({ values, operands }, host: CommandHost) => renewNamedCertificates(values, operands, host);
    },
  }),
  command({
    name: 'certificates create',
    section: ACCESS,
    summary: 'Create the certificates of a cluster on several machines, and renew those that expire',
    details: 'Each component gets a folder with only the keys that it needs. Running components reload replaced files.',
    examples: ['certificates create --external-address=https://api.example.com:6443 --etcd-names=etcd1,etcd2,etcd3'],
    flags: CERTIFICATES_CREATE_FLAGS,
    load: async () => {
      const { createCertificateFolders } = await import('./commands/cluster-certificates.js');
      return ({ values }, host: CommandHost) => createCertificateFolders(values, host);
    },
  }),
  command({
    name: 'certificates create-secrets',
    section: ACCESS,
    summary: 'Create the certificates of a cluster in Secrets of the cluster that it runs in, and renew those that expire',
    details:
      'Each component gets a Secret with only the keys that it needs. Authorities and keys of tokens are kept.\n\nThe identity needs the verbs get, create and update for Secrets.',
    examples: ['certificates create-secrets --namespace=control-plane --external-address=https://api.example.com:6443'],
    flags: CERTIFICATES_CREATE_SECRETS_FLAGS,
    load: async () => {
      const { createCertificateSecrets } = await import('./commands/cluster-certificates.js');
      return ({ values }, host: CommandHost) => createCertificateSecrets(values, host);
    },
  }),
  command({
    name: 'token create',
    section: NODES,
    summary: 'Create a bootstrap token and print it, or the command that joins a machine with it',
    examples: ['token create --print-join-command', 'token create --ttl=0 --description="rack 7"'],
    flags: TOKEN_CREATE_FLAGS,
    operands: { placeholder: '[TOKEN]', min: 0, max: 1 },
    load: async () => {
      const { createBootstrapToken } = await import('./commands/cluster/tokens.js');
      return ({ values, operands }, host: CommandHost) => createBootstrapToken(values, operands, host);
    },
  }),
  command({
    name: 'token list',
    section: NODES,
    summary: 'List the bootstrap tokens and when they expire',
    flags: TOKEN_LIST_FLAGS,
    load: async () => {
      const { printTokens } = await import('./commands/cluster/tokens.js');
      return ({ values }, host: CommandHost) => printTokens(values, host);
    },
  }),
  command({
    name: 'token delete',
    section: NODES,
    summary: 'Delete bootstrap tokens; nodes that joined with them stay',
    flags: CLUSTER_FLAGS,
    operands: { placeholder: 'TOKEN|ID...', min: 1, max: 100 },
    load: async () => {
      const { deleteTokens } = await import('./commands/cluster/tokens.js');
      return ({ values, operands }, host: CommandHost) => deleteTokens(values, operands, host);
    },
  }),
  command({
    name: 'nodes prepare',
    section: NODES,
    summary: 'Create the configuration and permissions with which kubeadm joins nodes',
    details:
      'The objects are the ConfigMaps kubeadm-config and kubelet-config in kube-system, and RBAC for bootstrap tokens and nodes.\nObjects that exist stay as they are.',
    examples: ['nodes prepare --cluster-cidr=10.244.0.0/16'],
    flags: NODES_PREPARE_FLAGS,
    load: async () => {
      const { prepareNodes } = await import('./commands/cluster/nodes.js');
      return ({ values }, host: CommandHost) => prepareNodes(values, host);
    },
  }),
  command({
    name: 'addons apply',
    section: NODES,
    summary: 'Install or update an add-on with the manifests of kubeadm: cluster DNS or kube-proxy',
    details: 'The manifests are applied with server-side apply by the field manager platform-addons.',
    examples: ['addons apply coredns', 'addons apply kube-proxy --cluster-cidr=10.244.0.0/16', 'addons apply coredns --print'],
    flags: ADDONS_APPLY_FLAGS,
    operands: ADDON_OPERAND,
    load: async () => {
      const { applyAddonCommand } = await import('./commands/cluster/addons.js');
      return ({ values, operands }, host: CommandHost) => applyAddonCommand(values, operands, host);
    },
  }),
  command({
    name: 'addons list',
    section: NODES,
    summary: 'List the add-ons with their images and ready pods',
    flags: ADDONS_LIST_FLAGS,
    load: async () => {
      const { listAddonsCommand } = await import('./commands/cluster/addons.js');
      return ({ values }, host: CommandHost) => listAddonsCommand(values, host);
    },
  }),
  command({
    name: 'addons delete',
    section: NODES,
    summary: 'Delete the objects of an add-on',
    flags: CLUSTER_FLAGS,
    operands: ADDON_OPERAND,
    load: async () => {
      const { deleteAddonCommand } = await import('./commands/cluster/addons.js');
      return ({ values, operands }, host: CommandHost) => deleteAddonCommand(values, operands, host);
    },
  }),
  command({
    name: 'backup',
    section: DATA,
    summary: 'Write all that a store holds at one revision into a file, while the API servers run',
    examples: ['backup --file=cluster.backup', 'backup --etcd-servers=http://127.0.0.1:2379 --file=- | gzip > cluster.backup.gz'],
    flags: BACKUP_FLAGS,
    load: async () => {
      const { backup } = await import('../migrate/commands.js');
      return async ({ values }, host: CommandHost) => succeed(backup(values, migrateHost(host)));
    },
  }),
  command({
    name: 'verify',
    section: DATA,
    summary: 'Check that a backup is complete, and print its source',
    flags: VERIFY_FLAGS,
    load: async () => {
      const { verify } = await import('../migrate/commands.js');
      return async ({ values }, host: CommandHost) => succeed(verify(values, migrateHost(host)));
    },
  }),
  command({
    name: 'restore',
    section: DATA,
    summary: 'Put a backup into an empty store; clients list all objects again afterwards',
    flags: RESTORE_FLAGS,
    load: async () => {
      const { restoreFile } = await import('../migrate/commands.js');
      return async ({ values }, host: CommandHost) => succeed(restoreFile(values, migrateHost(host)));
    },
  }),
  command({
    name: 'migrate',
    section: DATA,
    summary: 'Copy all data from the embedded store to an empty etcd, or back, while no API server runs',
    examples: ['migrate --to=etcd --etcd-servers=http://127.0.0.1:2379'],
    flags: MIGRATE_FLAGS,
    load: async () => {
      const { migrate } = await import('../migrate/commands.js');
      return async ({ values }, host: CommandHost) => succeed(migrate(values, migrateHost(host)));
    },
  }),
  programCommand({
    name: 'apiserver',
    mainFile: 'apiserver/main.js',
    summary: 'Run one API server with its own flags',
    loadMoreFlags: loadServerFlags,
  }),
  programCommand({
    name: 'controllers',
    mainFile: 'controllers/main.js',
    summary: 'Run the controllers with their own flags',
    loadMoreFlags: loadControllerFlags,
  }),
  programCommand({
    name: 'simulation',
    mainFile: 'controllers/simulation/main.js',
    summary: 'Simulate nodes of a cluster, with flags of its own',
    loadMoreFlags: loadSimulationFlags,
  }),
  command({
    name: 'completion',
    section: OTHER,
    summary: 'Print the completion script of a shell',
    examples: ['completion bash > ~/.local/share/bash-completion/completions/platform', 'completion fish | source'],
    flags: {},
    operands: { placeholder: SHELLS.join('|'), choices: SHELLS, min: 1, max: 1 },
    load: async () => {
      const { completionOf } = await import('../../shared/cli/completion/completion.js');
      const { completionScript } = await import('../../shared/cli/completion/completion-script.js');
      return async ({ operands: [shell = ''] }, host: CommandHost) => {
        host.write(completionScript(shell, await completionOf(PROGRAM)) ?? '');
        return 0;
      };
    },
  }),
  command({
    name: 'version',
    section: OTHER,
    summary: 'Print the versions of the package, the API and Node',
    flags: VERSION_FLAGS,
    load: async () => {
      const { version } = await import('./commands/version.js');
      return ({ values }, host: CommandHost) => version(values, host);
    },
  }),
];

export const PROGRAM: CommandProgram<CommandHost> = {
  name: 'platform',
  description: 'Runs and administers a cluster control plane: a Kubernetes 1.31 API over etcd or an embedded store.',
  commands: COMMANDS,
};

interface ProgramRow {
  readonly name: string;
  /** Below dist/. */
  readonly mainFile: string;
  readonly summary: string;
  readonly loadMoreFlags: () => Promise<FlagTable>;
}

/** The command of a program of the package, which parses its own arguments. */
function programCommand({ name, mainFile, summary, loadMoreFlags }: ProgramRow): Command<CommandHost> {
  return {
    name,
    section: PROGRAMS,
    summary,
    flags: {},
    loadMoreFlags,
    async run(_program, argv, host): Promise<CommandOutcome> {
      const { runProgram } = await import('./commands/run-program.js');
      return { kind: 'exit', code: await runProgram(mainFile, argv, host) };
    },
  };
}

/** Prints to standard error, because a backup may be written to standard output. */
const migrateHost = ({ clock, random, writeError }: CommandHost) => ({
  clock,
  random,
  print: (line: string) => writeError(`${line}\n`),
});

/** Resolves to the exit code 0 when `done` resolves, and rejects as it does. */
async function succeed(done: Promise<void>): Promise<number> {
  await done;
  return 0;
}
