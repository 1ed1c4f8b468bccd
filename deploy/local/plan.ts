/**
 * What runs: the processes of one local control plane, their flags, addresses and files, worked out from the options alone.
 */
import path from 'node:path';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { RunnerOptions } from './options';

const host = '127.0.0.1';

/** Where things lie in the data folder. */
export interface Layout {
  readonly run: string;
  readonly pki: string;
  readonly store: string;
  readonly kubeconfig: string;
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
        `--bind-address=${host}`,
        `--secure-port=${securePort}`,
        `--insecure-bind-address=${host}`,
        `--insecure-port=${insecurePort}`,
        `--tls-cert-file=${path.join(layout.pki, 'apiserver.crt')}`,
        `--tls-private-key-file=${path.join(layout.pki, 'apiserver.key')}`,
        `--client-ca-file=${path.join(layout.pki, 'ca.crt')}`,
        ...serviceAccountFlags(options.rest, layout),
        ...storageFlags(options, layout),
        '--log-level=warn',
        ...options.rest,
      ],
      securePort,
      insecurePort,
      secureAddress: `https://${host}:${securePort}`,
      insecureAddress: insecurePort === 0 ? undefined : `http://${host}:${insecurePort}`,
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
      `--kubeconfig=${layout.kubeconfig}`,
      ...(servers.length > 1 ? [`--master=${servers.join(',')}`] : []),
      `--controllers=${options.controllers.join(',')}`,
      `--root-ca-file=${path.join(layout.pki, 'ca.crt')}`,
      ...namingFlag(options.rest),
      '--log-level=warn',
    ],
  };
}

/** The API servers' `--naming`, which the controllers must share. */
function namingFlag(flags: readonly string[]): string[] {
  const value = namingOf(flags);
  return value === undefined ? [] : [`--naming=${value}`];
}

function namingOf(flags: readonly string[]): string | undefined {
  const last = flags.findLastIndex((flag) => flag === '--naming' || flag.startsWith('--naming='));
  const flag = flags[last];
  return flag === '--naming' ? flags[last + 1] : flag?.slice('--naming='.length);
}

const TOKEN_FLAGS = /^--service-account-(issuer|key-file|signing-key-file)(=|$)/;

/** Tokens are issued under the name by which the API is found inside a cluster. Whoever names issuers or keys himself names them all. */
function serviceAccountFlags(flags: readonly string[], { pki }: Layout): string[] {
  if (flags.some((flag) => TOKEN_FLAGS.test(flag))) return [];
  const { defaultService } = GENERATED_NAMES[namingOf(flags) === 'kubernetes' ? 'kubernetes' : 'platform'];
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
