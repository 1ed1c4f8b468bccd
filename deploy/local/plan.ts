/** Plans the processes of a local control plane: their flags, addresses and files, computed from the options alone. */
import { isIP } from 'node:net';
import path from 'node:path';
import { ownMember } from '../../shared/values/json';
import { GENERATED_NAMES, type Dialect } from '../../shared/names/dialect';
import { hostWithoutBrackets } from '../../shared/values/network/host-url';
import { frontProxyFlags, KUBELET_CLIENT_LEAF, PROXY_AUTHORITY, PROXY_LEAF, serviceAddresses } from '../cluster/identities';
import { parseEndpoint, type RunnerOptions } from './options';

/** Programs that only this machine uses listen here. */
const HOST = '127.0.0.1';

/** Paths in the data folder. */
export interface Layout {
  readonly run: string;
  readonly pki: string;
  readonly store: string;
  /** Logs of a control plane in the background. */
  readonly logs: string;
  /** Process id file of the supervisor. */
  readonly supervisor: string;
  /** Describes the running control plane (run-state.ts). */
  readonly state: string;
  /** Kubeconfig of the administrator. */
  readonly kubeconfig: string;
  readonly controllersKubeconfig: string;
  readonly simulationKubeconfig: string;
}

/** What the credentials of a control plane have to cover, and where they are. */
export interface CredentialsRequest {
  readonly layout: Pick<Layout, 'pki' | 'kubeconfig' | 'controllersKubeconfig' | 'simulationKubeconfig'>;
  /** The https URL of the API server for the programs of this machine, in their kubeconfigs. */
  readonly server: string;
  /** The https URL in the administrator's kubeconfig. */
  readonly externalServer: string;
  /** Further names and addresses in the serving certificate of the API servers. */
  readonly addresses: readonly string[];
  /** Whether nodes are simulated: the user of the simulation then gets a certificate and a kubeconfig. */
  readonly simulatesNodes: boolean;
}

/** A process to start. */
export interface ProcessPlan {
  /** Name of the process on the console and of its process id file. */
  readonly name: string;
  /** Compiled main file below dist/. */
  readonly program: string;
  readonly args: readonly string[];
}

/** The addresses are URLs by which programs of this machine reach the server. */
export interface ApiServerPlan extends ProcessPlan {
  readonly securePort: number;
  /** 0 for none. */
  readonly insecurePort: number;
  readonly secureAddress: string;
  readonly insecureAddress: string | undefined;
}

/** The paths below a data folder; creates none of them. */
export function layoutOf(dataDir: string): Layout {
  return {
    run: path.join(dataDir, 'run'),
    pki: path.join(dataDir, 'pki'),
    store: path.join(dataDir, 'store'),
    logs: path.join(dataDir, 'logs'),
    supervisor: path.join(dataDir, 'run', 'supervisor.pid'),
    state: path.join(dataDir, 'run', 'control-plane.json'),
    kubeconfig: path.join(dataDir, 'admin.kubeconfig'),
    controllersKubeconfig: path.join(dataDir, 'controllers.kubeconfig'),
    simulationKubeconfig: path.join(dataDir, 'simulation.kubeconfig'),
  };
}

/** One API server per replica, on consecutive ports. The user's flags come last and take precedence. */
export function apiServerPlans(options: RunnerOptions): ApiServerPlan[] {
  const layout = layoutOf(options.dataDir);
  const localHost = isIP(localAddress(options)) === 6 ? `[${localAddress(options)}]` : localAddress(options);
  return Array.from({ length: options.replicas }, (_, index) => {
    const securePort = options.securePort + index;
    const insecurePort = options.insecurePort === 0 ? 0 : options.insecurePort + index;
    return {
      name: options.replicas === 1 ? 'apiserver' : `apiserver-${index}`,
      program: 'apiserver/main.js',
      args: [
        `--bind-address=${options.bindAddress}`,
        `--secure-port=${securePort}`,
        `--insecure-bind-address=${HOST}`,
        `--insecure-port=${insecurePort}`,
        `--tls-cert-file=${path.join(layout.pki, 'apiserver.crt')}`,
        `--tls-private-key-file=${path.join(layout.pki, 'apiserver.key')}`,
        `--client-ca-file=${path.join(layout.pki, 'ca.crt')}`,
        `--service-cluster-ip-range=${options.serviceRanges}`,
        `--kubelet-client-certificate=${path.join(layout.pki, `${KUBELET_CLIENT_LEAF.file}.crt`)}`,
        `--kubelet-client-key=${path.join(layout.pki, `${KUBELET_CLIENT_LEAF.file}.key`)}`,
        ...serviceAccountFlags(options, layout),
        ...(hasFrontProxyFlags(options) ? [] : frontProxyFlags(layout.pki)),
        ...storageFlags(options, layout),
        '--enable-bootstrap-token-auth',
        '--log-level=warn',
        ...options.serverFlags,
      ],
      securePort,
      insecurePort,
      secureAddress: `https://${localHost}:${securePort}`,
      insecureAddress: insecurePort === 0 ? undefined : `http://${HOST}:${insecurePort}`,
    };
  });
}

