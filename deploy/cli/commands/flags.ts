/**
 * The flag tables of the commands of `platform`, except those of backups (deploy/migrate/flags.ts) and of tokens, nodes and
 * add-ons (cluster/flags.ts).
 */
import {
  boolFlag,
  choiceFlag,
  durationFlag,
  intFlag,
  listFlag,
  stringFlag,
  versionFlag,
  type FlagTable,
  type FlagValues,
} from '../../../shared/cli/flags';
import { dataDirFlag } from '../../cluster/data-folder';
import { RUNNER_FLAGS } from '../../local/options';

const COMMAND = 'Command';

export const DATA_DIR_FLAGS = {
  'data-dir': dataDirFlag(COMMAND, 'Folder of the control plane, as given to start.'),
} satisfies FlagTable;

export const OUTPUT_FLAGS = {
  output: choiceFlag({ section: COMMAND, help: 'Output format.', default: 'table', values: ['table', 'json'], shorthand: 'o' }),
} satisfies FlagTable;

export const START_FLAGS = {
  ...RUNNER_FLAGS,
  detach: boolFlag({
    section: COMMAND,
    help: 'Run in the background: return when the control plane is ready, and write its logs to the folder logs of --data-dir.',
    default: false,
    shorthand: 'd',
  }),
  'log-dir': stringFlag({
    section: COMMAND,
    help: 'Folder for the logs of the programs, two files of at most 10 MiB for each. By default they are written to the terminal.',
    default: '',
    completes: 'folders',
  }),
  version: versionFlag(COMMAND),
} satisfies FlagTable;

export const STOP_FLAGS = {
  ...DATA_DIR_FLAGS,
  timeout: durationFlag({ section: COMMAND, help: 'How long to wait for the programs to end.', default: 90_000 }),
} satisfies FlagTable;

export const STATUS_FLAGS = { ...DATA_DIR_FLAGS, ...OUTPUT_FLAGS } satisfies FlagTable;

export const RESET_FLAGS = {
  ...DATA_DIR_FLAGS,
  yes: boolFlag({ section: COMMAND, help: 'Delete without asking.', default: false, shorthand: 'y' }),
} satisfies FlagTable;

export const LOGS_FLAGS = {
  ...DATA_DIR_FLAGS,
  follow: boolFlag({ section: COMMAND, help: 'Wait for further lines until Ctrl-C.', default: false, shorthand: 'f' }),
  tail: intFlag({ section: COMMAND, help: 'Number of lines from the end of each log; -1 = all.', default: -1, min: -1 }),
} satisfies FlagTable;

export const KUBECONFIG_FLAGS = {
  ...DATA_DIR_FLAGS,
  merge: boolFlag({
    section: COMMAND,
    help: "Add the cluster, its user and a context to the user's kubeconfig instead of printing the file.",
    default: false,
  }),
  kubeconfig: stringFlag({
    section: COMMAND,
    help: 'The file to merge into. By default the first file of the variable KUBECONFIG, or ~/.kube/config.',
    default: '',
    completes: 'files',
  }),
  context: stringFlag({ section: COMMAND, help: 'Name of the context and cluster in the merged file.', default: 'platform' }),
  'set-current-context': boolFlag({ section: COMMAND, help: 'Make the merged context the current one.', default: true }),
  overwrite: boolFlag({
    section: COMMAND,
    help: 'Replace a context of that name also when it leads to another machine.',
    default: false,
  }),
} satisfies FlagTable;

export const CERTIFICATES_LIST_FLAGS = { ...DATA_DIR_FLAGS, ...OUTPUT_FLAGS } satisfies FlagTable;

const CLUSTER = 'Cluster';

/** What the certificates of the components cover, in a cluster that runs on several machines. */
const COMPONENT_CERTIFICATE_FLAGS = {
  'external-address': stringFlag({
    section: CLUSTER,
    help: "The https URL of the API servers in the administrator's kubeconfig.",
    default: 'https://127.0.0.1:6443',
  }),
  'internal-address': stringFlag({
    section: CLUSTER,
    help: 'The https URL of the API servers in the kubeconfig of the controllers. By default --external-address.',
    default: '',
  }),
  'server-names': listFlag({
    section: CLUSTER,
    help: 'Names and addresses in the certificate of the API servers, besides the hosts of the two URLs, localhost and the names of the default Service.',
    default: [],
  }),
  'service-cluster-ip-range': stringFlag({
    section: CLUSTER,
    help: 'CIDR ranges of the cluster IPs of Services. The certificate of the API servers covers the first address of the first range.',
    default: '10.0.0.0/24',
  }),
  'controllers-names': listFlag({
    section: CLUSTER,
    help: 'Names and addresses in the serving certificate of the controllers, besides localhost.',
    default: [],
  }),
  'etcd-names': listFlag({
    section: CLUSTER,
    help: 'Names and addresses in the certificate of the etcd members, besides localhost. Without any, nothing is created for etcd.',
    default: [],
  }),
} satisfies FlagTable;

export const CERTIFICATES_CREATE_FLAGS = {
  ...COMPONENT_CERTIFICATE_FLAGS,
  'output-dir': stringFlag({
    section: COMMAND,
    help: 'Folder in which each component gets a folder of its files.',
    default: 'pki',
    completes: 'folders',
  }),
} satisfies FlagTable;

export const CERTIFICATES_CREATE_SECRETS_FLAGS = {
  ...COMPONENT_CERTIFICATE_FLAGS,
  namespace: stringFlag({ section: COMMAND, help: 'Namespace of the Secrets. Required.', default: '', shorthand: 'n' }),
  'name-prefix': stringFlag({ section: COMMAND, help: 'The Secrets are named PREFIX-COMPONENT.', default: 'platform' }),
  labels: listFlag({ section: COMMAND, help: 'Labels of new Secrets, as key=value.', default: [] }),
  kubeconfig: stringFlag({
    section: COMMAND,
    help: 'Kubeconfig of the cluster that stores the Secrets. By default the in-cluster configuration of a pod.',
    default: '',
    completes: 'files',
  }),
} satisfies FlagTable;

export const VERSION_FLAGS = {
  output: choiceFlag({ section: COMMAND, help: 'Output format.', default: 'text', values: ['text', 'json'], shorthand: 'o' }),
} satisfies FlagTable;

export type StopFlags = FlagValues<typeof STOP_FLAGS>;
export type StatusFlags = FlagValues<typeof STATUS_FLAGS>;
export type ResetFlags = FlagValues<typeof RESET_FLAGS>;
export type LogsFlags = FlagValues<typeof LOGS_FLAGS>;
export type KubeconfigFlags = FlagValues<typeof KUBECONFIG_FLAGS>;
export type CertificatesListFlags = FlagValues<typeof CERTIFICATES_LIST_FLAGS>;
export type ComponentCertificateFlags = FlagValues<typeof COMPONENT_CERTIFICATE_FLAGS>;
export type CertificatesCreateFlags = FlagValues<typeof CERTIFICATES_CREATE_FLAGS>;
export type CertificatesCreateSecretsFlags = FlagValues<typeof CERTIFICATES_CREATE_SECRETS_FLAGS>;
export type DataDirFlags = FlagValues<typeof DATA_DIR_FLAGS>;
export type VersionFlags = FlagValues<typeof VERSION_FLAGS>;
