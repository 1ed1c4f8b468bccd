/** The flag tables of the commands that talk to a control plane as administrator: tokens, nodes and add-ons. */
import { BOOTSTRAP_TOKEN_USAGES } from '../../../../shared/api/identity/bootstrap-token';
import { boolFlag, durationFlag, listFlag, stringFlag, type FlagTable, type FlagValues } from '../../../../shared/cli/flags';
import { NODE_TOKEN_GROUP } from '../../../../shared/names/bootstrap-token';
import { DATA_DIR_FLAGS, OUTPUT_FLAGS } from '../flags';

const COMMAND = 'Command';
const NETWORK = 'Network';
const DAY_MS = 86_400_000;

export const CLUSTER_FLAGS = {
  ...DATA_DIR_FLAGS,
  kubeconfig: stringFlag({
    section: COMMAND,
    help: "Kubeconfig of an administrator. By default the one in --data-dir, which 'platform start' creates.",
    default: '',
    completes: 'files',
  }),
} satisfies FlagTable;

/** The network of the cluster, for the configuration of nodes. */
export const NETWORK_FLAGS = {
  'cluster-domain': stringFlag({ section: NETWORK, help: 'Domain of the names of Services.', default: 'cluster.local' }),
  'cluster-cidr': stringFlag({
    section: NETWORK,
    help: 'CIDR ranges of pods, comma-separated. Not needed when a network plug-in chooses them.',
    default: '',
  }),
  'service-cluster-ip-range': stringFlag({
    section: NETWORK,
    help: 'CIDR ranges of the cluster IPs of Services, as given to the API servers. Informs kubeadm only.',
    default: '',
  }),
} satisfies FlagTable;

export const TOKEN_CREATE_FLAGS = {
  ...CLUSTER_FLAGS,
  ttl: durationFlag({ section: COMMAND, help: 'How long the token is valid; 0 = it does not expire.', default: DAY_MS }),
  description: stringFlag({ section: COMMAND, help: 'What the token is for.', default: '' }),
  groups: listFlag({
    section: COMMAND,
    help: 'Groups of the user of the token; each starts with system:bootstrappers:.',
    default: [],
  }),
  usages: listFlag({
    section: COMMAND,
    help: `What the token may be used for: ${BOOTSTRAP_TOKEN_USAGES.join(', ')}.`,
    default: [],
  }),
  'print-join-command': boolFlag({
    section: COMMAND,
    help: "Prepare the cluster like 'platform nodes prepare', and print the kubeadm command that joins a machine.",
    default: false,
  }),
  ...NETWORK_FLAGS,
} satisfies FlagTable;

/** Lists have no default of their own, because repeated flags append. */
export const TOKEN_DEFAULTS = { groups: [NODE_TOKEN_GROUP], usages: BOOTSTRAP_TOKEN_USAGES } as const;

export const TOKEN_LIST_FLAGS = { ...CLUSTER_FLAGS, ...OUTPUT_FLAGS } satisfies FlagTable;

export const NODES_PREPARE_FLAGS = { ...CLUSTER_FLAGS, ...NETWORK_FLAGS } satisfies FlagTable;

const CONFLICTS_FLAG = boolFlag({
  section: COMMAND,
  help: 'Take over fields of the manifests that others have changed, instead of refusing with a conflict.',
  default: false,
});

export const ADDONS_APPLY_FLAGS = {
  ...CLUSTER_FLAGS,
  image: stringFlag({
    section: COMMAND,
    help: 'Image with its tag or digest. By default the one that kubeadm 1.31 installs.',
    default: '',
  }),
  'force-conflicts': CONFLICTS_FLAG,
  print: boolFlag({ section: COMMAND, help: 'Print the manifests as YAML instead of applying them.', default: false }),
  'cluster-domain': NETWORK_FLAGS['cluster-domain'],
  'cluster-cidr': NETWORK_FLAGS['cluster-cidr'],
} satisfies FlagTable;

export const ADDONS_LIST_FLAGS = { ...CLUSTER_FLAGS, ...OUTPUT_FLAGS } satisfies FlagTable;

export type ClusterFlags = FlagValues<typeof CLUSTER_FLAGS>;
export type NetworkFlags = FlagValues<typeof NETWORK_FLAGS>;
export type TokenCreateFlags = FlagValues<typeof TOKEN_CREATE_FLAGS>;
export type TokenListFlags = FlagValues<typeof TOKEN_LIST_FLAGS>;
export type NodesPrepareFlags = FlagValues<typeof NODES_PREPARE_FLAGS>;
export type AddonsApplyFlags = FlagValues<typeof ADDONS_APPLY_FLAGS>;
export type AddonsListFlags = FlagValues<typeof ADDONS_LIST_FLAGS>;