/** Addresses that mean all addresses of the machine, with the one that programs of this machine connect to. */
const UNSPECIFIED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The address of the API servers for programs of this machine. */
const localAddress = ({ bindAddress }: RunnerOptions): string => ownMember(UNSPECIFIED, bindAddress) ?? bindAddress;

/** The certificates and kubeconfigs of a control plane with these options. */
export function credentialsRequest(options: RunnerOptions): CredentialsRequest {
  const [first] = apiServerPlans(options);
  const server = first?.secureAddress ?? '';
  return {
    layout: layoutOf(options.dataDir),
    server,
    externalServer: parseEndpoint(options.controlPlaneEndpoint, options.securePort) ?? server,
    addresses: certifiedAddresses(options),
    simulatesNodes: options.simulatedNodes > 0,
  };
}

/**
 * The controllers' process; undefined when `-*` is the only entry of `--controllers`. With several API servers, the
 * controllers use the next one when one does not respond.
 */
export function controllersPlan(options: RunnerOptions): ProcessPlan | undefined {
  if (options.controllers.length === 1 && options.controllers[0] === '-*') return undefined;
  const layout = layoutOf(options.dataDir);
  const servers = apiServerPlans(options).map(({ secureAddress }) => secureAddress);
  return {
    name: 'controllers',
    program: 'controllers/main.js',
    args: [
      `--kubeconfig=${layout.controllersKubeconfig}`,
      '--use-service-account-credentials',
      ...(servers.length > 1 ? [`--master=${servers.join(',')}`] : []),
      `--controllers=${options.controllers.join(',')}`,
      `--root-ca-file=${path.join(layout.pki, 'ca.crt')}`,
      ...(lastFlagValue(options.serverFlags, 'client-ca-file') === undefined ? signingFlags(layout) : []),
      ...(hasTokenKeyFlags(options) ? [] : [`--service-account-private-key-file=${path.join(layout.pki, 'sa.key')}`]),
      `--bind-address=${HOST}`,
      `--client-ca-file=${path.join(layout.pki, 'ca.crt')}`,
      ...namingFlag(options.serverFlags),
      '--log-level=warn',
      ...options.controllerFlags,
    ],
  };
}

/** The process that simulates nodes; undefined without simulated nodes. */
export function simulationPlan(options: RunnerOptions): ProcessPlan | undefined {
  if (options.simulatedNodes === 0) return undefined;
  const { simulationKubeconfig, pki } = layoutOf(options.dataDir);
  const servers = apiServerPlans(options).map(({ secureAddress }) => secureAddress);
  return {
    name: 'simulation',
    program: 'controllers/simulation/main.js',
    args: [
      `--kubeconfig=${simulationKubeconfig}`,
      ...(servers.length > 1 ? [`--master=${servers.join(',')}`] : []),
      `--nodes=${options.simulatedNodes}`,
      `--node-capacity=${options.simulatedNodeCapacity.join(',')}`,
      `--bind-address=${HOST}`,
      ...(hasFrontProxyFlags(options) ? [] : simulationFrontProxyFlags(pki)),
      ...namingFlag(options.serverFlags),
      '--log-level=warn',
    ],
  };
}

