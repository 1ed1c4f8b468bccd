/**
 * What runs: the processes of one local control plane, their flags, addresses and files, worked out from the options alone.
 */
import { isIP } from 'node:net';
import path from 'node:path';
import { formatIpAddress, parseIpRange } from '../../shared/values/ip-address';
import { GENERATED_NAMES, type Dialect } from '../../shared/names/dialect';
import { frontProxyFlags } from '../cluster/identities';
import type { RunnerOptions } from './options';

const HOST = '127.0.0.1';

/** Where things lie in the data folder. */
export interface Layout {
  readonly run: string;
  readonly pki: string;
  readonly store: string;
  readonly kubeconfig: string;
  /** The controllers' own. */
  readonly controllersKubeconfig: string;
}

export interface ProcessPlan {
  /** Names the process on the console and its pid file. */
  readonly name: string;
  /** Compiled main file below dist/. */
  readonly program: string;
  readonly args: readonly string[];
}

export interface ApiServerPlan extends ProcessPlan {
  readonly securePort: number;
  /** 0 = none. */
  readonly insecurePort: number;
  readonly secureAddress: string;
  readonly insecureAddress: string | undefined;
}

export function layoutOf(dataDir: string): Layout {
  return {
    run: path.join(dataDir, 'run'),
    pki: path.join(dataDir, 'pki'),
    store: path.join(dataDir, 'store'),
    kubeconfig: path.join(dataDir, 'admin.kubeconfig'),
    controllersKubeconfig: path.join(dataDir, 'controllers.kubeconfig'),
  };
}

/** One API server per replica, on consecutive ports; the user's own flags come last, so they win. */
export function apiServerPlans(options: RunnerOptions): ApiServerPlan[] {
  const layout = layoutOf(options.dataDir);
  return Array.from({ length: options.replicas }, (_, index) => {
    const securePort = options.securePort + index;
    const insecurePort = options.insecurePort === 0 ? 0 : options.insecurePort + index;
    return {
      name: options.replicas === 1 ? 'apiserver' : `apiserver-${index}`,
      program: 'apiserver/main.js',
      args: [
        `--bind-address=${HOST}`,
        `--secure-port=${securePort}`,
        `--insecure-bind-address=${HOST}`,
        `--insecure-port=${insecurePort}`,
        `--tls-cert-file=${path.join(layout.pki, 'apiserver.crt')}`,
        `--tls-private-key-file=${path.join(layout.pki, 'apiserver.key')}`,
        `--client-ca-file=${path.join(layout.pki, 'ca.crt')}`,
        `--service-cluster-ip-range=${options.serviceRanges}`,
        ...serviceAccountFlags(options, layout),
        ...(hasFrontProxyFlags(options) ? [] : frontProxyFlags(layout.pki)),
        ...storageFlags(options, layout),
        '--enable-bootstrap-token-auth',
        '--log-level=warn',
        ...options.rest,
      ],
      securePort,
      insecurePort,
      secureAddress: `https://${HOST}:${securePort}`,
      insecureAddress: insecurePort === 0 ? undefined : `http://${HOST}:${insecurePort}`,
    };
  });
}

/** The controllers' process; undefined when all of them are switched off. It goes on to another replica when one does not answer. */
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
      ...(lastFlagValue(options.rest, 'client-ca-file') === undefined ? signingFlags(layout) : []),
      ...(hasTokenKeyFlags(options) ? [] : [`--service-account-private-key-file=${path.join(layout.pki, 'sa.key')}`]),
      `--bind-address=${HOST}`,
      `--client-ca-file=${path.join(layout.pki, 'ca.crt')}`,
      ...namingFlag(options.rest),
      '--log-level=warn',
    ],
  };
}

/** Certificates that the controllers sign are those that the API servers believe. */
const signingFlags = ({ pki }: Layout): string[] => [
  `--cluster-signing-cert-file=${path.join(pki, 'ca.crt')}`,
  `--cluster-signing-key-file=${path.join(pki, 'ca.key')}`,
];

/** What the API servers' certificate has to cover besides the names that every one has: the default Service's address and the advertised one. */
export function certifiedAddresses({ serviceRanges, rest }: RunnerOptions): string[] {
  const range = parseIpRange(serviceRanges.split(',', 1)[0]?.trim() ?? '');
  const advertised = lastFlagValue(rest, 'advertise-address') ?? '';
  return [
    // A range that cannot be read is refused by the API servers.
    ...(range === undefined ? [] : [formatIpAddress({ family: range.family, value: range.first + 1n })]),
    ...(isIP(advertised) === 0 ? [] : [advertised]),
  ];
}

/** The names that the API servers generate; a word that they do not know is refused by them. */
export function namingOf({ rest }: RunnerOptions): Dialect {
  return lastFlagValue(rest, 'naming') === 'kubernetes' ? 'kubernetes' : 'platform';
}

/** The API servers' `--naming`, which the controllers must share. */
function namingFlag(flags: readonly string[]): string[] {
  const value = lastFlagValue(flags, 'naming');
  return value === undefined ? [] : [`--naming=${value}`];
}

/** What the API servers take for a flag of theirs. */
function lastFlagValue(flags: readonly string[], name: string): string | undefined {
  const last = flags.findLastIndex((flag) => flag === `--${name}` || flag.startsWith(`--${name}=`));
  const flag = flags[last];
  return flag === `--${name}` ? flags[last + 1] : flag?.slice(name.length + 3);
}

const TOKEN_FLAGS = /^--service-account-(issuer|key-file|signing-key-file)(=|$)/;

const hasTokenKeyFlags = ({ rest }: RunnerOptions): boolean => rest.some((flag) => TOKEN_FLAGS.test(flag));

/** Whoever names who speaks for users names all of it. */
const hasFrontProxyFlags = ({ rest }: RunnerOptions): boolean => rest.some((flag) => /^--(proxy-client|requestheader)-/.test(flag));

/** Tokens are issued under the name by which the API is found inside a cluster. Whoever names issuers or keys himself names them all. */
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