/** With these flags the simulation serves the metrics API to API servers, through which the autoscalers read it. */
const simulationFrontProxyFlags = (pki: string): string[] => [
  `--requestheader-client-ca-file=${path.join(pki, `${PROXY_AUTHORITY.file}.crt`)}`,
  `--requestheader-allowed-names=${PROXY_LEAF.subject.commonName}`,
];

/**
 * The controllers sign with the authority of the data folder. With the user's own `--client-ca-file`, of which the key is
 * unknown, they sign nothing.
 */
const signingFlags = ({ pki }: Layout): string[] => [
  `--cluster-signing-cert-file=${path.join(pki, 'ca.crt')}`,
  `--cluster-signing-key-file=${path.join(pki, 'ca.key')}`,
];

/** The addresses that every certificate of the API servers covers. */
const COMMON_ADDRESSES: ReadonlySet<string> = new Set([HOST, '::1']);

/**
 * Names and addresses that the API servers' certificate must cover besides the common ones: the default Service's, the
 * advertised and the bound address, and those for clients on other machines.
 */
export function certifiedAddresses(options: RunnerOptions): string[] {
  const { serviceRanges, serverFlags, controlPlaneEndpoint, certificateNames, securePort } = options;
  const endpoint = parseEndpoint(controlPlaneEndpoint, securePort);
  const advertised = lastFlagValue(serverFlags, 'advertise-address') ?? '';
  return [
    // None for an invalid range, which the API servers reject when they start.
    ...serviceAddresses(serviceRanges),
    ...(isIP(advertised) === 0 ? [] : [advertised]),
    ...[localAddress(options)].filter((address) => !COMMON_ADDRESSES.has(address)),
    ...(endpoint === undefined ? [] : [hostWithoutBrackets(new URL(endpoint))]),
    ...certificateNames,
  ];
}

/** The spelling that `--naming` selects for the API servers. An unknown value counts as the default: they reject it. */
export function namingOf({ serverFlags }: RunnerOptions): Dialect {
  return lastFlagValue(serverFlags, 'naming') === 'kubernetes' ? 'kubernetes' : 'platform';
}

/** The controllers and the simulation must have the API servers' `--naming`. */
function namingFlag(flags: readonly string[]): string[] {
  const value = lastFlagValue(flags, 'naming');
  return value === undefined ? [] : [`--naming=${value}`];
}

/** The last value of a flag, as the API servers parse it. */
function lastFlagValue(flags: readonly string[], name: string): string | undefined {
  const prefix = `--${name}=`;
  const last = flags.findLastIndex((flag) => flag === `--${name}` || flag.startsWith(prefix));
  const flag = flags[last];
  return flag === `--${name}` ? flags[last + 1] : flag?.slice(prefix.length);
}

/** The flags with the keys and the issuer of service account tokens. */
const TOKEN_FLAGS = /^--service-account-(issuer|key-file|signing-key-file)(=|$)/;

const hasTokenKeyFlags = ({ serverFlags }: RunnerOptions): boolean => serverFlags.some((flag) => TOKEN_FLAGS.test(flag));

/** For example `--proxy-client-cert-file` and `--requestheader-allowed-names`. */
const FRONT_PROXY_FLAGS = /^--(proxy-client|requestheader)-/;

/** When the user sets any front proxy flag, none is generated. */
const hasFrontProxyFlags = ({ serverFlags }: RunnerOptions): boolean => serverFlags.some((flag) => FRONT_PROXY_FLAGS.test(flag));

/** The issuer is the in-cluster URL of the API. When the user sets any issuer or key flag, none is generated. */
function serviceAccountFlags(options: RunnerOptions, { pki }: Layout): string[] {
  if (hasTokenKeyFlags(options)) return [];
  const { defaultService } = GENERATED_NAMES[namingOf(options)];
  return [
    `--service-account-issuer=https://${defaultService}.default.svc.cluster.local`,
    `--service-account-key-file=${path.join(pki, 'sa.pub')}`,
    `--service-account-signing-key-file=${path.join(pki, 'sa.key')}`,
  ];
}

function storageFlags(options: RunnerOptions, layout: Layout): string[] {
  if (options.etcdServers.length > 0) return [`--etcd-servers=${options.etcdServers.join(',')}`];
  return ['--storage-backend=embedded', `--storage-dir=${layout.store}`];
}
